# SPDX-License-Identifier: Apache-2.0
"""AEZ v4.1 and v5 against known answers, their parts, and the offsets that v4.1 repeats."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wideblock.spec.aead import Rejected
from wideblock.spec.aead.aez import AEZv4, AEZv5, extract
from wideblock.spec.gf128 import Reading

from ...variants import over
from .answers import ad_of, answers, rejected, valid

BE = Reading.BE
VERSIONS = {"4.1": AEZv4, "5": AEZv5}
BOTH = pytest.mark.parametrize("AEZ", [AEZv4, AEZv5])


def aez(vector):
    """The cipher of a vector; a set that does not name its version is of v5."""
    AEZ = VERSIONS[vector.parameters.get("version", "5")]
    tag_bytes = vector.parameters.get("tag_bytes", vector.parameters.get("tau_bytes", 16))
    return AEZ(vector["key"], tag_bytes=tag_bytes)


@pytest.mark.shows("spec-known-answers")
@over("vector", valid("aez"))
def test_known_answers(vector):
    assert aez(vector).encrypt(vector["nonce"], ad_of(vector), vector["pt"]) == vector["ct"]
    assert aez(vector).decrypt(vector["nonce"], ad_of(vector), vector["ct"]) == vector["pt"]


@pytest.mark.shows("spec-known-answers")
@over("vector", rejected("aez"))
def test_known_forgeries(vector):
    with pytest.raises(Rejected):
        aez(vector).decrypt(vector["nonce"], ad_of(vector), vector["ct"])


@pytest.mark.shows("spec-known-answers")
@over("vector", answers("aez", lambda vector: "x" in vector))
def test_known_answers_of_the_tweakable_cipher(vector):
    j, i = vector.parameters["j"], vector.parameters["i"]
    assert BE.block(aez(vector).offset(j, i)) == vector["delta"]
    assert BE.block(aez(vector).E(j, i, BE.element(vector["x"]))) == vector["y"]


@pytest.mark.shows("spec-known-answers")
@over("vector", answers("aez", lambda vector: "tau_bits" in vector.parameters))
def test_known_answers_of_the_hash(vector):
    tau = vector.parameters["tau_bits"].to_bytes(16, "big")
    assert BE.block(AEZv5(vector["key"]).hash(tau, *ad_of(vector))) == vector["delta"]


@pytest.mark.shows("spec-known-answers")
@over("vector", answers("aez", lambda vector: "out" in vector))
def test_known_answers_of_the_prf(vector):
    out = AEZv5(vector["key"]).prf(BE.element(vector["delta"]), vector.parameters["tau_bytes"])
    assert out == vector["out"]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_known_answers_are_of_every_kind(version):
    vectors = [v for param in valid("aez") for v in param.values if v.parameters.get("version", "5") == version]
    assert {0, 1, 2, 5, 8, 12, 13, 16, 20, 31, 33, 47, 48, 64, 65, 80, 127, 128, 160} <= {len(v["pt"]) for v in vectors}
    assert {0, 1, 15, 16, 17, 31, 32, 33, 48, 1023} <= {len(v["ad"]) for v in vectors if "ad" in v}
    assert {0, 1, 4, 8, 12, 15, 16} <= {v.parameters.get("tag_bytes") for v in vectors}
    tiny = {len(v["ct"]) for v in vectors if v["pt"] and len(v["ct"]) < 32}
    assert {1, 2, 3, 15, 16, 17, 31} <= tiny


@pytest.mark.parametrize(
    "AEZ, ciphertext",
    [
        (AEZv4, "73a75a02a4c4d1f5f274f40ae08d25426be786ef5a3ba51409f94fd50a01c1e6"),
        (AEZv5, "db3371f97f1674ecfddfa60d51594c9b099855493b2693366e72a196789dfa57"),
    ],
)
def test_versions_differ(AEZ, ciphertext):
    assert AEZ(bytes(range(48))).encrypt(bytes(12), b"", bytes(16)).hex() == ciphertext  # reference code


def test_versions_agree_under_the_zero_key():
    """All offsets and round keys are zero, so this key tells no version from another."""
    request = bytes(12), b"data", b"message"
    assert AEZv4(bytes(48)).encrypt(*request) == AEZv5(bytes(48)).encrypt(*request)


def test_key_extraction():
    assert extract(bytes(range(48))) == bytes(range(48))
    assert extract(bytes(47)) != extract(bytes(49)) and {len(extract(bytes(n))) for n in (0, 1, 47, 49, 200)} == {48}
    # BLAKE2b-384 of the empty string
    empty = "b32811423377f52d7862286ee1a72ee540524380fda1724a6f25d7978c6fd3244a6caf0498812673c5e05ef583825100"
    assert extract(b"").hex() == empty


@BOTH
@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32),
    sizes=st.lists(st.integers(0, 40), max_size=5),
    size=st.integers(0, 100),
    tag_bytes=st.integers(0, 16),
)
def test_round_trip_with_several_strings(AEZ, seed, sizes, size, tag_bytes):
    source = random.Random(seed)
    aez, nonce = AEZ(source.randbytes(48), tag_bytes=tag_bytes), source.randbytes(source.randrange(40))
    ad, message = [source.randbytes(n) for n in sizes], source.randbytes(size)
    ciphertext = aez.encrypt(nonce, ad, message)
    assert len(ciphertext) == size + tag_bytes
    assert aez.decrypt(nonce, ad, ciphertext) == message


@BOTH
def test_strings_of_associated_data_are_told_apart(AEZ):
    aez = AEZ(bytes(range(48)))
    cases = [[], [b""], [b"", b""], [b"a"], [b"a", b""], [b"", b"a"], [b"ab"], [b"a", b"b"], [b"b", b"a"]]
    assert len({aez.encrypt(b"", ad, b"") for ad in cases}) == len(cases)
    assert aez.encrypt(b"", b"ab", b"") == aez.encrypt(b"", [b"ab"], b"")


@BOTH
@over("size", [1, 2, 3, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 95, 96])
def test_encipher_is_a_permutation_that_mixes_all(AEZ, size):
    source = random.Random(size)
    aez, Delta = AEZ(source.randbytes(48)), source.getrandbits(128)
    data = source.randbytes(size)
    enciphered = aez.encipher(Delta, data)
    assert aez.decipher(Delta, enciphered) == data
    if size >= 16:
        changed = aez.encipher(Delta, data[:-1] + bytes([data[-1] ^ 1]))
        assert all(changed[i : i + 8] != enciphered[i : i + 8] for i in range(0, size - 8, 8))


@BOTH
def test_encipher_is_a_permutation_of_bytes(AEZ):
    aez = AEZ(bytes(range(48)))
    table = [aez.encipher(7, bytes([a])) for a in range(24)]
    assert len(set(table)) == 24 and [aez.decipher(7, c)[0] for c in table] == list(range(24))
    assert aez.encipher(7, b"") == aez.decipher(7, b"") == b""


def exchanged(blocks):
    """The blocks with the 40th and the 1001st exchanged: v4.1 gives both the same offsets."""
    blocks = list(blocks)
    blocks[39], blocks[1000] = blocks[1000], blocks[39]
    return b"".join(blocks)


@pytest.mark.parametrize("AEZ, broken", [(AEZv4, True), (AEZv5, False)])
def test_v4_repeats_offsets(AEZ, broken):
    """The break that the security statement of v4.1 names, and the first repetition: 2^128 = 135 = 2^7 + 7."""
    source = random.Random(1)
    aez, nonce = AEZ(source.randbytes(48)), source.randbytes(12)
    offsets = [aez.offset(2, i) for i in range(1, 1002)]
    assert len(set(offsets[:1000])) == 1000 and (offsets[1000] == offsets[39]) is broken

    blocks = [source.randbytes(16) for _ in range(1001)]
    ciphertext = aez.encrypt(nonce, b"".join(blocks), b"message")
    if broken:
        assert aez.decrypt(nonce, exchanged(blocks), ciphertext) == b"message"
    else:
        with pytest.raises(Rejected):
            aez.decrypt(nonce, exchanged(blocks), ciphertext)

    pairs = [source.randbytes(32) for _ in range(1001)]
    ciphertext = aez.encrypt(nonce, b"", b"".join(pairs) + bytes(16))
    pieces = [ciphertext[i : i + 32] for i in range(0, len(ciphertext), 32)]
    if broken:
        assert aez.decrypt(nonce, b"", exchanged(pieces)) == exchanged(pairs) + bytes(16)
    else:
        with pytest.raises(Rejected):
            aez.decrypt(nonce, b"", exchanged(pieces))
