# SPDX-License-Identifier: Apache-2.0
"""The ports that every sector core has."""

from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Member, Out

__all__ = ["FAULT_SHORT", "FAULT_LONG", "beat_layout", "result_layout", "sector_members"]

FAULT_SHORT, FAULT_LONG = 0, 1  # bits of ``fault``


def beat_layout(width: int) -> data.StructLayout:
    """A beat of input: ``data``, and on a sector's first beat its ``tweak`` and direction; ``last`` ends the sector."""
    return data.StructLayout({"data": 128 * width, "tweak": 128, "decrypt": 1, "last": 1})


def result_layout(width: int) -> data.StructLayout:
    """A beat of output."""
    return data.StructLayout({"data": 128 * width, "last": 1})


def sector_members(width: int, key_bits: int) -> dict[str, Member]:
    """Streams ``i``, ``o`` and ``key``, ``zeroize`` and the status of a core; block 0 of a beat in the low bits."""
    return {
        "i": In(stream.Signature(beat_layout(width))),
        "o": Out(stream.Signature(result_layout(width))),
        "key": In(stream.Signature(key_bits)),
        "zeroize": In(1),
        "ready": Out(1),
        "fault": Out(2),
        "computed": Out(1),
    }
