# SPDX-License-Identifier: Apache-2.0
"""Tweaks from sector numbers, in the conventions of those who write disks.

Source: Linux dm-crypt (drivers/md/dm-crypt.c) and blk-crypto; SPDK (include/spdk_internal/accel_module.h); IEEE
1619-2018, 5.1, for ``le128``.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wideblock.errors import UserError

__all__ = ["CONVENTIONS", "DEFAULT", "Convention", "Numbering"]

Words = NDArray[np.uint64]
"""One 64-bit word a sector."""

LBA = 512
"""Bytes that a number counts in dm-crypt and SPDK, where a sector has more."""


@dataclass(frozen=True)
class Convention:
    """A rule from a number of 128 bits, of which ``bits`` may be used, to a tweak.

    words:  from the low and the high 64 bits of the numbers, bytes 0 to 7 and 8 to 15, little-endian, of 16 bytes
    last:   a longer tweak has these 16 bytes last and zeros before; else first and zeros behind
    counts: bytes that a number counts; None: a sector
    sector: bytes that a sector must have; None: any
    """

    meaning: str
    bits: int
    words: Callable[[Words, Words], tuple[Words, Words]]
    last: bool = False
    counts: int | None = None
    sector: int | None = None


def _both(low: Words, high: Words) -> tuple[Words, Words]:
    return low, high


def _low(low: Words, high: Words) -> tuple[Words, Words]:
    return low, np.zeros_like(low)


def _low_32(low: Words, high: Words) -> tuple[Words, Words]:
    return low & np.uint64(0xFFFFFFFF), np.zeros_like(low)


def _low_last(low: Words, high: Words) -> tuple[Words, Words]:
    return np.zeros_like(low), low.byteswap()


def _backwards(low: Words, high: Words) -> tuple[Words, Words]:
    return high.byteswap(), low.byteswap()


def _upper(low: Words, high: Words) -> tuple[Words, Words]:
    return np.zeros_like(low), low


def _joined(low: Words, high: Words) -> tuple[Words, Words]:
    return low, ~low & np.uint64((1 << 63) - 1)


_PLAIN = "number modulo 2^32, 4 bytes little-endian, zeros behind (dm-crypt); aliases beyond 2^32"
_PLAIN64 = "number, 8 bytes little-endian, zeros behind"
_PLAIN64BE = "number, 8 bytes big-endian, last; zeros before (dm-crypt)"
_IN_512 = "; counts 512 bytes, as LUKS2 does"

DEFAULT = "le128"

CONVENTIONS = {
    DEFAULT: Convention("number, 16 bytes little-endian, zeros behind", 128, _both),
    "be128": Convention("number, big-endian over the whole tweak", 128, _backwards, last=True),
    "plain64": Convention(f"{_PLAIN64} (dm-crypt with iv_large_sectors)", 64, _low),
    "plain64-512": Convention(f"{_PLAIN64} (dm-crypt){_IN_512}", 64, _low, counts=LBA),
    "plain64be": Convention(_PLAIN64BE, 64, _low_last, last=True),
    "plain64be-512": Convention(f"{_PLAIN64BE}{_IN_512}", 64, _low_last, last=True, counts=LBA),
    "plain": Convention(_PLAIN, 64, _low_32),
    "plain-512": Convention(f"{_PLAIN}{_IN_512}", 64, _low_32, counts=LBA),
    "blk-crypto": Convention("data unit number, as plain64; an inode number is a --tweak-offset of I << 32", 64, _low),
    "spdk-simple-lba": Convention("as plain64", 64, _low),
    "spdk-join-neg-lba-with-lba": Convention("number, then its complement of 63 bits, little-endian", 64, _joined),
    "spdk-incr-512-full-lba": Convention("as le128, data units of 512 bytes", 128, _both, sector=LBA),
    "spdk-incr-512-upper-lba": Convention(
        "zeros, then the number, 8 bytes little-endian, data units of 512 bytes", 64, _upper, sector=LBA
    ),
}
"""Every convention by the name that users give."""


@dataclass(frozen=True)
class Numbering:
    """The tweaks of an image's sectors.

    first:  number of the first sector, in sectors
    offset: added to each number, in its unit
    Raises UserError for an unknown convention and for sectors that it does not have.
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
        """Difference of the numbers of sectors that follow each other."""
        return self.sector_bytes // (self._rule.counts or self.sector_bytes)

    def number(self, i: int) -> int:
        """The number that is the tweak of sector ``i`` of the image. Raises UserError if it does not fit the tweak."""
        number, bits = (self.first + i) * self._step + self.offset, min(self._rule.bits, 8 * self.tweak_bytes)
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
        words = np.stack(self._rule.words(low, high), axis=1).astype("<u8").view(np.uint8)
        size, out = min(16, self.tweak_bytes), np.zeros((count, self.tweak_bytes), np.uint8)
        if self._rule.last:
            out[:, self.tweak_bytes - size :] = words[:, 16 - size :]
        else:
            out[:, :size] = words[:, :size]
        return out
