# SPDX-License-Identifier: Apache-2.0
"""Values that several stages of encrypt-mix-encrypt share."""

from dataclasses import dataclass

from amaranth import Module, Signal, Value

from wideblock.rtl.stream.stages import Stages
from wideblock.rtl.stream.storage import Ring, Slots

from .equations import Words

__all__ = ["Call", "EmeCarried", "EmeFrame", "Mixed", "Mixing", "Rest"]


@dataclass(frozen=True)
class Rest:
    """The ``padded`` rest of a sector and its padded result; ``size`` in bytes, in ``column`` of its last beat."""

    padded: Slots
    result: Slots
    size: int
    column: int


@dataclass(frozen=True)
class EmeCarried:
    """Values that a sector carries from stage to stage; the rings are divided into columns, a block wide.

    direction:      of the input
    T_star, MP:     of the mix
    base:           MC + T* and, with a rest, its result: the beginning of the sum CCC_0
    masks:          M_0, and the refreshed masks after it
    MP_j:           inputs of the calls that refresh a mask; None without any
    rest:           None where a sector is whole blocks
    middle, result: rings of PPP and of the result, a column each
    """

    direction: Slots
    T_star: Slots
    MP: Slots
    base: Slots
    masks: Slots
    MP_j: Slots | None
    rest: Rest | None
    middle: list[Ring]
    result: list[Ring]


@dataclass(frozen=True)
class Mixing:
    """A register with the mixing call: ``block`` enters lane 0 while ``valid``; ``final`` is the sector's last one."""

    block: Signal
    valid: Signal
    final: Value
    decrypt: Signal


@dataclass(frozen=True)
class EmeFrame:
    """Shared by all stages.

    words: those of the key material that are no AES keys     E: the lanes' results, a block each
    """

    m: Module
    stages: Stages
    clear: Value
    words: Words
    E: list[Signal]
    carried: EmeCarried
    mixing: Mixing


@dataclass(frozen=True)
class Call:
    """``blocks`` of as many lanes, from lane 0 on, that enter in the cycle of ``go``, and their direction."""

    go: Value
    blocks: list[Value]
    decrypt: Value


@dataclass(frozen=True)
class Mixed:
    """Results of the mixing calls.

    sector:    the first one without M_0
    refreshed: the first one without all its masks
    halfway:   the first one without the result of its first mixing call
    rest:      result of that sector's padded rest, in the cycle of that call's result; None where there is none
    """

    sector: Value
    refreshed: Value
    halfway: Value
    rest: Value | None
