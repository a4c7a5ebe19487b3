# SPDX-License-Identifier: Apache-2.0
"""POET against known answers, and by its properties."""

import random

import pytest

from wideblock.spec.aead import Rejected
from wideblock.spec.aead.poet import POET

from ...variants import over
from .answers import answers, rejected, valid


@pytest.mark.shows("spec-known-answers")
@over("vector", answers("poet", lambda vector: "nonce" in vector and "pt" in vector))
def test_known_answers(vector):
    poet = POET(vector["key"])
    assert poet.encrypt(vector["nonce"], vector["ad"], vector["pt"]) == vector["ct"]
    assert poet.decrypt(vector["nonce"], vector["ad"], vector["ct"]) == vector["pt"]


@pytest.mark.shows("spec-known-answers")
@over("vector", answers("poet", lambda vector: "header" in vector))
def test_known_answers_of_the_designers(vector):
    """Headers of any length, and the values on the way."""
    poet = POET(vector["key"])
    assert (poet.K, poet.L, poet.K_F) == (vector["K"], vector["L"], vector["K_F"])
    assert poet.tau(vector["header"]) == vector["tau"]
    assert poet.encrypt_under(vector["header"], vector["pt"]) == vector["ct"]
    assert poet.unverified_under(vector["header"], vector["ct"]) == (vector["pt"], True)


@pytest.mark.shows("spec-known-answers")
@over("vector", rejected("poet"))
def test_known_forgeries(vector):
    with pytest.raises(Rejected):
        POET(vector["key"]).decrypt(vector["nonce"], vector["ad"], vector["ct"])


def test_the_known_answers_are_of_every_kind():
    vectors = [param.values[0] for param in valid("poet")]
    assert {0, 1, 8, 15, 16, 17, 31, 32, 33, 64, 2047} <= {len(v["pt"]) for v in vectors}
    assert {0, 1, 15, 16, 17, 31, 32, 33} <= {len(v["ad"]) for v in vectors if "ad" in v}


def test_zero_key():
    empty = "645cad64d902f8e382d001257ad3f348"  # reference code
    assert POET(bytes(16)).encrypt(bytes(16), b"", b"") == bytes.fromhex(empty)


def test_the_header_is_associated_data_then_nonce():
    source = random.Random(1)
    poet, nonce, ad = POET(source.randbytes(16)), source.randbytes(16), source.randbytes(21)
    assert poet.encrypt(nonce, ad, b"message") == poet.encrypt_under(ad + nonce, b"message")


def test_on_line():
    """Under a repeated nonce, a common beginning shows, block by block; nothing behind the first difference does."""
    source = random.Random(2)
    poet, nonce = POET(source.randbytes(16)), source.randbytes(16)
    message = bytearray(source.randbytes(128))
    before = poet.encrypt(nonce, b"", bytes(message))
    message[40] ^= 1
    after = poet.encrypt(nonce, b"", bytes(message))
    assert [before[i : i + 16] == after[i : i + 16] for i in range(0, 144, 16)] == [True] * 2 + [False] * 7
