# SPDX-License-Identifier: Apache-2.0
"""FAST[Fx_m, Horner] and FAST[Fx_m, BRW]: the equations.

Encryption of P_1..P_m to C_1..C_m and decryption are one computation on X_1..X_m -> Y_1..Y_m, in which the direction
exchanges two blocks and two powers of tau. With a = 1, b = 2 for encryption and a = 2, b = 1 for decryption:

    D   = BRW_tau(X_3, .., X_m, T)  or  Horner_tau(1, X_3, .., X_m, T)
    Q   = X_a + tau^a D             (A_1 when encrypting, B_2 when decrypting)
    R   = X_b + tau Q               (A_2 = F_1; B_1 = F_2)
    G   = Q + E(R),  Z = R + G      (F_2; F_1)
    W   = R + E(G)                  (B_2; A_1)
    Y_i = X_i + E(Z + bin(i - 2)),  i = 3..m
    D'  = the hash of Y_3, .., Y_m, T
    Y_b = W + tau^b D'
    Y_a = G + tau W

Source: "Fast Low Level Disk Encryption Using FPGAs", Tables 1 and 2, equations (2) to (6); AMC 2020, ePrint 2017/849.
Bytes: byte 0 of a block holds the coefficients of x^0 to x^7, and the counter's low byte.
"""

from collections.abc import Sequence

from amaranth import Mux, Value

from wideblock.rtl.hash.products import (
    DIGEST,
    Block,
    HashEvent,
    Product,
    Tap,
    brw_products,
    horner_products,
)
from wideblock.rtl.keys.material import Derivation, KeyMaterial, KeyWord
from wideblock.rtl.sector.copies import Words
from wideblock.rtl.sector.hash_counter_hash import BACK, FRONT, HashCounterHash, Structure
from wideblock.rtl.sector.parameters import SlottedHashParameters

__all__ = ["Fast"]


class Fast(HashCounterHash):
    """FAST for sectors of one size, encryption and decryption in one core, with AES encryption only.

    Timing: see ``timing``.
    Security: that of the specification.
    """

    title = "FAST, a tweakable enciphering scheme of the hash-counter-hash family"
    structure = Structure(specials=2, second_call=True)

    @staticmethod
    def key_material(p: SlottedHashParameters) -> KeyMaterial:
        """tau = E_K(0)."""
        K, tau = KeyWord("K", p.key_bits, "the AES key"), KeyWord("tau", 128, "the hash key")
        return KeyMaterial(port=(K,), ciphers=(K,), hash_key=tau, derivations=(Derivation(0, K, tau),))

    def hashed(
        self, blocks: Sequence[Block], tweak: Block, power: tuple[int, int], into: HashEvent | Tap
    ) -> list[Product]:
        """Products of tau^power D, whose sum goes ``into``; ``power`` when encrypting and when decrypting.

        The last products of Horner's chains bring the power with them, unless they would raise an event from several
        multipliers. Otherwise one product more has D for its operand.
        """
        p = self.parameters
        if p.hash == "brw":
            products, loose = brw_products([*blocks, tweak], DIGEST, two_block_rule="first-by-tau")
            return [*products, Product(DIGEST, None, power, loose, None, into)]
        chains = min(p.decimation, len(blocks))  # one of them takes the leading one
        joined = p.multipliers > 1 and isinstance(into, HashEvent)
        to, lift = (DIGEST, (0, 0)) if joined else (into, power)
        products = horner_products(blocks, to, decimation=chains, monic=True, lift=lift)
        return [*products, Product(DIGEST, None, power, tweak, None, into)]

    def front(self, X: Sequence[Block]) -> list[Product]:
        hashed = self.hashed(X[2:], FRONT.T, (1, 2), FRONT.Q)
        return [*hashed, Product(FRONT.Q, None, 1, FRONT.Xa, None, FRONT.R)]

    def back(self, Y: Sequence[Block]) -> list[Product]:
        return [
            Product("W", None, 1, Y[0], None, BACK.tauW),
            *self.hashed(Y[2:], BACK.T, (2, 1), BACK.h),
        ]

    def Xa(self, X: Sequence[Value], decrypt: Value) -> Value:
        return Mux(decrypt, X[1], X[0])

    def R(self, X: Sequence[Value], decrypt: Value, tauQ: Value) -> Value:
        return Mux(decrypt, X[0], X[1]) ^ tauQ

    def G(self, Q: Value | None, ER: Value) -> Value:
        return Q ^ ER

    def Z(self, R: Value, G: Value, B: Value | None, words: Words) -> Value:
        return R ^ G

    def counter(self, Z: Value, i: Value) -> Value:
        return Z ^ i

    def inner(self, W: Value, h: Value) -> Value:
        return W ^ h

    def outer(self, G: Value, tauW: Value) -> Value:
        return G ^ tauW

    def order(self, decrypt: Value, inner: Value, outer: Value | None) -> list[Value]:
        return [Mux(decrypt, inner, outer), Mux(decrypt, outer, inner)]
