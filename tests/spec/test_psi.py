# SPDX-License-Identifier: Apache-2.0
"""HEH and HMCH against known answers, their own inverses, and what a wide-block cipher must do."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wideblock import vectors
from wideblock.spec.gf128 import Reading, mul, power
from wideblock.spec.heh import HEH
from wideblock.spec.hmch import HMCH
from wideblock.spec.polyhash import TwoBlockRule, brw, brw_order

from ..variants import over
from .avalanche import assert_unrelated, flipped

pytestmark = pytest.mark.shows("spec-algebra")

SCHEMES = {"HEH": HEH, "HMCH": HMCH}
HASHES = {"BRW": "brw", "Poly": "horner"}
KINDS = [("brw", "natural"), ("brw", "paper"), ("horner", "natural")]
KNOWN = [
    pytest.param(vector, id=f"{vector_set.name} {i}")
    for vector_set in vectors.load("heh_hmch")
    for i, vector in enumerate(vector_set.vectors)
]


@over("vector", KNOWN)
def test_known_answers(vector):
    about = vector.parameters
    cipher = SCHEMES[about["mode"]](
        vector["key"] + vector["hash_key"],
        hash=HASHES[about["hash"]],
        sector_bytes=len(vector["pt"]),
        order="paper" if about["permuted"] else "natural",
        reading=Reading(about["field"].lower()),
    )
    assert cipher.encrypt(vector["tweak"], vector["pt"]) == vector["ct"]
    assert cipher.decrypt(vector["tweak"], vector["ct"]) == vector["pt"]


def test_the_known_answers_have_every_scheme_hash_and_order():
    seen = {tuple(v.values[0].parameters[k] for k in ("mode", "hash", "permuted")) for v in KNOWN}
    assert seen == {(mode, *kind) for mode in SCHEMES for kind in (("BRW", False), ("BRW", True), ("Poly", False))}


def cases(m, key_bytes):
    source = random.Random(f"{m} {key_bytes}")
    return source.randbytes(key_bytes), source.randbytes(16), source.randbytes(16 * m)


@pytest.mark.parametrize("reading", Reading)
@pytest.mark.parametrize("key_bytes", [32, 48])
@pytest.mark.parametrize(("hash", "order"), KINDS)
@pytest.mark.parametrize("scheme", SCHEMES.values())
def test_decrypt_undoes_encrypt(scheme, hash, order, key_bytes, reading):
    for m in (*range(2, 20), 32, 63, 256):
        key, tweak, sector = cases(m, key_bytes)
        cipher = scheme(key, hash=hash, order=order, sector_bytes=16 * m, reading=reading)
        result = cipher.encrypt(tweak, sector)
        assert result != sector and len(result) == len(sector)
        assert cipher.decrypt(tweak, result) == sector
        assert cipher.encrypt(tweak, cipher.decrypt(tweak, sector)) == sector


@given(st.sampled_from(list(SCHEMES.values())), st.sampled_from(KINDS), st.sampled_from([32, 48]), st.data())
def test_decrypt_undoes_encrypt_of_anything(scheme, kind, key_bytes, data):
    m = data.draw(st.integers(2, 12))
    key, tweak, sector = (data.draw(st.binary(min_size=n, max_size=n)) for n in (key_bytes, 16, 16 * m))
    cipher = scheme(key, hash=kind[0], order=kind[1], sector_bytes=16 * m)
    assert cipher.decrypt(tweak, cipher.encrypt(tweak, sector)) == sector


elements = st.integers(0, 2**128 - 1)


@given(st.sampled_from(KINDS), st.lists(elements, min_size=1, max_size=20), st.binary(min_size=16, max_size=16))
def test_psi_is_h_times_the_polynomial(kind, X, h):
    cipher = HMCH(bytes(16) + h, hash=kind[0], order=kind[1], sector_bytes=16 * (len(X) + 1))
    n, key = len(X), Reading.LE.element(h)
    if kind[0] == "horner":
        expected = 0
        for i, x in enumerate(X):
            expected ^= mul(x, power(key, n - i))
    elif kind[1] == "natural":
        expected = mul(key, brw(key, X, two_block_rule=TwoBlockRule.SECOND_BY_TAU))
    else:
        permuted = [X[j - 1] for j in brw_order(n)]
        expected = mul(key, brw(key, permuted, two_block_rule=TwoBlockRule.SECOND_BY_TAU))
    assert cipher.psi(X) == expected


def test_both_schemes_hash_alike():
    key, _, sector = cases(15, 32)
    X = Reading.LE.elements(sector)
    for hash, order in KINDS:
        heh, hmch = (scheme(key, hash=hash, order=order, sector_bytes=256) for scheme in SCHEMES.values())
        assert heh.psi(X) == hmch.psi(X)
        assert heh.psi(X) ^ heh.psi([x ^ 1 for x in X]) != 0


@pytest.mark.parametrize(("hash", "order"), KINDS)
@pytest.mark.parametrize("m", [2, 32])
@pytest.mark.parametrize("scheme", SCHEMES.values())
def test_one_bit_of_sector_tweak_or_key_changes_the_whole_result(scheme, hash, order, m):
    key, tweak, sector = cases(m, 32)

    def make(key):
        return scheme(key, hash=hash, order=order, sector_bytes=16 * m)

    for name in ("encrypt", "decrypt"):
        function = getattr(make(key), name)
        result = function(tweak, sector)
        for bit in [128 * block + (37 * block + 5) % 128 for block in {0, 1, m // 2, m - 2, m - 1}]:
            assert_unrelated(result, function(tweak, flipped(sector, bit)))
        for bit in (0, 77, 127):
            assert_unrelated(result, function(flipped(tweak, bit), sector))
            assert_unrelated(result, getattr(make(flipped(key, bit)), name)(tweak, sector))
            assert_unrelated(result, getattr(make(flipped(key, 128 + bit)), name)(tweak, sector))


def test_scheme_hash_order_and_reading_matter():
    key, tweak, sector = cases(32, 32)
    results = {
        scheme(key, hash=hash, order=order, sector_bytes=512, reading=reading).encrypt(tweak, sector)
        for scheme in SCHEMES.values()
        for hash, order in KINDS
        for reading in Reading
    }
    assert len(results) == 6 * len(Reading)


@pytest.mark.parametrize("scheme", SCHEMES.values())
def test_security_statement(scheme):
    for word in ("pseudo-random permutation", "birthday", "Sarkar", "deterministic", "not authenticate", "independent"):
        assert word in scheme.security


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"key": bytes(16)}, "key must be 32 or 48 bytes (an AES key of 16 or 32, a hash key of 16), got 16"),
        ({"key": bytes(40)}, "key must be 32 or 48 bytes (an AES key of 16 or 32, a hash key of 16), got 40"),
        ({"hash": "poly"}, "hash must be one of brw, horner, got 'poly'"),
        ({"order": "reverse"}, "order must be one of natural, paper, got 'reverse'"),
        (
            {"hash": "horner", "order": "paper"},
            "the paper's order is one of brw, so order must be natural for horner, got 'paper'",
        ),
        ({"sector_bytes": 100}, "must be a multiple of 16 and at least 32, got 100"),
        ({"sector_bytes": 16}, "must be a multiple of 16 and at least 32, got 16"),
        ({"sector_bytes": -32}, "must be a multiple of 16 and at least 32, got -32"),
    ],
)
@over("scheme", SCHEMES.values())
def test_impossible_parameters(scheme, arguments, message):
    with pytest.raises(ValueError, match=f"{re.escape(message)}$"):
        scheme(**{"key": bytes(32), "hash": "brw", "sector_bytes": 512, **arguments})


@pytest.mark.parametrize("scheme", SCHEMES.values())
def test_wrong_lengths(scheme):
    cipher = scheme(bytes(32), hash="brw", sector_bytes=512)
    for function in (cipher.encrypt, cipher.decrypt):
        for size in (0, 15, 17):
            with pytest.raises(ValueError, match=f"^tweak must be 16 bytes, got {size}$"):
                function(bytes(size), bytes(512))
        for size in (0, 496, 511, 513, 4096):
            with pytest.raises(ValueError, match=f"^sector must be 512 bytes, got {size}$"):
                function(bytes(16), bytes(size))
