# SPDX-License-Identifier: Apache-2.0
"""GF(2^128) mod x^128 + x^7 + x^2 + x + 1, and the four ways to read 16 bytes as one of its elements.

An element is an int: bit i is the coefficient of x^i. Its sum with another is ``a ^ b``.
"""

from collections.abc import Iterable
from enum import Enum
from itertools import accumulate, repeat

__all__ = ["REDUCTION", "WIDTH", "Reading", "double", "doubled", "inverse", "mul", "power", "powers", "square"]

WIDTH = 128
"""Bits of an element."""

REDUCTION = 0x87
"""x^128 = x^7 + x^2 + x + 1 in this field."""

_MASK = (1 << WIDTH) - 1
_ONES = int.from_bytes(b"\1" * (2 * WIDTH - 1))
_DIGITS = int.from_bytes(b"0" * (2 * WIDTH - 1))
_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def _reduce(a: int) -> int:
    """a mod x^128 + x^7 + x^2 + x + 1, for a of at most 255 bits."""
    high = a >> WIDTH
    a = a & _MASK ^ high ^ high << 1 ^ high << 2 ^ high << 7
    high = a >> WIDTH  # the first fold leaves at most 6 bits above
    return a & _MASK ^ high ^ high << 1 ^ high << 2 ^ high << 7


def mul(a: int, b: int) -> int:
    """a * b.

    With its bits eight places apart, a polynomial over GF(2) multiplies as an integer: at most 128 ones meet in a
    place, so no carry reaches the next, and the lowest bit of a place is their sum.
    """
    bits_a = int.from_bytes(f"{a:0128b}".encode()) & _ONES
    bits_b = int.from_bytes(f"{b:0128b}".encode()) & _ONES
    return _reduce(int((bits_a * bits_b & _ONES | _DIGITS).to_bytes(2 * WIDTH - 1), 2))


def square(a: int) -> int:
    """a * a: squaring is linear and moves the coefficient of x^i to x^2i."""
    return _reduce(int(f"{a:b}", 4))


def double(a: int) -> int:
    """x * a."""
    return a << 1 & _MASK ^ (REDUCTION if a >> WIDTH - 1 else 0)


def doubled(first: int, count: int) -> list[int]:
    """first, x first, x^2 first, .., ``count`` of them."""
    out = [first] * count
    for i in range(1, count):
        out[i] = double(out[i - 1])
    return out


def power(a: int, n: int) -> int:
    """a to the n, for n of at least 0; anything to the 0 is one."""
    if n < 0:
        raise ValueError(f"exponent must be at least 0, got {n}")
    result = 1
    for bit in f"{n:b}":
        result = square(result)
        if bit == "1":
            result = mul(result, a)
    return result


def powers(a: int, n: int) -> list[int]:
    """a, a^2, .., a^n."""
    return list(accumulate(repeat(a, n), mul))


def inverse(a: int) -> int:
    """1 / a, which is a to the 2^128 - 2."""
    if a == 0:
        raise ValueError("zero has no inverse in GF(2^128)")
    return power(a, 2**WIDTH - 2)


class Reading(Enum):
    """Order of the bits of 16 bytes as coefficients. A scheme states its reading once, at its edge.

    ``LE``:  bit i of the little-endian integer is the coefficient of x^i; one is 01 00 .. 00. XTS, EME2, FAST.
    ``BE``:  bit i of the big-endian integer; one is 00 .. 00 01. AEZ, CMAC.
    ``GCM``: bit 127 - i of the big-endian integer; one is 80 00 .. 00. GHASH, XCB.
    ``POLYVAL``: bit 127 - i of the little-endian integer; one is 00 .. 00 80. HCTR2. POLYVAL's own field is this one
    with x replaced by 1/x; in this reading its product dot(a, b) is x a b. Source: RFC 8452, appendix A.
    """

    LE = "le"
    BE = "be"
    GCM = "gcm"
    POLYVAL = "polyval"

    def element(self, block: bytes) -> int:
        """The element that 16 bytes are."""
        if len(block) != WIDTH // 8:
            raise ValueError(f"block must be {WIDTH // 8} bytes, got {len(block)}")
        match self:
            case Reading.LE:
                return int.from_bytes(block, "little")
            case Reading.BE:
                return int.from_bytes(block, "big")
            case Reading.GCM:
                return int.from_bytes(block.translate(_REVERSED), "little")
            case Reading.POLYVAL:
                return int.from_bytes(block.translate(_REVERSED), "big")

    def block(self, element: int) -> bytes:
        """The 16 bytes that an element is."""
        if not 0 <= element <= _MASK:
            raise ValueError(f"element must have at most {WIDTH} bits and no sign, got {element:#x}")
        match self:
            case Reading.LE:
                return element.to_bytes(WIDTH // 8, "little")
            case Reading.BE:
                return element.to_bytes(WIDTH // 8, "big")
            case Reading.GCM:
                return element.to_bytes(WIDTH // 8, "little").translate(_REVERSED)
            case Reading.POLYVAL:
                return element.to_bytes(WIDTH // 8, "big").translate(_REVERSED)

    def elements(self, data: bytes) -> list[int]:
        """The elements of a whole number of blocks."""
        return [self.element(data[i : i + WIDTH // 8]) for i in range(0, len(data), WIDTH // 8)]

    def blocks(self, elements: Iterable[int]) -> bytes:
        """The blocks of elements, one after the other."""
        return b"".join(map(self.block, elements))
