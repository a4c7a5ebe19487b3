# SPDX-License-Identifier: Apache-2.0
"""Measured points as tables: for documents between their markers, for datasheets, for the command line."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path

from wideblock import catalog
from wideblock.atomic import write_text
from wideblock.errors import UserError
from wideblock.evaluate import best
from wideblock.evaluate.digests import older
from wideblock.evaluate.point import Clock, Figures, Point
from wideblock.evaluate.published import for_preset
from wideblock.evaluate.store import own, typical
from wideblock.export.contract import Contract
from wideblock.export.markdown import table
from wideblock.synth.targets import Target, targets

__all__ = ["HEAD", "NOTHING", "RANKING", "SHOWN", "bodies", "cells", "insert", "insert_all", "inserted"]
__all__ += ["measured_table", "of_core", "overview", "rank", "row", "section"]

_CORE = ("core", "bytes", "cycles", "paper's cycles")
HEAD = (*_CORE, "target", "area", "FF", "LUT RAM", "block RAM", "clock, MHz", "Gb/s")
RANKING = (
    "device",
    "scheme",
    "status",
    "core",
    "bytes",
    "cycles",
    "area",
    "block RAM",
    "clock, MHz",
    "throughput",
    "for its area",
)
"""Head of the table of the best cores."""
UNITS = {
    "LC": "LC: logic cells as Yosys estimates them, two small LUTs in one; LUTs that are memories are not in it.",
    "LUT4": "LUT4: LUTs of four inputs, with those inside carry and wide-function cells.",
    "kGE": "kGE: cell area over that of a thousand two-input NANDs.",
}
"""Meanings of the units of area, for a reader of one core's table."""
NOTHING = "Nothing here is measured on the circuits of today.\n"
"""Markdown in the place of a table without a row."""
SHOWN = ("xc7", "ecp5", "nangate45")
"""Targets of short tables: one without a clock, one with a routed and one with a pre-layout clock."""


def of_core(core: Contract, points: Iterable[Point]) -> list[Point]:
    """The typical ones of ``points`` that were measured on ``core``: same preset, same parameters."""
    wanted = core.name, dict(core.changed)
    return typical(point for point in points if (point.identity.preset, dict(point.identity.changed)) == wanted)


def section(core: Contract, points: Iterable[Point]) -> str:
    """Returns the Markdown table of those of ``points`` that were measured on the circuit that ``core`` has today.

    Empty if there are none.
    """
    measured = of_core(core, [point for point in points if not older(point)])
    units = dict.fromkeys(UNITS[_target(point).unit] for point in measured if _target(point).unit in UNITS)
    return "\n".join([table(HEAD, map(row, measured)), *(f"{unit}\n" for unit in units)]) if measured else ""


def row(point: Point) -> tuple[str, ...]:
    """``point``, which has figures, under :data:`HEAD`, with a dash where there is no figure."""
    found = point.found
    return (
        *_core(point),
        found.part,
        f"{area(found)} {_target(point).unit}{older(point)}",
        f"{found.ffs:,}",
        f"{found.lutram + found.shift_registers:,}",
        _memories(found),
        clock(found.clock),
        _gbps(found),
    )


def overview(points: Iterable[Point]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Head and rows of a table of cores, each preset or part and each shape with its best build on each target.

    Flip-flops, memories in LUTs and block RAM are those on the first target that the core was measured on, in the order
    of the columns.
    """
    by_core: dict[str, dict[str, Point]] = {}
    for point in best.of_cores(points):
        by_core.setdefault(best.shape(point), {})[point.identity.target] = point
    used = [target for name, target in targets.items() if any(name in on for on in by_core.values())]
    rows = []
    for name, on in sorted(by_core.items()):
        first = next(on[target.name] for target in used if target.name in on)
        built = (cells(on.get(target.name))[: _width(target)] for target in used)
        size = first.found
        counts = f"{size.ffs:,}", f"{size.lutram + size.shift_registers:,}", _memories(size)
        rows.append((name, *_core(first)[1:], *chain.from_iterable(built), *counts))
    titles = ((f"{target.family}, {target.unit}", "MHz", "Gb/s")[: _width(target)] for target in used)
    return (*_CORE, *chain.from_iterable(titles), "FF", "LUT RAM", "block RAM"), rows


def rank(point: Point) -> tuple[str, ...]:
    """``point`` of a preset under :data:`RANKING`; without a clock throughput is that of a cycle."""
    found = point.found
    scheme, target = catalog.preset(point.identity.preset).scheme, _target(point)
    *core, _ = _core(point)
    rate, ratio = ("Gb/s", "Mb/s a ") if found.clock else ("bits a cycle", "bits a cycle a k")
    return (
        target.family,
        scheme.name.replace("_", "-"),
        scheme.status.value,
        *core,
        f"{area(found)} {target.unit}",
        _memories(found),
        clock(found.clock),
        f"{found.rate:.1f} {rate}",
        f"{1000 * found.efficiency:.3g} {ratio}{target.unit}",
    )


def bodies(points: Iterable[Point]) -> dict[str, str]:
    """Markdown of the results by marker: the best core of each scheme, the best build of each core."""
    measured = typical(own(points))
    tools = sorted({tool for point in measured for tool in point.identity.tools})
    return {
        "best": measured_table(RANKING, (rank(p) for p in best.of_schemes(measured) if p.identity.target in SHOWN)),
        "cores": measured_table(*overview(measured)) + (f"\nTools: {', '.join(tools)}.\n" if tools else ""),
    }


def measured_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The Markdown table, or a sentence where there is no row."""
    listed = list(rows)
    return table(head, listed) if listed else NOTHING


def insert_all(document: Path, bodies: Mapping[str, str]) -> bool:
    """:func:`insert` for each of ``bodies``, by the names of their marks; True if that changed ``document``."""
    return any([insert(document, name, body) for name, body in bodies.items()])


def insert(document: Path, name: str, body: str) -> bool:
    """Puts ``body`` between the two lines of ``document`` that mark ``name``; True if that changed it.

    Raises UserError as :func:`inserted`.
    """
    new = inserted(document, name, body)
    if new == document.read_text():
        return False
    write_text(document, new)
    return True


def inserted(document: Path, name: str, body: str) -> str:
    """The text of ``document`` with ``body`` between the two lines that mark ``name``.

    Raises UserError if the document does not have them.
    """
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    text = document.read_text()
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise UserError(f"{document} must have {begin} and {end} once each, in this order")
    return text[: text.index(begin) + len(begin)] + "\n" + body + text[text.index(end) :]


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


def _memories(found: Figures) -> str:
    """Block RAMs, or the bits of memories on standard cells."""
    return f"{found.memory_bits:,} bits" if found.memory_bits else f"{found.block_rams:g}"


def _core(point: Point) -> tuple[str, ...]:
    """Name, bytes, cycles, and the cycles of papers for as many bytes."""
    size = point.found.bytes
    alike = (p for p in for_preset(point.identity.preset) if p.kind == "paper" and p.cycles and p.bytes in (None, size))
    papers = dict.fromkeys(p.cycles for p in alike)
    return point.name, _figure(size), _figure(point.found.interval), " / ".join(map(str, papers)) or "-"


def _target(point: Point) -> Target:
    return targets[point.identity.target]


def _width(target: Target) -> int:
    """Columns of ``target`` in the overview: its area alone if it has no clock."""
    return 3 if target.clocked else 1


def _figure(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"
