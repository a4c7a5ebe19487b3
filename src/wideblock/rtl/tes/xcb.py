# SPDX-License-Identifier: Apache-2.0
"""XCB, version 2: the equations.

A is the last block of a plaintext sector and G that of its ciphertext; B_1..B_n and E_1..E_n are the blocks before
them, the last one padded with zeros. e is AES, d its inverse, c the counter mode that starts at D itself.

    H = E_K(0),  Ke = E_K(1) || E_K(2),  Kd = E_K(3) || E_K(4),  Kc = E_K(5) || E_K(6), each cut to the length of K

    encryption           decryption
    C   = e(Ke, A)       F   = e(Kd, G)
    D   = C + h1(Z, B)   D   = F + h2(Z, E)
    E_i = B_i + c(Kc, D) B_i = E_i + c(Kc, D)
    F   = D + h2(Z, E)   C   = D + h1(Z, B)
    G   = d(Kd, F)       A   = d(Ke, C)

Both hashes are GHASH under H, and linear. With Z_1..Z_t the blocks of the tweak, P the lengths of both padded parts and
Q those of Z and E:

    h1 = Z_1 H^(n+t+2) + .. + Z_t H^(n+3) + N(B) + P H
    h2 = Z_1 H^(n+t+3) + .. + Z_t H^(n+4) + N(E) + Q H^2 + P H,  N(X) = X_1 H^(n+2) + .. + X_n H^3

Source: IEEE Std 1619.2-2010, XCB-AES; GHASH and the counter mode: NIST SP 800-38D.
Bytes: the counter is the last four bytes of a block, big-endian; lengths are in bits.
"""

from collections.abc import Sequence

from amaranth import Cat, Const, Mux, Value

from wideblock.rtl.gf128.reading import WireReading
from wideblock.rtl.hash.products import Block, HashEvent, Product, horner_sums
from wideblock.rtl.keys.material import Derivation, KeyMaterial, KeyWord
from wideblock.rtl.sector.copies import Words
from wideblock.rtl.sector.hash_counter_hash import BACK, FRONT, HashCounterHash, HchBackPlan, HchFrontPlan, Structure
from wideblock.rtl.sector.parameters import WholeKeyParameters

__all__ = ["Xcb"]


class Xcb(HashCounterHash):
    """XCB, version 2, for sectors of one size, encryption and decryption in a core, with an iterative AES for the
    first call of a sector and an iterative inverse AES for the last one.

    Timing: see ``timing``.
    Security: broken; see the specification.
    """

    title = "XCB, a tweakable enciphering scheme of the hash-counter-hash family"
    structure = Structure(specials=1, last=True, counts_from=0, end_calls=True)
    reading = WireReading.GCM

    @staticmethod
    def key_material(p: WholeKeyParameters) -> KeyMaterial:
        """H = E_K(0); Ke, Kd and Kc of one call each, or two for keys of two blocks."""
        K, H = KeyWord("K", p.key_bits, "the AES key"), KeyWord("H", 128, "the hash key")
        keys = tuple(KeyWord(f"K{x}", p.key_bits, f"the AES key of {x}") for x in "edc")
        parts = ((word, i, at) for word, i in zip(keys, (1, 3, 5), strict=True) for at in range(0, p.key_bits, 128))
        return KeyMaterial(
            port=(K,),
            ciphers=(K,),
            hash_key=H,
            derivations=(
                Derivation(_block(0), K, H),
                *(Derivation(_block(i + at // 128), K, word, at) for word, i, at in parts),
            ),
            expanded=keys,
        )

    def end_keys(self) -> tuple[KeyWord, KeyWord]:
        Ke, Kd, _ = self.key_unit.material.expanded
        return Ke, Kd

    # Hashes

    @property
    def t(self) -> int:
        """Blocks of the tweak."""
        return self.parameters.tweak_bytes // 16

    @property
    def n(self) -> int:
        """Blocks of B and E."""
        return -(-self.parameters.sector_bytes // 16) - 1

    def front(self, X: Sequence[Block]) -> list[Product]:
        return [*self.tweak_and_lengths(FRONT, FRONT.R), *self.N(X[:-1], FRONT.R)]

    def back(self, Y: Sequence[Block]) -> list[Product]:
        return [*self.tweak_and_lengths(BACK, BACK.h), *self.N(Y[:-1], BACK.h)]

    def N(self, X: Sequence[Block], into: HashEvent) -> list[Product]:
        """The part of both hashes that has the sector."""
        beats = [X[k : k + self.parameters.width] for k in range(0, len(X), self.parameters.width)]
        return horner_sums(beats, into, decimation=self.parameters.decimation, lift=2)

    def tweak_and_lengths(self, plan: HchFrontPlan | HchBackPlan, into: HashEvent) -> list[Product]:
        """The other terms: h1 in the front pass and h2 in the back pass when encrypting, the other way when decrypting.

        A product has a single power by the direction, and a single block of the tweak.
        """
        width, products = self.parameters.width, []
        lengths: list[tuple[int, Block]] = [(2, plan.lengths), (1, plan.header)]
        for k, Z in enumerate((plan.T1, plan.T2)[: self.t]):
            h1 = self.n + self.t + 2 - k
            powers = (h1, h1 + 1) if plan is FRONT else (h1 + 1, h1)
            beside, lengths = lengths[: width - 1], lengths[width - 1 :]
            products.append(Product(f"Z{k}", None, powers, Z, None, into, tuple(beside)))
        for k in range(0, len(lengths), width):
            (power, block), *beside = lengths[k : k + width]
            products.append(Product(f"L{k}", None, power, block, None, into, tuple(beside)))
        return products

    def header(self) -> int:
        """P, the lengths of Z || 0 and of the padded sector || 0."""
        return _lengths(16 * (self.t + 1), 16 * (self.n + 1))

    def lengths(self, ciphertext: Value) -> Value:
        """Q, with |Z| + 128 for |Z|, in h2."""
        return Mux(ciphertext, Const(_lengths(16 * (self.t + 1), self.parameters.sector_bytes - 16), 128), 0)

    def padded(self, block: Value, size: int) -> Value:
        return Cat(block[: 8 * size], Const(0, 128 - 8 * size))

    # Values, by the names that they have in encryption

    def R(self, X: Sequence[Value], decrypt: Value, h1: Value) -> Value:
        return h1

    def called(self, X: Sequence[Value], R: Value) -> Value:
        return X[0]

    def Z(self, h1: Value, C: Value, B: Value | None, words: Words) -> Value:
        return C ^ h1

    def counter(self, D: Value, i: Value) -> Value:
        count = Cat(D[at : at + 8] for at in range(120, 88, -8)) + i
        return Cat(D[:96], (count[at : at + 8] for at in range(24, -8, -8)))

    def inner(self, D: Value, h2: Value) -> Value:
        return D ^ h2

    def order(self, decrypt: Value, G: Value, outer: Value | None) -> list[Value]:
        return [G]


def _block(i: int) -> int:
    """The big-endian integer i as a block, whose byte 0 is bits 7..0."""
    return int.from_bytes(i.to_bytes(16), "little")


def _lengths(one: int, other: int) -> int:
    """be64 of two lengths in bits, as a block; ``one`` and ``other`` are in bytes."""
    return int.from_bytes((8 * one).to_bytes(8) + (8 * other).to_bytes(8), "little")
