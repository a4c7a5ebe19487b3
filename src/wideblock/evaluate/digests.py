# SPDX-License-Identifier: Apache-2.0
"""Marks of points that were measured on a circuit other than the one that the core has today."""

from wideblock.evaluate.point import Point
from wideblock.evidence.code import code
from wideblock.evidence.today import today

__all__ = ["NOTE", "older"]

NOTE = "A commit in parentheses: measured at that commit, on other Verilog than the core has today.\n"
"""Explanation of the marks that :func:`older` gives, in Markdown."""


def older(point: Point) -> str:
    """The mark of a point of ours that was not measured on today's circuit, such as " (b83817c)"; else nothing.

    Nothing is exported for it: a point is today's if the list of circuits has its own, or if this code measured it.
    """
    known, measured_by = point.identity, (point.identity.version, point.identity.commit)
    same = known.circuit is not None and known.circuit == today(known.name)
    if known.origin or same or (measured_by == code() and not (known.commit or "").endswith("-dirty")):
        return ""
    return f" ({(known.commit or 'earlier').removesuffix('-dirty')[:7]})"
