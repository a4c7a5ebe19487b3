# SPDX-License-Identifier: Apache-2.0
"""Sum, padding and cutting of byte strings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wideblock.spec.blocks import add, check_size, pad, pad0, split


@given(st.integers(0, 40).flatmap(lambda n: st.tuples(*[st.binary(min_size=n, max_size=n)] * 2)))
def test_add(strings):
    a, b = strings
    assert add(a, b) == bytes(x ^ y for x, y in zip(a, b, strict=True))


def test_add_of_unequal_lengths():
    with pytest.raises(ValueError, match="^strings to add must have equal lengths, got 3 and 2 bytes$"):
        add(bytes(3), bytes(2))


@given(st.binary(max_size=50))
def test_pad0(data):
    padded = pad0(data)
    assert len(padded) % 16 == 0 and 0 <= len(padded) - len(data) < 16
    assert padded == data + bytes(len(padded) - len(data))


def test_pad():
    assert pad(b"") == b"\x80" + bytes(15)
    assert pad(bytes(15)) == bytes(15) + b"\x80"
    assert pad(b"abc", 4) == b"abc\x80"
    with pytest.raises(ValueError, match="^data to pad must be shorter than 4 bytes, got 4$"):
        pad(b"abcd", 4)


def test_split():
    assert split(b"") == []
    assert split(b"abcdefgh", 4) == [b"abcd", b"efgh"]
    assert split(bytes(17)) == [bytes(16), b"\0"]


def test_check_size():
    check_size("nonce", b"ab", 2)
    with pytest.raises(ValueError, match="^nonce must be 2 bytes, got 3$"):
        check_size("nonce", b"abc", 2)
