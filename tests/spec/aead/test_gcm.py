# SPDX-License-Identifier: Apache-2.0
"""AES-GCM against known answers and an independent implementation."""

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given, settings
from hypothesis import strategies as st

from wideblock.spec.aead import Rejected
from wideblock.spec.aead.gcm import GCM, MAX_MESSAGE, TAG_SIZES, check_message

from ...variants import over
from .answers import rejected, valid


def gcm(vector):
    return GCM(vector["key"], tag_bytes=vector.parameters["tag_bytes"])


@pytest.mark.shows("spec-known-answers")
@over("vector", valid("aes_gcm"))
def test_known_answers(vector):
    assert gcm(vector).encrypt(vector["nonce"], vector["ad"], vector["pt"]) == vector["ct"]
    assert gcm(vector).decrypt(vector["nonce"], vector["ad"], vector["ct"]) == vector["pt"]


@pytest.mark.shows("spec-known-answers")
@over("vector", rejected("aes_gcm"))
def test_known_forgeries(vector):
    with pytest.raises(Rejected):
        gcm(vector).decrypt(vector["nonce"], vector["ad"], vector["ct"])


def test_the_known_answers_are_of_every_kind():
    vectors = [param.values[0] for param in valid("aes_gcm")]
    assert {(len(v["key"]), len(v["nonce"]) == 12) for v in vectors} == {(k, n) for k in (16, 24, 32) for n in (0, 1)}
    assert {4, 8, 12, 13, 14, 15, 16} == {v.parameters["tag_bytes"] for v in vectors} == set(TAG_SIZES)
    assert {0, 1, 15, 16, 17, 31, 32, 33, 512, 1500} <= {len(v["pt"]) for v in vectors}


@pytest.mark.shows("spec-independent")
@settings(max_examples=100)
@given(
    key=st.sampled_from([16, 24, 32]).flatmap(lambda n: st.binary(min_size=n, max_size=n)),
    nonce=st.binary(min_size=8, max_size=64) | st.binary(min_size=12, max_size=12),
    ad=st.binary(max_size=64),
    message=st.binary(max_size=300),
    tag_bytes=st.sampled_from(TAG_SIZES),
)
def test_against_an_independent_implementation(key, nonce, ad, message, tag_bytes):
    encryptor = Cipher(algorithms.AES(key), modes.GCM(nonce)).encryptor()
    encryptor.authenticate_additional_data(ad)
    ciphertext = encryptor.update(message) + encryptor.finalize() + encryptor.tag[:tag_bytes]
    assert GCM(key, tag_bytes=tag_bytes).encrypt(nonce, ad, message) == ciphertext
    assert GCM(key, tag_bytes=tag_bytes).decrypt(nonce, ad, ciphertext) == message


def test_longest_message():
    check_message(MAX_MESSAGE)
    with pytest.raises(ValueError, match="^an AES-GCM message must be at most 68719476704 bytes, got 68719476705$"):
        check_message(MAX_MESSAGE + 1)
