# SPDX-License-Identifier: Apache-2.0
"""The context of a slot as a value: rows made of a key, and words of the rows for each sector."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from .material import Derivation, KeyMaterial, KeyWord

__all__ = ["Context", "ContextRow", "ContextStep", "ContextWord", "Making"]

WORD_BITS = 128
"""Bits of a row and of a word of a sector."""


@dataclass(frozen=True)
class ContextRow:
    """A row of a slot, of 128 bits.

    word:  the word in the row, from bit ``at`` on
    last:  the row has the last round keys of AES key ``word`` instead, in the order of decryption
    made:  derivation of the word; None for a word of the key port and for last round keys of the port's key
    power: exponent, if the row is a power of the hash key ``word``; else None
    """

    word: KeyWord
    at: int = 0
    last: bool = False
    made: Derivation | None = None
    power: int | None = None


@dataclass(frozen=True)
class ContextWord:
    """A word written for a sector: a ``row``; without a row, the square of the word before.

    power: exponent, if the word is a power of the hash key; else None
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
    """A step of the derivation of a context: the value made, and the ``row`` of the value, or None."""

    making: Making
    row: int | None


@dataclass(frozen=True)
class Context:
    """Rows of a slot, and the words of a sector in the order of writing, a word a cycle.

    used: for each word, the cycle of the first read; 0: the cycle of the sector's first beat
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

        used:    cycle of a sector's first read of each word; the hash key left out
        powers:  cycle of the first read of each power of the hash key, by exponent
        inverse: cycle of the first read of the AES key's last round keys; None without a read

        A power is the square of the power before. If a sector began later by the squaring, the power has a row.
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
        """Cycles from the first word written to the earliest begin of the sector."""
        return _lead(self.used)

    @cached_property
    def steps(self) -> tuple[ContextStep, ...]:
        """Steps to make the rows: a power of the hash key follows from the next lower power, by squares first."""
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
        """Exponents of the hash key, in the order of writing."""
        return tuple(word.power for word in self.words if word.power is not None)

    def places(self, word: KeyWord, *, last: bool = False) -> list[int]:
        """Numbers of the words of a sector with key word ``word``, or with the last round keys, low bits first."""
        same = (word, last, None)
        rows = [number for number, row in enumerate(self.rows) if (row.word, row.last, row.power) == same]
        return [
            next(number for number, each in enumerate(self.words) if each.row == row)
            for row in sorted(rows, key=lambda row: self.rows[row].at)
        ]


Run = list[tuple[int, ContextRow]]
"""Words written in a row, each the square of the word before, with the cycles of first use."""


def _lead(used: Sequence[int]) -> int:
    """Cycles of lead for words; ``used``: cycle of each word's first use."""
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
