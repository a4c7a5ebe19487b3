# SPDX-License-Identifier: Apache-2.0
"""Points of today, the only points in documents, and marks of older points, for commands."""

from collections.abc import Iterable

from wideblock.evaluate.point import Point
from wideblock.evidence.code import code
from wideblock.evidence.today import today

__all__ = ["NOTE", "of_today", "older"]

NOTE = "A commit in parentheses: measured at that commit, on other Verilog than the core has today.\n"
"""Explanation of the marks that :func:`older` gives, in Markdown."""


def of_today(points: Iterable[Point]) -> list[Point]:
    """The ``points`` measured on the core's circuit in the list of circuits."""
    known = ((point, point.identity) for point in points)
    return [point for point, core in known if core.circuit is not None and core.circuit == today(core.name)]


def older(point: Point) -> str:
    """The mark of our point of another circuit than today's, for example " (b83817c)"; else nothing.

    Nothing is exported for it: a point is today's if the list of circuits has the point's circuit, or if the running
    code measured the point.
    """
    known, measured_by = point.identity, (point.identity.version, point.identity.commit)
    same = known.circuit is not None and known.circuit == today(known.name)
    if known.origin or same or (measured_by == code() and not (known.commit or "").endswith("-dirty")):
        return ""
    return f" ({(known.commit or 'earlier').removesuffix('-dirty')[:7]})"
