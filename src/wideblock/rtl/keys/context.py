# SPDX-License-Identifier: Apache-2.0
"""The context of a slot as a value: the rows that a key becomes, and the words that each sector takes from them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from .material import Derivation, KeyMaterial, KeyWord

__all__ = ["Context", "ContextRow", "ContextWord"]

WORD_BITS = 128
"""Bits of a row, and of a word that a sector takes."""


@dataclass(frozen=True)
class ContextRow:
    """A row of a slot, of 128 bits.

    word: whose bits it has, from bit ``at`` on
    last: instead the last round keys of that AES key, in the order of their use backward
    made: the call that makes it; None for a word of the key port and its last round keys
    """

    word: KeyWord
    at: int = 0
    last: bool = False
    made: Derivation | None = None


@dataclass(frozen=True)
class ContextWord:
    """A word that is written for a sector: a ``row``, or if that is None the square of the word written before it.

    power: exponent of the hash key that it is; None for a word that is none
    """

    row: int | None
    power: int | None = None


@dataclass(frozen=True)
class Context:
    """Rows of a slot, and the words of a sector in the order in which they are written, one a cycle.

    used: of each word, the cycle of a sector in which it is read first; 0 is that in which its first beat is taken
    """

    rows: tuple[ContextRow, ...]
    words: tuple[ContextWord, ...]
    used: tuple[int, ...]

    @classmethod
    def of(
        cls,
        material: KeyMaterial,
        *,
        used: Mapping[KeyWord, int],
        powers: Mapping[int, int],
        inverse: bool = False,
    ) -> "Context":
        """The context of a scheme.

        used:    cycle in which a sector reads each word first, of those that are not the hash key
        powers:  the same for the exponents of the hash key that a sector takes: 1, 2, 4, .., which squares make
        inverse: the last round keys of the AES key are words, too

        Raises ValueError for powers that are no such squares.
        """
        if sorted(powers) != [1 << k for k in range(len(powers))]:
            raise ValueError(f"powers must be 1, 2, 4 and so on without a gap, got {sorted(powers)}")
        calls = {(d.into, d.at): d for d in material.derivations}

        def rows_of(word: KeyWord, last: bool = False) -> list[ContextRow]:
            return [ContextRow(word, at, last, calls.get((word, at))) for at in range(0, word.bits, WORD_BITS)]

        found = [(cycle, row) for word, cycle in used.items() for row in rows_of(word)]
        if inverse:
            found += [(used[word], row) for word in material.ciphers for row in rows_of(word, last=True)]
        found.sort(key=lambda pair: pair[0])
        begin = min(powers.values(), default=0)
        before = [pair for pair in found if pair[0] <= begin]
        made: list[tuple[int, ContextRow | int]] = []
        if powers:
            assert material.hash_key is not None, "powers are those of a hash key"
            (first,) = rows_of(material.hash_key)
            made = [(powers[1], first), *((powers[e], e) for e in sorted(powers)[1:])]
        order = [*before, *made, *(pair for pair in found if pair not in before)]
        rows = tuple(each for _, each in order if isinstance(each, ContextRow))
        words = tuple(
            ContextWord(rows.index(each), 1 if each.word == material.hash_key else None)
            if isinstance(each, ContextRow)
            else ContextWord(None, each)
            for _, each in order
        )
        return cls(rows, words, tuple(cycle for cycle, _ in order))

    @property
    def lead(self) -> int:
        """Cycles by which the writing of words must be ahead of a sector's begin, beyond that of the first word."""
        return max(0, *(number - used for number, used in enumerate(self.used)))

    @property
    def row_bits(self) -> int:
        """Bits of the number of a row in a slot."""
        return (len(self.rows) - 1).bit_length()

    @cached_property
    def powers(self) -> tuple[int, ...]:
        """Exponents of the hash key, in the order in which the powers are written."""
        return tuple(word.power for word in self.words if word.power is not None)

    @property
    def first_power(self) -> int:
        """Number of the word that is the first power."""
        return next((number for number, word in enumerate(self.words) if word.power is not None), 0)

    def places(self, word: KeyWord, *, last: bool = False) -> list[int]:
        """Numbers of the words of a sector that are the key word ``word``, or its last round keys, low bits first."""
        rows = [number for number, row in enumerate(self.rows) if (row.word, row.last) == (word, last)]
        return [
            next(number for number, each in enumerate(self.words) if each.row == row)
            for row in sorted(rows, key=lambda row: self.rows[row].at)
        ]
