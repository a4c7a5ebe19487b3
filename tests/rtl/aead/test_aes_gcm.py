# SPDX-License-Identifier: Apache-2.0
"""AES-GCM, a round or a block a cycle, in Amaranth's simulator: known answers, and the stated cycles."""

import random

import pytest

from wideblock import vectors
from wideblock.catalog.aes_gcm_p import AesGcmPParameters
from wideblock.rtl.aead.aes_gcm import AesGcm
from wideblock.rtl.aead.aes_gcm_p import AesGcmP
from wideblock.rtl.aead.parameters import AesHashParameters
from wideblock.spec.aead.gcm import GCM

from ...variants import few_of_many
from .whole import assert_answers, assert_no_byte_leaves, assert_stated_cycles

pytestmark = pytest.mark.shows("caesar")


def core(**parameters):
    return AesGcm(AesHashParameters(**{"ad_bytes": 80, "data_bytes": 80, **parameters}))


def pipelined(**parameters):
    return AesGcmP(AesGcmPParameters(**{"ad_bytes": 80, "data_bytes": 80, **parameters}))


CORES = [{}, {"key_bits": 256, "mult_cycles": 4, "sbox": "norm"}, {"mult_cycles": 1, "word_bits": 128}]
KINDS = {"iterative": core, "pipelined": pipelined}
PIPELINES = [
    {},
    {"word_bits": 32, "mult_stages": 1, "sbox": "bram"},
    {"word_bits": 64, "key_bits": 256, "mult_stages": 8, "round_stages": 2},
    {"mult_stages": 2, "leaf": 16, "sbox": "norm", "round_stages": 4},
]


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


ANSWERS = [(kind, key_bits) for kind in KINDS for key_bits in (128, 256)]


@pytest.mark.parametrize("kind, key_bits", few_of_many(ANSWERS, ANSWERS[:1]))
def test_known_answers(kind, key_bits):
    """A key for each message; random pauses on every port."""
    known = answers(key_bits)
    chosen = random.Random(4).sample(known, min(4, len(known)))
    assert_answers(KINDS[kind](key_bits=key_bits, word_bits=32), chosen, seed=key_bits)


@pytest.mark.slow
@pytest.mark.parametrize("changes", CORES)
def test_stated_cycles_are_measured(changes):
    assert_stated_cycles(core(**changes), GCM, [(0, 0), (0, 1), (80, 0), (17, 33), (0, 80), (80, 80)])


@pytest.mark.parametrize("changes", few_of_many(PIPELINES, []))
def test_stated_cycles_of_the_pipelined_core_are_measured(changes):
    """Blocks follow each other; a last block of one word comes before the words of the one before it have left."""
    lengths = [(0, 0), (0, 1), (17, 33), (80, 80)]
    assert_stated_cycles(pipelined(**changes), GCM, lengths if not changes else [*lengths, (80, 0), (16, 67)])


def test_a_block_every_cycle():
    """The ports are the limit if their words are shorter than a block; a decryption leaves when it is judged."""
    for words, bits in ((1, 128), (2, 64), (4, 32)):
        timing = pipelined(word_bits=bits, data_bytes=2000).timing
        assert timing.interval == words
        assert timing.message(0, 2000, decrypt=True) - timing.message(0, 1984, decrypt=True) == 2 * words


def test_a_block_every_eleven_cycles():
    """The rate of the published cores; 15 cycles with AES-256."""
    assert core().timing.interval == 11
    assert core(key_bits=256).timing.interval == 15


@pytest.mark.parametrize("kind", few_of_many(KINDS, ["iterative"]))
def test_no_byte_leaves_under_a_wrong_tag(kind):
    assert_no_byte_leaves(KINDS[kind](word_bits=32), GCM)


def test_the_formula_of_the_manual():
    """docs/authenticated-ciphers.md, section 6, for all lengths of up to five blocks."""
    timing = core().timing
    for a in range(6):
        for n in range(1, 81):
            S, m = max(47, 31 + 11 * a), -(-n // 16)
            assert timing.message(16 * a, n) == S + 11 * m, (a, n)
            assert timing.message(16 * a, n, decrypt=True) == S + 11 * m - 2 + -(-n // 4), (a, n)


@pytest.mark.parametrize("changes", PIPELINES)
def test_the_formula_of_the_manual_for_the_pipelined_core(changes):
    """docs/authenticated-ciphers.md, section 6.1, for words of 128 bits and all lengths of up to five blocks."""
    dut = pipelined(**{**changes, "word_bits": 128})
    s = 18 + dut.cipher.aes.timing.latency + dut.cipher.multiplier.timing.latency
    for ad in range(81):
        for n in range(81):
            a, m = -(-ad // 16), -(-n // 16)
            assert dut.timing.message(ad, n) == s + a + m, (ad, n)
            assert dut.timing.message(ad, n, decrypt=True) == s + 1 + a + 2 * m, (ad, n)
