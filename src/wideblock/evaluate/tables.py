# SPDX-License-Identifier: Apache-2.0
"""Measured points as tables: for documents between their markers, for datasheets, for the command line."""

from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path

from wideblock import catalog
from wideblock.atomic import write_text
from wideblock.errors import UserError
from wideblock.evaluate import best
from wideblock.evaluate.digests import NOTE, older
from wideblock.evaluate.point import Clock, Figures, Point
from wideblock.evaluate.published import for_preset
from wideblock.evaluate.store import own, typical
from wideblock.export.contract import Contract
from wideblock.export.markdown import table
from wideblock.synth.targets import Target, targets

__all__ = ["HEAD", "RANKING", "bodies", "cells", "insert", "insert_all", "inserted", "noted", "of_core", "overview"]
__all__ += ["rank", "row", "section", "summary"]

_CORE = ("core", "bytes", "cycles", "paper's cycles")
_MEASURED = ("FF", "LUT RAM", "block RAM", "clock, MHz", "Gb/s")
_PRE_LAYOUT = ("pre-layout clock, MHz", "pre-layout Gb/s")
HEAD = (*_CORE, "target", "area", *_MEASURED)
RANKING = ("device", "scheme", "status", "core", "bytes", "cycles", "area", "clock, MHz", "throughput", "for its area")
"""Head of the table of the best cores."""
UNITS = {
    "LC": "LC: logic cells as Yosys estimates them, two small LUTs in one; LUTs that are memories are not in it.",
    "LUT4": "LUT4: LUTs of four inputs, with those inside carry and wide-function cells.",
    "kGE": "kGE: cell area over that of a thousand two-input NANDs.",
}
"""Meanings of the units of area, for a reader of one core's table."""
SHOWN = tuple(targets[name] for name in ("xc7", "ecp5", "nangate45"))
"""The targets of the overview: one without a clock, one with a routed and one with a pre-layout clock."""


def of_core(core: Contract, points: Iterable[Point]) -> list[Point]:
    """The typical ones of ``points`` that were measured on ``core``: same preset, same parameters."""
    wanted = core.name, dict(core.changed)
    return typical(point for point in points if (point.identity.preset, dict(point.identity.changed)) == wanted)


def section(core: Contract, points: Iterable[Point]) -> str:
    """Returns the Markdown table of those of ``points`` that were measured on ``core``; empty if there are none."""
    measured = of_core(core, points)
    units = dict.fromkeys(UNITS[_target(point).unit] for point in measured if _target(point).unit in UNITS)
    body = "\n".join([table(HEAD, map(row, measured)), *(f"{unit}\n" for unit in units)])
    return noted(body, measured) if measured else ""


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


def summary(points: Iterable[Point]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Head and rows of a table of cores, with the typical area on each target in a column of its own.

    Flip-flops, memories in LUTs and block RAM are those on the first target that the core was measured on, in the order
    of the columns; the clocks, routed and pre-layout, are those on the first one that has such a clock.
    """
    by_core: dict[str, dict[str, Point]] = {}
    columns: dict[str, str] = {}
    for point in sorted(typical(own(points)), key=lambda p: list(targets).index(p.identity.target)):
        by_core.setdefault(point.name, {})[point.identity.target] = point
        columns[point.identity.target] = f"{point.found.part.partition(',')[0]}, {_target(point).unit}"
    clocks = {found.clock.wires for on in by_core.values() for f in on.values() if (found := f.found).clock}
    rows = []
    for on in (by_core[name] for name in sorted(by_core)):
        first = next(iter(on.values()))
        size = first.found
        areas = (f"{area(on[target].found)}{older(on[target])}" if target in on else "-" for target in columns)
        routed, pre_layout = (_clocked(on.values(), wires) for wires in (True, False))
        counts = f"{size.ffs:,}", f"{size.lutram + size.shift_registers:,}", _memories(size)
        rows.append((*_core(first), *areas, *counts, *routed, *(pre_layout if False in clocks else ())))
    return (*_CORE, *columns.values(), *_MEASURED, *(_PRE_LAYOUT if False in clocks else ())), rows


def overview(points: Iterable[Point]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Head and rows of a table of the presets, each with its best build on each of :data:`SHOWN`."""
    by_preset: dict[str, dict[str, Point]] = {}
    for point in best.of_presets(points):
        by_preset.setdefault(point.identity.preset, {})[point.identity.target] = point
    rows = []
    for name, on in sorted(by_preset.items()):
        here = [on.get(target.name) for target in SHOWN]
        if any(here):
            _, *core = _core(next(filter(None, here)))
            built = (cells(point)[: _width(target)] for target, point in zip(SHOWN, here, strict=True))
            rows.append((name, *core, *chain.from_iterable(built)))
    titles = ((f"{target.family}, {target.unit}", "MHz", "Gb/s")[: _width(target)] for target in SHOWN)
    return (*_CORE, *chain.from_iterable(titles)), rows


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
        f"{area(found)} {target.unit}{older(point)}",
        clock(found.clock),
        f"{found.rate:.1f} {rate}",
        f"{1000 * found.efficiency:.3g} {ratio}{target.unit}",
    )


def bodies(points: Iterable[Point]) -> dict[str, str]:
    """Markdown of the results by marker: the best of each scheme, the best build of each preset, all ``points``.

    Raises UserError if there is no point with figures.
    """
    points = typical(own(points))
    if not points:
        raise UserError("there are no measured points to show; wideblock sweep --store FILE measures some")
    tools = sorted({tool for point in points for tool in point.identity.tools})
    return {
        "presets": noted(table(*overview(points)), points) + f"\nTools: {', '.join(tools)}.\n",
        "best": noted(table(RANKING, map(rank, best.of_schemes(points))), points),
        "results": noted(table(*summary(points)), points),
    }


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


def noted(body: str, points: Iterable[Point]) -> str:
    """The Markdown table ``body`` of ``points``, below the explanation of its marks if there may be some."""
    return f"{NOTE}\n{body}" if any(map(older, points)) else body


def area(found: Figures) -> str:
    """The area with as many digits as it has: whole LUTs, tenths of a kGE."""
    return f"{found.area:,}" if isinstance(found.area, int) else f"{found.area:,.1f}"


def clock(found: Clock | None) -> str:
    """MHz, marked where wires are not in it."""
    return "-" if found is None else f"{found.mhz:,.0f}{'' if found.wires else ' (pre-layout)'}"


def cells(point: Point | None) -> tuple[str, str, str]:
    """Area with the mark of an older point, clock in MHz and throughput in Gb/s; dashes where there is none."""
    if point is None:
        return "-", "-", "-"
    mhz = point.found.mhz
    return f"{area(point.found)}{older(point)}", f"{mhz:,.0f}" if mhz else "-", _gbps(point.found)


def _clocked(points: Iterable[Point], wires: bool) -> tuple[str, str]:
    """Clock and throughput of the first point that has a clock with, or without, wires."""
    alike = (point for point in points if point.found.clock and point.found.clock.wires == wires)
    return cells(next(alike, None))[1:]


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
