# SPDX-License-Identifier: Apache-2.0
"""Values that several stages of Feistel-mix-Feistel share."""

from dataclasses import dataclass
from typing import Any

from amaranth import Signal, Value
from amaranth.lib import data

from wideblock.rtl.stream.stages import StageFrame
from wideblock.rtl.stream.storage import Ring, Slots

from .equations import Mask
from .multiples import Multiples, Numbers

__all__ = ["CALLS", "PAIR", "FmfCarried", "FmfFrame", "FmfStep", "Masks", "job_layout"]

CALLS = ("W", "X", "Sy", "YZ", "Cp", "C")
"""The calls of a step, by what their results make; Cp is C'. The first two and S_y are of the first layer."""

PAIR = data.StructLayout({"left": 128, "right": 128, "number": 128})
"""A pair in the lanes. A Feistel round takes (left, right) to (right, left + E(right)).

number: j J of the pair; in the last pair the tweak in the first layer, and Y + Delta in the second
"""


def job_layout(row_bits: int, sector_bits: int, *, derives: bool) -> data.StructLayout:
    """Tag of a step in the lanes: call and sector.

    key:     a call of the key unit, no step; in a core whose key unit ``derives`` words by the lanes
    row:     the step's number in the layer       first:   ``row`` is 0
    final:   the last step, with the last pair
    sector:  of the step                          decrypt: direction of the sector
    """
    calls = dict.fromkeys((*CALLS, *(("key",) if derives else ()), "first", "final", "decrypt"), 1)
    return data.StructLayout({**calls, "row": row_bits, "sector": sector_bits})


@dataclass(frozen=True)
class FmfCarried:
    """Values that a sector carries from the first layer to the second, and to the exit; a ring a lane, a row a step.

    S:              S_x + S_y
    Delta:          None without a tweak
    middle, result: rings of W_i, X_i, in the last pair S_x, S_y; and of C_i, C'_i
    """

    direction: Slots
    S: Slots
    Delta: Slots | None
    middle: list[Ring]
    result: list[Ring]


@dataclass(frozen=True)
class Masks:
    """The masks of a key. I, J: multiples of the words; numbers: multiples of J by the number of a pair."""

    I: Multiples  # noqa: E741
    J: Multiples
    numbers: Numbers

    def mask(self, mask: Mask, jJ: Value | None = None) -> Value:
        """A mask; ``jJ``: multiple by the pair's number, for a mask of pairs."""
        return self.I.times(mask.a) ^ (jJ if mask.b is None else self.J.times(mask.b))


@dataclass(frozen=True)
class FmfFrame(StageFrame):
    """Shared by all stages.

    masks:             of the single key; None if each sector has copies of a key's words
    entering, arrived: job entering the lanes, and job leaving the lanes; ``arriving`` leaves next
    into, old:         pairs of the entering and of the leaving job, a lane each
    E:                 the lanes' results            new:       left + E, a lane each
    """

    masks: Masks | None
    entering: Any
    arriving: Any
    arrived: Any
    into: list[Any]
    old: list[Any]
    E: list[Signal]
    new: list[Signal]
    carried: FmfCarried


@dataclass(frozen=True)
class FmfStep:
    """A step entering the lanes in a cycle of ``go``: ``blocks`` of calls, ``pairs``, and job."""

    go: Value
    blocks: list[Value]
    pairs: list[Value]
    job: dict[str, Value]
