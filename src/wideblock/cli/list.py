# SPDX-License-Identifier: Apache-2.0
"""``wideblock list``."""

from typing import Annotated

import typer

from wideblock import catalog
from wideblock.cli.app import Json, as_json, out, table

EXAMPLE = "Example: [b]wideblock list[/b]"


def _overlap(preset: catalog.Preset) -> str:
    if "overlap" not in catalog.settings(preset.parameters):
        return "-"
    return "yes" if preset.parameters.overlap else "no"


def presets(
    json: Json = False,
    names: Annotated[bool, typer.Option("--names", help="Print the names alone, one a line.")] = False,
) -> None:
    """Show every preset with what it is and what is known about its security."""
    known = [(preset, catalog.core(preset.parameters)) for preset in catalog.PRESETS.values()]
    if names:
        typer.echo("\n".join(preset.name for preset, _ in known))
    elif json:
        as_json(
            [
                {
                    "preset": preset.name,
                    "title": preset.title,
                    "summary": preset.summary,
                    "parameters": catalog.settings(preset.parameters),
                    "interval": core.timing.interval,
                    "security": preset.security,
                }
                for preset, core in known
            ]
        )
    else:
        table(
            ("preset", "bytes", "lanes", "overlap", "cycles a sector", "what it is"),
            (
                (
                    p.name,
                    p.parameters.sector_bytes,
                    p.parameters.lanes,
                    _overlap(p),
                    core.timing.interval,
                    p.summary,
                )
                for p, core in known
            ),
        )
        for scheme, security in {p.parameters.scheme: p.security for p, _ in known}.items():
            out.print(f"\nSecurity of {scheme.upper()}: {security}", markup=False)


def register(app: typer.Typer) -> None:
    app.command("list", epilog=EXAMPLE)(presets)
