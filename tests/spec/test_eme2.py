# SPDX-License-Identifier: Apache-2.0
"""EME2-AES against the standard's vectors, its own inverse, and its rules for rests, masks and associated data."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wideblock import vectors
from wideblock.spec.aes import AES
from wideblock.spec.eme2 import EME2, mix
from wideblock.spec.gf128 import Reading, mul, power

from .avalanche import assert_wide_block

SETS = vectors.load("eme2")
KEYS = st.sampled_from([48, 64]).flatmap(lambda n: st.binary(min_size=n, max_size=n))


@pytest.mark.shows("spec-known-answers")
@pytest.mark.parametrize("vector_set", SETS, ids=lambda vector_set: vector_set.name)
def test_known_answers(vector_set):
    for vector in vector_set.vectors:
        eme2 = EME2(vector["key"])
        assert eme2.encrypt(vector["tweak"], vector["pt"]) == vector["ct"]
        assert eme2.decrypt(vector["tweak"], vector["ct"]) == vector["pt"]


def test_the_known_answers_are_of_every_kind():
    answers = [(vector_set.official, vector) for vector_set in SETS for vector in vector_set.vectors]
    assert {(len(v["key"]), len(v["pt"]) % 16 > 0) for _, v in answers} == {
        (key, rest) for key in (48, 64) for rest in (False, True)
    }
    assert {0, 16, 20} <= {len(v["tweak"]) for official, v in answers if official}
    assert {*range(7, 13), 15, 17, 31} <= {len(v["tweak"]) for _, v in answers}
    assert {16, 17, 2064, 2065, 4129} <= {len(v["pt"]) for official, v in answers if official}
    assert {32, 512, 513, 2032, 2048, 4096} <= {len(v["pt"]) for _, v in answers}  # around the refresh of the mask


@given(KEYS, st.binary(max_size=40), st.binary(min_size=16, max_size=200))
@settings(max_examples=60)
def test_decrypt_undoes_encrypt(key, tweak, sector):
    eme2 = EME2(key)
    result = eme2.encrypt(tweak, sector)
    assert len(result) == len(sector) and result != sector
    assert eme2.decrypt(tweak, result) == sector
    assert eme2.encrypt(tweak, eme2.decrypt(tweak, sector)) == sector


@pytest.mark.parametrize("size", [2047, 2048, 2049, 2064, 4096, 4097, 4112, 6160])
def test_decrypt_undoes_encrypt_where_masks_are_refreshed(size):
    source = random.Random(size)
    key, tweak, sector = source.randbytes(48), source.randbytes(16), source.randbytes(size)
    assert EME2(key).decrypt(tweak, EME2(key).encrypt(tweak, sector)) == sector


@pytest.mark.parametrize("size", [16, 32, 57, 512])
def test_one_bit_changes_the_whole_result(size):
    source = random.Random(size)
    assert_wide_block(EME2, source.randbytes(64), source.randbytes(20), source.randbytes(size))


def test_one_bit_changes_the_whole_result_after_a_refresh():
    source = random.Random(1)
    assert_wide_block(EME2, source.randbytes(48), source.randbytes(16), source.randbytes(16 * 130 + 9))


def test_one_block_step_by_step():
    """With n = 1 and no associated data: C = E(MC + T*) + K_ECB, MC = E(T* + E(P + K_ECB))."""
    key, P = bytes(range(48)), bytes(range(16))
    aes, K_ECB = AES(key[32:]), key[16:32]

    def add(a, b):
        return bytes(x ^ y for x, y in zip(a, b, strict=True))

    T_star = aes.encrypt(key[:16])
    MC = aes.encrypt(add(T_star, aes.encrypt(add(P, K_ECB))))
    assert EME2(key).encrypt(b"", P) == add(aes.encrypt(add(MC, T_star)), K_ECB)


@given(st.binary(min_size=1, max_size=60))
def test_associated_data_block_by_block(T):
    eme2 = EME2(bytes(range(48)))
    expected = 0
    for i in range(1, 1 + -(-len(T) // 16)):
        block = T[16 * (i - 1) : 16 * i]
        L = mul(power(2, i if len(block) == 16 else i + 1), eme2.K_AD)
        padded = block if len(block) == 16 else (block + b"\x80" + bytes(15))[:16]
        masked = Reading.LE.block(Reading.LE.element(padded) ^ L)
        expected ^= Reading.LE.element(eme2.aes.encrypt(masked)) ^ L
    assert eme2.T_star(T) == expected


def test_associated_data_and_its_padding_differ():
    eme2 = EME2(bytes(range(48)))
    assert len({eme2.T_star(T) for T in (b"", b"\x80", bytes(15), bytes(16), b"\x80" + bytes(15), bytes(17))}) == 6


def test_mix_of_blocks_before_and_after_refreshes():
    """CCC_j = PPP_j + 2^i M: i counts the blocks after the last refresh, M is the mask that it made."""
    source, aes = random.Random(2), AES(bytes(16))
    PPP, M_1 = [source.getrandbits(128) for _ in range(300)], source.getrandbits(128)
    CCC = [0, *mix(aes.encrypt, PPP, M_1)]
    assert len(CCC) == 300
    M = M_1
    for j in range(1, 300):
        if j in (128, 256):
            MP = PPP[j] ^ M_1
            MC = Reading.LE.element(aes.encrypt(Reading.LE.block(MP)))
            assert CCC[j] == MC ^ M_1
            M = MP ^ MC
        else:
            assert CCC[j] == PPP[j] ^ mul(power(2, j % 128), M)


def test_security_statement():
    for word in ("pseudo-random permutation", "birthday", "Halevi", "2004/125", "deterministic", "not authenticate"):
        assert word in EME2.security


@pytest.mark.parametrize("size", [0, 16, 32, 47, 56, 65])
def test_wrong_key_length(size):
    with pytest.raises(ValueError) as error:
        EME2(bytes(size))
    assert str(error.value) == (
        f"EME2 key must be 48 or 64 bytes (K_AD and K_ECB of 16 each, an AES key of 16 or 32), got {size}"
    )


@pytest.mark.parametrize("size", [0, 1, 15])
def test_short_sectors(size):
    eme2 = EME2(bytes(48))
    for function in (eme2.encrypt, eme2.decrypt):
        with pytest.raises(ValueError, match=f"^an EME2 sector must be at least 16 bytes, got {size}$"):
            function(bytes(16), bytes(size))
