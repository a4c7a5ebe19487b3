# SPDX-License-Identifier: Apache-2.0
"""The known-answer files themselves: readable, sourced, and what they are taken for."""

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from wideblock import vectors

pytestmark = pytest.mark.shows("spec-known-answers")


def test_names():
    assert {"aes", "aes_gcm", "aez", "fast", "heh_hmch", "minalpher", "poet", "scream", "xts"} <= set(vectors.names())


@pytest.mark.parametrize("name", vectors.names())
def test_every_set_has_a_source_and_vectors(name):
    sets = vectors.load(name)
    assert sets
    for vector_set in sets:
        assert vector_set.name and vector_set.source and vector_set.vectors
        assert vector_set.official in (True, False, "probable")
    assert len({vector_set.name for vector_set in sets}) == len(sets)


def test_hex_becomes_bytes_and_words_stay_words():
    vector = vectors.load("fast")[0].vectors[0]
    assert vector["key"] == bytes.fromhex("880190d573cee8b2e4d09df1717f48f1")
    assert vector.parameters["hash"] == "Horner" and "hash" not in vector
    with pytest.raises(KeyError):
        vector["nonce"]


def test_a_ciphertext_to_reject_says_so():
    (found,) = [vector_set for vector_set in vectors.load("aez") if vector_set.name == "AEZ v5 reject"]
    assert {(v.parameters["result"], v.parameters["version"]) for v in found.vectors} == {("reject", "5")}


def test_what_a_vector_says_goes_before_what_its_set_says():
    fields = {vector.parameters["field"] for vector_set in vectors.load("fast") for vector in vector_set.vectors}
    assert fields == {"LE", "BE", "GCM"}


def test_unknown_name():
    with pytest.raises(ValueError, match=r"^no known answers of 'des', there are those of aes, .*fast"):
        vectors.load("des")


def test_aes_answers_are_those_of_an_independent_implementation():
    checked = 0
    for vector_set in vectors.load("aes"):
        for vector in vector_set.vectors:
            if "last_round_key" in vector:
                continue  # a key expansion has no counterpart there
            encryptor = Cipher(algorithms.AES(vector["key"]), modes.ECB()).encryptor()
            assert encryptor.update(vector["pt"]) == vector["ct"], vector_set.source
            checked += 1
    assert checked >= 250
