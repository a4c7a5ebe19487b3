# SPDX-License-Identifier: Apache-2.0
"""HCTR2 for messages and tweaks whose sizes each message states: the equations.

The equations of :mod:`.hctr2`; the first block of the hash has the size of the tweak, and the padding the size of the
message. Neither |T| nor |N| is known before the message: H(len, T, N) is hashed as one run.

Source: Crowley, Huckleberry, Biggers, ePrint 2021/1441.
"""

from amaranth import Cat, Const, Value

from wideblock.rtl.bytes import marked, only
from wideblock.rtl.sector.running_hash import RunningHash

from .hctr2 import Hctr2Equations

__all__ = ["Hctr2Any"]


class Hctr2Any(Hctr2Equations, RunningHash):
    """HCTR2 for messages of 16 bytes and more and tweaks of any from 0 bytes up, encryption and decryption in one core.

    Timing: see ``cycles``.
    Security: that of the specification.
    """

    title = "HCTR2, a tweakable enciphering scheme of the hash-counter-hash family, for messages of any length"

    def header(self, tweak_size: Value, whole: Value) -> Value:
        """2 |T| + 2, or + 3 if the message ends in part of a block; |T| in bits."""
        return Cat(~whole, Const(1, 3), tweak_size, Const(0, 124 - len(tweak_size)))

    def padded(self, block: Value, end: Value) -> Value:
        """N || 1 and zeros."""
        return block | Cat(Const(0, 8), marked(only(end, 15), 0x01))
