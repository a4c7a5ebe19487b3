# SPDX-License-Identifier: Apache-2.0
"""Tables of docs/results.md: the best core of each scheme, the best build of each core, and clocks beside AES alone."""

from collections.abc import Iterable, Sequence
from itertools import chain

from wideblock import catalog
from wideblock.evaluate import best
from wideblock.evaluate.point import Point
from wideblock.evaluate.ratios import HEAD, Ratio, ratios, row
from wideblock.evaluate.store import own, typical
from wideblock.evaluate.tables import CORE, SHOWN, area, cells, clock, core_cells, measured_table, memories
from wideblock.synth.targets import Target, targets

__all__ = ["RANKING", "bodies", "overview", "rank"]

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


def bodies(points: Sequence[Point]) -> dict[str, str]:
    """Markdown by marker: the best core of each scheme, the best build of each core, clocks beside the AES alone."""
    measured = typical(own(points))
    tools = sorted({tool for point in measured for tool in point.identity.tools})
    return {
        "best": measured_table(RANKING, (rank(p) for p in best.of_schemes(measured) if p.identity.target in SHOWN)),
        "cores": measured_table(*overview(measured)) + (f"\nTools: {', '.join(tools)}.\n" if tools else ""),
        "ratios": _ratios(points),
    }


def overview(points: Iterable[Point]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Head and rows of a table of cores, each preset or part and each shape with its best build on each target.

    Flip-flops, memories in LUTs and block RAM are figures of the core's first target, in the order of the columns.
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
        counts = f"{size.ffs:,}", f"{size.lutram + size.shift_registers:,}", memories(size)
        rows.append((name, *core_cells(first)[1:], *chain.from_iterable(built), *counts))
    titles = ((f"{target.family}, {target.unit}", "MHz", "Gb/s")[: _width(target)] for target in used)
    return (*CORE, *chain.from_iterable(titles), "FF", "LUT RAM", "block RAM"), rows


def rank(point: Point) -> tuple[str, ...]:
    """``point`` of a preset under :data:`RANKING`; without a clock throughput is that of a cycle."""
    found = point.found
    scheme, target = catalog.preset(point.identity.preset).scheme, targets[point.identity.target]
    *core, _ = core_cells(point)
    rate, ratio = ("Gb/s", "Mb/s a ") if found.clock else ("bits a cycle", "bits a cycle a k")
    return (
        target.family,
        scheme.name.replace("_", "-"),
        scheme.status.value,
        *core,
        f"{area(found)} {target.unit}",
        memories(found),
        clock(found.clock),
        f"{found.rate:.1f} {rate}",
        f"{1000 * found.efficiency:.3g} {ratio}{target.unit}",
    )


def _width(target: Target) -> int:
    """Columns of ``target`` in the overview: area alone on a target without a clock."""
    return 3 if target.clocked else 1


def _ratios(points: Iterable[Point]) -> str:
    """The core with the most throughput an area of each scheme on each target, beside its AES cores."""
    chosen: dict[tuple[str, str], Ratio] = {}
    for ratio in ratios(points):
        known = ratio.core.identity
        key = known.target, catalog.preset(known.preset).scheme.name
        if key not in chosen or ratio.core.found.efficiency > chosen[key].core.found.efficiency:
            chosen[key] = ratio
    return measured_table(HEAD, map(row, chosen.values()))
