# SPDX-License-Identifier: Apache-2.0
"""``wideblock measure``."""

import typer

from wideblock.cli.app import Json, Preset, Set, as_json, settings, stages
from wideblock.cli.display import out, table
from wideblock.export.contract import contract
from wideblock.verify.suites import cycles

EXAMPLE = "Example: [b]wideblock measure fast-brw-2 --json[/b]"


def measure(preset: Preset, changes: Set = None, json: Json = False) -> None:
    """Measure the cycle contract of the exported Verilog in simulation, in every direction that the core has.

    Busy and eviction are stated as upper bounds; the other figures are exact. Exit status 1 if a figure differs from
    what the core states.
    """
    core = contract(preset, settings(changes))
    with stages(f"measuring {core.module}"):
        found = cycles(core)
    if json:
        named = {"preset": core.name, "changed": dict(core.changed)}
        as_json({**named, "stated": found.stated, **found.measured, "equal": found.equal})
    else:
        table(
            ("cycles", "stated", *found.measured),
            ((name, value, *(seen[name] for seen in found.measured.values())) for name, value in found.stated.items()),
            title=core.module,
        )
        out.print("measured as stated" if found.equal else "MISMATCH: measured cycles differ from the contract")
    if not found.equal:
        raise typer.Exit(1)
