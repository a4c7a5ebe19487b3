# SPDX-License-Identifier: Apache-2.0
"""FAST[Fx_m, BRW] and FAST[Fx_m, Horner]: a wide-block tweakable cipher for sectors of m blocks.

Hash, two Feistel rounds on the first two blocks, counter mode on the others, hash. Only AES encryption is used, in
both directions.

Source: Chakraborty, Ghosh, Mancillas-Lopez, Sarkar, "FAST: Disk Encryption and Beyond" (AMC 2020, ePrint 2017/849),
and the same authors' "Fast Low Level Disk Encryption Using FPGAs", whose section 2.1 numbers the equations below.
fStr = 0^128, the little-endian reading and the order of the hashed blocks are those of the designers' software.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from wideblock.spec.aes import AES, BLOCK
from wideblock.spec.gf128 import Reading, mul, powers, square
from wideblock.spec.polyhash import brw, horner
from wideblock.spec.values import Values, numbered

__all__ = ["FAST", "Trace", "counter_mode"]

ONE = 1
FSTR = bytes(BLOCK)


@dataclass(frozen=True)
class Trace:
    """Every value between a sector and its encryption, under the papers' names.

    ``P`` and ``C`` are the plain and the enciphered sector; the others are elements: in the little-endian reading,
    what a 128-bit signal shows.
    """

    P: bytes
    C: bytes
    tau: int
    h: int
    A1: int
    A2: int
    F1: int
    F2: int
    Z: int
    B1: int
    B2: int
    hprime: int


def counter_mode(aes: AES, Z: int, blocks: Sequence[int], reading: Reading = Reading.LE) -> list[int]:
    """blocks[i - 1] + AES(Z + bin(i)) for i = 1, 2, ..; its own inverse.

    Bytes: bin(i) is the integer i in the reading of the scheme.
    """
    keystream = aes.encrypt(reading.blocks(Z ^ i for i in range(1, len(blocks) + 1)))
    return [block ^ key for block, key in zip(blocks, reading.elements(keystream), strict=True)]


class FAST:
    """FAST under one key, for sectors of ``sector_bytes``.

    Bytes:    a key of 16 or 32 bytes, a tweak of 16; sectors of m whole blocks, m >= 4 for BRW and 3 for Horner.
    Source:   "FAST: Disk Encryption and Beyond", Tables 1 and 2; equations by "Fast Low Level Disk Encryption Using
              FPGAs", 2.1.
    Security: see :attr:`security`.
    """

    security = (
        "FAST is a tweakable strong pseudo-random permutation of a whole sector: each bit of the result depends on "
        "each bit of the sector and the tweak, in both directions. The distinguishing advantage is of the order of "
        "sigma^2 / 2^128 for sigma blocks processed under one key (birthday bound), beside that of telling AES from a "
        "random function (AMC 2020, ePrint 2017/849). It is deterministic: an equal sector under an equal tweak and "
        "key gives an equal result. It keeps the length, so it does not authenticate: a changed sector deciphers to "
        "noise, and an old one put back is accepted."
    )
    no_icv = ""

    def __init__(self, key: bytes, *, hash: str, sector_bytes: int, reading: Reading = Reading.LE):
        least = {"brw": 4, "horner": 3}  # section 2.1
        if len(key) not in (16, 32):
            raise ValueError(f"FAST key must be 16 or 32 bytes, got {len(key)}")
        if hash not in least:
            raise ValueError(f"hash must be one of {', '.join(least)}, got {hash!r}")
        if sector_bytes % BLOCK or sector_bytes < least[hash] * BLOCK:
            raise ValueError(
                f"sector_bytes of FAST with {hash} must be a multiple of {BLOCK} "
                f"and at least {least[hash] * BLOCK}, got {sector_bytes}"
            )
        self.hash = hash
        self.sector_bytes = sector_bytes
        self.reading = reading
        self.aes = AES(key)
        self.tau: int = reading.element(self.aes.encrypt(FSTR))

    def encrypt(self, tweak: bytes, sector: bytes) -> bytes:
        """The sector enciphered under the tweak."""
        return self.trace_encrypt(tweak, sector).C

    def decrypt(self, tweak: bytes, sector: bytes) -> bytes:
        """The sector deciphered under the tweak."""
        return self.trace_decrypt(tweak, sector).P

    def key_values(self, blocks: int) -> Values:
        """The powers of tau up to that of ``blocks`` blocks, and the round keys."""
        yield from numbered("tau^{}", map(self.reading.block, powers(self.tau, blocks)), 1)
        yield from self.aes.values("K")

    def tweak_values(self, tweak: bytes, blocks: int) -> Values:
        """None: the hash has the tweak and the sector."""
        return iter(())

    def trace_encrypt(self, tweak: bytes, sector: bytes) -> Trace:
        """Every value on the way from a plain sector to its encryption."""
        T, (P1, P2, *P3) = self._elements(tweak, sector)
        # (A1, A2) = H_tau(P1, P2, P3, T), equation (2)
        h = self.h(T, P3)
        A1 = P1 ^ h
        A2 = P2 ^ mul(self.tau, A1)
        # Feistel, Table 2
        F1 = A2
        F2 = A1 ^ self._F(F1)
        B1 = F2
        B2 = F1 ^ self._F(F2)
        Z = F1 ^ F2
        C3 = counter_mode(self.aes, Z, P3, self.reading)
        # (C1, C2) = G'_tau(B1, B2, C3, T), equation (2)
        hprime = self.hprime(T, C3)
        C1 = B1 ^ mul(self.tau, B2)
        C2 = B2 ^ hprime
        C = self.reading.blocks([C1, C2, *C3])
        return Trace(P=sector, C=C, tau=self.tau, h=h, A1=A1, A2=A2, F1=F1, F2=F2, Z=Z, B1=B1, B2=B2, hprime=hprime)

    def trace_decrypt(self, tweak: bytes, sector: bytes) -> Trace:
        """Every value on the way from an enciphered sector back to the plain one."""
        T, (C1, C2, *C3) = self._elements(tweak, sector)
        # the inverse of G'_tau
        hprime = self.hprime(T, C3)
        B2 = C2 ^ hprime
        B1 = C1 ^ mul(self.tau, B2)
        # the Feistel rounds backwards
        F2 = B1
        F1 = B2 ^ self._F(F2)
        A2 = F1
        A1 = F2 ^ self._F(F1)
        Z = F1 ^ F2
        P3 = counter_mode(self.aes, Z, C3, self.reading)
        # the inverse of H_tau
        h = self.h(T, P3)
        P1 = A1 ^ h
        P2 = A2 ^ mul(self.tau, A1)
        P = self.reading.blocks([P1, P2, *P3])
        return Trace(P=P, C=sector, tau=self.tau, h=h, A1=A1, A2=A2, F1=F1, F2=F2, Z=Z, B1=B1, B2=B2, hprime=hprime)

    def h(self, T: int, X3: Sequence[int]) -> int:
        """tau Horner(1, X3, .., Xm, T) or tau BRW(X3, .., Xm, T). Source: equations (3) and (5)."""
        return mul(self.tau, self._polynomial(T, X3))

    def hprime(self, T: int, X3: Sequence[int]) -> int:
        """tau^2 Horner(1, X3, .., Xm, T) or tau^2 BRW(X3, .., Xm, T). Source: equations (4) and (6)."""
        return mul(square(self.tau), self._polynomial(T, X3))

    def _polynomial(self, T: int, X3: Sequence[int]) -> int:
        if self.hash == "brw":
            return brw(self.tau, [*X3, T])
        return horner(self.tau, [ONE, *X3, T])

    def _F(self, block: int) -> int:
        return self.reading.element(self.aes.encrypt(self.reading.block(block)))

    def _elements(self, tweak: bytes, sector: bytes) -> tuple[int, list[int]]:
        if len(tweak) != BLOCK:
            raise ValueError(f"tweak must be {BLOCK} bytes, got {len(tweak)}")
        if len(sector) != self.sector_bytes:
            raise ValueError(f"sector must be {self.sector_bytes} bytes, got {len(sector)}")
        return self.reading.element(tweak), self.reading.elements(sector)
