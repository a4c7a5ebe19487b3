# SPDX-License-Identifier: Apache-2.0
"""The context of a slot as a value: rows made of a key, and words of the rows for each sector."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from .material import Derivation, KeyMaterial, KeyWord

__all__ = ["Context", "ContextRow", "ContextStep", "ContextWord", "Making"]

WORD_BITS = 128
"""Bits of a row, and of a word that a sector takes."""


@dataclass(frozen=True)
class ContextRow:
    """A row of a slot, of 128 bits.

    word:  whose bits it has, from bit ``at`` on
    last:  instead the last round keys of that AES key, in the order of their use backward
    made:  the call that makes it; None for a word of the key port and its last round keys
    power: exponent of the hash key, ``word``, that it is; None for a word that is none
    """

    word: KeyWord
    at: int = 0
    last: bool = False
    made: Derivation | None = None
    power: int | None = None


@dataclass(frozen=True)
class ContextWord:
    """A word that is written for a sector: a ``row``, or if that is None the square of the word written before it.

    power: exponent of the hash key that it is; None for a word that is none
    """

    row: int | None
    power: int | None = None


class Making(Enum):
    """How a row is made."""

    WORD = "a word of the key port, a call's result, or last round keys"
    SQUARE = "square of the power of the hash key that was made before"
    PRODUCT = "product of that power and the hash key"


@dataclass(frozen=True)
class ContextStep:
    """A step of the derivation of a context: the value that it makes, and the ``row`` that takes it, or None."""

    making: Making
    row: int | None


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
        inverse: int | None = None,
    ) -> "Context":
        """The context of a scheme.

        used:    cycle in which a sector reads each word first, of those that are not the hash key
        powers:  the same for the exponents of the hash key that a sector takes
        inverse: the same for the last round keys of the AES key; None if no sector reads them

        A power is the square of the one before it wherever no sector begins later for that; else it has a row.
        """
        calls = {(d.into, d.at): d for d in material.derivations}

        def rows_of(word: KeyWord, last: bool = False) -> list[ContextRow]:
            made = {} if last else calls
            return [ContextRow(word, at, last, made.get((word, at))) for at in range(0, word.bits, WORD_BITS)]

        runs: list[Run] = [[(cycle, row)] for word, cycle in used.items() for row in rows_of(word)]
        if inverse is not None:
            runs += [[(inverse, row)] for word in material.ciphers for row in rows_of(word, last=True)]
        if powers:
            assert material.hash_key is not None, "powers are those of a hash key"
            (first,) = rows_of(material.hash_key)
            power_rows = {e: replace(first, power=e, made=first.made if e == 1 else None) for e in powers}
            runs += [[(powers[e], power_rows[e])] for e in sorted(powers)]
        order = _squared(sorted(runs, key=lambda run: run[0][0]))
        rows = tuple(run[0][1] for run in order)
        words = tuple(
            ContextWord(None if number else rows.index(row), row.power)
            for run in order
            for number, (_, row) in enumerate(run)
        )
        return cls(rows, words, tuple(cycle for run in order for cycle, _ in run))

    @property
    def lead(self) -> int:
        """Cycles by which the writing of words must be ahead of a sector's begin, beyond that of the first word."""
        return _lead(self.used)

    @cached_property
    def steps(self) -> tuple[ContextStep, ...]:
        """The steps that make the rows: a power of the hash key follows from the next lower one by squares first."""
        powers = {row.power: number for number, row in enumerate(self.rows) if row.power is not None}
        walk = [ContextStep(Making.WORD, powers.get(1))] if powers else []
        reached = 1
        for power in sorted(powers):
            while reached != power:
                square = 2 * reached <= power
                reached = 2 * reached if square else reached + 1
                walk.append(ContextStep(Making.SQUARE if square else Making.PRODUCT, powers.get(reached)))
        words = [ContextStep(Making.WORD, number) for number, row in enumerate(self.rows) if row.power is None]
        before = min(powers.values(), default=0)
        return (*words[:before], *walk, *words[before:])

    @property
    def row_bits(self) -> int:
        """Bits of the number of a row in a slot."""
        return (len(self.rows) - 1).bit_length()

    @cached_property
    def powers(self) -> tuple[int, ...]:
        """Exponents of the hash key, in the order in which the powers are written."""
        return tuple(word.power for word in self.words if word.power is not None)

    def places(self, word: KeyWord, *, last: bool = False) -> list[int]:
        """Numbers of the words of a sector that are the key word ``word``, or its last round keys, low bits first."""
        same = (word, last, None)
        rows = [number for number, row in enumerate(self.rows) if (row.word, row.last, row.power) == same]
        return [
            next(number for number, each in enumerate(self.words) if each.row == row)
            for row in sorted(rows, key=lambda row: self.rows[row].at)
        ]


Run = list[tuple[int, ContextRow]]
"""Words that are written one after another, each the square of the one before, with the cycles of their first use."""


def _lead(used: Sequence[int]) -> int:
    """Cycles by which words must be ahead; ``used``: cycle of each word's first use."""
    return max(0, *(number - cycle for number, cycle in enumerate(used)))


def _squared(runs: list[Run]) -> list[Run]:
    """The ``runs`` in an order: as many powers as possible follow the power whose square they are."""

    def lead(order: Sequence[Run]) -> int:
        return _lead([cycle for run in order for cycle, _ in run])

    for power in sorted(row.power for ((_, row),) in runs if row.power is not None):
        half = next((run for run in runs if run[-1][1].power == power / 2), None)
        run = next(run for run in runs if run[0][1].power == power)
        if half is None:
            continue
        for place, other in ((half, run), (run, half)):
            joined = [half + run if each is place else each for each in runs if each is not other]
            if lead(joined) <= lead(runs):
                runs = joined
                break
    return runs
