# SPDX-License-Identifier: Apache-2.0
"""XTS-AES: a tweakable cipher of single blocks, for data units of any length from one block up, the last one stolen.

Source: IEEE 1619-2007, 5.1 to 5.4; NIST SP 800-38E for the limit of a unit; FIPS 140 implementation guidance for keys.
"""

from collections.abc import Callable

from wideblock.spec.aes import AES, BLOCK
from wideblock.spec.blocks import add
from wideblock.spec.gf128 import Reading, double
from wideblock.spec.values import Values, numbered

__all__ = ["MAX_BLOCKS", "XTS", "check_key", "check_unit"]

MAX_BLOCKS = 1 << 20
"""Blocks of the longest data unit. Source: SP 800-38E, 4."""


def check_key(key: bytes) -> None:
    """Raises ValueError unless ``key`` is Key1 || Key2 of 16 or 32 bytes each, and Key1 is not Key2.

    Source: IEEE 1619-2007, 5.1; FIPS 140-3 implementation guidance, C.I: with equal halves the masks are not secret.
    """
    if len(key) not in (32, 64):
        raise ValueError(f"XTS-AES key must be 32 or 64 bytes, Key1 and Key2 one after the other, got {len(key)}")
    half = len(key) // 2
    if key[:half] == key[half:]:
        raise ValueError(
            "the halves of an XTS-AES key, Key1 and Key2, must differ (FIPS 140-3 IG C.I), but these are equal; "
            f"draw all {len(key)} bytes at random"
        )


def check_unit(size: int) -> None:
    """Raises ValueError unless a data unit may have ``size`` bytes."""
    if not BLOCK <= size <= BLOCK * MAX_BLOCKS:
        raise ValueError(
            f"an XTS-AES data unit must be from {BLOCK} bytes to 2^20 blocks ({BLOCK * MAX_BLOCKS} bytes), got {size}"
        )


class XTS:
    """XTS-AES under one key Key1 || Key2.

    distinct: False lets equal halves pass, as the first vector of IEEE 1619 has them
    Bytes:    a key of 32 or 64 bytes, a tweak of 16 (a unit's number, little-endian), units of 16 bytes to 2^20 blocks.
    Source:   IEEE 1619-2007, 5.3 and 5.4.
    Security: see :attr:`security`.
    """

    security = (
        "XTS is narrow-block: each 16-byte block is enciphered by itself under a mask of its place. Whoever sees two "
        "versions of a unit sees which blocks changed; whoever writes can put back any earlier block in its place, or "
        "turn a chosen block to noise without touching its neighbours. Within that, each block is a tweakable strong "
        "pseudo-random permutation up to the birthday bound over all blocks under one key (Rogaway, ASIACRYPT 2004; "
        "IEEE 1619-2007, annex D). It does not authenticate. SP 800-38E limits a unit to 2^20 blocks; Key1 and Key2 "
        "must differ, and a key whose halves are equal is refused."
    )
    no_icv = "each block is enciphered by itself, so zeros in front say nothing of the blocks behind them"

    def __init__(self, key: bytes, *, distinct: bool = True):
        if distinct or len(key) not in (32, 64):
            check_key(key)
        self.aes1 = AES(key[: len(key) // 2])
        self.aes2 = AES(key[len(key) // 2 :])

    def key_values(self, blocks: int) -> Values:
        """The round keys of both ciphers."""
        yield from self.aes1.values("Key1")
        yield from self.aes2.values("Key2")

    def tweak_values(self, tweak: bytes, blocks: int) -> Values:
        """The masks of ``blocks`` blocks, and the one after them."""
        return numbered("T_{}", self.masks(tweak, blocks + 1))

    def masks(self, tweak: bytes, n: int) -> list[bytes]:
        """T_0 to T_(n-1): the enciphered tweak times x^j, in the little-endian reading."""
        if len(tweak) != BLOCK:
            raise ValueError(f"tweak must be {BLOCK} bytes, got {len(tweak)}")
        T = Reading.LE.element(self.aes2.encrypt(tweak))
        masks = []
        for _ in range(n):
            masks.append(T.to_bytes(BLOCK, "little"))
            T = double(T)
        return masks

    def encrypt(self, tweak: bytes, unit: bytes) -> bytes:
        """The data unit enciphered under the tweak."""
        return self._unit(self.aes1.encrypt, tweak, unit, decrypt=False)

    def decrypt(self, tweak: bytes, unit: bytes) -> bytes:
        """The data unit deciphered under the tweak."""
        return self._unit(self.aes1.decrypt, tweak, unit, decrypt=True)

    def _unit(self, aes: Callable[[bytes], bytes], tweak: bytes, unit: bytes, *, decrypt: bool) -> bytes:
        check_unit(len(unit))
        m, r = divmod(len(unit), BLOCK)
        T = self.masks(tweak, m + (r > 0))
        if r and decrypt:  # the last two masks are taken in the order in which encryption took them
            T[m - 1], T[m] = T[m], T[m - 1]
        whole = _masked(aes, unit[: BLOCK * m], b"".join(T[:m]))
        if not r:
            return whole
        stolen = whole[-BLOCK:]  # CC, or PP
        last = _masked(aes, unit[BLOCK * m :] + stolen[r:], T[m])
        return whole[:-BLOCK] + last + stolen[:r]


def _masked(aes: Callable[[bytes], bytes], blocks: bytes, masks: bytes) -> bytes:
    """Each block through the cipher, with its mask added before and after."""
    return add(aes(add(blocks, masks)), masks)
