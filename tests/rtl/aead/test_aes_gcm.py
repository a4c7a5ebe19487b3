# SPDX-License-Identifier: Apache-2.0
"""AES-GCM behind the CAESAR Hardware API in Amaranth's simulator: known answers, and the stated cycles."""

import random

import pytest

from wideblock import vectors
from wideblock.rtl.aead.aes_gcm import AesGcm
from wideblock.rtl.aead.parameters import AesHashParameters
from wideblock.spec.aead.gcm import GCM

from .bench import play
from .words import ACTIVATE, FAILURE, SUCCESS, key_words, message, results

pytestmark = pytest.mark.shows("caesar")


def core(**parameters):
    return AesGcm(AesHashParameters(**{"ad_bytes": 80, "data_bytes": 80, **parameters}))


def answers(key_bits, most=64):
    """Known answers for nonces of 12 bytes and tags of 16."""
    found = []
    for group in vectors.load("aes_gcm"):
        for a in group.vectors:
            if "pt" not in a:
                continue
            fits = (
                len(a["nonce"]) == 12 and len(a["ct"]) == len(a["pt"]) + 16 and max(len(a["ad"]), len(a["pt"])) <= most
            )
            if fits and len(a["key"]) * 8 == key_bits:
                found.append(a)
    return found


@pytest.mark.parametrize("key_bits", [128, 256])
def test_known_answers(key_bits):
    """A key for each message; random pauses on every port."""
    known = answers(key_bits)
    chosen = random.Random(4).sample(known, min(4, len(known)))
    pdi, sdi, want = [], [], []
    for a in chosen:
        text, tag = a["ct"][:-16], a["ct"][-16:]
        pdi += [ACTIVATE, *message(a["nonce"], a["ad"], a["pt"]), *message(a["nonce"], a["ad"], text, tag)]
        sdi += key_words(a["key"])
        want += results(text, tag) + results(a["pt"])
    passed = play(core(key_bits=key_bits), pdi, sdi, want=len(want), chance=(0.7, 0.8, 0.6), seed=key_bits)
    assert [word for _, word in passed["do"]] == want


@pytest.mark.parametrize(
    "changes", [{}, {"key_bits": 256, "mult_stages": 8, "sbox": "norm"}, {"mult_stages": 1, "word_bits": 128}]
)
def test_stated_cycles_are_measured(changes):
    dut, rng = core(**changes), random.Random(8)
    bits = dut.parameters.word_bits
    top = bits - 32
    key = rng.randbytes(dut.cipher.shape.key)
    spec = GCM(key)
    lengths = [(0, 0), (0, 1), (80, 0), (17, 33), (0, 80), (80, 80)]
    kinds = [(ad, size, decrypt) for ad, size in lengths for decrypt in (False, True)]
    pdi, want = [ACTIVATE << top], []
    for ad, size, decrypt in kinds:
        npub, a, text = rng.randbytes(12), rng.randbytes(ad), rng.randbytes(size)
        sealed = spec.encrypt(npub, a, text)
        body, tag = sealed[:-16], sealed[-16:]
        pdi += message(npub, a, body, tag, bits=bits) if decrypt else message(npub, a, text, bits=bits)
        want += results(text, bits=bits) if decrypt else results(body, tag, bits=bits)
    passed = play(dut, pdi, key_words(key, bits), want=len(want))
    assert [word for _, word in passed["do"]] == want
    begun = [cycle for cycle, word in passed["pdi"] if word in (0x20000000 << top, 0x30000000 << top)]
    ended = [cycle for cycle, word in passed["do"] if word == SUCCESS << top]
    assert begun[1:] == ended[:-1]
    for n, (ad, size, decrypt) in enumerate(kinds):
        stated = dut.timing.message(ad, size, decrypt=decrypt, activated=n == 0)
        assert ended[n] - begun[n] == stated, (ad, size, decrypt)


def test_a_block_every_eleven_cycles():
    """The rate of the published cores; 15 cycles with AES-256."""
    assert core().timing.interval == 11
    assert core(key_bits=256).timing.interval == 15


def test_no_byte_leaves_under_a_wrong_tag():
    """Any bit of the tag, of the ciphertext or of the associated data; the next message is right."""
    rng, key = random.Random(6), bytes(range(16))
    npub, ad, text = rng.randbytes(12), rng.randbytes(20), rng.randbytes(37)
    sealed = GCM(key).encrypt(npub, ad, text)
    pdi, want = [ACTIVATE], []
    for _ in range(4):
        at = rng.randrange(8 * (len(ad) + len(sealed)))
        wrong = (int.from_bytes(ad + sealed, "big") ^ 1 << at).to_bytes(len(ad) + len(sealed), "big")
        pdi += message(npub, wrong[: len(ad)], wrong[len(ad) : -16], wrong[-16:])
        want += [FAILURE]
    pdi += message(npub, ad, sealed[:-16], sealed[-16:])
    want += results(text)
    passed = play(core(), pdi, key_words(key), want=len(want))
    assert [word for _, word in passed["do"]] == want


def test_the_formula_of_the_manual():
    """docs/authenticated-ciphers.md, section 5, for all lengths of up to five blocks."""
    timing = core().timing
    for a in range(6):
        for n in range(5, 81):
            S, m = max(29, 11 + 5 * a + -(-min(n, 16) // 4)), -(-n // 16)
            assert timing.message(16 * a, n) == S + 11 * m + 8, (a, n)
            assert timing.message(16 * a, n, decrypt=True) == S + 11 * m + 6 + -(-n // 4), (a, n)
