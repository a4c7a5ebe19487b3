# SPDX-License-Identifier: Apache-2.0
"""AES against FIPS 197, NIST's known answers, and an implementation by others."""

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given
from hypothesis import strategies as st

from wideblock import vectors
from wideblock.spec import aes
from wideblock.spec.aes import AES

pytestmark = pytest.mark.shows("spec-independent")

KEYS = st.sampled_from([16, 24, 32]).flatmap(lambda size: st.binary(min_size=size, max_size=size))
DATA = st.integers(0, 40).flatmap(lambda n: st.binary(min_size=16 * n, max_size=16 * n))
STATES = (
    st.integers(1, 4)
    .flatmap(lambda n: st.binary(min_size=16 * n, max_size=16 * n))
    .map(lambda data: np.frombuffer(data, np.uint8).reshape(-1, 16))
)


@pytest.mark.parametrize("vector_set", vectors.load("aes"), ids=lambda vector_set: vector_set.name)
def test_known_answers(vector_set):
    for vector in vector_set.vectors:
        cipher = AES(vector["key"])
        if "last_round_key" in vector:
            assert cipher.round_keys[-1] == vector["last_round_key"]
        else:
            assert cipher.encrypt(vector["pt"]) == vector["ct"]
            assert cipher.decrypt(vector["ct"]) == vector["pt"]


@given(KEYS, DATA)
def test_equals_an_independent_implementation(key, data):
    other = Cipher(algorithms.AES(key), modes.ECB())
    assert AES(key).encrypt(data) == other.encryptor().update(data)
    assert AES(key).decrypt(data) == other.decryptor().update(data)


@given(KEYS, DATA)
def test_full_rounds_are_aes_but_for_the_last_mix_columns(key, data):
    cipher = AES(key)
    *round_keys, last = cipher.round_keys
    mixed = aes.full_rounds(data, [*round_keys, bytes(16)])
    states = aes.inv_mix_columns(np.frombuffer(mixed, np.uint8).reshape(-1, 16))
    assert aes.add_round_key(states, last).tobytes() == cipher.encrypt(data)


def test_many_blocks_at_once():
    """More blocks than are worked on together, and not a multiple of them."""
    key = bytes(range(32))
    data = np.random.default_rng(1).bytes(16 * 10_001)
    encrypted = AES(key).encrypt(data)
    assert encrypted == Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(data)
    assert AES(key).decrypt(encrypted) == data


def test_sbox_is_inversion_and_an_affine_map():
    assert aes.SBOX[0x53] == 0xED and aes.SBOX[0x00] == 0x63  # FIPS 197, 5.1.1
    assert sorted(aes.SBOX) == list(range(256))
    assert all(aes.INV_SBOX[aes.SBOX[a]] == a for a in range(256))
    inverse = {a: b for a in range(256) for b in range(256) if aes.multiply_bytes(a, b) == 1}
    linear = {b: aes.SBOX[a] ^ 0x63 for a, b in inverse.items()}  # the affine map less its constant
    assert len(linear) == 255
    assert all(linear[a] ^ linear[b] == linear[a ^ b] for a in linear for b in linear if a != b)


def test_multiply_bytes():
    assert aes.multiply_bytes(0x57, 0x83) == 0xC1 and aes.multiply_bytes(0x57, 0x13) == 0xFE  # FIPS 197, 4.2


@given(STATES)
def test_layers_and_their_inverses(states):
    assert (aes.inv_sub_bytes(aes.sub_bytes(states)) == states).all()
    assert (aes.inv_shift_rows(aes.shift_rows(states)) == states).all()
    assert (aes.inv_mix_columns(aes.mix_columns(states)) == states).all()


def test_first_round_of_the_cipher_example():
    """FIPS 197, appendix B, round 1."""

    def state(text):
        return np.frombuffer(bytes.fromhex(text), np.uint8).reshape(1, 16)

    start = state("193de3bea0f4e22b9ac68d2ae9f84808")
    assert (aes.sub_bytes(start) == state("d42711aee0bf98f1b8b45de51e415230")).all()
    assert (aes.shift_rows(aes.sub_bytes(start)) == state("d4bf5d30e0b452aeb84111f11e2798e5")).all()
    mixed = aes.mix_columns(state("d4bf5d30e0b452aeb84111f11e2798e5"))
    assert (mixed == state("046681e5e0cb199a48f8d37a2806264c")).all()
    assert (
        aes.add_round_key(mixed, bytes.fromhex("a0fafe1788542cb123a339392a6c7605"))
        == state("a49c7ff2689f352b6b5bea43026a5049")
    ).all()


@pytest.mark.parametrize("size, keys", [(16, 11), (24, 13), (32, 15)])
def test_round_keys(size, keys):
    key = bytes(range(size))
    round_keys = AES(key).round_keys
    assert [len(round_key) for round_key in round_keys] == [16] * keys
    assert b"".join(round_keys)[:size] == key


@pytest.mark.parametrize("size", [0, 15, 17, 31, 33])
def test_wrong_key_length(size):
    with pytest.raises(ValueError, match=f"^AES key must be 16, 24 or 32 bytes, got {size}$"):
        AES(bytes(size))


@pytest.mark.parametrize("size", [1, 15, 17])
def test_not_a_whole_number_of_blocks(size):
    for function in (AES(bytes(16)).encrypt, AES(bytes(16)).decrypt):
        with pytest.raises(ValueError, match=f"^AES data must be a multiple of 16 bytes, got {size}$"):
            function(bytes(size))
    with pytest.raises(ValueError, match=f"^AES data must be a multiple of 16 bytes, got {size}$"):
        aes.full_rounds(bytes(size), [bytes(16)])
