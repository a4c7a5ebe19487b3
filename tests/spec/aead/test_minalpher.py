# SPDX-License-Identifier: Apache-2.0
"""Minalpher against known answers, and its parts."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wideblock.spec.aead import Rejected
from wideblock.spec.aead.minalpher import SBOX, TEM, Minalpher, P, P_inverse, powers, times_y, times_y_plus_1

from ...variants import over
from .answers import answers, rejected, valid

BLOCKS = st.integers(0, 2**256 - 1)


@pytest.mark.shows("spec-known-answers")
@over("vector", valid("minalpher"))
def test_known_answers(vector):
    minalpher = Minalpher(vector["key"])
    assert minalpher.encrypt(vector["nonce"], vector["ad"], vector["pt"]) == vector["ct"]
    assert minalpher.decrypt(vector["nonce"], vector["ad"], vector["ct"]) == vector["pt"]


@pytest.mark.shows("spec-known-answers")
@over("vector", rejected("minalpher"))
def test_known_forgeries(vector):
    with pytest.raises(Rejected):
        Minalpher(vector["key"]).decrypt(vector["nonce"], vector["ad"], vector["ct"])


@pytest.mark.shows("spec-known-answers")
@over("vector", answers("minalpher", lambda vector: "x" in vector))
def test_known_answers_of_the_permutation(vector):
    x, y = int.from_bytes(vector["x"], "big"), int.from_bytes(vector["y"], "big")
    assert P([x]) == [y] and P_inverse([y]) == [x]


@pytest.mark.shows("spec-known-answers")
@over("vector", answers("minalpher", lambda vector: "mask" in vector))
def test_known_answers_of_the_mask(vector):
    mask = int.from_bytes(vector["L"], "big")
    for _ in range(vector.parameters["i"]):
        mask = times_y(mask)
    for _ in range(vector.parameters["j"]):
        mask = times_y_plus_1(mask)
    assert mask.to_bytes(32, "big") == vector["mask"]


def test_the_known_answers_are_of_every_kind():
    vectors = [param.values[0] for param in valid("minalpher")]
    assert {0, 1, 30, 32, 33, 63, 65, 96, 1024} <= {len(v["pt"]) for v in vectors}
    assert {0, 1, 15, 31, 32, 33, 63, 64, 65} <= {len(v["ad"]) for v in vectors}


@settings(max_examples=40)
@given(st.lists(BLOCKS, max_size=5))
def test_permutation_and_its_inverse(blocks):
    assert P_inverse(P(blocks)) == blocks
    assert P(blocks) == [P([block])[0] for block in blocks]


def test_permutation_of_zero():
    expected = "1af06c27314d424b86e9a08bd5717a71f01a276c4d314b42e9868ba071d5717a"  # reference code
    assert P([0]) == [int(expected, 16)]


def test_sbox_is_its_own_inverse():
    assert [SBOX[SBOX[a]] for a in range(16)] == list(range(16))


@given(BLOCKS, BLOCKS)
def test_masks_are_products_in_a_field(a, b):
    assert times_y(a ^ b) == times_y(a) ^ times_y(b)
    assert times_y(times_y_plus_1(a)) == times_y_plus_1(times_y(a))
    assert times_y(1) == 1 << 8  # 1 and y
    y32 = powers(1, 33)[32]  # y^32 = y^3 + y^2 + x
    assert y32 == 1 << 24 | 1 << 16 | 2
    x8 = times_y(0x80 << 248)  # x^7 y^32 = x^7 y^3 + x^7 y^2 + x^8; x^8 = x^7 + x^5 + x + 1
    assert x8 == 0x80 << 24 | 0x80 << 16 | 0xA3


@pytest.mark.parametrize("last", [bytes(32), bytes(31) + b"\1", b"\x80" + bytes(30) + b"\x40"])
def test_a_wrong_padding_under_a_right_tag_is_rejected(last):
    """Only the owner of the key can make such a ciphertext; padding does not reach beyond the last block."""
    source = random.Random(1)
    minalpher, nonce = Minalpher(source.randbytes(16)), source.randbytes(13)
    y = powers(minalpher.L(minalpher.FLAG_MESSAGE, nonce), 4)
    C = TEM(y[1::2], [int.from_bytes(block, "big") for block in (bytes(31) + b"\x80", last)])
    ciphertext = b"".join(c.to_bytes(32, "big") for c in C) + minalpher.tag(y, b"", C)
    with pytest.raises(Rejected):
        minalpher.decrypt(nonce, b"", ciphertext)
