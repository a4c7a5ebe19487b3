# SPDX-License-Identifier: Apache-2.0
"""HCTR2: the equations.

Encryption of P_1..P_m to C_1..C_m and decryption are one computation on X_1..X_m -> Y_1..Y_m; the direction says only
whether the single call is AES or its inverse. H is POLYVAL under h, and len the block of 2 |T| + 2, |T| in bits.

    h   = E(0),  L = E(1)           (once for each key)
    R   = X_1 + H(len, T, X_2, .., X_m)   (MM when encrypting, UU when decrypting)
    G   = E(R)  or  D(R)            (UU; MM)
    S   = R + G + L
    Y_i = X_i + E(S + bin(i - 1)),  i = 2..m
    Y_1 = G + H(len, T, Y_2, .., Y_m)

The hash is linear in its blocks: H(len, T, N) = H(N) + H(len, T) h^(m-1), and both passes have the second term.

Source: Crowley, Huckleberry, Biggers, ePrint 2021/1441; POLYVAL: RFC 8452, section 3.
Bytes: byte 0 of a block holds the counter's low byte; the field is read as in POLYVAL: powers of the hash key below are
powers of x h, for h x^-128.
"""

from collections.abc import Sequence

from amaranth import Cat, Const, Value

from wideblock.rtl.gf128.reading import WireReading
from wideblock.rtl.hash.products import Block, HashEvent, Product, horner_sums
from wideblock.rtl.keys.material import Derivation, KeyMaterial, KeyWord
from wideblock.rtl.sector.copies import Words
from wideblock.rtl.sector.hash_counter_hash import BACK, FRONT, HashCounterHash, Structure
from wideblock.rtl.sector.parameters import AnyLengthParameters, HornerParameters

__all__ = ["Hctr2", "Hctr2Equations"]

L = KeyWord("L", 128, "the mask of the counter mode")


class Hctr2Equations:
    """The equations that hold whatever the order in which a core hashes."""

    reading = WireReading.POLYVAL

    @staticmethod
    def key_material(p: HornerParameters | AnyLengthParameters) -> KeyMaterial:
        """h = E_K(0), L = E_K(1)."""
        K, h = KeyWord("K", p.key_bits, "the AES key"), KeyWord("h", 128, "the hash key")
        return KeyMaterial(port=(K,), ciphers=(K,), hash_key=h, derivations=(Derivation(0, K, h), Derivation(1, K, L)))

    def R(self, X: Sequence[Value], decrypt: Value, hashed: Value) -> Value:
        return X[0] ^ hashed

    def Z(self, R: Value, G: Value, B: Value | None, words: Words) -> Value:
        return R ^ G ^ words[L]

    def counter(self, S: Value, i: Value) -> Value:
        return S ^ i

    def inner(self, G: Value, hashed: Value) -> Value:
        return G ^ hashed


class Hctr2(Hctr2Equations, HashCounterHash):
    """HCTR2 for sectors of one size, encryption and decryption in a core, with an iterative inverse AES.

    Timing: see ``timing``.
    Security: that of the specification.
    """

    title = "HCTR2, a tweakable enciphering scheme of the hash-counter-hash family"
    structure = Structure(specials=1, inverse_call=True)

    def H(self, N: Sequence[Block], into: HashEvent, *, skipped: int) -> list[Product]:
        """POLYVAL of blocks in whole beats; ``skipped`` places before the first block are empty."""
        return horner_sums(self._beats([*[None] * skipped, *N]), into, decimation=self.parameters.decimation)

    def _beats(self, blocks: Sequence[Block | None]) -> list[Sequence[Block | None]]:
        """The blocks by beats."""
        return [blocks[k : k + self.parameters.width] for k in range(0, len(blocks), self.parameters.width)]

    def header(self) -> int:
        return 2 * 8 * self.parameters.tweak_bytes + (3 if self.parameters.sector_bytes % 16 else 2)

    def padded(self, block: Value, size: int) -> Value:
        """The rest of the message N, then 01; nothing at all if N has no last block."""
        return Cat(block[: 8 * size], Const(1, 128 - 8 * size)) if size else Const(0, 128)

    def front(self, X: Sequence[Block]) -> list[Product]:
        p = self.parameters
        tweak = self._beats([FRONT.header, FRONT.T1, FRONT.T2][: 1 + p.tweak_bytes // 16])
        skipped = p.m + 1 - len(X)  # X_1, unless it is in no beat
        behind = -(-p.sector_bytes // 16) - skipped  # blocks of N
        return [
            *horner_sums(tweak, FRONT.shared, decimation=1, lift=behind, name="T"),
            *self.H(X[1:], FRONT.R, skipped=skipped),
        ]

    def back(self, Y: Sequence[Block]) -> list[Product]:
        return self.H(Y[1:], BACK.h, skipped=0)

    def order(self, decrypt: Value, Y1: Value, outer: Value | None) -> list[Value]:
        return [Y1]
