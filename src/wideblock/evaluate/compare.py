# SPDX-License-Identifier: Apache-2.0
"""Published rows beside ours, as data."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from wideblock.evaluate.published import Area, Published, for_preset
from wideblock.evaluate.result import Result

__all__ = ["Row", "compare"]

BLOCK = 16


@dataclass(frozen=True)
class Row:
    """A published row and ours for the same preset; None is what nobody has published or measured.

    interval:       our measured cycles a sector, in the same bytes as ``published.cycles``; where these are a block, a
                    block's share of the cycles of a sector
    cycles_ratio:   theirs over ours, above 1 where ours takes fewer
    area_ratio:     ours over theirs, only if both count the same unit; slices and LCs never compare
    remarks:        what keeps two figures of the row from being compared as they stand
    """

    preset: str
    published: Published
    interval: float | None
    area: Area | None
    part: str | None
    mhz: float | None
    gbps: float | None
    tools: tuple[str, ...]
    remarks: tuple[str, ...]

    @property
    def cycles_ratio(self) -> float | None:
        if self.interval is None or self.published.cycles is None:
            return None
        return self.published.cycles / self.interval

    @property
    def area_ratio(self) -> float | None:
        theirs = next((a for a in self.published.areas if self.area and a.unit == self.area.unit), None)
        return self.area.value / theirs.value if self.area and theirs else None


def compare(
    presets: Iterable[str],
    results: Iterable[Result] = (),
    *,
    intervals: Mapping[str, int] | None = None,
    sector_bytes: Mapping[str, int] | None = None,
) -> list[Row]:
    """A row for each published row of each preset and each of our results for it (one without, if there is none).

    ``intervals`` and ``sector_bytes`` are measured figures by preset, for presets whose results do not carry them.
    A preset that nobody has published is left out.
    """
    intervals, sector_bytes = intervals or {}, sector_bytes or {}
    ours: dict[str, list[Result]] = {}
    for result in results:
        ours.setdefault(result.name, []).append(result)
    return [
        _row(name, theirs, result, intervals.get(name), sector_bytes.get(name))
        for name in presets
        for theirs in for_preset(name)
        for result in ours.get(name) or [None]
    ]


def _row(name: str, theirs: Published, result: Result | None, interval: float | None, size: int | None) -> Row:
    if result:
        interval = interval if result.interval is None else result.interval
        size = size if result.bytes is None else result.bytes
    remarks = [theirs.remark] if theirs.remark else []
    if size and interval and theirs.bytes == BLOCK != size:
        interval = round(interval * BLOCK / size, 3)
        remarks.append(f"theirs is a rate, cycles a block; so is ours, over {size} bytes")
    elif size is not None and theirs.bytes is not None and size != theirs.bytes:
        remarks.append(f"theirs processes {theirs.bytes} bytes, ours {size}: cycles do not compare")
        interval = None
    if result is None:
        return Row(name, theirs, interval, None, None, None, None, (), tuple(remarks))
    area = Area(result.area.area, result.area_unit)
    units = [a.unit for a in theirs.areas]
    if units and area.unit not in units:
        remarks.append(f"area: theirs in {' and '.join(units)}, ours in {area.unit}: not the same unit")
    if theirs.brams or result.area.block_rams:
        remarks.append(
            f"block RAMs: theirs {'not given' if theirs.brams is None else theirs.brams}, "
            f"ours {result.area.block_rams:g}"
        )
    if result.area.lutram or result.area.shift_registers:
        remarks.append(f"ours has {result.area.lutram + result.area.shift_registers} LUT memories besides")
    clock = result.clock
    if clock and theirs.mhz is not None and theirs.device != result.part:
        remarks.append(f"clock: theirs on {theirs.device}, ours on {result.part}")
    return Row(
        name,
        theirs,
        interval,
        area,
        result.part,
        clock.mhz if clock else None,
        result.gbps,
        result.tools,
        tuple(remarks),
    )
