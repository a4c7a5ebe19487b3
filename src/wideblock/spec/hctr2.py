# SPDX-License-Identifier: Apache-2.0
"""HCTR2: hash, one block of AES, counter mode, hash; a wide-block tweakable cipher for any length from one block up.

Source: Crowley, Huckleberry, Biggers, "Length-preserving encryption with HCTR2", ePrint 2021/1441, whose symbols are
used; POLYVAL: RFC 8452, section 3.
"""

from wideblock.spec.aes import AES, BLOCK
from wideblock.spec.blocks import add, pad0
from wideblock.spec.gf128 import Reading, double, mul, powers
from wideblock.spec.polyhash import horner
from wideblock.spec.values import Values, numbered

__all__ = ["HCTR2", "bin128", "polyval"]


def bin128(i: int) -> bytes:
    """The integer i as a block, little-endian: bin(i) of the paper."""
    return i.to_bytes(BLOCK, "little")


def polyval(h: bytes, X: bytes) -> bytes:
    """S_m, where S_0 = 0 and S_i = dot(S_(i-1) + X_i, h), of a whole number of blocks X.

    dot is a product with x h in the reading POLYVAL, so this is Horner's rule at x h, times x h.

    Source: RFC 8452, 3.
    """
    xh = double(Reading.POLYVAL.element(h))
    return Reading.POLYVAL.block(mul(xh, horner(xh, Reading.POLYVAL.elements(X))))


class HCTR2:
    """HCTR2 under one AES key.

    Bytes:    a key of 16, 24 or 32 bytes; a tweak of any length; sectors of at least 16 bytes.
    Source:   ePrint 2021/1441.
    Security: see :attr:`security`.
    """

    security = (
        "HCTR2 is a tweakable strong pseudo-random permutation of a whole sector: each bit of the result depends on "
        "each bit of the sector and the tweak, in both directions. The distinguishing advantage is of the order of "
        "sigma^2 / 2^128 for sigma blocks processed under one key (birthday bound), beside that of telling AES and its "
        "inverse from a random permutation and its inverse (Crowley, Huckleberry, Biggers, ePrint 2021/1441). It is "
        "deterministic: an equal sector under an equal tweak and key gives an equal result. It keeps the length, so it "
        "does not authenticate: a changed sector deciphers to noise, and an old one put back is accepted."
    )
    no_icv = ""

    def __init__(self, key: bytes):
        if len(key) not in (16, 24, 32):
            raise ValueError(f"HCTR2 key must be 16, 24 or 32 bytes, got {len(key)}")
        self.aes = AES(key)
        self.h: bytes = self.aes.encrypt(bin128(0))
        self.L: bytes = self.aes.encrypt(bin128(1))

    def encrypt(self, tweak: bytes, sector: bytes) -> bytes:
        """The sector enciphered under the tweak."""
        M, N = _split(sector)
        MM = add(M, self.H(tweak, N))
        UU = self.aes.encrypt(MM)
        S = add(add(MM, UU), self.L)
        V = add(N, self.xctr(S, len(N)))
        U = add(UU, self.H(tweak, V))
        return U + V

    def decrypt(self, tweak: bytes, sector: bytes) -> bytes:
        """The sector deciphered under the tweak."""
        U, V = _split(sector)
        UU = add(U, self.H(tweak, V))
        MM = self.aes.decrypt(UU)
        S = add(add(MM, UU), self.L)
        N = add(V, self.xctr(S, len(V)))
        M = add(MM, self.H(tweak, N))
        return M + N

    def key_values(self, blocks: int) -> Values:
        """h, L, the powers of x h, by which POLYVAL multiplies, up to that of ``blocks`` blocks, and the round keys."""
        yield "h", self.h
        yield "L", self.L
        xh = double(Reading.POLYVAL.element(self.h))
        yield from numbered("(x h)^{}", map(Reading.POLYVAL.block, powers(xh, blocks)), 1)
        yield from self.aes.values("K")

    def tweak_values(self, tweak: bytes, blocks: int) -> Values:
        """The hash of the tweak and of a message of one block."""
        yield "H(T, empty)", self.H(tweak, b"")

    def H(self, T: bytes, N: bytes) -> bytes:
        """H_h(T, N), the hash of the tweak and all blocks but the first.

        If n = 128 divides |N|:  POLYVAL(h, bin(2 |T| + 2) || pad(T) || N).
        Otherwise:               POLYVAL(h, bin(2 |T| + 3) || pad(T) || pad(N || 1)).

        Bytes: |T| counts bits; the 1 is the lowest bit of the byte after N; pad adds zeros up to a whole block.
        """
        bits = 8 * len(T)
        if len(N) % BLOCK == 0:
            return polyval(self.h, bin128(2 * bits + 2) + pad0(T) + N)
        return polyval(self.h, bin128(2 * bits + 3) + pad0(T) + pad0(N + b"\1"))

    def xctr(self, S: bytes, size: int) -> bytes:
        """The first ``size`` bytes of E_K(S + bin(1)) || E_K(S + bin(2)) || .."""
        s = int.from_bytes(S, "little")
        counters = b"".join(bin128(s ^ i) for i in range(1, -(-size // BLOCK) + 1))
        return self.aes.encrypt(counters)[:size]


def _split(sector: bytes) -> tuple[bytes, bytes]:
    """The first block and the rest of a sector; ValueError if it is too short."""
    if len(sector) < BLOCK:
        raise ValueError(f"an HCTR2 sector must be at least {BLOCK} bytes, got {len(sector)}")
    return sector[:BLOCK], sector[BLOCK:]
