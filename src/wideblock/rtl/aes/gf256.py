# SPDX-License-Identifier: Apache-2.0
"""GF(2^8), and what FIPS 197 makes of it: the S-box as numbers, from its definition."""

from functools import cache
from itertools import accumulate

__all__ = ["affine", "inverses", "mul", "table"]


def mul(a: int, b: int) -> int:
    """``a * b`` in GF(2^8) mod x^8 + x^4 + x^3 + x + 1."""
    r = 0
    while b:
        r ^= a * (b & 1)
        a, b = (a << 1) ^ (0x11B if a & 0x80 else 0), b >> 1
    return r


def affine(x: int) -> int:
    """The linear part of the S-box's affine map: bit i is the sum of bits i, i+4, i+5, i+6, i+7 (mod 8)."""
    return sum(
        ((x >> i ^ x >> (i + 4) % 8 ^ x >> (i + 5) % 8 ^ x >> (i + 6) % 8 ^ x >> (i + 7) % 8) & 1) << i
        for i in range(8)
    )


@cache
def table(inverse: bool = False) -> tuple[int, ...]:
    """The S-box as 256 bytes, from its definition.

    Source: FIPS 197, 5.1.1 and 5.3.2.
    """
    forward = [affine(x) ^ 0x63 for x in inverses()]
    if not inverse:
        return tuple(forward)
    return tuple(forward.index(y) for y in range(256))


@cache
def inverses() -> tuple[int, ...]:
    """1 / a of every byte a; that of 0 is 0."""
    powers = [*accumulate(range(1, 255), lambda power, _: mul(3, power), initial=1)]  # of 3: every byte but 0
    found = {0: 0} | {power: powers[-i] for i, power in enumerate(powers)}
    return tuple(found[a] for a in range(256))
