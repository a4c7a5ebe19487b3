# SPDX-License-Identifier: Apache-2.0
"""Our rows for each preset, and published ones beside them, as data."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from wideblock import catalog
from wideblock.evaluate.digests import older
from wideblock.evaluate.point import Figures, Point
from wideblock.evaluate.published import Area, Published, for_preset
from wideblock.evaluate.store import own, typical
from wideblock.export.contract import contract

__all__ = ["ComparedRow", "compare"]

BLOCK = 16


@dataclass(frozen=True)
class ComparedRow:
    """A published row and ours for the same preset; None where nobody has published or measured anything.

    older:          mark of a point that was measured on other Verilog than today's, as ``digests.older`` gives it
    cycles:         ours a sector
    interval:       ours in the same bytes as ``published.cycles``; where these are a block, a block's share of a sector
    cycles_ratio:   theirs over ours, above 1 where ours takes fewer
    area_ratio:     ours over theirs, only if both count the same unit; slices and LCs never compare
    remarks:        what keeps two figures of the row from being compared as they stand
    """

    preset: str
    published: Published | None
    cycles: int
    interval: float | None
    area: Area | None
    part: str | None
    mhz: float | None
    gbps: float | None
    older: str
    tools: tuple[str, ...]
    remarks: tuple[str, ...]

    @property
    def cycles_ratio(self) -> float | None:
        if self.interval is None or self.published is None or self.published.cycles is None:
            return None
        return self.published.cycles / self.interval

    @property
    def area_ratio(self) -> float | None:
        areas = self.published.areas if self.published else ()
        theirs = next((a for a in areas if self.area and a.unit == self.area.unit), None)
        return self.area.value / theirs.value if self.area and theirs else None


def compare(names: Sequence[str] = (), points: Iterable[Point] = ()) -> list[ComparedRow]:
    """A row for each published row of each preset or part and each typical point for it; one without, if none is.

    A preset that nobody has published has a row for each of its points, with a remark.
    names:   presets and parts, all by default; a changed preset that has a published row of its own and a point comes
             after its preset
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
        size, interval = _rate(preset)
        for name in (preset, *changed.get(preset, ())):
            of = ours.get(name) or [None]
            published = for_preset(name) or ([None] if name == preset else [])
            rows += [_row(name, theirs, point, interval, size) for theirs in published for point in of]
    return rows


@cache
def _rate(name: str) -> tuple[int, int]:
    """Bytes that a preset or part takes, and in how many cycles, as stated."""
    if part := catalog.PARTS.get(name):
        return part.bytes, part.make(part.parameters).timing.interval
    behaviour = contract(name).behaviour
    return behaviour.usual, behaviour.timing.interval


def _row(name: str, theirs: Published | None, point: Point | None, interval: int, size: int) -> ComparedRow:
    found = point.found if point else None
    if found:
        interval, size = found.interval or interval, found.bytes or size
    ours, remarks = _same_bytes(theirs, interval, size) if theirs else (interval, ["no published row"])
    if point is None or found is None:
        return ComparedRow(name, theirs, interval, ours, None, None, None, None, "", (), tuple(remarks))
    if theirs:
        remarks += _differences(theirs, found)
    clock = found.clock
    return ComparedRow(
        name,
        theirs,
        interval,
        ours,
        Area(found.area, found.unit),
        found.part,
        clock.mhz if clock else None,
        found.gbps,
        older(point),
        point.identity.tools,
        tuple(remarks),
    )


def _same_bytes(theirs: Published, interval: int, size: int) -> tuple[float | None, list[str]]:
    """Our cycles in the bytes of ``theirs``, ``interval`` for ``size`` bytes, and remarks on them."""
    ours: float | None = None
    remarks = [theirs.remark] if theirs.remark else []
    if theirs.bytes == BLOCK != size:
        ours = round(interval * BLOCK / size, 3)
        remarks.append(f"theirs is a rate, cycles a block; so is ours, over {size} bytes")
    elif theirs.bytes not in (None, size):
        remarks.append(f"theirs processes {theirs.bytes} bytes, ours {size}: cycles do not compare")
    else:
        ours = interval
    return ours, remarks


def _differences(theirs: Published, found: Figures) -> list[str]:
    """Remarks on areas and clocks that do not compare as they stand."""
    remarks, units = [], [a.unit for a in theirs.areas]
    if units and found.unit not in units:
        remarks.append(f"area: theirs in {' and '.join(units)}, ours in {found.unit}: not the same unit")
    if theirs.brams or found.block_rams:
        remarks.append(
            f"block RAMs: theirs {'not given' if theirs.brams is None else theirs.brams}, ours {found.block_rams:g}"
        )
    if found.lutram or found.shift_registers:
        remarks.append(f"ours has {found.lutram + found.shift_registers} LUT memories besides")
    clock = found.clock
    if clock and theirs.mhz is not None and theirs.device != found.part:
        remarks.append(f"clock: theirs on {theirs.device}, ours on {found.part}")
    return remarks
