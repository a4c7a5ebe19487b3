# SPDX-License-Identifier: Apache-2.0
"""One flipped bit, and the change of the whole result that a wide-block cipher must make of it."""


def flipped(data, bit):
    """The bytes with one bit inverted; bit 0 is the lowest of the first byte."""
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def assert_unrelated(a, b):
    """About half of all bits differ, and in every block some do: six standard deviations are allowed.

    A last block of less than 8 bytes may be equal by chance and counts in the sum alone.
    """
    bits = 8 * len(a)
    difference = int.from_bytes(a) ^ int.from_bytes(b)
    assert abs(difference.bit_count() - bits / 2) < 6 * bits**0.5 / 2
    assert all(a[i : i + 16] != b[i : i + 16] for i in range(0, len(a) - 7, 16))
