# SPDX-License-Identifier: Apache-2.0
"""SCREAM against known answers, its parts, and its weak keys."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wideblock.spec.aead import Rejected
from wideblock.spec.aead.scream import (
    L_COLUMNS,
    MAX_BLOCKS,
    SCREAM,
    Scream,
    check_sizes,
    inv_l_box,
    inv_s_box,
    l_box,
    s_box,
)

from ...variants import over
from .answers import answers, rejected, valid

ROWS = st.lists(st.integers(0, 0xFFFF), min_size=8, max_size=8)


def scream(vector):
    return SCREAM(vector["key"], steps=vector.parameters["steps"])


@pytest.mark.shows("spec-known-answers")
@over("vector", valid("scream"))
def test_known_answers(vector):
    assert scream(vector).encrypt(vector["nonce"], vector["ad"], vector["pt"]) == vector["ct"]
    assert scream(vector).decrypt(vector["nonce"], vector["ad"], vector["ct"]) == vector["pt"]


@pytest.mark.shows("spec-known-answers")
@over("vector", rejected("scream"))
def test_known_forgeries(vector):
    with pytest.raises(Rejected):
        scream(vector).decrypt(vector["nonce"], vector["ad"], vector["ct"])


@pytest.mark.shows("spec-known-answers")
@over("vector", answers("scream", lambda vector: "x" in vector))
def test_known_answers_of_the_tweakable_cipher(vector):
    E = Scream(vector["key"], steps=vector.parameters["steps"])
    assert E.encrypt(vector["tweak"], vector["x"]) == vector["y"]
    assert E.decrypt(vector["tweak"], vector["y"]) == vector["x"]


@pytest.mark.parametrize("steps", [10, 12])
def test_the_known_answers_are_of_every_kind(steps):
    vectors = [v for param in valid("scream") for v in param.values if v.parameters["steps"] == steps]
    assert {0, 16, 19, 31, 32, 33, 64, 256} <= {len(v["pt"]) for v in vectors}
    assert {0, 1, 15, 16, 17, 31, 32, 33} <= {len(v["ad"]) for v in vectors}


@given(ROWS)
def test_s_box_and_its_inverse(rows):
    assert inv_s_box(s_box(rows)) == rows


def test_s_box_of_a_column():
    """Each column is substituted alone, by a permutation of bytes; entries of the designers' table."""
    table = [sum((row & 1) << i for i, row in enumerate(s_box([v >> i & 1 for i in range(8)]))) for v in range(256)]
    assert sorted(table) == list(range(256))
    assert bytes(table[:8]).hex() == "208db2da3335a6ff" and bytes(table[-8:]).hex() == "e31bd0a553b406fe"
    rows = [random.Random(1).getrandbits(16) for _ in range(8)]
    out = s_box(rows)
    for c in range(16):
        assert (
            sum((row >> c & 1) << i for i, row in enumerate(out))
            == table[sum((row >> c & 1) << i for i, row in enumerate(rows))]
        )


def test_l_box_is_linear_and_orthogonal():
    assert [l_box(1 << i) for i in range(16)] == list(L_COLUMNS)
    assert [inv_l_box(1 << i) for i in range(3)] == [0xE79E, 0x7704, 0x2AD1]  # reference code
    for row in range(0x10000):
        assert inv_l_box(l_box(row)) == row
    for a in L_COLUMNS:
        for b in L_COLUMNS:
            assert (a & b).bit_count() % 2 == (a == b)
    assert l_box(0x1234 ^ 0xABCD) == l_box(0x1234) ^ l_box(0xABCD)


def test_tweakeys_have_period_3():
    """phi(t0 || t1) = t0 ^ t1 || t1 ^ (t0 ^ t1), three times, is the identity."""
    T = random.Random(2).randbytes(16)
    tweakeys = Scream(bytes(16)).tweakeys(T)
    t0, t1 = tweakeys[0][:4], tweakeys[0][4:]
    for s in range(1, 7):
        t0 = [a ^ b for a, b in zip(t0, t1, strict=True)]
        t1 = [a ^ b for a, b in zip(t0, t1, strict=True)]
        assert tweakeys[s % 3] == t0 + t1


@pytest.mark.parametrize("steps", [10, 12])
def test_weak_keys_have_a_nonlinear_invariant(steps):
    """The break that the security statement names: one bit of each block shows, for keys with bytes 2 to 5 zero.

    g is a sum over all columns of x0 + x1 x2 + x2 + x5. It passes the S-box up to a constant, the L-box because that is
    orthogonal, and a tweakey up to a constant if rows 1 and 2 of that are zero.

    Source: Todo, Leander, Sasaki, ePrint 2016/732.
    """

    def g(block):
        x = [int.from_bytes(block[i : i + 2], "little") for i in range(0, 16, 2)]
        return (x[0] ^ x[1] & x[2] ^ x[2] ^ x[5]).bit_count() % 2

    source = random.Random(steps)
    nonce = source.randbytes(2) + bytes(4) + source.randbytes(4) + bytes(1)  # rows 1 and 2 of every tweak are zero
    sums = {}
    for weak in (True, False):
        key = source.randbytes(2) + (bytes(4) if weak else b"\1\2\3\4") + source.randbytes(10)
        blocks = [source.randbytes(16) for _ in range(64)]
        ciphertexts = [SCREAM(key, steps=steps).encrypt(nonce, b"", block)[:16] for block in blocks]
        sums[weak] = {g(m) ^ g(c) for m, c in zip(blocks, ciphertexts, strict=True)}
    assert len(sums[True]) == 1 and len(sums[False]) == 2


def test_sizes():
    longest = 16 * MAX_BLOCKS
    check_sizes(longest, longest - 1)
    with pytest.raises(ValueError, match=f"^associated data of SCREAM must be at most {longest} bytes, got"):
        check_sizes(longest + 1, 0)
    with pytest.raises(ValueError, match=f"^a SCREAM message must be less than {longest} bytes, got {longest}$"):
        check_sizes(0, longest)


@pytest.mark.parametrize("size", [15, 17])
def test_wrong_tweak(size):
    with pytest.raises(ValueError, match=f"^tweak of Scream must be 16 bytes, got {size}$"):
        Scream(bytes(16)).encrypt(bytes(size), bytes(16))
