# SPDX-License-Identifier: Apache-2.0
"""AEZ-core[AES] against known answers, the FAST paper's equations one by one, and its own inverse."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wideblock import vectors
from wideblock.spec.aes import AES
from wideblock.spec.aez_core import AEZCore, core
from wideblock.spec.blocks import add
from wideblock.spec.gf128 import Reading, double

from ..variants import over
from .avalanche import assert_unrelated, assert_wide_block, flipped

SETS = vectors.load("aez_core")
TWEAKS = st.sampled_from([0, 16]).flatmap(lambda n: st.binary(min_size=n, max_size=n))
SECTORS = st.integers(1, 6).flatmap(lambda n: st.binary(min_size=32 * n, max_size=32 * n))


@pytest.mark.shows("spec-known-answers")
@pytest.mark.parametrize("vector_set", SETS, ids=lambda vector_set: vector_set.name)
def test_known_answers(vector_set):
    for vector in vector_set.vectors:
        aez = AEZCore(vector["key"])
        Delta = Reading.BE.element(vector["Delta"]) if "Delta" in vector else 0
        assert core(aez.E, Delta, vector["pt"]) == vector["ct"]
        assert core(aez.E, Delta, vector["ct"], inverse=True) == vector["pt"]
        assert aez.encrypt(vector["tweak"], vector["pt"]) == vector["ct"]
        assert aez.decrypt(vector["tweak"], vector["ct"]) == vector["pt"]
        if "I" in vector:
            assert Reading.BE.blocks([aez.I, aez.J]) == vector["I"] + vector["J"]


def test_the_known_answers_are_of_every_kind():
    kinds = {(len(v["tweak"]), len(v["pt"])) for vector_set in SETS for v in vector_set.vectors}
    assert {(0, 32), (0, 64), (0, 96), (0, 512), (0, 4096), (16, 32), (16, 64), (16, 4096)} <= kinds


def test_one_pair():
    result = AEZCore(bytes(range(16))).encrypt(b"", bytes(32))
    assert result.hex() == "901a5276709a96498b83bbfe288edb93ee484af73a1b9b894c280a6a304a18cb"


@given(st.binary(min_size=16, max_size=16), TWEAKS, SECTORS)
@settings(max_examples=60)
def test_decrypt_undoes_encrypt(key, tweak, sector):
    aez = AEZCore(key)
    result = aez.encrypt(tweak, sector)
    assert len(result) == len(sector) and result != sector
    assert aez.decrypt(tweak, result) == sector
    assert aez.encrypt(tweak, aez.decrypt(tweak, sector)) == sector


@pytest.mark.parametrize("size", [32, 64, 512])
@pytest.mark.parametrize("tweak_bytes", [0, 16])
def test_one_bit_changes_the_whole_result(tweak_bytes, size):
    source = random.Random(size)
    assert_wide_block(AEZCore, source.randbytes(16), source.randbytes(tweak_bytes), source.randbytes(size))


def times(n, X):
    """n X by equation (7) of the paper."""
    if n < 2:
        return n * X
    return double(times(n // 2, X)) ^ (X if n % 2 else 0)


@given(st.integers(-1, 2), st.lists(st.tuples(st.integers(0, 300), st.integers(0, 2**128 - 1)), max_size=4))
def test_tweakable_block_cipher(i, inputs):
    key = bytes(range(16))
    aes = AES(key)
    I, J = (Reading.BE.element(aes.encrypt(n.to_bytes(16))) for n in (0, 1))  # noqa: E741
    expected = [Reading.BE.element(aes.encrypt(Reading.BE.block(x ^ times(i + 1, I) ^ times(j, J)))) for j, x in inputs]
    assert AEZCore(key).E(i, [j for j, _ in inputs], [x for _, x in inputs]) == expected


def test_equations_of_the_paper():
    """Section 2.2, one pair at a time, for three pairs and the last two blocks."""
    source = random.Random(3)
    aez = AEZCore(source.randbytes(16))
    P, T = Reading.BE.elements(source.randbytes(128)), source.getrandbits(128)

    def E(i, j, x):
        return aez.E(i, [j], [x])[0]

    Delta = E(3, 1, T)
    W, X = {}, {}
    for i in (1, 2, 3):
        W[i] = P[2 * i - 2] ^ E(1, i, P[2 * i - 1])
        X[i] = P[2 * i - 1] ^ E(0, 0, W[i])
    Sx = E(0, 1, P[7]) ^ P[6] ^ X[1] ^ X[2] ^ X[3] ^ Delta
    Sy = E(-1, 1, Sx) ^ P[7]
    C, Y = [], 0
    for i in (1, 2, 3):
        S = E(2, i, Sx ^ Sy)
        C2 = S ^ W[i] ^ E(0, 0, S ^ X[i])
        C += [S ^ X[i] ^ E(1, i, C2), C2]
        Y ^= S ^ W[i]
    Cy = Sx ^ E(-1, 2, Sy)
    C += [Sy ^ E(0, 2, Cy) ^ Delta ^ Y, Cy]
    assert aez.encrypt(Reading.BE.block(T), Reading.BE.blocks(P)) == Reading.BE.blocks(C)


def test_no_tweak_is_delta_zero():
    sector = bytes(range(128))
    aez = AEZCore(bytes(16))
    assert aez.encrypt(b"", sector) == core(aez.E, 0, sector) != aez.encrypt(bytes(16), sector)


def test_the_tweak_as_delta_is_not_secure_and_is_not_delta():
    """The weakness that the security statement names: d in Delta and in M_x is d in C_x, and nothing else."""
    source = random.Random(4)
    aez, tweak, sector = AEZCore(source.randbytes(16)), source.randbytes(16), source.randbytes(512)
    other_tweak, other_sector = flipped(tweak, 77), flipped(sector, 8 * 480 + 77)
    one, other = (core(aez.E, Reading.BE.element(T), x) for T, x in ((tweak, sector), (other_tweak, other_sector)))
    assert other == flipped(one, 8 * 480 + 77)
    assert add(one, other).count(0) == 511
    assert_unrelated(aez.encrypt(tweak, sector), aez.encrypt(other_tweak, other_sector))


def test_security_statement():
    for word in ("no tweak", "benchmark", "E(3, 1; T)", "EUROCRYPT 2015", "not authenticate", "not be secure"):
        assert word in AEZCore.security


@over("size", [0, 15, 24, 32, 48])
def test_wrong_key_length(size):
    with pytest.raises(ValueError, match=rf"^AEZ-core\[AES\] key must be 16 bytes, got {size}$"):
        AEZCore(bytes(size))


@over("size", [0, 16, 31, 33, 48, 4080])
def test_wrong_sector_length(size):
    aez = AEZCore(bytes(16))
    for function in (aez.encrypt, aez.decrypt):
        with pytest.raises(ValueError) as error:
            function(b"", bytes(size))
        assert str(error.value) == f"an AEZ-core sector must be a multiple of 32 bytes and at least 32, got {size}"


@over("size", [1, 8, 15, 17, 32])
def test_wrong_tweak_length(size):
    aez = AEZCore(bytes(16))
    for function in (aez.encrypt, aez.decrypt):
        with pytest.raises(ValueError) as error:
            function(bytes(size), bytes(32))
        assert str(error.value) == f"an AEZ-core tweak must be 16 bytes, or none for Delta = 0, got {size}"


def test_core_of_a_short_string():
    with pytest.raises(ValueError, match="^data of AEZ-core must be at least 32 bytes, got 31$"):
        core(AEZCore(bytes(16)).E, 0, bytes(31))


@over("size", range(32, 100))
def test_core_of_any_length(size):
    """With a fragment; :mod:`wideblock.spec.aead.aez` has the known answers."""
    source = random.Random(size)
    E, Delta, data = AEZCore(source.randbytes(16)).E, source.getrandbits(128), source.randbytes(size)
    result = core(E, Delta, data)
    assert len(result) == size and core(E, Delta, result, inverse=True) == data
    assert_unrelated(result, core(E, Delta, flipped(data, source.randrange(8 * size))))
