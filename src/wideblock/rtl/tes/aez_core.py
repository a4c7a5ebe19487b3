# SPDX-License-Identifier: Apache-2.0
"""AEZ-core[AES]: the equations.

    E(i, j; X) = AES_K(X + (i + 1) I + j J),  I = AES_K(0),  J = AES_K(1)

    W_i = M_i + E(1, i; M'_i)              X_i = M'_i + E(0, 0; W_i)                               i = 1..m
    S_x = M_x + X + Delta + E(0, 1; M_y)   S_y = M_y + E(-1, 1; S_x)             S = S_x + S_y
    S'_i = E(2, i; S)                      Y_i = W_i + S'_i                      Z_i = X_i + S'_i
    C'_i = Y_i + E(0, 0; Z_i)              C_i = Z_i + E(1, i; C'_i)
    C_y = S_x + E(-1, 2; S_y)              C_x = S_y + Y + Delta + E(0, 2; C_y)

Delta is E(3, 1; T), or 0 without a tweak. Decryption is the same with the second indices of the lines for x and y
exchanged; only AES encryption is used.

Source: "Fast Low Level Disk Encryption Using FPGAs", 2.2, for Delta = 0; AEZ v5 (2017), 1.5, for Delta.
Bytes: bit k of a block read as a big-endian integer is the coefficient of x^k.
"""

from wideblock.rtl.gf128.reading import WireReading
from wideblock.rtl.keys.material import Derivation, KeyMaterial, KeyWord
from wideblock.rtl.sector.feistel_mix_feistel import FeistelMixFeistel, Mask
from wideblock.rtl.sector.parameters import FeistelMixFeistelParameters

__all__ = ["AezCore"]

KEY = KeyWord("K", 128, "the AES key")
I, J = KeyWord("I", 128, "AES_K(0)"), KeyWord("J", 128, "AES_K(1)")  # noqa: E741
ONE = 1 << 120  # the block 00 .. 00 01
NUMBER = None  # the second index is the pair's


def E(i: int, j: int | None) -> Mask:
    """The mask of E(i, j; X): (i + 1) I + j J."""
    return Mask(i + 1, j)


class AezCore(FeistelMixFeistel):
    """AEZ-core[AES] for sectors of whole pairs of blocks, with a tweak of 16 bytes or none.

    Timing: see ``timing``.
    Security: that of the specification.
    """

    title = "AEZ-core[AES], two Feistel rounds on each pair of blocks, a mix, and two rounds again"
    I, J, reading = I, J, WireReading.BE  # noqa: E741
    outer, inner, between = E(1, NUMBER), E(0, 0), E(2, NUMBER)
    last_outer, last_inner = (E(0, 1), E(0, 2)), (E(-1, 1), E(-1, 2))
    delta = E(3, 1)

    @staticmethod
    def key_material(p: FeistelMixFeistelParameters) -> KeyMaterial:
        """I = AES_K(0), then J = AES_K(1)."""
        return KeyMaterial((KEY,), (KEY,), derivations=(Derivation(0, KEY, I), Derivation(ONE, KEY, J)))
