# SPDX-License-Identifier: Apache-2.0
"""``wideblock list``."""

from typing import Annotated

import typer

from wideblock import catalog
from wideblock.cli.app import Json, as_json, out, table
from wideblock.export.contract import contract

EXAMPLE = "Example: [b]wideblock list[/b]"


def list_(
    json: Json = False,
    names: Annotated[bool, typer.Option("--names", help="Print the names alone, one a line.")] = False,
) -> None:
    """Show every preset with its summary, and each scheme's security statement."""
    if names:
        typer.echo("\n".join(catalog.PRESETS))
        return
    known = [contract(name) for name in catalog.PRESETS]
    if json:
        as_json(
            [
                {
                    "preset": core.name,
                    "title": core.title,
                    "summary": core.summary,
                    "parameters": core.settings,
                    "interval": core.timing.interval,
                    "status": core.preset.scheme.status.value,
                    "security": core.security,
                }
                for core in known
            ]
        )
        return
    table(
        ("preset", "bytes", "lanes", "cycles", "summary"),
        ((c.name, c.behaviour.usual, c.settings.get("lanes"), c.timing.interval, c.summary) for c in known),
    )
    for scheme in catalog.SCHEMES.values():
        out.print(f"\nSecurity of {scheme.name.upper()} ({scheme.status.value}): {scheme.security}", markup=False)
