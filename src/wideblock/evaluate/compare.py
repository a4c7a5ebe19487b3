# SPDX-License-Identifier: Apache-2.0
"""Our rows for each preset, with published rows beside, as data."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from wideblock import catalog
from wideblock.evaluate.digests import older
from wideblock.evaluate.metrics import METRICS, Metrics, metrics, of_published
from wideblock.evaluate.point import Figures, Point
from wideblock.evaluate.published import Area, Published, for_preset
from wideblock.evaluate.stated import rate
from wideblock.evaluate.store import own, typical
from wideblock.evaluate.tables import UNITS as OUR_UNITS
from wideblock.export.contract import contract
from wideblock.records import Records

__all__ = ["UNITS", "ComparedRow", "compare", "records"]

BLOCK = 16
TEN = 10
"""Blocks of a message for which formulas of cycles are compared."""

UNITS = {
    "slices": "the vendor's tool, after placement",
    "LUTs": "theirs: the vendor's tool, memories in LUTs included; ours: Yosys, logic alone, no two small LUTs in one",
    "ALMs": "the vendor's tool, after placement",
    **OUR_UNITS,
}
"""Units of area, and what each counts."""

COLUMNS = (
    *("preset", "by", "design", "on", "bytes", "cycles", "cycles_alike"),
    *UNITS,
    *("ffs", "block_rams", "mhz", "gbps"),
    *METRICS,
    *("period_ns", "lut_ff_pairs", "iobs", "key_setup", "ten_blocks", "resources", "source", "older"),
)
"""Columns of :func:`records`, without the remarks."""


@dataclass(frozen=True)
class ComparedRow:
    """A published row and ours for the same preset; None where nobody has published or measured anything.

    older:          mark of a point of another circuit than today's, see ``digests.older``
    size:           bytes of ours in its cycles
    cycles:         ours a sector
    interval:       ours in the same bytes as ``published.cycles``; where these are a block, a block's share of a sector
    cycles_ratio:   theirs over ours, above 1 where ours takes fewer; without theirs that make values of the key
    key_setup, ten_blocks: ours as the published row has them: cycles from a key to a message, of ten blocks to encrypt
    ffs, block_rams: our flip-flops, and block RAMs of the size that the target has
    luts:           our LUTs, where the published row has LUTs and our area is in LC
    area_ratio:     ours over theirs, only if both count the same unit; slices and LCs never compare
    remarks:        what keeps two figures of the row from being compared as they stand
    """

    preset: str
    published: Published | None
    size: int
    cycles: int
    interval: float | None
    area: Area | None = None
    luts: Area | None = None
    ffs: int | None = None
    block_rams: float | None = None
    part: str | None = None
    mhz: float | None = None
    gbps: float | None = None
    key_setup: int | None = None
    ten_blocks: int | None = None
    older: str = ""
    tools: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def cycles_ratio(self) -> float | None:
        if self.interval is None or self.published is None or self.published.alike is None:
            return None
        return self.published.alike / self.interval

    @property
    def area_ratio(self) -> float | None:
        theirs = {area.unit: area.value for area in self.published.areas} if self.published else {}
        same = (area.value / theirs[area.unit] for area in (self.area, self.luts) if area and area.unit in theirs)
        return next(same, None)

    @property
    def theirs(self) -> Metrics | None:
        """The published row's."""
        return self.published and of_published(self.published)

    @property
    def metrics(self) -> Metrics:
        """Ours in the papers' metrics."""
        return metrics(
            area=self.area,
            luts=self.luts and self.luts.value,
            brams=self.block_rams,
            mhz=self.mhz,
            gbps=self.gbps,
            cycles=self.cycles,
            bits=8 * self.size / self.cycles,
        )


def compare(names: Sequence[str] = (), points: Iterable[Point] = ()) -> list[ComparedRow]:
    """A row for each published row of each preset or part and each typical point for it; one without, if none is.

    A preset without published rows has a row for each point, with a remark.
    names:   presets and parts, all by default; a changed preset with a published row and a point comes after the preset
    Raises ValueError for an unknown name.
    """
    ours: dict[str, list[Point]] = {}
    changed: dict[str, list[str]] = {}
    for point in typical(own(points)):
        ours.setdefault(point.name, []).append(point)
        if point.identity.changed and point.name not in changed.setdefault(point.identity.preset, []):
            changed[point.identity.preset].append(point.name)
    rows = []
    for preset in names or [*catalog.PRESETS, *catalog.PARTS]:
        size, interval = rate(preset)
        for name in (preset, *changed.get(preset, ())):
            of = ours.get(name) or [None]
            published = for_preset(name) or ([None] if name == preset else [])
            rows += [_row(name, theirs, point, interval, size) for theirs in published for point in of]
    return rows


def records(rows: Iterable[ComparedRow]) -> Records:
    """Published rows and our rows, separate, by preset, published rows first; areas in :data:`UNITS`.

    by: "paper", "open" or "vendor"; of ours "ours", and "ours alone" where there is no published row
    cycles_alike: without cycles for values of the key for each sector
    key_setup, ten_blocks: cycles from a key to a message, and of ten blocks to encrypt without associated data
    remarks: of a published row, as needed by the source; of our row on all published rows beside
    """
    found: dict[str, dict[tuple[object, ...], dict[str, None]]] = {}
    listed = list(rows)
    for row in listed:
        if theirs := row.published:
            line = _line(_of_published(row.preset, theirs))
            found.setdefault(row.preset, {})[line] = dict.fromkeys(filter(None, [theirs.remark]))
    luts = {(row.preset, row.part): row for row in listed if row.luts}
    stated = {row.preset: row for row in listed if row.ten_blocks}
    for row in listed:
        full, cycles = luts.get((row.preset, row.part), row), stated.get(row.preset, row)
        line = _line(_of_ours(row, full, cycles))
        said = dict.fromkeys(row.remarks)
        if row.published:
            said.pop(row.published.remark, None)
        found.setdefault(row.preset, {}).setdefault(line, {}).update(said)
    told = ((*line, "; ".join(said) or None) for lines in found.values() for line, said in lines.items())
    return Records((*COLUMNS, "remarks"), tuple(told))


def _line(values: Mapping[str, object]) -> tuple[object, ...]:
    """The values in the order of the columns; None where there is no value."""
    return tuple(values.get(column) for column in COLUMNS)


def _of_published(preset: str, row: Published) -> dict[str, object]:
    """Values of a published row by column."""
    return {
        "preset": preset,
        "by": row.kind,
        "design": row.design,
        "on": f"{row.family}, {row.table}",
        "bytes": row.bytes,
        "cycles": row.cycles,
        "cycles_alike": row.alike,
        **_areas(row.areas),
        "ffs": row.registers,
        "block_rams": row.brams,
        "mhz": row.mhz,
        "gbps": row.gbps,
        **asdict(of_published(row)),
        "period_ns": row.period_ns,
        "lut_ff_pairs": row.lut_ff_pairs,
        "iobs": row.iobs,
        "key_setup": row.key_setup,
        "ten_blocks": row.message(TEN),
        "resources": row.resources or None,
        "source": row.source,
    }


def _of_ours(row: ComparedRow, full: ComparedRow, stated: ComparedRow) -> dict[str, object]:
    """Values of our row by column, with the LUTs and metrics of ``full`` and the cycles of a message of ``stated``."""
    return {
        "preset": row.preset,
        "by": "ours" if row.published else "ours alone",
        "design": row.preset,
        "on": row.part,
        "bytes": row.size,
        "cycles": row.cycles,
        "cycles_alike": row.cycles,
        **_areas(filter(None, (row.area, full.luts))),
        "ffs": row.ffs,
        "block_rams": row.block_rams,
        "mhz": row.mhz,
        "gbps": row.gbps,
        **asdict(full.metrics),
        "period_ns": 1000 / row.mhz if row.mhz else None,
        "key_setup": stated.key_setup,
        "ten_blocks": stated.ten_blocks,
        "older": row.older.strip(" ()") or None,
    }


def _areas(areas: Iterable[Area]) -> dict[str, float]:
    """The areas by unit."""
    return {area.unit.partition(" ")[0]: area.value for area in areas}


def _row(name: str, theirs: Published | None, point: Point | None, interval: int, size: int) -> ComparedRow:
    found = point.found if point else None
    if found:
        interval, size = found.interval or interval, found.bytes or size
    ours, remarks = _same_bytes(theirs, interval, size) if theirs else (interval, ["no published row"])
    if theirs and found:
        remarks += _differences(theirs, found)
    if theirs and theirs.derived:
        remarks.append(f"{theirs.derived} of their cycles make values of the key in each sector, ours none")
    row = ComparedRow(name, theirs, size, interval, ours, remarks=tuple(remarks))
    if theirs and theirs.encryption:
        row = replace(row, **_message(name))
        remark = "theirs may leave out the words of the interface, ours are from instruction to status"
        row = replace(row, remarks=(*remarks, remark))
    if point is None or found is None:
        return row
    luts = Area(found.luts, "LUTs") if theirs and theirs.luts and found.unit.startswith("LC") else None
    rams = None if found.memory_bits else found.block_rams
    row = replace(row, area=Area(found.area, found.unit), luts=luts, ffs=found.ffs, block_rams=rams)
    row = replace(row, part=found.part, mhz=found.mhz, gbps=found.gbps)
    return replace(row, older=older(point), tools=point.identity.tools)


def _message(name: str) -> dict[str, int]:
    """Cycles from a key to a message, beyond those of a later message, and of ten blocks to encrypt."""
    core = contract(name)
    timing, size = core.timing, TEN * core.behaviour.shape.block
    ten = timing.message(0, size)
    return {"ten_blocks": ten, "key_setup": timing.message(0, size, activated=True) - ten}


def _same_bytes(theirs: Published, interval: int, size: int) -> tuple[float | None, list[str]]:
    """Our cycles in the bytes of ``theirs``, ``interval`` for ``size`` bytes, and remarks on them."""
    remarks = [theirs.remark] if theirs.remark else []
    if theirs.bytes == BLOCK != size:
        remark = f"theirs is a rate, cycles a block; so is ours, over {size} bytes"
        return round(interval * BLOCK / size, 3), [*remarks, remark]
    if theirs.bytes not in (None, size):
        return None, [*remarks, f"theirs processes {theirs.bytes} bytes, ours {size}: cycles do not compare"]
    return interval, remarks


def _differences(theirs: Published, found: Figures) -> list[str]:
    """Remarks on areas and clocks that do not compare as they stand."""
    remarks, units = [], [a.unit for a in theirs.areas]
    if units and found.unit not in units and not ("LUTs" in units and found.unit.startswith("LC")):
        remarks.append(f"area: theirs in {' and '.join(units)}, ours in {found.unit}: not the same unit")
    if theirs.brams or found.block_rams:
        brams = "not given" if theirs.brams is None else theirs.brams
        remarks.append(f"block RAMs: theirs {brams}, ours {found.block_rams:g}")
    if found.lutram or found.shift_registers:
        remarks.append(f"ours has {found.lutram + found.shift_registers} LUT memories besides")
    if found.mhz and theirs.mhz is not None and theirs.device != found.part:
        remarks.append(f"clock: theirs on {theirs.device}, ours on {found.part}")
    return remarks
