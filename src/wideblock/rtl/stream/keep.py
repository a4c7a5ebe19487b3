# SPDX-License-Identifier: Apache-2.0
"""The bytes of a beat that are its unit's, as ``keep`` marks them."""

from amaranth import Value

from .behaviour import Cause, Fault

__all__ = ["WRONG_KEEP", "is_run"]

WRONG_KEEP = Fault(Cause.KEEP, "keep of a beat was not a run from byte 0, or not full before the last beat")
"""The bit of an entrance's ``fault`` for that."""


def is_run(keep: Value) -> Value:
    """Whether the bytes are a run from byte 0, of one byte or more."""
    return keep[0] & ~(keep[1:] & ~keep[:-1]).any()
