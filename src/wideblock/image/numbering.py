# SPDX-License-Identifier: Apache-2.0
"""Tweaks from sector numbers, in the conventions of those who write disks."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wideblock.errors import UserError
from wideblock.native.library import SOURCE

__all__ = ["CONVENTIONS", "DEFAULT", "DM_CRYPT", "Convention", "Numbering"]

Words = NDArray[np.uint64]
"""One 64-bit word a sector."""

WORDS: dict[str, Callable[[Words, Words], Words]] = {
    "ZERO": lambda low, high: np.zeros_like(low),
    "LOW": lambda low, high: low,
    "LOW_32": lambda low, high: low & np.uint64(0xFFFFFFFF),
    "LOW_INVERTED": lambda low, high: ~low & np.uint64((1 << 63) - 1),
    "LOW_SWAPPED": lambda low, high: low.byteswap(),
    "HIGH": lambda low, high: high,
    "HIGH_SWAPPED": lambda low, high: high.byteswap(),
}
"""Parts of a number, of the low and the high 64 bits, by names of the table."""


@dataclass(frozen=True)
class Convention:
    """A rule from a number of 128 bits, of which ``bits`` may be used, to a tweak.

    words:  bytes 0 to 7 and 8 to 15 of 16, little-endian, names in :data:`WORDS`
    last:   a longer tweak has these 16 bytes last and zeros before; else first and zeros behind
    counts: bytes that a number counts; None: a sector
    sector: bytes that a sector must have; None: any
    """

    meaning: str
    bits: int
    words: tuple[str, str]
    last: bool = False
    counts: int | None = None
    sector: int | None = None


def _read(table: str) -> dict[str, Convention]:
    row = re.compile(r'^CONVENTION\("(.+)", (\d+), (\w+), (\w+), (FIRST|LAST), (\d+), (\d+), "(.+)"\)$', re.MULTILINE)
    return {
        name: Convention(meaning, int(bits), (first, second), place == "LAST", int(counts) or None, int(sector) or None)
        for name, bits, first, second, place, counts, sector, meaning in row.findall(table)
    }


CONVENTIONS = _read((SOURCE / "conventions.h").read_text())
"""Every convention by the name that users give; the table is that of the native library."""

DEFAULT = next(iter(CONVENTIONS))

DM_CRYPT = "plain64-512"
"""Convention by which dm-crypt numbers the sectors of an authenticated cipher, whatever their size is."""


@dataclass(frozen=True)
class Numbering:
    """The tweaks of an image's sectors.

    first:  number of the first sector, in sectors
    offset: added to each number, in the number's unit
    Raises UserError for an unknown convention, and for sectors outside of the convention.
    """

    convention: str
    sector_bytes: int
    tweak_bytes: int
    first: int = 0
    offset: int = 0

    def __post_init__(self):
        if self.convention not in CONVENTIONS:
            raise UserError(f"tweak must be one of {', '.join(CONVENTIONS)}, got {self.convention!r}")
        rule = self._rule
        if rule.sector not in (None, self.sector_bytes):
            raise UserError(
                f"{self.convention} has data units of {rule.sector} bytes, the core's have {self.sector_bytes}; "
                f"give --set sector_bytes={rule.sector}"
            )
        if self.sector_bytes % (rule.counts or 1):
            raise UserError(
                f"{self.convention} counts {rule.counts} bytes, and a sector of {self.sector_bytes} is no multiple"
            )

    @property
    def _rule(self) -> Convention:
        return CONVENTIONS[self.convention]

    @property
    def _step(self) -> int:
        """Difference of the numbers of two sectors in a row."""
        return self.sector_bytes // (self._rule.counts or self.sector_bytes)

    def number(self, i: int) -> int:
        """The number that is the tweak of sector ``i`` of the image. Raises UserError if it does not fit the tweak."""
        room = self.tweak_bytes - 8 * (self._rule.words[0] == "ZERO" and not self._rule.last)
        number, bits = (self.first + i) * self._step + self.offset, min(self._rule.bits, 8 * max(0, room))
        if not 0 <= number < 1 << bits:
            raise UserError(
                f"a sector number must be from 0 to 2^{bits} - 1 in tweaks of {self.convention}, got {number}"
            )
        return number

    def tweaks(self, i: int, count: int) -> NDArray[np.uint8]:
        """The tweaks of ``count`` sectors from ``i`` on, (count, tweak_bytes). Raises UserError if one does not fit."""
        self.number(i + count - 1)
        from_ = self.number(i)
        added = np.arange(count, dtype=np.uint64) * np.uint64(self._step)
        low = added + np.uint64(from_ & (1 << 64) - 1)
        high = np.uint64(from_ >> 64) + (low < added).astype(np.uint64)
        words = np.stack([WORDS[word](low, high) for word in self._rule.words], axis=1).astype("<u8").view(np.uint8)
        size, out = min(16, self.tweak_bytes), np.zeros((count, self.tweak_bytes), np.uint8)
        place = slice(-size, None) if self._rule.last else slice(size)
        out[:, place] = words[:, place]
        return out
