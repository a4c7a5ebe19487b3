# SPDX-License-Identifier: Apache-2.0
"""Measured points as tables: for datasheets, for the command line, for documents."""

from collections.abc import Iterable, Sequence

from wideblock.evaluate.digests import older
from wideblock.evaluate.point import SAME_FUNCTION, Clock, Figures, Point
from wideblock.evaluate.published import for_preset
from wideblock.evaluate.store import typical
from wideblock.export.contract import Contract
from wideblock.export.markdown import table
from wideblock.synth.targets import Target, targets

__all__ = ["CORE", "HEAD", "NOTHING", "SHOWN", "area", "cells", "clock", "core_cells", "measured_table", "memories"]
__all__ += ["of_core", "row", "section"]

CORE = ("core", "bytes", "cycles", "paper's cycles")
HEAD = (*CORE, "target", "area", "FF", "LUT RAM", "block RAM", "clock, MHz", "Gb/s")
UNITS = {
    "LC": "logic cells as Yosys estimates them, two small LUTs in one; LUTs that are memories are not in it",
    "LUT4": "LUTs of four inputs, with those inside carry and wide-function cells",
    "kGE": "cell area over that of a thousand two-input NANDs",
}
"""Units of area of our figures, and what each counts."""
NOTHING = "Nothing here is measured on the circuits of today.\n"
"""Markdown in the place of a table without a row."""
SHOWN = ("xc7", "ecp5", "nangate45")
"""Targets of short tables: a table without clocks, with routed clocks and with pre-layout clocks."""


def of_core(core: Contract, points: Iterable[Point]) -> list[Point]:
    """The typical ``points`` of ``core``: equal preset, equal parameters."""
    wanted = core.name, dict(core.changed)
    return typical(point for point in points if (point.identity.preset, dict(point.identity.changed)) == wanted)


def section(core: Contract, points: Iterable[Point]) -> str:
    """Returns the Markdown table of the ``points`` measured on today's circuit of ``core``.

    Empty if there are none.
    """
    measured = of_core(core, [point for point in points if not older(point)])
    units = dict.fromkeys(unit for point in measured if (unit := _target(point).unit) in UNITS)
    return (
        "\n".join([table(HEAD, map(row, measured)), *(f"{unit}: {UNITS[unit]}.\n" for unit in units)])
        if measured
        else ""
    )


def row(point: Point) -> tuple[str, ...]:
    """``point``, with figures, under :data:`HEAD`, with a dash for a missing figure."""
    found = point.found
    return (
        *core_cells(point),
        found.part,
        f"{area(found)} {_target(point).unit}{older(point)}",
        f"{found.ffs:,}",
        f"{found.lutram + found.shift_registers:,}",
        memories(found),
        clock(found.clock),
        _gbps(found),
    )


def measured_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The Markdown table, or a sentence where there is no row."""
    listed = list(rows)
    return table(head, listed) if listed else NOTHING


def area(found: Figures) -> str:
    """The area with as many digits as it has: whole LUTs, tenths of a kGE."""
    return f"{found.area:,}" if isinstance(found.area, int) else f"{found.area:,.1f}"


def clock(found: Clock | None) -> str:
    """MHz, marked where wires are not in it."""
    return "-" if found is None else f"{found.mhz:,.0f}{'' if found.wires else ' (pre-layout)'}"


def cells(point: Point | None) -> tuple[str, str, str]:
    """Area, clock in MHz and throughput in Gb/s; dashes where there is none."""
    if point is None:
        return "-", "-", "-"
    mhz = point.found.mhz
    return area(point.found), f"{mhz:,.0f}" if mhz else "-", _gbps(point.found)


def _gbps(found: Figures) -> str:
    return "-" if found.gbps is None else f"{found.gbps:.1f}"


def memories(found: Figures) -> str:
    """Block RAMs, or the bits of memories on standard cells."""
    return f"{found.memory_bits:,} bits" if found.memory_bits else f"{found.block_rams:g}"


def core_cells(point: Point) -> tuple[str, ...]:
    """Name, bytes, cycles, and the cycles of papers for as many bytes."""
    size, core = point.found.bytes, point.identity
    design = core.preset if core.changed.keys() <= {*SAME_FUNCTION, "sector_bytes"} else core.name
    alike = (p for p in for_preset(design) if p.kind == "paper" and p.cycles and p.bytes in (None, size))
    papers = dict.fromkeys(p.cycles for p in alike)
    return point.name, _figure(size), _figure(point.found.interval), " / ".join(map(str, papers)) or "-"


def _target(point: Point) -> Target:
    return targets[point.identity.target]


def _figure(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"
