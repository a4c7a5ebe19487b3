# SPDX-License-Identifier: Apache-2.0
"""Points of coverage in the form that Verilator writes: a point a line, in the order of Verilator's names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wideblock.simulation.verilator import plain

__all__ = ["CoveragePoint", "points"]

_POINT = re.compile(r"^C '(.*)' (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class CoveragePoint:
    """A point, and how often it was reached.

    kind:   line, branch, toggle or user
    file:   of the sources, in the order in which they were given
    module: its name
    name:   of a toggle: the bit of a signal, and the edge
    """

    kind: str
    file: str
    line: int
    module: str
    name: str
    count: int


def points(path: Path) -> Iterator[CoveragePoint]:
    """The points of a file that :meth:`Simulation.coverage` wrote."""
    for entry, count in _POINT.findall(path.read_text("latin-1")):
        parts = dict(part.split("\2", 1) for part in entry.split("\1")[1:])
        module = plain(parts["page"].partition("/")[2])
        name = plain(parts["o"].replace("__02e", "__02E")).removeprefix("__PVT__")
        yield CoveragePoint(parts["t"], parts["f"], int(parts["l"]), module, name, int(count))
