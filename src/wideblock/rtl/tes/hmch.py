# SPDX-License-Identifier: Apache-2.0
"""HMCH[BRW] and HMCH[Poly]: the equations.

Encryption of P_1..P_m to C_1..C_m and decryption are one computation on X_1..X_m -> Y_1..Y_m; the direction says only
whether the single call is AES or its inverse. psi is h BRW_h or h Poly_h.

    b1  = E(T),  b2 = x b1
    R   = X_1 + psi(X_2, .., X_m)   (M_1 when encrypting, U_1 when decrypting)
    G   = E(R)  or  D(R)            (U_1; M_1)
    S   = R + G + b1 + b2
    Y_i = X_i + E(x^(i-2) b1 + S),  i = 2..m
    Y_1 = G + psi(Y_2, .., Y_m)

Source: Sarkar, IEEE TIT 55(10), 2009; Chakraborty et al., IEEE TC 62(2), 2013, figure 10 and section 4.4.
Bytes: byte 0 of a block holds the coefficients of x^0 to x^7.
"""

from collections.abc import Sequence

from amaranth import Value

from wideblock.rtl.gf128.field import GF128
from wideblock.rtl.hash.products import Block, Product
from wideblock.rtl.keys.material import KeyMaterial
from wideblock.rtl.sector.copies import Words
from wideblock.rtl.sector.hash_counter_hash import BACK, FRONT, HashCounterHash, Structure
from wideblock.rtl.sector.parameters import PsiParameters

from .psi import psi, two_keys

__all__ = ["Hmch"]


class Hmch(HashCounterHash):
    """HMCH for sectors of one size, encryption and decryption in a core, with an iterative inverse AES.

    Timing: see ``timing``.
    Security: that of the specification.
    """

    title = "HMCH, a tweakable enciphering scheme of the hash-counter-hash family"
    structure = Structure(specials=1, tweak_call=True, inverse_call=True, shortcuts=True)

    @staticmethod
    def key_material(p: PsiParameters) -> KeyMaterial:
        return two_keys(p)

    def front(self, X: Sequence[Block]) -> list[Product]:
        return psi(self.parameters, X[1:], FRONT.R)

    def back(self, Y: Sequence[Block]) -> list[Product]:
        return psi(self.parameters, Y[1:], BACK.h)

    def R(self, X: Sequence[Value], decrypt: Value, psi: Value) -> Value:
        return X[0] ^ psi

    def Z(self, R: Value, G: Value, b1: Value | None, words: Words) -> Value:
        return R ^ G ^ b1 ^ GF128.double(b1)

    def counter(self, S: Value, power: Value) -> Value:
        return power ^ S

    def advance(self, power: Value, blocks: int) -> Value:
        return GF128.shift(power, blocks)

    def inner(self, G: Value, psi: Value) -> Value:
        return G ^ psi

    def order(self, decrypt: Value, Y1: Value, outer: Value | None) -> list[Value]:
        return [Y1]
