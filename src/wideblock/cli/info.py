# SPDX-License-Identifier: Apache-2.0
"""``wideblock info``."""

import json
from collections.abc import Callable
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wideblock.cache import installed, remembered
from wideblock.cli.app import Json, Preset, Set, as_json, settings
from wideblock.cli.display import out, table

if TYPE_CHECKING:
    from wideblock.export.contract import Contract

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
    changed = settings(changes)
    if parameters:
        show_parameters(made(preset, changed), json)
    elif json:
        as_json(known("json", plain, preset, changed))
    else:
        show(known("info", sheet, preset, changed))


def made(preset: str, changed: dict[str, str]) -> "Contract":
    """The contract of a core; its hardware is loaded."""
    from wideblock.export.contract import contract

    return contract(preset, changed)


def known(form: str, of: Callable[["Contract"], dict[str, Any]], preset: str, changed: dict[str, str]) -> Any:
    """The values ``of`` a core, computed once for the package as installed: a core takes a second to make."""
    made_of = (installed(), form, preset, *(f"{name}={value}" for name, value in changed.items()))
    return json.loads(remembered("info", made_of, lambda: json.dumps(of(made(preset, changed)))))


def plain(core: "Contract") -> dict[str, Any]:
    """All that is known of a core, for JSON."""
    from wideblock.catalog.kinds import SECTOR
    from wideblock.evaluate.published import for_preset
    from wideblock.export.figures import figures

    sizes = {"sizes": figures(core.behaviour.length)} if core.kind is SECTOR else {}
    published = {"published": [asdict(row) for row in for_preset(core.name)]}
    return core.json() | {"parameters": core.settings} | sizes | {"resources": core.resources} | published


def show_parameters(core: "Contract", json: bool) -> None:
    """Prints what may be changed in the core: choices of a parameter hold while all further parameters stay."""
    from wideblock.catalog.changes import written
    from wideblock.catalog.choices import choices

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


def sheet(core: "Contract") -> dict[str, Any]:
    """All that is known of a core, as rows of the tables of :func:`show`."""
    from wideblock.catalog.changes import written
    from wideblock.catalog.kinds import SECTOR
    from wideblock.evaluate.published import for_preset
    from wideblock.export.figures import figures

    sizes = figures(core.behaviour.length) if core.kind is SECTOR else []
    return {
        "title": f"{core.title}. {core.summary}",
        "parameters": [(name, written(value)) for name, value in core.settings.items()],
        "figures": [(figure.name, figure.cycles) for figure in core.timing.figures()],
        "size figures": [name for name in (sizes[0] if sizes else ()) if name not in ("tweak", "bytes")],
        "sizes": [[*row.values()] for row in sizes],
        "resources": [(name, f"{number:,}") for name, number in core.resources.items()],
        "ports": [(port.name, port.direction, port.width, port.meaning) for port in core.ports],
        "registers": {
            registers.name: [(f"{each.offset:03x}h", each.name, each.count, each.text) for each in registers.registers]
            for registers in core.registers
        },
        "published": [
            (
                *(r.design, r.family, ", ".join(map(str, r.areas)), r.mhz, r.cycles, r.gbps, r.resources),
                f"{r.source}, {r.table}",
            )
            for r in for_preset(core.name)
        ],
        "security": f"Security ({core.preset.scheme.status.value}): {core.security}",
    }


def show(core: dict[str, Any]) -> None:
    """Prints the :func:`sheet` of a core."""
    out.print(f"{core['title']}\n", markup=False)
    table(("parameter", "value"), core["parameters"])
    out.print()
    table(("figure", "cycles"), core["figures"])
    if core["sizes"]:
        out.print()
        table(("tweak, bytes", "sector, bytes", *core["size figures"]), core["sizes"])
    out.print()
    table(("resource", "number"), core["resources"])
    out.print()
    table(("port", "direction", "bits", "meaning"), core["ports"])
    for name, registers in core["registers"].items():
        out.print()
        table(("offset", "register", "number", "meaning"), registers, title=f"Registers of map {name}")
    if core["published"]:
        out.print()
        head = ("design", "device", "area", "MHz", "cycles", "Gb/s", "resources", "source")
        table(head, core["published"], title="Published")
    out.print(f"\n{core['security']}", markup=False)
