# SPDX-License-Identifier: Apache-2.0
"""EME2-AES: the equations.

Encryption of n whole blocks P_0 to P_(n-1) and a rest R; without R, the terms in brackets are left out, and MM = MP::

    T*    = E(T + 2 K_AD) + 2 K_AD                      (by E in both directions)
    L_0   = K_ECB,  L_j = 2 L_(j-1)
    PPP_j = E(P_j + L_j)
    MP    = T* + PPP_0 + .. + PPP_(n-1)  [+ pad(R)]
    MM    = E(MP),  C_n = R + the first bytes of MM
    MC    = E(MM)
    M     = M_1 = MP + MC
    CCC_j = PPP_j + (M = 2 M)                           j = 1..n-1, but not for a multiple of 128:
    CCC_j = PPP_j + (M = MP_j + E(MP_j)),  MP_j = PPP_j + M_1
    CCC_0 = MC + T* + CCC_1 + .. + CCC_(n-1)  [+ pad(C_n)]
    C_j   = E(CCC_j) + L_j

Decryption is the same with D, the inverse of E. For a multiple of 128 the standard writes CCC_j = E(MP_j) + M_1, which
is PPP_j + MP_j + E(MP_j).

Source: IEEE Std 1619.2-2010, EME2-AES.
Bytes: byte 0 of a block holds the coefficients of x^0 to x^7.
"""

from amaranth import Value

from wideblock.rtl.gf128.field import GF128
from wideblock.rtl.keys.material import KeyMaterial, KeyWord
from wideblock.rtl.sector.encrypt_mix_encrypt import EncryptMixEncrypt, Words
from wideblock.rtl.sector.parameters import EncryptMixEncryptParameters

__all__ = ["Eme2"]

K_AD = KeyWord("K_AD", 128, "K_AD for the tweak")
K_ECB = KeyWord("K_ECB", 128, "K_ECB for the blocks' offsets")


class Eme2(EncryptMixEncrypt):
    """EME2-AES for sectors of one size, encryption and decryption in one core; tweaks of 16 bytes.

    Timing: see ``timing``.
    Security: that of the specification.
    """

    title = "EME2-AES, a tweakable enciphering scheme of the encrypt-mix-encrypt family"
    period = 128

    @staticmethod
    def key_material(p: EncryptMixEncryptParameters) -> KeyMaterial:
        """K_AD || K_ECB || K_AES."""
        K_AES = KeyWord("K_AES", p.key_bits, "K_AES for AES")
        return KeyMaterial(port=(K_AD, K_ECB, K_AES), ciphers=(K_AES,))

    def tweak_call(self, T: Value, words: Words) -> Value:
        return T ^ GF128.double(words[K_AD])

    def T_star(self, E: Value, words: Words) -> Value:
        return E ^ GF128.double(words[K_AD])

    def first_offset(self, words: Words) -> Value:
        return words[K_ECB]

    def offset(self, L: Value, blocks: int) -> Value:
        return GF128.shift(L, blocks)

    def enter(self, P: Value, L: Value) -> Value:
        return P ^ L

    def mask(self, MP: Value, MC: Value) -> Value:
        return MP ^ MC

    def advance(self, M: Value, blocks: int) -> Value:
        return GF128.shift(M, blocks)

    def refresh(self, PPP: Value, M: Value) -> Value:
        return PPP ^ M

    def inner(self, PPP: Value, M: Value) -> Value:
        return PPP ^ M

    def leave(self, E: Value, L: Value) -> Value:
        return E ^ L
