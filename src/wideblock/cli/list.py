# SPDX-License-Identifier: Apache-2.0
"""``wideblock list``."""

from dataclasses import asdict
from typing import Annotated

import typer

from wideblock import catalog
from wideblock.cli.app import Csv, Json, as_json, one_form
from wideblock.cli.display import out, table
from wideblock.errors import UserError
from wideblock.records import Records

EXAMPLE = "Example: [b]wideblock list --width 512 --status recommended[/b]"


def list_(
    scheme: Annotated[str | None, typer.Option(metavar="NAME", help="Presets of this scheme, such as hctr2.")] = None,
    width: Annotated[
        int | None, typer.Option(metavar="BITS", help="Presets with data ports of this width, such as 512.")
    ] = None,
    status: Annotated[
        str | None,
        typer.Option(metavar="WORDS", help=f"One of {', '.join(repr(each.value) for each in catalog.Status)}."),
    ] = None,
    has: Annotated[str | None, typer.Option(metavar="PARAMETER", help="Presets with this parameter.")] = None,
    parts: Annotated[bool, typer.Option("--parts", help="Parts alone: components that are measured alone.")] = False,
    names: Annotated[bool, typer.Option("--names", help="Print the names alone, one a line.")] = False,
    csv: Csv = False,
    json: Json = False,
) -> None:
    """Show the presets with their summaries, each scheme's security statement, and the parts.

    JSON has the parameters and the cycles from sector to sector, too; seconds.
    """
    one_form(csv, json)
    if names and (csv or json):
        raise UserError("--names prints names alone; leave out --csv and --json")
    if parts:
        if scheme or width is not None or status or has:
            raise UserError("--parts goes with no choice of presets; leave out --scheme, --width, --status and --has")
        show_parts(names=names, csv=csv, json=json)
        return
    chosen = catalog.select(scheme=scheme, width=width, status=status, has=has)
    if names:
        typer.echo("\n".join(preset.name for preset in chosen))
        return
    if json:
        from wideblock.export.contract import contract  # makes every core: not for a table that needs none

        as_json([contract(preset.name).listed() for preset in chosen])
        return
    if csv:
        typer.echo(Records.of(map(catalog.described, chosen)).csv(), nl=False)
        return
    rows = ((each.name, each.width, each.lanes, each.scheme.status.value, each.summary) for each in chosen)
    table(("preset", "bits", "lanes", "status", "summary"), rows)
    for each in dict.fromkeys(preset.scheme.name for preset in chosen):
        security = catalog.SCHEMES[each]
        out.print(f"\nSecurity of {each.upper()} ({security.status.value}): {security.security}", markup=False)
    if len(chosen) == len(catalog.PRESETS):
        out.print("\nParts, for synth, sweep, clock and compare:\n")
        show_parts(names=False, csv=False, json=False)


def show_parts(*, names: bool, csv: bool, json: bool) -> None:
    """Prints the parts in one of the forms of :func:`list_`; JSON has the parameters, too."""
    rows = [{"part": part.name, "bytes": part.bytes, "summary": part.summary} for part in catalog.PARTS.values()]
    if names:
        typer.echo("\n".join(catalog.PARTS))
    elif json:
        parameters = (asdict(part.parameters) for part in catalog.PARTS.values())
        as_json([row | {"parameters": each} for row, each in zip(rows, parameters, strict=True)])
    elif csv:
        typer.echo(Records.of(rows).csv(), nl=False)
    else:
        table(("part", "bytes", "summary"), (row.values() for row in rows))
