# SPDX-License-Identifier: Apache-2.0
"""HEH[BRW] and HEH[Poly]: hash, electronic code book, hash, for sectors of m blocks.

Source: Sarkar, IEEE TIT 55(10), 2009; Chakraborty, Mancillas-Lopez, Rodriguez-Henriquez, Sarkar, IEEE TC 62(2), 2013,
figure 9, whose lines are followed.
"""

from wideblock.spec.gf128 import doubled
from wideblock.spec.psi import PsiScheme

__all__ = ["HEH"]


class HEH(PsiScheme):
    """HEH under one key.

    Bytes:    see :class:`PsiScheme`.
    Source:   IEEE TC 62(2), 2013, figure 9.
    Security: see :attr:`security`.
    """

    name = "HEH"
    security = (
        "HEH is a tweakable strong pseudo-random permutation of a whole sector: each bit of the result depends on each "
        "bit of the sector and the tweak, in both directions. The distinguishing advantage is of the order of "
        "sigma^2 / 2^128 for sigma blocks processed under one key (birthday bound), beside that of telling AES and "
        "its inverse from a random permutation and its inverse (Sarkar, IEEE TIT 55(10), 2009). The hash key must be "
        "independent of the AES key. It is deterministic: an equal sector under an equal tweak and key gives an equal "
        "result. It keeps the length, so it does not authenticate: a changed sector deciphers to noise, and an old one "
        "put back is accepted."
    )
    no_icv = ""

    def encrypt(self, tweak: bytes, sector: bytes) -> bytes:
        """The sector enciphered under the tweak."""
        T, (*P, Pm) = self.elements(tweak, sector)
        b1, b2 = self.betas(T)
        U = Pm ^ self.psi(P)
        (CCm,) = self.E([U ^ b1])
        V = CCm ^ b2
        before, after = doubled(b1, len(P) + 1)[1:], doubled(b2, len(P) + 1)[1:]
        CC = self.E([Pi ^ U ^ x for Pi, x in zip(P, before, strict=True)])
        C = [CCi ^ x ^ V for CCi, x in zip(CC, after, strict=True)]
        Cm = V ^ self.psi(C)
        return self.reading.blocks([*C, Cm])

    def decrypt(self, tweak: bytes, sector: bytes) -> bytes:
        """The sector deciphered under the tweak."""
        T, (*C, Cm) = self.elements(tweak, sector)
        b1, b2 = self.betas(T)
        U = Cm ^ self.psi(C)
        (PPm,) = self.D([U ^ b2])
        V = PPm ^ b1
        before, after = doubled(b2, len(C) + 1)[1:], doubled(b1, len(C) + 1)[1:]
        PP = self.D([Ci ^ U ^ x for Ci, x in zip(C, before, strict=True)])
        P = [PPi ^ x ^ V for PPi, x in zip(PP, after, strict=True)]
        Pm = V ^ self.psi(P)
        return self.reading.blocks([*P, Pm])
