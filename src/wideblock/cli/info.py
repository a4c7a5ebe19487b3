# SPDX-License-Identifier: Apache-2.0
"""``wideblock info``."""

from dataclasses import asdict

import typer

from wideblock.cli.app import Json, Preset, Set, as_json, out, settings, table
from wideblock.evaluate.published import for_preset
from wideblock.export.contract import contract

EXAMPLE = "Example: [b]wideblock info fast-brw-2s --set sector_bytes=512[/b]"


def info(preset: Preset, changes: Set = None, json: Json = False) -> None:
    """Show a core's parameters, cycle contract, ports, published figures and security."""
    core = contract(preset, settings(changes))
    published = for_preset(core.name)
    if json:
        as_json(core.json() | {"published": [asdict(row) for row in published]})
        return
    out.print(f"{core.title}. {core.summary}\n", markup=False)
    table(("parameter", "value"), core.settings.items())
    out.print()
    table(("figure", "cycles"), asdict(core.timing).items())
    out.print()
    table(
        ("port", "direction", "bits", "meaning"),
        ((port.name, port.direction, port.width, port.meaning) for port in core.ports),
    )
    if published:
        out.print()
        table(
            ("design", "device", "area", "MHz", "cycles", "Gb/s", "source"),
            (
                (
                    row.design,
                    row.family,
                    ", ".join(map(str, row.areas)),
                    row.mhz,
                    row.cycles,
                    row.gbps,
                    f"{row.source}, {row.table}",
                )
                for row in published
            ),
            title="Published",
        )
    out.print(f"\nSecurity: {core.security}", markup=False)


def register(app: typer.Typer) -> None:
    app.command("info", epilog=EXAMPLE)(info)
