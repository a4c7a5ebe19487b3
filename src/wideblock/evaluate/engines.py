# SPDX-License-Identifier: Apache-2.0
"""Tables of the pages on engines: registers, cycles of commands, and the areas that slots and registers cost."""

from collections.abc import Iterable
from itertools import product
from typing import Any

from wideblock import catalog
from wideblock.evaluate.digests import older
from wideblock.evaluate.point import Point
from wideblock.evaluate.store import own, typical
from wideblock.evaluate.tables import area, noted
from wideblock.export.contract import Contract, contract
from wideblock.export.markdown import table
from wideblock.export.registers import register_tables
from wideblock.rtl.bus.key_map import ERRORS
from wideblock.rtl.sector.parameters import BUSES

__all__ = ["bodies", "engines"]

BUS = BUSES[-1]
LANES, SIZES = (1, 2, 4), (16, 512, 4096)
"""Of the table of intervals: AES pipelines, and bytes of units."""


def engines() -> list[Contract]:
    """The presets with key slots, each within its engine."""
    presets = (preset for preset in catalog.PRESETS.values() if getattr(preset.parameters, "slots", 0))
    return [contract(preset.name, {"registers": BUS}) for preset in presets]


def bodies(points: Iterable[Point]) -> dict[str, dict[str, str]]:
    """Markdown by page and by the marker that it is for."""
    cores = engines()
    errors = table(("ERR", "name", "meaning"), [(str(e.value), f"`{e.name}`", e.text) for e in ERRORS])
    return {
        "engine.md": {
            "errors": errors,
            "cycles": _cycles(cores),
            "intervals": _intervals(cores[0].name),
            "areas": _areas(points),
        },
        "registers.md": {"registers": register_tables(cores[0].registers, "##")},
    }


def _cycles(cores: list[Contract]) -> str:
    """The cycle contracts, a row a figure and a column a core."""
    named = [{figure.name: figure for figure in core.timing.figures()} for core in cores]
    rows = [
        (
            figure.name,
            *(f"{'' if each[name].exact else 'at most '}{each[name].cycles:,}" for each in named),
            figure.meaning,
        )
        for name, figure in named[0].items()
    ]
    return table(("figure", *(f"`{core.name}`" for core in cores), "from, to"), rows)


def _intervals(preset: str) -> str:
    """Cycles from unit to unit by length, of cores with one key and with a key for each unit."""
    head = ("directions", "lanes", *(f"{size:,} bytes" for size in SIZES), "one key", "request before the data")
    rows = []
    for direction, lanes in product(("encrypt", "decrypt", "both"), LANES):
        keyed, plain, headed = (
            [_interval(preset, direction, lanes, size, slots=slots, header=header) for size in SIZES]
            for slots, header in ((256, False), (0, False), (256, True))
        )
        cells = [str(cycles) for cycles in keyed]
        rows.append((direction, str(lanes), *cells, *(" / ".join(map(str, each)) for each in (plain, headed))))
    return table(head, rows)


def _interval(preset: str, direction: str, lanes: int, size: int, **changes: Any) -> int:
    """Cycles from unit to unit with AES-256."""
    shape = {"direction": direction, "lanes": lanes, "width": lanes, "sector_bytes": size, "key_bits": 256}
    return contract(preset, shape | changes).timing.interval


def _areas(points: Iterable[Point]) -> str:
    """Areas on 7 series by number of slots, and with registers."""
    cells: dict[str, dict[tuple[int, str], Point]] = {}
    shown = []
    for point in typical(own(points)):
        known = point.identity
        scheme = catalog.preset(known.preset).scheme if known.preset in catalog.PRESETS else None
        if scheme is None or known.target != "xc7" or "slots" not in known.parameters or known.options:
            continue
        if {*known.changed} - {"slots", "registers", "key_bits"} or known.parameters["key_bits"] != 256:
            continue
        place = int(str(known.parameters["slots"])), str(known.parameters.get("registers", "none"))
        cells.setdefault(known.preset.removesuffix("-k"), {})[place] = point
        shown.append(point)
    places = sorted(
        {place for each in cells.values() for place in each}, key=lambda place: (place[0], place[1] != "none")
    )
    head = ("core", *(f"{slots:,} slots{', registers' if bus != 'none' else ''}" for slots, bus in places))
    rows = [(f"`{name}`", *(_cell(each.get(place)) for place in places)) for name, each in sorted(cells.items())]
    return noted(table(head, rows), shown)


def _cell(point: Point | None) -> str:
    if point is None:
        return "-"
    return f"{area(point.found)} LC, {point.found.ffs:,} FF, {point.found.block_rams:g} RAMB36{older(point)}"
