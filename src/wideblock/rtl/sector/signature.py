# SPDX-License-Identifier: Apache-2.0
"""The ports that every sector core has."""

from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Member, Out

__all__ = [
    "FAULT_DIRECTION",
    "FAULT_KEY",
    "FAULT_LONG",
    "FAULT_SHORT",
    "beat_layout",
    "result_layout",
    "sector_members",
]

FAULT_SHORT, FAULT_LONG, FAULT_DIRECTION, FAULT_KEY = range(4)  # bits of ``fault``; a core has the first two or all


def beat_layout(width: int, *, keep: bool = False) -> data.StructLayout:
    """A beat of input: ``data``, and on a sector's first beat its ``tweak`` and direction; ``last`` ends the sector.

    ``keep``: which bytes of the last beat the unit has, where units need not be whole beats.
    """
    layout = {"data": 128 * width, "tweak": 128, "decrypt": 1, "last": 1}
    return data.StructLayout(layout | {"keep": 16 * width} if keep else layout)


def result_layout(width: int, *, keep: bool = False) -> data.StructLayout:
    """A beat of output."""
    layout = {"data": 128 * width, "last": 1}
    return data.StructLayout(layout | {"keep": 16 * width} if keep else layout)


def sector_members(width: int, key_bits: int, *, keep: bool = False, faults: int = 2) -> dict[str, Member]:
    """Streams ``i``, ``o`` and ``key``, ``zeroize`` and the status of a core; block 0 of a beat in the low bits."""
    return {
        "i": In(stream.Signature(beat_layout(width, keep=keep))),
        "o": Out(stream.Signature(result_layout(width, keep=keep))),
        "key": In(stream.Signature(key_bits)),
        "zeroize": In(1),
        "ready": Out(1),
        "fault": Out(faults),
        "computed": Out(1),
    }
