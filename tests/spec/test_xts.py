# SPDX-License-Identifier: Apache-2.0
"""XTS-AES against known answers, an independent implementation, and the rules of its standards."""

import random

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given, settings
from hypothesis import strategies as st

from wideblock import vectors
from wideblock.spec.xts import MAX_BLOCKS, XTS

from ..variants import over

pytestmark = pytest.mark.shows("spec-independent")

KNOWN = [
    pytest.param(vector, id=f"{vector_set.name} {i}")
    for vector_set in vectors.load("xts")
    for i, vector in enumerate(vector_set.vectors)
]


def equal_halves(key):
    return key[: len(key) // 2] == key[len(key) // 2 :]


@over("vector", KNOWN)
def test_known_answers(vector):
    xts = XTS(vector["key"], distinct=not equal_halves(vector["key"]))
    assert xts.encrypt(vector["tweak"], vector["pt"]) == vector["ct"]
    assert xts.decrypt(vector["tweak"], vector["ct"]) == vector["pt"]


def test_the_known_answers_are_of_every_kind():
    kinds = {
        (len(v["key"]), len(v["pt"]) % 16 > 0, found.official) for found in vectors.load("xts") for v in found.vectors
    }
    assert {(key, stealing, True) for key in (32, 64) for stealing in (False, True)} <= kinds
    sizes = {len(v["pt"]) for found in vectors.load("xts") for v in found.vectors}
    assert {*range(16, 50), 512, 4096} - {37} <= sizes
    assert sum(equal_halves(v["key"]) for found in vectors.load("xts") for v in found.vectors) == 1


def theirs(key, tweak, unit, *, decrypt):
    cipher = Cipher(algorithms.AES(key), modes.XTS(tweak))
    return (cipher.decryptor() if decrypt else cipher.encryptor()).update(unit)


@settings(max_examples=60)
@given(
    key=st.sampled_from([32, 64])
    .flatmap(lambda n: st.binary(min_size=n, max_size=n))
    .filter(lambda key: not equal_halves(key)),
    tweak=st.binary(min_size=16, max_size=16),
    unit=st.binary(min_size=16, max_size=200),
)
def test_against_an_independent_implementation(key, tweak, unit):
    xts = XTS(key)
    assert xts.encrypt(tweak, unit) == theirs(key, tweak, unit, decrypt=False)
    assert xts.decrypt(tweak, unit) == theirs(key, tweak, unit, decrypt=True)


@pytest.mark.parametrize("size", [4096, 70_001])
def test_long_units(size):
    rng = random.Random(size)
    key, tweak, unit = rng.randbytes(64), rng.randbytes(16), rng.randbytes(size)
    ciphertext = XTS(key).encrypt(tweak, unit)
    assert ciphertext == theirs(key, tweak, unit, decrypt=False)
    assert XTS(key).decrypt(tweak, ciphertext) == unit


def test_each_block_stands_alone():
    """What narrow-block means: one changed byte changes its block and no other."""
    rng = random.Random(1)
    xts, tweak, unit = XTS(rng.randbytes(32)), rng.randbytes(16), bytearray(rng.randbytes(128))
    before = xts.encrypt(tweak, bytes(unit))
    unit[40] ^= 1
    after = xts.encrypt(tweak, bytes(unit))
    assert [before[i : i + 16] != after[i : i + 16] for i in range(0, 128, 16)] == [i == 32 for i in range(0, 128, 16)]


KEY = bytes(range(32))


@pytest.mark.parametrize(
    ("do", "message"),
    [
        (lambda: XTS(bytes(48)), "XTS-AES key must be 32 or 64 bytes, Key1 and Key2 one after the other, got 48"),
        (lambda: XTS(bytes(48), distinct=False), "XTS-AES key must be 32 or 64 bytes"),
        (lambda: XTS(KEY[:16] * 2), "the halves of an XTS-AES key, Key1 and Key2, must differ (FIPS 140-3 IG C.I)"),
        (lambda: XTS(KEY * 2), "the halves of an XTS-AES key, Key1 and Key2, must differ (FIPS 140-3 IG C.I)"),
        (lambda: XTS(KEY).encrypt(bytes(15), bytes(16)), "tweak must be 16 bytes, got 15"),
        (
            lambda: XTS(KEY).encrypt(bytes(16), bytes(15)),
            "an XTS-AES data unit must be from 16 bytes to 2^20 blocks (16777216 bytes), got 15",
        ),
        (lambda: XTS(KEY).decrypt(bytes(16), bytes(16 * MAX_BLOCKS + 1)), "an XTS-AES data unit must be from 16 bytes"),
    ],
)
def test_refusals(do, message):
    with pytest.raises(ValueError) as error:
        do()
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)
