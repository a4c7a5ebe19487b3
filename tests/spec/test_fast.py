# SPDX-License-Identifier: Apache-2.0
"""FAST against known answers, its own inverse, and what a wide-block cipher must do."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wideblock import vectors
from wideblock.spec.aes import AES
from wideblock.spec.fast import FAST, Trace, counter_mode
from wideblock.spec.gf128 import Reading, mul

from ..variants import over
from .avalanche import assert_unrelated, flipped

pytestmark = pytest.mark.shows("spec-known-answers")

LEAST = {"brw": 4, "horner": 3}
HASHES = list(LEAST)
KNOWN = [
    pytest.param(vector, id=f"{vector_set.name} {i}")
    for vector_set in vectors.load("fast")
    for i, vector in enumerate(vector_set.vectors)
]
NAMES = {"h": "h", "A1": "A1", "A2_eq_F1": "F1", "B1_eq_F2": "F2", "B2": "B2", "Z": "Z", "hprime": "hprime"}


def of(vector):
    return FAST(
        vector["key"],
        hash=vector.parameters["hash"].lower(),
        sector_bytes=len(vector["pt"]),
        reading=Reading(vector.parameters["field"].lower()),
    )


@over("vector", KNOWN)
def test_known_answers(vector):
    fast = of(vector)
    assert fast.encrypt(vector["tweak"], vector["pt"]) == vector["ct"]
    assert fast.decrypt(vector["tweak"], vector["ct"]) == vector["pt"]
    if "tau" in vector:
        assert fast.reading.block(fast.tau) == vector["tau"]


def test_the_known_answers_are_all_of_sizes_that_fast_allows():
    sizes = {
        (len(vector["pt"]) // 16, vector.parameters["hash"].lower())
        for vector_set in vectors.load("fast")
        for vector in vector_set.vectors
    }
    assert all(m >= LEAST[hash] for m, hash in sizes)
    assert {(256, "brw"), (256, "horner"), (32, "brw"), (32, "horner"), (4, "brw"), (4, "horner")} <= sizes


def test_intermediate_values():
    (worked,) = [vector_set for vector_set in vectors.load("fast") if vector_set.name.startswith("worked")]
    assert {vector.parameters["hash"] for vector in worked.vectors} == {"BRW", "Horner"}
    for vector in worked.vectors:
        trace = of(vector).trace_encrypt(vector["tweak"], vector["pt"])
        for theirs, ours in NAMES.items():
            assert Reading.LE.block(getattr(trace, ours)) == vector[theirs], theirs
        assert trace.A2 == trace.F1 and trace.B1 == trace.F2
        assert trace.C[32:] == vector["C3"]
        assert of(vector).trace_decrypt(vector["tweak"], vector["ct"]) == trace


def cases(m, key_bytes):
    source = random.Random(f"{m} {key_bytes}")
    return source.randbytes(key_bytes), source.randbytes(16), source.randbytes(16 * m)


@pytest.mark.parametrize("reading", Reading)
@pytest.mark.parametrize("key_bytes", [16, 32])
@pytest.mark.parametrize("hash", HASHES)
def test_decrypt_undoes_encrypt(hash, key_bytes, reading):
    for m in (*range(LEAST[hash], 41), 256):
        key, tweak, sector = cases(m, key_bytes)
        fast = FAST(key, hash=hash, sector_bytes=16 * m, reading=reading)
        trace = fast.trace_encrypt(tweak, sector)
        assert isinstance(trace, Trace) and trace.P == sector != trace.C
        assert fast.encrypt(tweak, sector) == trace.C
        assert fast.trace_decrypt(tweak, trace.C) == trace
        assert fast.encrypt(tweak, fast.decrypt(tweak, sector)) == sector


@given(st.sampled_from(HASHES), st.sampled_from([16, 32]), st.data())
def test_decrypt_undoes_encrypt_of_anything(hash, key_bytes, data):
    m = data.draw(st.integers(LEAST[hash], 12))
    key, tweak, sector = (data.draw(st.binary(min_size=n, max_size=n)) for n in (key_bytes, 16, 16 * m))
    fast = FAST(key, hash=hash, sector_bytes=16 * m)
    assert fast.decrypt(tweak, fast.encrypt(tweak, sector)) == sector


@pytest.mark.parametrize("hash", HASHES)
@pytest.mark.parametrize("m", [4, 32, 256])
def test_one_bit_of_sector_or_tweak_changes_the_whole_result(hash, m):
    key, tweak, sector = cases(m, 16)
    fast = FAST(key, hash=hash, sector_bytes=16 * m)
    in_each_block = [128 * block + (37 * block + 5) % 128 for block in {0, 1, 2, 3, m // 2, m - 2, m - 1}]
    for function in (fast.encrypt, fast.decrypt):
        result = function(tweak, sector)
        for bit in in_each_block:
            assert_unrelated(result, function(tweak, flipped(sector, bit)))
        for bit in (0, 77, 127):
            assert_unrelated(result, function(flipped(tweak, bit), sector))
            other = FAST(flipped(key, bit), hash=hash, sector_bytes=16 * m)
            assert_unrelated(result, getattr(other, function.__name__)(tweak, sector))


def test_hash_and_reading_matter():
    key, tweak, sector = cases(8, 16)
    results = {
        FAST(key, hash=hash, sector_bytes=128, reading=reading).encrypt(tweak, sector)
        for hash in HASHES
        for reading in Reading
    }
    assert len(results) == 2 * len(Reading)


@pytest.mark.parametrize("hash", HASHES)
def test_h_and_hprime_differ_by_tau(hash):
    fast = FAST(bytes(16), hash=hash, sector_bytes=128)
    X3 = Reading.LE.elements(random.Random(3).randbytes(96))
    assert fast.hprime(9, X3) == mul(fast.tau, fast.h(9, X3))


@pytest.mark.parametrize("reading", Reading)
def test_counter_mode(reading):
    aes = AES(bytes(range(16)))
    blocks = reading.elements(random.Random(4).randbytes(16 * 20))
    Z = reading.element(random.Random(5).randbytes(16))
    expected = [block ^ reading.element(aes.encrypt(reading.block(Z ^ i))) for i, block in enumerate(blocks, 1)]
    assert counter_mode(aes, Z, blocks, reading) == expected
    assert counter_mode(aes, Z, expected, reading) == blocks
    assert counter_mode(aes, Z, [], reading) == []


def test_security_statement():
    for word in ("pseudo-random permutation", "birthday", "2017/849", "deterministic", "not authenticate"):
        assert word in FAST.security


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"key": bytes(15)}, "FAST key must be 16 or 32 bytes, got 15"),
        ({"key": bytes(24)}, "FAST key must be 16 or 32 bytes, got 24"),
        ({"hash": "ghash"}, "hash must be one of brw, horner, got 'ghash'"),
        ({"hash": "BRW"}, "hash must be one of brw, horner, got 'BRW'"),
        ({"sector_bytes": 100}, "sector_bytes of FAST with brw must be a multiple of 16 and at least 64, got 100"),
        ({"sector_bytes": 48}, "sector_bytes of FAST with brw must be a multiple of 16 and at least 64, got 48"),
        (
            {"hash": "horner", "sector_bytes": 32},
            "sector_bytes of FAST with horner must be a multiple of 16 and at least 48, got 32",
        ),
        ({"sector_bytes": 0}, "sector_bytes of FAST with brw must be a multiple of 16 and at least 64, got 0"),
        ({"sector_bytes": -64}, "sector_bytes of FAST with brw must be a multiple of 16 and at least 64, got -64"),
    ],
)
def test_impossible_parameters(arguments, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        FAST(**{"key": bytes(16), "hash": "brw", "sector_bytes": 512, **arguments})


def test_wrong_lengths():
    fast = FAST(bytes(16), hash="brw", sector_bytes=512)
    for function in (fast.encrypt, fast.decrypt, fast.trace_encrypt, fast.trace_decrypt):
        for size in (0, 8, 15, 17):
            with pytest.raises(ValueError, match=f"^tweak must be 16 bytes, got {size}$"):
                function(bytes(size), bytes(512))
        for size in (0, 496, 511, 513, 4096):
            with pytest.raises(ValueError, match=f"^sector must be 512 bytes, got {size}$"):
                function(bytes(16), bytes(size))
