# SPDX-License-Identifier: Apache-2.0
"""HCTR2 against the designers' answers, its own inverse, and the rules of its hash."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wideblock import vectors
from wideblock.spec.aes import AES
from wideblock.spec.hctr2 import HCTR2, bin128, polyval

from .avalanche import assert_wide_block

SETS = vectors.load("hctr2")
KEYS = st.sampled_from([16, 24, 32]).flatmap(lambda n: st.binary(min_size=n, max_size=n))
BLOCKS = st.integers(0, 6).flatmap(lambda n: st.binary(min_size=16 * n, max_size=16 * n))


@pytest.mark.shows("spec-known-answers")
@pytest.mark.parametrize("vector_set", SETS, ids=lambda vector_set: vector_set.name)
def test_known_answers(vector_set):
    for vector in vector_set.vectors:
        hctr2 = HCTR2(vector["key"])
        assert hctr2.encrypt(vector["tweak"], vector["pt"]) == vector["ct"]
        assert hctr2.decrypt(vector["tweak"], vector["ct"]) == vector["pt"]


def test_the_known_answers_are_of_every_kind():
    kinds = {(len(v["key"]), len(v["pt"]) % 16 > 0, s.official) for s in SETS for v in s.vectors}
    assert {(key, partial, True) for key in (16, 24, 32) for partial in (False, True)} <= kinds
    assert {0, 1, 16, 32, 47} == {len(v["tweak"]) for s in SETS for v in s.vectors}
    assert {16, 17, 31, 48, 512, 4095, 4096} <= {len(v["pt"]) for s in SETS for v in s.vectors}


@pytest.mark.shows("spec-known-answers")
def test_polyval_known_answers():
    (designers,) = vectors.load("polyval")
    assert {len(vector["msg"]) for vector in designers.vectors} >= {0, 16, 112, 256}
    for vector in designers.vectors:
        assert polyval(vector["h"], vector["msg"]) == vector["polyval"]


@given(KEYS, st.binary(max_size=40), st.binary(min_size=16, max_size=200))
@settings(max_examples=60)
def test_decrypt_undoes_encrypt(key, tweak, sector):
    hctr2 = HCTR2(key)
    result = hctr2.encrypt(tweak, sector)
    assert len(result) == len(sector) and result != sector
    assert hctr2.decrypt(tweak, result) == sector
    assert hctr2.encrypt(tweak, hctr2.decrypt(tweak, sector)) == sector


@pytest.mark.parametrize("size", [16, 32, 57, 512])
def test_one_bit_changes_the_whole_result(size):
    source = random.Random(size)
    assert_wide_block(HCTR2, source.randbytes(24), source.randbytes(20), source.randbytes(size))


def test_values_of_a_key():
    key = bytes(range(24))
    hctr2, aes = HCTR2(key), AES(key)
    assert (hctr2.h, hctr2.L) == (aes.encrypt(bytes(16)), aes.encrypt(b"\1" + bytes(15)))


@given(st.binary(max_size=40), BLOCKS)
def test_hash_of_whole_blocks(T, N):
    hctr2 = HCTR2(bytes(16))
    header = (16 * len(T) + 2).to_bytes(16, "little")
    assert hctr2.H(T, N) == polyval(hctr2.h, header + T + bytes(-len(T) % 16) + N)


@given(st.binary(max_size=40), BLOCKS, st.binary(min_size=1, max_size=15))
def test_hash_of_a_last_partial_block(T, N, rest):
    hctr2 = HCTR2(bytes(16))
    header = (16 * len(T) + 3).to_bytes(16, "little")
    padded = N + rest + b"\1" + bytes(15 - len(rest))
    assert hctr2.H(T, N + rest) == polyval(hctr2.h, header + T + bytes(-len(T) % 16) + padded)


def test_zeros_at_the_end_of_tweak_or_sector_count():
    hctr2 = HCTR2(bytes(16))
    hashes = {hctr2.H(bytes(t), bytes(n)) for t in range(40) for n in range(40)}
    assert len(hashes) == 1600


@pytest.mark.parametrize("size", [0, 1, 16, 17, 100])
def test_xctr(size):
    hctr2, S = HCTR2(bytes(16)), random.Random(size).randbytes(16)
    stream = b"".join(
        hctr2.aes.encrypt(bytes(a ^ b for a, b in zip(S, bin128(i), strict=True))) for i in range(1, 1 + -(-size // 16))
    )
    assert hctr2.xctr(S, size) == stream[:size]


def test_security_statement():
    for word in ("pseudo-random permutation", "birthday", "2021/1441", "deterministic", "not authenticate"):
        assert word in HCTR2.security


@pytest.mark.parametrize("size", [0, 15, 17, 33, 48])
def test_wrong_key_length(size):
    with pytest.raises(ValueError, match=f"^HCTR2 key must be 16, 24 or 32 bytes, got {size}$"):
        HCTR2(bytes(size))


@pytest.mark.parametrize("size", [0, 1, 15])
def test_short_sectors(size):
    hctr2 = HCTR2(bytes(16))
    for function in (hctr2.encrypt, hctr2.decrypt):
        with pytest.raises(ValueError, match=f"^an HCTR2 sector must be at least 16 bytes, got {size}$"):
            function(bytes(16), bytes(size))
