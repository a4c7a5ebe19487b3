# SPDX-License-Identifier: Apache-2.0
"""The attacks read XCB, with the number of queries that the papers state, and do not read HCTR2."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wideblock.spec.hctr2 import HCTR2
from wideblock.spec.xcb import XCB
from wideblock.spec.xcb_attack import recover_all_but_last_block, recover_sector

from .xcb_versions import XCBv1, recover_any_version


class Oracle:
    """Both directions of a cipher under a key nobody sees; counts queries, refuses the sector under attack."""

    def __init__(self, cipher, tweak, ciphertext):
        self.cipher = cipher
        self.target = (tweak, ciphertext)
        self.queries = 0

    def encrypt(self, tweak, sector):
        self.queries += 1
        result = self.cipher.encrypt(tweak, sector)
        assert (tweak, result) != self.target
        return result

    def decrypt(self, tweak, sector):
        self.queries += 1
        assert (tweak, sector) != self.target
        return self.cipher.decrypt(tweak, sector)


def case(cipher, size):
    source = random.Random(size)
    tweak, plaintext = source.randbytes(16), source.randbytes(size)
    ciphertext = cipher.encrypt(tweak, plaintext)
    return tweak, plaintext, ciphertext, Oracle(cipher, tweak, ciphertext)


@pytest.mark.parametrize("key_bytes", [16, 32])
@pytest.mark.parametrize("size", [17, 32, 33, 48, 512, 520, 4096])
def test_two_queries_recover_all_but_the_last_block(size, key_bytes):
    tweak, plaintext, ciphertext, oracle = case(XCB(bytes(range(key_bytes))), size)
    found = recover_all_but_last_block(oracle.encrypt, oracle.decrypt, tweak, ciphertext)
    assert found == plaintext[:-16] and oracle.queries == 2


@pytest.mark.parametrize("key_bytes", [16, 32])
@pytest.mark.parametrize("size", [17, 32, 33, 48, 512, 520, 4096])
def test_three_queries_recover_the_sector(size, key_bytes):
    tweak, plaintext, ciphertext, oracle = case(XCB(bytes(range(key_bytes))), size)
    assert recover_sector(oracle.encrypt, oracle.decrypt, tweak, ciphertext) == plaintext
    assert oracle.queries == 3


@pytest.mark.parametrize("size", [16, 17, 32, 33, 512, 4096])
@pytest.mark.parametrize("version", [XCBv1, XCB])
def test_seven_queries_recover_the_sector_of_any_version(version, size):
    tweak, plaintext, ciphertext, oracle = case(version(bytes(range(16))), size)
    assert recover_any_version(oracle.encrypt, oracle.decrypt, tweak, ciphertext, bytes(16)) == plaintext
    assert oracle.queries == (3 if size == 16 else 7)


@given(
    st.binary(min_size=16, max_size=16),
    st.integers(1, 40).flatmap(
        lambda n: st.lists(st.binary(min_size=n, max_size=n), min_size=2, max_size=2, unique=True)
    ),
    st.binary(min_size=17, max_size=100),
)
@settings(max_examples=30)
def test_any_key_tweak_and_sector(key, tweaks, plaintext):
    tweak, other = tweaks
    xcb, first = XCB(key), XCBv1(key)
    ciphertext = xcb.encrypt(tweak, plaintext)
    assert recover_all_but_last_block(xcb.encrypt, xcb.decrypt, tweak, ciphertext) == plaintext[:-16]
    assert recover_sector(xcb.encrypt, xcb.decrypt, tweak, ciphertext) == plaintext
    ciphertext = first.encrypt(tweak, plaintext)
    assert recover_any_version(first.encrypt, first.decrypt, tweak, ciphertext, other) == plaintext


def test_a_sound_cipher_withstands():
    tweak, plaintext, ciphertext, oracle = case(HCTR2(bytes(16)), 512)
    both = oracle.encrypt, oracle.decrypt
    assert recover_all_but_last_block(*both, tweak, ciphertext)[:16] != plaintext[:16]
    assert recover_sector(*both, tweak, ciphertext) != plaintext
    assert recover_any_version(*both, tweak, ciphertext, bytes(16)) != plaintext


def test_the_difference_must_be_shared():
    """Two and three queries do not read version 1, whose hashes have a key each."""
    tweak, plaintext, ciphertext, oracle = case(XCBv1(bytes(16)), 512)
    both = oracle.encrypt, oracle.decrypt
    assert recover_all_but_last_block(*both, tweak, ciphertext) not in (plaintext[:-16], plaintext[16:])
    assert recover_sector(*both, tweak, ciphertext) != plaintext


@pytest.mark.parametrize("size", [0, 15, 16])
@pytest.mark.parametrize("attack", [recover_all_but_last_block, recover_sector])
def test_sectors_without_a_rest(attack, size):
    with pytest.raises(ValueError, match=f"^the attack needs a sector of more than 16 bytes, got {size}$"):
        attack(XCB(bytes(16)).encrypt, XCB(bytes(16)).decrypt, b"", bytes(size))


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (b"\n\x0b", "the other tweak must differ from the sector's, got '0a0b' for both"),
        (b"\n", "the other tweak must be 2 bytes as the sector's, got 1"),
    ],
)
def test_other_tweaks_that_do_not_serve(other, message):
    xcb = XCB(bytes(16))
    with pytest.raises(ValueError, match=f"^{message}$"):
        recover_any_version(xcb.encrypt, xcb.decrypt, b"\n\x0b", bytes(32), other)
