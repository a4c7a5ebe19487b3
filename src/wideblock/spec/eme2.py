# SPDX-License-Identifier: Apache-2.0
"""EME2-AES: encrypt every block, mix, encrypt every block again; for any length from one block up.

Source: IEEE Std 1619.2-2010, EME2-AES, which is EME* of Halevi, INDOCRYPT 2004 (ePrint 2004/125), with one key for each
purpose. Symbols are those of EME*.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import xor

from wideblock.spec.aes import AES, BLOCK
from wideblock.spec.blocks import add, pad
from wideblock.spec.gf128 import Reading, double, doubled
from wideblock.spec.values import Values, numbered

__all__ = ["EME2", "REFRESH", "mix"]

REFRESH = 128
"""Blocks that the doublings of one mask serve; the next block refreshes the mask by a cipher call."""

Cipher = Callable[[bytes], bytes]


class EME2:
    """EME2-AES under one key K_AD || K_ECB || K_AES.

    Encryption of n whole blocks P_0 to P_(n-1) and a rest R of 1 to 15 bytes; without R, the terms in brackets and C_n
    are left out, and MM = MP::

        L_0 = K_ECB, L_j = 2 L_(j-1)
        PPP_j = E(P_j + L_j)
        MP    = T* + PPP_0 + .. + PPP_(n-1)  [+ pad(R)]
        MM    = E(MP)
        C_n   = R + the first |R| bytes of MM
        MC    = E(MM)
        M_1   = MP + MC
        CCC_j = PPP_j + a mask made from M_1, for j = 1 to n - 1: see ``mix``
        CCC_0 = MC + T* + CCC_1 + .. + CCC_(n-1)  [+ pad(C_n)]
        C_j   = E(CCC_j) + L_j

    Decryption is the same with D, the inverse of E, for E; but T* is made by E in both directions. pad appends a 1 bit,
    the byte 80, and zeros up to a whole block.

    Cost:     2 n + 1 + floor((n - 1) / 128) cipher calls, 1 more for a rest, and those of T*.
    Bytes:    K_AD and K_ECB of 16, K_AES of 16 or 32; a tweak (associated data) of any length; sectors of at least 16.
    Source:   IEEE Std 1619.2-2010, EME2-AES.
    Security: see :attr:`security`.
    """

    security = (
        "EME2 is a tweakable strong pseudo-random permutation of a whole sector: each bit of the result depends on "
        "each bit of the sector and the tweak, in both directions. The distinguishing advantage is of the order of "
        "sigma^2 / 2^128 for sigma blocks processed under one key (birthday bound), beside that of telling AES and its "
        "inverse from a random permutation and its inverse (Halevi, INDOCRYPT 2004, ePrint 2004/125, for EME*). It is "
        "deterministic: an equal sector under an equal tweak and key gives an equal result. It keeps the length, so it "
        "does not authenticate: a changed sector deciphers to noise, and an old one put back is accepted."
    )
    no_icv = ""

    def __init__(self, key: bytes):
        if len(key) not in (48, 64):
            raise ValueError(
                f"EME2 key must be 48 or 64 bytes (K_AD and K_ECB of 16 each, an AES key of 16 or 32), got {len(key)}"
            )
        self.K_AD: int = Reading.LE.element(key[:BLOCK])
        self.K_ECB: int = Reading.LE.element(key[BLOCK : 2 * BLOCK])
        self.aes = AES(key[2 * BLOCK :])

    def encrypt(self, tweak: bytes, sector: bytes) -> bytes:
        """The sector enciphered under the tweak."""
        return self._sector(self.aes.encrypt, tweak, sector)

    def decrypt(self, tweak: bytes, sector: bytes) -> bytes:
        """The sector deciphered under the tweak."""
        return self._sector(self.aes.decrypt, tweak, sector)

    def key_values(self, blocks: int) -> Values:
        """K_AD, the offsets L_j of ``blocks`` blocks, of which L_0 is K_ECB, and the round keys."""
        yield "K_AD", Reading.LE.block(self.K_AD)
        yield "K_ECB", Reading.LE.block(self.K_ECB)
        yield from numbered("L_{}", map(Reading.LE.block, doubled(self.K_ECB, blocks)))
        yield from self.aes.values("K_AES")

    def tweak_values(self, tweak: bytes, blocks: int) -> Values:
        """The offsets of the tweak's blocks, multiples of K_AD, and T*."""
        yield from numbered("offset {} of the tweak", map(Reading.LE.block, self._tweak_offsets(tweak)), 1)
        yield "T*", Reading.LE.block(self.T_star(tweak))

    def T_star(self, T: bytes) -> int:
        """T*, the hash of the associated data: the sum of E(T_i + L_i) + L_i, L_i = 2^i K_AD, i = 1, 2, ..

        A last block T_l of less than 16 bytes is padded, and its mask doubled once more: L_l = 2^(l+1) K_AD. The hash
        of nothing is E(K_AD).
        """
        E = self.aes.encrypt
        if not T:
            return _each(E, [self.K_AD])[0]
        L = self._tweak_offsets(T)
        if rest := len(T) % BLOCK:
            T = T[:-rest] + pad(T[-rest:])
        return reduce(xor, _each(E, map(xor, Reading.LE.elements(T), L)) + L)

    def _tweak_offsets(self, T: bytes) -> list[int]:
        """L_1 to L_l of T*."""
        L = doubled(double(self.K_AD), -(-len(T) // BLOCK))
        if len(T) % BLOCK:
            L[-1] = double(L[-1])
        return L

    def _sector(self, E: Cipher, T: bytes, sector: bytes) -> bytes:
        if len(sector) < BLOCK:
            raise ValueError(f"an EME2 sector must be at least {BLOCK} bytes, got {len(sector)}")
        n = len(sector) // BLOCK
        P, R = Reading.LE.elements(sector[: BLOCK * n]), sector[BLOCK * n :]
        L = doubled(self.K_ECB, n)
        T_star = self.T_star(T)

        PPP = _each(E, map(xor, P, L))
        MP = reduce(xor, PPP, T_star)
        if R:
            MP ^= Reading.LE.element(pad(R))
        (MM,) = _each(E, [MP]) if R else [MP]
        C_n = add(R, Reading.LE.block(MM)[: len(R)])
        (MC,) = _each(E, [MM])

        CCC = mix(E, PPP, MP ^ MC)
        CCC_0 = reduce(xor, CCC, MC ^ T_star)
        if R:
            CCC_0 ^= Reading.LE.element(pad(C_n))
        C = map(xor, _each(E, [CCC_0, *CCC]), L)
        return Reading.LE.blocks(C) + C_n


def mix(E: Cipher, PPP: Sequence[int], M_1: int) -> list[int]:
    """CCC_1 to CCC_(n-1), from a mask M that is M_1 at first.

    Each block doubles it, CCC_j = PPP_j + (M = 2 M); but each 128th refreshes it: with MP_j = PPP_j + M_1 and
    MC_j = E(MP_j), CCC_j = MC_j + M_1 and M = MP_j + MC_j.
    """
    M, CCC = M_1, []
    for j in range(1, len(PPP)):
        if j % REFRESH:
            M = double(M)
            CCC.append(PPP[j] ^ M)
        else:
            MP_j = PPP[j] ^ M_1
            (MC_j,) = _each(E, [MP_j])
            M = MP_j ^ MC_j
            CCC.append(MC_j ^ M_1)
    return CCC


def _each(E: Cipher, blocks: Iterable[int]) -> list[int]:
    """E of each block."""
    return Reading.LE.elements(E(Reading.LE.blocks(blocks)))
