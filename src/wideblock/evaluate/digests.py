# SPDX-License-Identifier: Apache-2.0
"""Points of today, which alone documents show, and marks of the others, for commands."""

from collections.abc import Iterable

from wideblock.evaluate.point import Point
from wideblock.evidence.code import code
from wideblock.evidence.today import today

__all__ = ["NOTE", "of_today", "older"]

NOTE = "A commit in parentheses: measured at that commit, on other Verilog than the core has today.\n"
"""Explanation of the marks that :func:`older` gives, in Markdown."""


def of_today(points: Iterable[Point]) -> list[Point]:
    """Those of ``points`` that were measured on the circuit that the list of circuits has for the core."""
    known = ((point, point.identity) for point in points)
    return [point for point, core in known if core.circuit is not None and core.circuit == today(core.name)]


def older(point: Point) -> str:
    """The mark of a point of ours that was not measured on today's circuit, such as " (b83817c)"; else nothing.

    Nothing is exported for it: a point is today's if the list of circuits has its own, or if this code measured it.
    """
    known, measured_by = point.identity, (point.identity.version, point.identity.commit)
    same = known.circuit is not None and known.circuit == today(known.name)
    if known.origin or same or (measured_by == code() and not (known.commit or "").endswith("-dirty")):
        return ""
    return f" ({(known.commit or 'earlier').removesuffix('-dirty')[:7]})"
