# SPDX-License-Identifier: Apache-2.0
"""All authenticated ciphers by their common interface: round trips, rejection of every change, refusals."""

import random
from dataclasses import dataclass
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wideblock.spec.aead import AEAD, Rejected
from wideblock.spec.aead.aez import AEZv4, AEZv5
from wideblock.spec.aead.gcm import GCM
from wideblock.spec.aead.minalpher import Minalpher
from wideblock.spec.aead.poet import POET
from wideblock.spec.aead.scream import SCREAM


@dataclass(frozen=True)
class Kind:
    """A cipher with one choice of its parameters, and lengths of key and nonce that it takes."""

    make: partial
    key: int = 16
    nonce: int = 12

    def __str__(self):
        values = [f"{name} {value}" for name, value in self.make.keywords.items()]
        return " ".join([self.make.func.__name__, f"key {self.key}", f"nonce {self.nonce}", *values])

    def random(self, source):
        return self.make(source.randbytes(self.key)), source.randbytes(self.nonce)


KINDS = [
    Kind(partial(AEZv5), key=48),
    Kind(partial(AEZv5), key=20, nonce=0),
    Kind(partial(AEZv5, tag_bytes=8), key=48, nonce=33),
    Kind(partial(AEZv4), key=48),
    Kind(partial(SCREAM), nonce=11),
    Kind(partial(SCREAM, steps=12), nonce=11),
    Kind(partial(POET), nonce=16),
    Kind(partial(Minalpher), nonce=13),
    Kind(partial(GCM)),
    Kind(partial(GCM), key=24, nonce=1),
    Kind(partial(GCM, tag_bytes=12), key=32, nonce=16),
]
EACH = pytest.mark.parametrize("kind", KINDS, ids=str)


@EACH
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), message=st.integers(0, 100), ad=st.integers(0, 70))
def test_round_trip(kind, seed, message, ad):
    source = random.Random(seed)
    cipher, nonce = kind.random(source)
    ad, message = source.randbytes(ad), source.randbytes(message)
    assert cipher.decrypt(nonce, ad, cipher.encrypt(nonce, ad, message)) == message


@EACH
def test_every_length(kind):
    """Ciphertexts of all lengths of message and associated data differ, and are as long as the cipher says."""
    cipher, nonce = kind.random(random.Random(1))
    ciphertexts = {cipher.encrypt(nonce, bytes(n), b"") for n in range(1, 71)}
    assert {len(ciphertext) for ciphertext in ciphertexts} == {len(cipher.encrypt(nonce, b"", b""))}
    for n in range(101):
        ciphertext = cipher.encrypt(nonce, b"", bytes(n))
        size = n if cipher.name != "Minalpher" else 32 * (n // 32 + 1)
        assert len(ciphertext) == size + cipher.tag_bytes
        assert cipher.decrypt(nonce, b"", ciphertext) == bytes(n)
        ciphertexts.add(ciphertext)
    assert len(ciphertexts) == 70 + 101


def changes(data):
    """The data with one bit of each byte flipped, another bit in each."""
    for i in range(len(data)):
        yield data[:i] + bytes([data[i] ^ 1 << i % 8]) + data[i + 1 :]


def assert_rejected(cipher, nonce, ad, ciphertext):
    with pytest.raises(Rejected) as error:
        cipher.decrypt(nonce, ad, ciphertext)
    assert str(error.value) == "ciphertext rejected: not made under this key, nonce and associated data"
    assert not vars(error.value)  # nothing of the message


@EACH
@pytest.mark.parametrize("size", [0, 5, 16, 39])
def test_a_flipped_bit_is_rejected(kind, size):
    source = random.Random(size)
    cipher, nonce = kind.random(source)
    ad, message = source.randbytes(size // 2), source.randbytes(size)
    ciphertext = cipher.encrypt(nonce, ad, message)
    for changed in changes(ciphertext):
        assert_rejected(cipher, nonce, ad, changed)
    for changed in changes(ad):
        assert_rejected(cipher, nonce, changed, ciphertext)
    for changed in changes(nonce):
        assert_rejected(cipher, changed, ad, ciphertext)
    assert cipher.decrypt(nonce, ad, ciphertext) == message


@EACH
def test_another_length_or_key_is_rejected(kind):
    source = random.Random(2)
    cipher, nonce = kind.random(source)
    ad, message = source.randbytes(20), source.randbytes(40)
    ciphertext = cipher.encrypt(nonce, ad, message)
    for size in range(len(ciphertext)):
        assert_rejected(cipher, nonce, ad, ciphertext[:size])
    for more in (b"\0", b"\x80", bytes(16), bytes(32)):
        assert_rejected(cipher, nonce, ad, ciphertext + more)
        assert_rejected(cipher, nonce, ad + more, ciphertext)
    assert_rejected(cipher, nonce, ad[:-1], ciphertext)
    assert_rejected(kind.random(source)[0], nonce, ad, ciphertext)


@EACH
def test_name_and_security(kind):
    cipher, _ = kind.random(random.Random(3))
    assert isinstance(cipher, AEAD) and cipher.name
    assert cipher.security.endswith(".") and "\n" not in cipher.security


@pytest.mark.parametrize(
    ("do", "message"),
    [
        (lambda: AEZv5(bytes(48), tag_bytes=17), "tag_bytes of AEZ must be from 0 to 16, got 17"),
        (lambda: AEZv4(bytes(48), tag_bytes=-1), "tag_bytes of AEZ must be from 0 to 16, got -1"),
        (lambda: SCREAM(bytes(15)), "SCREAM key must be 16 bytes, got 15"),
        (lambda: SCREAM(bytes(16), steps=11), "steps of SCREAM must be 10 or 12, got 11"),
        (lambda: SCREAM(bytes(16)).encrypt(bytes(12), b"", b""), "nonce of SCREAM must be 11 bytes, got 12"),
        (lambda: SCREAM(bytes(16)).decrypt(bytes(10), b"", b""), "nonce of SCREAM must be 11 bytes, got 10"),
        (lambda: POET(bytes(32)), "POET key must be 16 bytes, got 32"),
        (lambda: POET(bytes(16)).encrypt(bytes(12), b"", b""), "nonce of POET must be 16 bytes, got 12"),
        (lambda: POET(bytes(16)).decrypt(b"", b"", bytes(16)), "nonce of POET must be 16 bytes, got 0"),
        (lambda: Minalpher(b""), "Minalpher key must be 16 bytes, got 0"),
        (lambda: Minalpher(bytes(16)).encrypt(bytes(12), b"", b""), "nonce of Minalpher must be 13 bytes, got 12"),
        (lambda: Minalpher(bytes(16)).decrypt(bytes(14), b"", b""), "nonce of Minalpher must be 13 bytes, got 14"),
        (lambda: GCM(bytes(20)), "AES key must be 16, 24 or 32 bytes, got 20"),
        (lambda: GCM(bytes(16), tag_bytes=5), "tag_bytes of AES-GCM must be one of 4, 8, 12, 13, 14, 15, 16, got 5"),
        (lambda: GCM(bytes(16)).encrypt(b"", b"", b""), "nonce of AES-GCM must be at least 1 byte, got 0"),
        (lambda: GCM(bytes(16)).decrypt(b"", b"", bytes(16)), "nonce of AES-GCM must be at least 1 byte, got 0"),
    ],
)
def test_refusals(do, message):
    with pytest.raises(ValueError) as error:
        do()
    assert str(error.value) == message
