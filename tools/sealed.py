# SPDX-License-Identifier: Apache-2.0
"""Tables of the page on authenticated sectors: cycles and areas of plain and sealing cores."""

from collections.abc import Iterable

from tools.builds import areas
from wideblock.evaluate.point import Point
from wideblock.evidence.record import named
from wideblock.export.contract import contract
from wideblock.export.markdown import table

__all__ = ["bodies"]

CORES = ("hctr2-2s", "hctr2-4s", "fast-brw-2s", "hmch-brw-2s", "heh-brw-2s", "eme2-2s")
ICV = {"icv_bytes": 16}
SIZES, BEHIND = (512, 4096), (16, 64)
"""Of the table of intervals: bytes of sectors, and bytes behind a sector in its stream."""


def bodies(points: Iterable[Point]) -> dict[str, str]:
    """Markdown by marker."""
    forms = {name: (name, named(name, ICV)) for name in CORES}
    return {"stride": _intervals(), "sealed-areas": areas(points, ("plain", "sealed"), forms)}


def _intervals() -> str:
    """Cycles from sector to sector: plain, with the ICV beside a sector, and behind it."""
    head = [(f"{size:,}", "sealed", *(f"{size + more:,}" for more in BEHIND)) for size in SIZES]
    rows = []
    for name in CORES:
        changes = [
            {"sector_bytes": size, **form}
            for size in SIZES
            for form in ({}, ICV, *(ICV | {"stride": size + more} for more in BEHIND))
        ]
        rows.append((f"`{name}`", *(str(contract(name, each).timing.interval) for each in changes)))
    return table(("core", *(column for columns in head for column in columns)), rows)
