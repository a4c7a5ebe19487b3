# SPDX-License-Identifier: Apache-2.0
"""The store of measured points: one file, a point a line, to which lines are only ever added.

Any tool that reads JSON lines can query it: ``duckdb -c "select identity.preset, figures.area from 'points.jsonl'"``.
"""

import fcntl
import os
from collections.abc import Iterable
from pathlib import Path
from statistics import median_low

from wideblock.errors import UserError
from wideblock.evaluate.point import Point, from_json

__all__ = ["COMMITTED", "add", "current", "load", "medians", "own", "peers", "typical"]

COMMITTED = Path(__file__).parent / "results" / "points.jsonl"
"""The measured points that the package carries; documents show them."""


def load(path: Path | str, *, missing_ok: bool = False) -> list[Point]:
    """Every point of the store, in the order in which they were measured.

    Raises UserError with file and line for a line that is no point, and for what is no regular file;
    FileNotFoundError unless ``missing_ok``.
    """
    file = Path(path)
    if missing_ok and not file.exists():
        return []
    if file.exists() and not file.is_file():  # a device may have no end
        raise UserError(f"{path} is no regular file; a store of measured points is one")
    points = []
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        try:
            points.append(from_json(line.decode()))
        except ValueError as error:
            raise UserError(f"{path}, line {number} is no measured point: {error}; mend or delete the line") from None
    return points


def add(path: Path | str, point: Point) -> None:
    """Adds ``point`` at the end of the store, which is created if missing.

    The line is on the disk as a whole when this returns. If it cannot be written, the store is as it was and OSError is
    raised. Other processes may add at the same time: a lock on the file keeps their lines apart.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "ab+", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        size = file.seek(0, os.SEEK_END)
        line = f"{point.json()}\n".encode()
        if size:
            file.seek(size - 1)
            line = line if file.read(1) == b"\n" else b"\n" + line
        try:
            while line:
                line = line[file.write(line) :]
            os.fsync(file.fileno())
        except OSError as error:
            os.ftruncate(file.fileno(), size)
            error.filename = str(path)
            raise


def current(points: Iterable[Point]) -> list[Point]:
    """The newest of the points that are equal by their key; a failure only where nothing was ever found.

    Seeds that were run on an older netlist are left out: its digest is not that of the flow's newest point.
    """
    newest: dict[str, Point] = {}
    digest: dict[str, str | None] = {}
    for point in points:
        old = newest.get(point.identity.key)
        if old is None or old.figures is None or point.figures is not None:
            newest[point.identity.key] = point
        if point.figures:
            digest[point.identity.flow] = point.identity.verilog
    return [p for p in newest.values() if p.figures is None or p.identity.verilog == digest[p.identity.flow]]


def own(points: Iterable[Point]) -> list[Point]:
    """The points of our own cores."""
    return [point for point in points if point.identity.origin is None]


def peers(points: Iterable[Point]) -> list[Point]:
    """The points of other people's Verilog."""
    return [point for point in points if point.identity.origin is not None]


def medians(points: Iterable[Point]) -> list[Point]:
    """Of each flow, which may have been run with many seeds, the point with the median clock, the lower one of two.

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

    Of several options and tools it has those that were measured last; of several clocks that the tools aimed at the one
    with the highest median; of several seeds it is the median.
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
    """The point with the median clock, or the last one if there is no clock."""
    clocks = [point.found.clock.mhz for point in points if point.found.clock]
    return points[clocks.index(median_low(clocks))] if len(clocks) == len(points) else points[-1]
