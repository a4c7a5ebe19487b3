# SPDX-License-Identifier: Apache-2.0
"""Table of areas: a core a row, and a column for each of its builds."""

from collections.abc import Iterable, Mapping, Sequence

from wideblock.evaluate.point import Point
from wideblock.evaluate.store import own, typical
from wideblock.evaluate.tables import area
from wideblock.export.markdown import table

__all__ = ["areas"]

TARGET = "xc7"
LUTS_OF_RAM = 4
"""LUTs of a RAM32M or a RAM64M of 7 series."""


def areas(points: Iterable[Point], heads: Sequence[str], builds: Mapping[str, Iterable[str]]) -> str:
    """Areas on 7 series.

    heads:  of the columns behind the core's
    builds: names of points by core, in the order of the columns; a dash stands for a build without a point
    """
    measured = {point.name: point for point in typical(own(points)) if point.identity.target == TARGET}
    return table(
        ("core", *heads),
        [(f"`{core}`", *(_cell(measured.get(name)) for name in names)) for core, names in builds.items()],
    )


def _cell(point: Point | None) -> str:
    if point is None:
        return "-"
    found = point.found
    luts = found.luts + LUTS_OF_RAM * found.lutram
    return f"{area(found)} LC, {luts:,} LUT, {found.ffs:,} FF, {found.block_rams:g} RAMB36"
