# SPDX-License-Identifier: Apache-2.0
"""``wideblock info``."""

from dataclasses import asdict, fields, replace
from typing import Annotated

import typer

from wideblock.catalog.changes import written
from wideblock.catalog.choices import choices
from wideblock.catalog.kinds import SECTOR
from wideblock.cli.app import Json, Preset, Set, as_json, settings
from wideblock.cli.display import out, table
from wideblock.evaluate.published import for_preset
from wideblock.export.contract import Contract, contract
from wideblock.export.figures import figures

EXAMPLE = "Example: [b]wideblock info fast-brw-2s --set sector_bytes=512[/b]"


def info(
    preset: Preset,
    changes: Set = None,
    parameters: Annotated[
        bool, typer.Option("--parameters", help="Meaning, value and choices of each parameter of --set alone.")
    ] = False,
    json: Json = False,
) -> None:
    """Show a core's parameters, cycle contract, resources, ports, published figures and security."""
    core = contract(preset, settings(changes))
    if parameters:
        show_parameters(core, json)
    elif json:
        sizes = {"sizes": figures(core.behaviour.length)} if core.kind is SECTOR else {}
        published = {"published": [asdict(row) for row in for_preset(core.name)]}
        as_json(core.json() | sizes | {"resources": core.resources} | published)
    else:
        show(core)


def show_parameters(core: Contract, json: bool) -> None:
    """Prints what may be changed in the core: the choices of a parameter are those while the others stay."""
    head = ("parameter", "value", "choices", "meaning")
    found = choices(replace(core.preset, parameters=core.parameters))
    rows = [
        (field.name, getattr(core.parameters, field.name), found[field.name], field.metadata["meaning"])
        for field in fields(core.parameters)
    ]
    if json:
        as_json([dict(zip(head, (*row, asdict(each), text), strict=True)) for *row, each, text in rows])
    else:
        table(head, ((name, written(value), each, text) for name, value, each, text in rows))
        out.print("\nChoices are those while the other parameters stay; --set may change several together.")


def show(core: Contract) -> None:
    """Prints all that is known of the core."""
    out.print(f"{core.title}. {core.summary}\n", markup=False)
    table(("parameter", "value"), ((name, written(value)) for name, value in core.settings.items()))
    out.print()
    table(("figure", "cycles"), ((figure.name, figure.cycles) for figure in core.timing.figures()))
    if core.kind is SECTOR and (rows := figures(core.behaviour.length)):
        out.print()
        _, _, *names = rows[0]
        table(("tweak, bytes", "sector, bytes", *names), (row.values() for row in rows))
    out.print()
    table(("resource", "number"), ((name, f"{number:,}") for name, number in core.resources.items()))
    out.print()
    table(
        ("port", "direction", "bits", "meaning"),
        ((port.name, port.direction, port.width, port.meaning) for port in core.ports),
    )
    for registers in core.registers:
        out.print()
        table(
            ("offset", "register", "number", "meaning"),
            ((f"{each.offset:03x}h", each.name, each.count, each.text) for each in registers.registers),
            title=f"Registers of map {registers.name}",
        )
    if published := for_preset(core.name):
        out.print()
        table(
            ("design", "device", "area", "MHz", "cycles", "Gb/s", "resources", "source"),
            (
                (
                    *(r.design, r.family, ", ".join(map(str, r.areas)), r.mhz, r.cycles, r.gbps, r.resources),
                    f"{r.source}, {r.table}",
                )
                for r in published
            ),
            title="Published",
        )
    out.print(f"\nSecurity ({core.preset.scheme.status.value}): {core.security}", markup=False)
