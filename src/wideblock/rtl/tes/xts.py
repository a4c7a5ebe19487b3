# SPDX-License-Identifier: Apache-2.0
"""XTS-AES: the equations.

With T_0 = E_2(i), the tweak under Key2, and E_1 the cipher under Key1 (its inverse to decrypt), block j of a unit of m
whole blocks is

    T_j = x T_(j-1)
    C_j = E_1(P_j + T_j) + T_j

A part P_m of r bytes after them is completed by the end of the result CC (PP) of the block before it:

    CC      = E_1(P_(m-1) + T_(m-1)) + T_(m-1)           to decrypt, T_m and T_(m-1) change places
    C_(m-1) = E_1((P_m || CC[r..15]) + T_m) + T_m
    C_m     = CC[0..r-1]

Source: IEEE 1619-2007, 5.2 to 5.4; Ahmed, Naseem, "Efficient AES-XTS Pipelined Implementation on FPGA".
Bytes: byte 0 of a block holds the coefficients of x^0 to x^7.
"""

from amaranth import Mux, Value

from wideblock.rtl.gf128.field import GF128
from wideblock.rtl.keys.material import KeyMaterial, KeyWord
from wideblock.rtl.sector.parameters import SinglePassParameters
from wideblock.rtl.sector.single_pass import SinglePass
from wideblock.rtl.stream.behaviour import KeyRule

__all__ = ["Xts"]


class Xts(SinglePass):
    """XTS-AES for units of any length from 16 bytes to 2^20 blocks, the last block stolen.

    Timing: see ``timing``.
    Security: that of the specification.
    """

    title = "XTS-AES, a narrow-block tweakable cipher"
    max_blocks = 1 << 20

    @staticmethod
    def key_material(p: SinglePassParameters) -> KeyMaterial:
        """Key1 || Key2, which must differ."""
        keys = KeyWord("Key1", p.key_bits, "Key1 for the data"), KeyWord("Key2", p.key_bits, "Key2 for the tweak")
        return KeyMaterial(port=keys, ciphers=keys, rule=KeyRule.HALVES_DIFFER)

    def following(self, T: Value) -> Value:
        return GF128.double(T)

    def enter(self, block: Value, T: Value) -> Value:
        return block ^ T

    def leave(self, E: Value, T: Value) -> Value:
        return E ^ T

    def stealing_masks(self, T: Value, following: Value, decrypt: Value) -> tuple[Value, Value]:
        return Mux(decrypt, following, T), Mux(decrypt, T, following)
