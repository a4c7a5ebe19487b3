# SPDX-License-Identifier: Apache-2.0
"""Measured points in the store of evidence: the newest points, medians, points for documents."""

from collections.abc import Iterable
from pathlib import Path
from statistics import median_low

from wideblock.errors import UserError
from wideblock.evaluate.point import Point, point_of
from wideblock.evidence import store
from wideblock.evidence.store import COMMITTED, check

__all__ = ["COMMITTED", "add", "check", "current", "load", "medians", "own", "peers", "typical"]


def load(path: Path | str, *, missing_ok: bool = False) -> list[Point]:
    """Every point of a store of evidence, in the order in which they were measured.

    Raises as :func:`wideblock.evidence.store.load`, and UserError for an area or a clock that is no point.
    """
    points = []
    for number, evidence in enumerate(store.load(path, missing_ok=missing_ok), 1):
        try:
            points.append(point_of(evidence))
        except ValueError as error:
            raise UserError(f"{path}, line {number} is no measured point: {error}; mend or delete the line") from None
    return [point for point in points if point]


def add(path: Path | str, point: Point) -> None:
    """Adds ``point`` at the end of the store, as :func:`wideblock.evidence.store.add`."""
    store.add(path, point.evidence)


def current(points: Iterable[Point]) -> list[Point]:
    """The newest of the points that are equal by their key; a failure only where nothing was ever found.

    Seeds that were run on an older netlist are left out: the digest is not equal to the digest of the flow's newest
    point.
    """
    newest: dict[str, Point] = {}
    digest: dict[str, str | None] = {}
    for point in points:
        old = newest.get(point.identity.key)
        if old is None or old.figures is None or point.figures is not None:
            newest[point.identity.key] = point
        if point.figures:
            digest[point.identity.flow] = point.identity.circuit
    return [p for p in newest.values() if p.figures is None or p.identity.circuit == digest[p.identity.flow]]


def own(points: Iterable[Point]) -> list[Point]:
    """The points of our own cores."""
    return [point for point in points if point.identity.origin is None]


def peers(points: Iterable[Point]) -> list[Point]:
    """The points of other people's Verilog."""
    return [point for point in points if point.identity.origin is not None]


def medians(points: Iterable[Point]) -> list[Point]:
    """Of each flow, perhaps with many seeds, the point with the median clock, the lower of two.

    In the order in which the flows were last measured, without failures; where there is no clock, the newest point.
    """
    flows: dict[str, list[Point]] = {}
    for point in points:
        if point.figures:
            flow = point.identity.flow
            flows[flow] = [*flows.pop(flow, []), point]
    return [_median(current(same)) for same in flows.values()]


def typical(points: Iterable[Point]) -> list[Point]:
    """One point with figures for each core on each target, by name and target: what documents show of it.

    Of several options and tools, the last measured count; of several aims, the aim with the highest median; of several
    seeds it is the median.
    """
    groups: dict[tuple[str, str], list[Point]] = {}
    for point in medians(points):
        groups.setdefault((point.name, point.identity.target), []).append(point)
    chosen = []
    for _, same in sorted(groups.items()):
        alike = [point for point in same if point.identity.method == same[-1].identity.method]
        clocked = [point for point in alike if point.found.clock]
        chosen.append(max(clocked, key=lambda point: point.found.mhz or 0) if clocked else alike[-1])
    return chosen


def _median(points: list[Point]) -> Point:
    """The point with the median clock; without clocks the last point."""
    clocks = [point.found.clock.mhz for point in points if point.found.clock]
    return points[clocks.index(median_low(clocks))] if len(clocks) == len(points) else points[-1]
