# SPDX-License-Identifier: Apache-2.0
"""Binary fields: the polynomial, and the circuits that are linear in their operand."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import xor

from amaranth import Cat, Value
from amaranth.hdl import ValueLike

__all__ = ["GF128", "BinaryField", "parity"]


def parity(bits: Sequence[Value]) -> Value:
    """The sum in GF(2) of ``bits`` (at least one; of any equal width, then position by position), as a balanced tree.

    Cost: len(bits) - 1 XOR gates a position.
    """
    if not bits:
        raise ValueError("a sum needs at least one bit, got none")
    if len(bits) == 1:
        return bits[0]
    return parity(bits[: len(bits) // 2]) ^ parity(bits[len(bits) // 2 :])


def _bits(a: ValueLike | Sequence[Value], width: int) -> list[Value]:
    """The bits of a value, or of a list of bits, which must be ``width``."""
    bits = list(a) if isinstance(a, Sequence) else list(Value.cast(a))
    if len(bits) != width:
        raise ValueError(f"operand must have {width} bits, got {len(bits)}")
    return bits


@dataclass(frozen=True)
class BinaryField:
    """GF(2)[x] / (x^width + modulus), an irreducible polynomial. Bit k of an element is the coefficient of x^k.

    The defaults are the field of XTS, FAST, XCB, EME2, HEH and HMCH: x^128 + x^7 + x^2 + x + 1.
    """

    width: int = 128
    modulus: int = 0x87

    def __post_init__(self):
        if self.width < 2:
            raise ValueError(f"a field needs a width of at least 2, got {self.width!r}")
        if not (self.modulus & 1 and 0 < self.modulus < 1 << self.width):
            raise ValueError(
                f"modulus must be odd and below 2^{self.width} (its x^{self.width} is implied), got {self.modulus:#x}"
            )

    def residue(self, k: int) -> int:
        """x^k mod the polynomial, as an integer."""
        r = 1
        for _ in range(k):
            r = r << 1 ^ (1 << self.width | self.modulus if r >> self.width - 1 else 0)
        return r

    def residue_terms(self, degrees: Sequence[int]) -> list[list[int]]:
        """For each bit of an element, the indices into ``degrees`` of the powers x^degrees[i] with the bit."""
        residues = [self.residue(k) for k in degrees]
        return [[i for i, r in enumerate(residues) if r >> bit & 1] for bit in range(self.width)]

    def double(self, a) -> Value:
        """x * a.

        Cost: one XOR for each inner term of the polynomial (3 for GF128).
        """
        return self._linear(a, range(1, self.width + 1))

    def shift(self, a, k: int) -> Value:
        """x^k * a.

        Cost: for GF128 and k up to 100, three XORs for each of k bits; more once what overflows does so again.
        """
        return self._linear(a, range(k, self.width + k))

    def square(self, a) -> Value:
        """a^2: squaring is linear, (sum a_k x^k)^2 = sum a_k x^2k.

        Cost: for GF128 2 to 5 bits of ``a`` to each bit: a 6-input table each.
        """
        return self._linear(a, range(0, 2 * self.width, 2))

    def reduce(self, c) -> Value:
        """c mod the polynomial, for a product ``c`` of 2 * width - 1 bits (a value, or a list of its bits).

        The part at x^width and above is multiplied by the polynomial's low terms; the few bits that reach x^width
        once more are folded first.

        Cost: for a sparse polynomial about width XOR gates for each of its low terms.
        """
        c = _bits(c, 2 * self.width - 1)
        exponents = [e for e in range(self.width) if self.modulus >> e & 1]
        high = c[self.width :]
        for k in reversed(range(len(high))):
            for e in exponents:
                if k + e >= self.width:
                    high[k + e - self.width] ^= high[k]
        return Value.cast(
            Cat(
                reduce(xor, [c[k], *(high[k - e] for e in exponents if 0 <= k - e < len(high))])
                for k in range(self.width)
            )
        )

    def _linear(self, a, degrees) -> Value:
        """Sum of a_k x^degrees[k]."""
        a = _bits(a, len(degrees))
        return Value.cast(Cat(parity([a[k] for k in terms]) for terms in self.residue_terms(degrees)))


GF128 = BinaryField()
