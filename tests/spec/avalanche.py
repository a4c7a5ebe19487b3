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


def assert_wide_block(cipher, key, tweak, sector):
    """One bit of each block of the sector, the tweak or the key changes the whole result, in both directions.

    ``cipher`` makes a specification from a key.
    """
    for name in ("encrypt", "decrypt"):
        function = getattr(cipher(key), name)
        result = function(tweak, sector)
        for bit in _one_in_each_block(sector):
            assert_unrelated(result, function(tweak, flipped(sector, bit)))
        for bit in _one_in_each_block(tweak):
            assert_unrelated(result, function(flipped(tweak, bit), sector))
        for bit in _one_in_each_block(key):
            assert_unrelated(result, getattr(cipher(flipped(key, bit)), name)(tweak, sector))


def _one_in_each_block(data):
    """A bit of each 16 bytes, another one in each."""
    bits = 8 * len(data)
    return [first + (37 * i + 5) % min(128, bits - first) for i, first in enumerate(range(0, bits, 128))]
