# SPDX-License-Identifier: Apache-2.0
"""``wideblock measure``."""

import typer

from wideblock.cli.app import Json, Preset, Set, as_json, out, settings, stages, table
from wideblock.export.contract import contract
from wideblock.verify.suites import suite_of

EXAMPLE = "Example: [b]wideblock measure fast-brw-2 --json[/b]"


def measure(preset: Preset, changes: Set = None, json: Json = False) -> None:
    """Measure the cycle contract of the exported Verilog in simulation, in every direction that the core has.

    Busy is stated as a bound; the other figures are exact. Exit status 1 if a figure differs from what the core states.
    """
    core = contract(preset, settings(changes))
    with stages(f"measuring {core.module}"):
        measured = suite_of(core).measure(core)
    figures = [figure for figure in core.timing.figures() if hasattr(next(iter(measured.values())), figure.name)]
    seen = {way: {figure.name: getattr(cycles, figure.name) for figure in figures} for way, cycles in measured.items()}
    stated = {figure.name: figure.cycles for figure in figures}
    right = all(figure.keeps(cycles[figure.name]) for cycles in seen.values() for figure in figures)
    if json:
        as_json({"preset": core.name, "changed": dict(core.changed), "stated": stated, **seen, "equal": right})
    else:
        table(
            ("cycles", "stated", *seen),
            ((name, value, *(cycles[name] for cycles in seen.values())) for name, value in stated.items()),
            title=core.module,
        )
        out.print("measured as stated" if right else "MISMATCH: measured cycles differ from the contract")
    if not right:
        raise typer.Exit(1)
