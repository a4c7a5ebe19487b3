# SPDX-License-Identifier: Apache-2.0
"""The readings of the field as wires: the coefficients of an element by the bits of a block.

Hash and multiplier have the reading of :class:`~wideblock.rtl.gf128.field.Field`: bit k is the coefficient of
x^k. A scheme with another reading converts blocks at the input of the hash, and results at the output.
"""

from enum import Enum

from amaranth import Cat, Value

from .field import GF128

__all__ = ["WireReading"]

BITS = GF128.width


class WireReading(Enum):
    """Coefficient of x^k is bit ``k ^ value`` of the block, whose byte n is bits 8n+7..8n.

    ``LE``:      bit k of the little-endian integer; one is 01 00 .. 00. XTS, EME2, FAST, HEH, HMCH.
    ``BE``:      bit k of the big-endian integer; one is 00 .. 00 01. AEZ, CMAC.
    ``GCM``:     bit 127 - k of the big-endian integer; one is 80 00 .. 00. GHASH, XCB.
    ``POLYVAL``: bit 127 - k of the little-endian integer, for a hash that multiplies by x^-128 modulo
                 x^128 + x^127 + x^126 + x^121 + 1. Reversed, that is this field, and the hash key times x replaces the
                 factor x^-128. HCTR2.

    Cost:   none, but three XOR gates for the hash key of ``POLYVAL``.
    Source: IEEE 1619, 5.2; NIST SP 800-38B, 5.3 and 38D, 6.3; RFC 8452, appendix A.
    """

    LE = 0b000_0000
    BE = 0b111_1000
    GCM = 0b000_0111
    POLYVAL = 0b111_1111

    def element(self, block: Value) -> Value:
        """The element of a block, or the elements of a beat's blocks."""
        if self is WireReading.LE:
            return block
        return Cat(block[at + (k ^ self.value)] for at in range(0, len(block), BITS) for k in range(BITS))

    def block(self, element: Value) -> Value:
        """The block that an element is: every reading is its own inverse."""
        return self.element(element)

    def hash_key(self, block: Value) -> Value:
        """The element by which a hash under the key ``block`` multiplies."""
        if self is not WireReading.POLYVAL:
            return self.element(block)
        return GF128.double([block[k ^ self.value] for k in range(BITS)])
