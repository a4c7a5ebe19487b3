# SPDX-License-Identifier: Apache-2.0
"""Values that several stages of encrypt-mix-encrypt share."""

from dataclasses import dataclass

from amaranth import Signal, Value

from wideblock.rtl.stream.stages import StageFrame
from wideblock.rtl.stream.storage import Ring, Slots

from ..copies import Copies
from .equations import Words

__all__ = ["Call", "EmeCarried", "EmeFrame", "Mixed", "Mixing", "Rest"]


@dataclass(frozen=True)
class Rest:
    """The ``padded`` rest of a sector and the padded result; ``size`` in bytes, in ``column`` of the last beat."""

    padded: Slots
    result: Slots
    size: int
    column: int


@dataclass(frozen=True)
class EmeCarried:
    """Values of a sector between stages; the rings are divided into columns, a block wide.

    direction:      of the input
    T_star, MP:     of the mix
    base:           MC + T* and, with a rest, the result of the rest: the beginning of the sum CCC_0
    masks:          M_0, then the refreshed masks
    MP_j:           inputs of the calls to refresh a mask; None without calls
    rest:           None if a sector has whole blocks
    icv:            of the result; None in a core without ICVs
    middle, result: rings of PPP and of the result, a column each
    """

    direction: Slots
    T_star: Slots
    MP: Slots
    base: Slots
    masks: Slots
    MP_j: Slots | None
    rest: Rest | None
    icv: Slots | None
    middle: list[Ring]
    result: list[Ring]


@dataclass(frozen=True)
class Mixing:
    """A register with a mixing call of ``sector``: ``block`` enters lane 0 while ``valid``; ``final``: the last one."""

    block: Signal
    valid: Signal
    final: Value
    decrypt: Signal
    sector: Signal


@dataclass(frozen=True)
class EmeFrame(StageFrame):
    """Shared by all stages.

    E:         the lanes' results, a block each
    key_words: words of the single key, no AES keys; None if each sector has ``copies`` of a key's words
    """

    E: list[Signal]
    carried: EmeCarried
    mixing: Mixing
    key_words: Words | None
    copies: Copies | None

    def words(self, sector: Value, *, entering: str = "") -> Words:
        """The words of the key of ``sector``, a pointer of the control if stage ``entering`` is named."""
        if self.copies is None:
            assert self.key_words is not None, "there is one key where there are no copies"
            return self.key_words
        return self.copies.words(self.stages.later(f"{entering}_sector", sector) if entering else sector)


@dataclass(frozen=True)
class Call:
    """``blocks`` of as many lanes, from lane 0 on, that enter in the cycle of ``go``; direction and ``sector``."""

    go: Value
    blocks: list[Value]
    decrypt: Value
    sector: Value


@dataclass(frozen=True)
class Mixed:
    """Results of the mixing calls.

    sector:    the first sector without M_0
    refreshed: the first sector without all masks
    halfway:   the first sector without the result of the first mixing call
    rest:      result of the padded rest of sector ``halfway``, in the cycle of the call's result; None without a rest
    """

    sector: Value
    refreshed: Value
    halfway: Value
    rest: Value | None
