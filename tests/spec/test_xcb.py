# SPDX-License-Identifier: Apache-2.0
"""Both versions of XCB against known answers, their own inverses, and what a wide-block cipher must do."""

import random

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given, settings
from hypothesis import strategies as st

from wideblock import vectors
from wideblock.spec.aes import AES
from wideblock.spec.blocks import add
from wideblock.spec.xcb import XCB, counter_mode, h

from .avalanche import assert_wide_block
from .xcb_versions import XCBv1

VERSIONS = {"v1": XCBv1, "v2": XCB}
SETS = vectors.load("xcb")
KINDS = [(XCBv1, 16), (XCB, 16), (XCB, 32)]
BLOCK = st.binary(min_size=16, max_size=16)


@pytest.mark.shows("spec-known-answers")
@pytest.mark.parametrize("vector_set", SETS, ids=lambda vector_set: vector_set.name)
def test_known_answers(vector_set):
    for vector in vector_set.vectors:
        xcb = VERSIONS[vector.parameters["version"]](vector["key"])
        assert xcb.encrypt(vector["tweak"], vector["pt"]) == vector["ct"]
        assert xcb.decrypt(vector["tweak"], vector["ct"]) == vector["pt"]


def test_the_known_answers_are_of_every_kind():
    answers = [(vector.parameters["version"], vector) for vector_set in SETS for vector in vector_set.vectors]
    assert {(version, len(v["key"]), len(v["pt"]) % 16 > 0) for version, v in answers} == {
        (version, key, partial) for version, key in (("v1", 16), ("v2", 16), ("v2", 32)) for partial in (False, True)
    }
    assert {0, 1, 15, 16, 17, 31, 32} == {len(v["tweak"]) for _, v in answers}
    assert {17, 32, 512, 4096} <= {len(v["pt"]) for _, v in answers}


def test_intermediate_values():
    """D of the vectors whose counter wraps, and the hash keys that the vectors of the standard were chosen for."""
    (wrapping,) = (vector_set for vector_set in SETS if "wrap" in vector_set.name)
    for vector in wrapping.vectors:
        xcb = XCB(vector["key"])
        A, B = xcb.split(vector["pt"])
        G, E = xcb.split(vector["ct"])
        assert add(xcb.e.encrypt(A), xcb.h1(vector["tweak"], B)) == vector["D"]
        assert add(xcb.d.encrypt(G), xcb.h2(vector["tweak"], E)) == vector["D"]
        assert int.from_bytes(vector["D"][12:]) + len(B) // 16 > 1 << 32
    assert XCB(bytes.fromhex("0000000000000000000000001616dda6")).H[:4] == bytes.fromhex("80000000")


@given(st.sampled_from(KINDS), st.binary(max_size=40), st.binary(min_size=16, max_size=200), st.data())
@settings(max_examples=80)
def test_decrypt_undoes_encrypt(kind, tweak, sector, data):
    version, key_bytes = kind
    xcb = version(data.draw(st.binary(min_size=key_bytes, max_size=key_bytes)))
    result = xcb.encrypt(tweak, sector)
    assert len(result) == len(sector) and result != sector
    assert xcb.decrypt(tweak, result) == sector
    assert xcb.encrypt(tweak, xcb.decrypt(tweak, sector)) == sector


@pytest.mark.parametrize("size", [16, 32, 57, 512])
@pytest.mark.parametrize(("version", "key_bytes"), KINDS)
def test_one_bit_changes_the_whole_result(version, key_bytes, size):
    source = random.Random(size)
    assert_wide_block(version, source.randbytes(key_bytes), source.randbytes(20), source.randbytes(size))


@pytest.mark.parametrize("key_bytes", [16, 32])
def test_keys_of_version_2(key_bytes):
    K = bytes(range(key_bytes))
    xcb = XCB(K)
    blocks = [AES(K).encrypt(bytes(15) + bytes([i])) for i in range(7)]
    assert xcb.H == blocks[0]
    for key, i in ((xcb.Ke, 1), (xcb.Kd, 3), (xcb.Kc, 5)):
        assert key == b"".join(blocks[i : i + 2])[:key_bytes]


def test_keys_of_version_1():
    K = bytes(range(16))
    xcb = XCBv1(K)
    assert [xcb.Ke, xcb.K1, xcb.Kc, xcb.K3, xcb.Kd] == [AES(K).encrypt(bytes(15) + bytes([i])) for i in range(5)]


@given(BLOCK, st.binary(max_size=40), st.binary(max_size=40))
def test_hash_is_ghash(key, A, plaintext):
    """h of associated data and a ciphertext is the tag of AES-GCM less its encrypted counter block."""
    nonce, aes = bytes(12), AES(key)
    result = AESGCM(key).encrypt(nonce, plaintext, A)
    C, tag = result[:-16], result[-16:]
    assert add(h(aes.encrypt(bytes(16)), A, C), aes.encrypt(nonce + b"\0\0\0\1")) == tag


def test_lengths_in_the_second_hash():
    """Bits of Z || 0^128 and of E, then what h itself adds: bits of Z || 0^128 again and of the padded rest."""
    xcb, Z, E = XCB(bytes(16)), b"\1" * 5, b"\2" * 20
    padded = E + bytes(12) + (168).to_bytes(8) + (160).to_bytes(8)
    assert xcb.h2(Z, E) == h(xcb.H, Z + bytes(16), padded)
    assert xcb.h1(Z, E) == h(xcb.H, bytes(16) + Z, E + bytes(28))


@given(BLOCK, BLOCK, st.integers(0, 100))
def test_counter_mode_without_wrap_is_that_of_others(key, W, size):
    W = W[:12] + b"\0" + W[13:]
    expected = Cipher(algorithms.AES(key), modes.CTR(W)).encryptor().update(bytes(size))
    assert counter_mode(AES(key), W, size) == expected


def test_counter_wraps_at_32_bits():
    aes, prefix = AES(bytes(16)), bytes(range(12))
    blocks = [aes.encrypt(prefix + i.to_bytes(4)) for i in (0xFFFFFFFE, 0xFFFFFFFF, 0, 1)]
    assert counter_mode(aes, prefix + b"\xff\xff\xff\xfe", 60) == b"".join(blocks)[:60]


@pytest.mark.parametrize("version", VERSIONS.values())
def test_security_statement(version):
    for word in ("broken", "2024/1527", "2024/1554", "benchmark"):
        assert word in version.security


@pytest.mark.parametrize(
    ("do", "message"),
    [
        (lambda: XCB(bytes(24)), "XCB key must be 16 or 32 bytes, got 24"),
        (lambda: XCB(b""), "XCB key must be 16 or 32 bytes, got 0"),
        (lambda: XCBv1(bytes(32)), "XCBv1 key must be 16 bytes, got 32"),
        (lambda: XCB(bytes(16)).encrypt(b"", bytes(15)), "an XCB sector must be at least 16 bytes, got 15"),
        (lambda: XCB(bytes(16)).decrypt(b"", b""), "an XCB sector must be at least 16 bytes, got 0"),
        (lambda: XCBv1(bytes(16)).encrypt(b"", bytes(1)), "an XCB sector must be at least 16 bytes, got 1"),
        (lambda: XCBv1(bytes(16)).decrypt(b"", bytes(15)), "an XCB sector must be at least 16 bytes, got 15"),
    ],
)
def test_refusals(do, message):
    with pytest.raises(ValueError) as error:
        do()
    assert str(error.value) == message
