# SPDX-License-Identifier: Apache-2.0
"""Comparison of a value with a constant range."""

from amaranth import Value

__all__ = ["within"]


def within(value: Value, start: int, end: int) -> Value:
    """Whether an unsigned value is in ``start`` to ``end`` - 1; without a comparison that is always true at 0."""
    below = value < end
    return below & (value >= start) if start else below
