# SPDX-License-Identifier: Apache-2.0
"""HEH[BRW] and HEH[Poly]: the equations.

Encryption of P_1..P_m to C_1..C_m, and decryption, in which P and C, b1 and b2, and AES and its inverse change places:

    b1  = E(T), b2 = x b1           (in both directions)
    U   = P_m + psi(P_1, .., P_m-1)
    V   = E(U + b1) + b2
    C_i = E(P_i + U + x^i b1) + x^i b2 + V,  i = 1..m-1
    C_m = V + psi(C_1, .., C_m-1)

with psi = h BRW_h or h Poly_h and a key h of its own.

Source: Sarkar, IEEE TIT 55(10), 2009; Chakraborty et al., IEEE TC 62(2), Figure 9.
Bytes: byte 0 of a block holds the coefficients of x^0 to x^7.
"""

from collections.abc import Sequence

from amaranth import Mux, Value

from wideblock.rtl.gf128.field import GF128
from wideblock.rtl.hash.products import Block, HashEvent, Product
from wideblock.rtl.keys.material import KeyMaterial
from wideblock.rtl.sector.hash_ecb_hash import HashEcbHash
from wideblock.rtl.sector.parameters import PsiParameters

from .psi import psi, two_keys

__all__ = ["Heh"]


class Heh(HashEcbHash):
    """HEH for sectors of one size, encryption and decryption in one core.

    Timing: see ``timing``.
    Security: that of the specification.
    """

    title = "HEH, a tweakable enciphering scheme of the hash-ECB-hash family"

    @staticmethod
    def key_material(p: PsiParameters) -> KeyMaterial:
        return two_keys(p)

    def psi(self, X: Sequence[Block], into: HashEvent) -> list[Product]:
        return psi(self.parameters, X, into)

    def betas(self, b1: Value, decrypt: Value) -> tuple[Value, Value]:
        b2 = GF128.double(b1)
        return Mux(decrypt, b2, b1), Mux(decrypt, b1, b2)

    def U(self, Pm: Value, psi: Value) -> Value:
        return Pm ^ psi

    def first_call(self, U: Value, mask: Value) -> Value:
        return U ^ mask

    def call(self, P: Value, U: Value, mask: Value) -> Value:
        return P ^ U ^ mask

    def V(self, CC: Value, mask: Value) -> Value:
        return CC ^ mask

    def result(self, CC: Value, V: Value, mask: Value) -> Value:
        return CC ^ mask ^ V

    def last(self, V: Value, psi: Value) -> Value:
        return V ^ psi
