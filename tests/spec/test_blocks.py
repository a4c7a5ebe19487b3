# SPDX-License-Identifier: Apache-2.0
"""Sum and padding of byte strings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wideblock.spec.blocks import add, pad0


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
