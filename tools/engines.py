# SPDX-License-Identifier: Apache-2.0
"""Tables of the pages on engines: registers, cycles of commands, and the areas that slots and registers cost."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from functools import cache
from itertools import product
from statistics import median_low
from typing import Any

from tools.builds import areas
from wideblock import catalog
from wideblock.errors import UserError
from wideblock.evaluate.point import Point
from wideblock.evaluate.store import current, own
from wideblock.evaluate.tables import area, measured_table
from wideblock.evidence.record import named
from wideblock.export.contract import Contract, contract
from wideblock.export.markdown import table
from wideblock.export.registers import register_tables
from wideblock.rtl.bus.key_map import CommandError
from wideblock.rtl.keys.store import WORD
from wideblock.rtl.sector.parameters import BUSES, MASTERS
from wideblock.rtl.stream.behaviour import MarkedLength

__all__ = ["bodies", "engines"]

BUS = BUSES[-1]
LANES, SIZES = (1, 2, 4), (16, 512, 4096)
"""Of the table of intervals: AES pipelines, and bytes of units."""
BUILDS = {
    "16 slots": {"slots": 16},
    "256 slots": {},
    "256 slots, registers": {"registers": BUS},
    "1,024 slots": {"slots": 1024},
}
"""Of the table of areas: changes of a preset with slots, by the head of the column."""
AES_BITS = (128, 256)
MASTERED = "xts-both-k"
"""Preset of the table of the master's area."""
RAMB36 = (72, 512)
"""Bits of a row, and rows, of a block memory of 7 series at its widest."""


@cache
def engines() -> tuple[Contract, ...]:
    """The presets with key slots, each within its engine."""
    own = [each for each in catalog.PRESETS.values() if "registers" in asdict(each.parameters)]
    presets = (preset for preset in own if getattr(preset.parameters, "slots", 0))
    return tuple(contract(preset.name, {"registers": BUS}) for preset in presets)


def bodies(points: Iterable[Point]) -> dict[str, dict[str, str]]:
    """Markdown by page and by the marker that it is for."""
    stated = _stated()
    return {
        **stated,
        "engine.md": {**stated["engine.md"], "areas": _areas(points), "clocks": _clocks(points)},
        "dma.md": {"master-areas": _masters(points)},
    }


@cache
def _stated() -> dict[str, dict[str, str]]:
    """Those of contracts alone, which take hundreds of cores to make."""
    units = [core for core in engines() if _marked(core)]
    sectors = [core for core in engines() if not _marked(core)]
    errors = table(("ERR", "name", "meaning"), [(str(e.value), f"`{e.name}`", e.text) for e in CommandError])
    return {
        "engine.md": {
            "errors": errors,
            "cycles": _cycles(units),
            "sectors": _cycles(sectors),
            "intervals": _intervals(units[0].name),
            "wide-intervals": _wide_intervals(sectors),
            "keys": _keys(engines()),
        },
        "registers.md": {"registers": register_tables(units[0].registers, "##")},
    }


def _marked(core: Contract) -> bool:
    """Whether the mark of the last beat ends a message, as a unit of XTS."""
    return isinstance(core.behaviour.length, MarkedLength)


def _keys(cores: Iterable[Contract]) -> str:
    """MEK, block memory of a slot and cycles of a load: a row for cores that agree in all of them."""
    rows: dict[tuple[str, ...], list[str]] = {}
    sizes = [{"key_bits": bits} for bits in AES_BITS]
    for name, bits in ((core.name, n) for core in cores for n in (sizes if "key_bits" in core.settings else [{}])):
        core = contract(name, {"registers": BUS} | bits)
        inner = core.component.core
        memories = [(width + width // WORD, number) for width, number in inner.key_unit.slot_rows]
        blocks = sum(-(-width // RAMB36[0]) * -(-256 * number // RAMB36[1]) for width, number in memories)
        words = ", ".join(f"{word.name} {word.bits // 8}" for word in inner.key_material(inner.parameters).port)
        held = " and ".join(f"{number} of {width}" for width, number in inner.key_unit.slot_rows)
        load = {figure.name: figure for figure in core.timing.figures()}["load"]
        cycles = f"{'' if load.exact else 'at most '}{load.cycles:,}"
        rows.setdefault((str(core.parameters.key_bits), words, held, str(blocks), cycles), []).append(f"`{name}`")
    head = ("cores", "AES", "words of MEK, bytes", "rows a slot, bits", "RAMB36 of 256 slots", "load")
    return table(head, [(", ".join(names), *row) for row, names in rows.items()])


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


def _wide_intervals(cores: Iterable[Contract]) -> str:
    """Cycles from sector to sector with slots by AES and lanes: a row for cores that agree in all of them."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for core, bits in product(cores, AES_BITS):
        sized = {"key_bits": bits} if "key_bits" in core.settings else {}
        cells = [" / ".join(_slotted(core.name, sized, lanes, size) for lanes in LANES) for size in SIZES[1:]]
        row = str(core.parameters.key_bits if not sized else bits), *cells
        rows.setdefault(row, [])
        rows[row] += [name] if (name := f"`{core.name}`") not in rows[row] else []
    head = ("cores", "AES", *(f"{size:,} bytes" for size in SIZES[1:]))
    return table(head, [(", ".join(names), *row) for row, names in rows.items()])


def _slotted(preset: str, changes: dict[str, int], lanes: int, size: int) -> str:
    """Cycles from sector to sector with slots, and those of one key where they differ; "-": the core is refused."""
    shape = {"lanes": lanes, "width": lanes, "sector_bytes": size, **changes}
    try:
        keyed = contract(preset, shape).timing.interval
    except UserError:
        return "-"
    plain = contract(preset, shape | {"slots": 0}).timing.interval
    return str(keyed) if keyed == plain else f"{keyed} for {plain}"


def _areas(points: Iterable[Point]) -> str:
    """Areas by number of slots, and with registers."""
    builds = {}
    for core in engines():
        plain = core.preset.name.removesuffix("-k")
        key_bits = core.parameters.key_bits
        other = contract(plain).parameters.key_bits != key_bits
        builds[plain] = [named(plain, {"key_bits": key_bits} if other else {})]
        builds[plain] += [named(core.preset.name, dict(changes)) for changes in BUILDS.values()]
    return areas(points, ("0 slots", *BUILDS), builds)


def _clocks(points: Iterable[Point]) -> str:
    """Clocks of cores with slots beside clocks with one key: of each seed, by an equal flow at an equal aim."""
    flows: dict[str, dict[int, list[Point]]] = {}
    for point in current(own(points)):
        if point.figures and point.found.clock and (slots := point.identity.parameters.get("slots")) is not None:
            core = point.identity
            flow = json.dumps([{**core.parameters, "slots": 0}, core.method, core.aim_mhz], sort_keys=True)
            flows.setdefault(flow, {}).setdefault(slots, []).append(point)
    rows = [_pair(same[0], same[slots], slots) for same in flows.values() if 0 in same for slots in same if slots]
    head = ("core", "device", "slots", "area, one key", "MHz", "area, slots", "MHz", "ratio of MHz")
    return measured_table(head, sorted(rows))


def _pair(plain: list[Point], slotted: list[Point], slots: int) -> tuple[str, ...]:
    """A row: areas, the clocks of the seeds in order, and the ratio of the medians."""
    cells, medians = [], []
    for seeds in (plain, slotted):
        in_order = sorted(seeds, key=lambda point: point.identity.seed or 0)
        clocks = [clock.mhz for point in in_order if (clock := point.found.clock)]
        found = seeds[0].found
        cells += [f"{area(found)} {found.unit.partition(' ')[0]}", ", ".join(f"{mhz:,.0f}" for mhz in clocks)]
        medians.append(median_low(clocks))
    part, _, _ = plain[0].found.part.partition(",")
    return f"`{plain[0].name}`", part, f"{slots:,}", *cells, f"{medians[1] / medians[0]:.2f}"


def _masters(points: Iterable[Point]) -> str:
    """Areas of an engine without and with the master."""
    forms = [named(MASTERED, form | {"registers": BUS}) for form in ({}, {"dma": MASTERS[-1]})]
    return areas(points, ("streams", "master"), {MASTERED: forms})
