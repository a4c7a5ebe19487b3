# SPDX-License-Identifier: Apache-2.0
"""HMCH[BRW] and HMCH[Poly]: hash, counter mode, hash, for sectors of m blocks.

Source: Sarkar, IEEE TIT 55(10), 2009; Chakraborty, Mancillas-Lopez, Rodriguez-Henriquez, Sarkar, IEEE TC 62(2), 2013,
figure 10, whose lines are followed.
"""

from collections.abc import Sequence

from wideblock.spec.gf128 import doubled
from wideblock.spec.psi import PsiScheme

__all__ = ["HMCH"]


class HMCH(PsiScheme):
    """HMCH under one key.

    Bytes:    see :class:`PsiScheme`.
    Source:   IEEE TC 62(2), 2013, figure 10.
    Security: see :attr:`security`.
    """

    name = "HMCH"
    security = (
        "HMCH is a tweakable strong pseudo-random permutation of a whole sector: each bit of the result depends on "
        "each bit of the sector and the tweak, in both directions. The distinguishing advantage is of the order of "
        "sigma^2 / 2^128 for sigma blocks processed under one key (birthday bound), beside that of telling AES and "
        "its inverse from a random permutation and its inverse (Sarkar, IEEE TIT 55(10), 2009). The hash key must be "
        "independent of the AES key. It is deterministic: an equal sector under an equal tweak and key gives an equal "
        "result. It keeps the length, so it does not authenticate: a changed sector deciphers to noise, and an old one "
        "put back is accepted."
    )
    no_icv = ""

    def encrypt(self, tweak: bytes, sector: bytes) -> bytes:
        """The sector enciphered under the tweak."""
        T, (P1, *P) = self.elements(tweak, sector)
        b1, b2 = self.betas(T)
        M1 = P1 ^ self.psi(P)
        (U1,) = self.E([M1])
        S = M1 ^ U1 ^ b1 ^ b2
        C = self.counter_mode(b1, S, P)
        C1 = U1 ^ self.psi(C)
        return self.reading.blocks([C1, *C])

    def decrypt(self, tweak: bytes, sector: bytes) -> bytes:
        """The sector deciphered under the tweak."""
        T, (C1, *C) = self.elements(tweak, sector)
        b1, b2 = self.betas(T)
        U1 = C1 ^ self.psi(C)
        (M1,) = self.D([U1])
        S = M1 ^ U1 ^ b1 ^ b2
        P = self.counter_mode(b1, S, C)
        P1 = M1 ^ self.psi(P)
        return self.reading.blocks([P1, *P])

    def counter_mode(self, b1: int, S: int, blocks: Sequence[int]) -> list[int]:
        """X_i + E_K(x^(i-2) beta1 + S) for i = 2, .., m; its own inverse. Source: line 5."""
        keystream = self.E([x ^ S for x in doubled(b1, len(blocks))])
        return [block ^ key for block, key in zip(blocks, keystream, strict=True)]
