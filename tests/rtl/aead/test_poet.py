# SPDX-License-Identifier: Apache-2.0
"""POET behind the CAESAR Hardware API in Amaranth's simulator: known answers, rejected messages, the stated cycles."""

import random

import pytest

from wideblock import vectors
from wideblock.catalog.poet import PoetParameters
from wideblock.rtl.aead.poet import Poet
from wideblock.spec.aead.poet import POET

from ...variants import few_of_many
from .bench import play
from .whole import assert_answers, assert_stated_cycles
from .words import ACTIVATE, FAILURE, key_words, message, results

pytestmark = pytest.mark.shows("caesar")

CORES = [{}, {"sbox": "norm", "word_bits": 128}]


def core(**parameters):
    return Poet(PoetParameters(**{"ad_bytes": 80, "data_bytes": 80, **parameters}))


def test_known_answers():
    """A key for each message; random pauses on every port."""
    known = [a for group in vectors.load("poet") for a in group.vectors if "nonce" in a and "pt" in a]
    known = [a for a in known if max(len(a["ad"]), len(a["pt"])) <= 64]
    assert_answers(core(), random.Random(4).sample(known, 1), seed=5)


@pytest.mark.parametrize("changes", few_of_many(CORES, []))
def test_stated_cycles_are_measured(changes):
    assert_stated_cycles(core(**changes), POET, [(0, 0), (17, 35), (16, 16)])


def test_a_block_every_ten_cycles():
    """The rate of the published core."""
    assert core().timing.interval == 10


@pytest.mark.slow
def test_no_byte_leaves_under_a_wrong_tag():
    """Any bit of the tag, of the ciphertext or of the associated data; the next message is right."""
    rng, key = random.Random(6), bytes(range(16))
    pdi, want = [ACTIVATE], []
    for size in (37, 0):  # the tag has 11 and 16 bytes of the last block
        npub, ad, text = rng.randbytes(16), rng.randbytes(20), rng.randbytes(size)
        sealed = POET(key).encrypt(npub, ad, text)
        ends = [8 * (20 + size) + at for at in (8 * 11 - 1, 8 * 11)]  # of the two parts of the tag
        for at in (*ends, rng.randrange(8 * (20 + size))):
            wrong = (int.from_bytes(ad + sealed, "little") ^ 1 << at).to_bytes(36 + size, "little")
            pdi += message(npub, wrong[:20], wrong[20:-16], wrong[-16:])
            want += [FAILURE]
        pdi += message(npub, ad, sealed[:-16], sealed[-16:])
        want += results(text)
    passed = play(core(), pdi, key_words(key), want=len(want))
    assert [word for _, word in passed["do"]] == want


def test_the_formula_of_the_manual():
    """docs/authenticated-ciphers.md, section 8, for all lengths of up to five blocks."""
    timing = core().timing
    for ad in range(81):
        for n in range(81):
            a, m = ad // 16, max(1, -(-n // 16))
            assert timing.message(ad, n) == 87 + 10 * (a + m), (ad, n)
            assert timing.message(ad, n, decrypt=True) == 91 + 10 * (a + m) + -(-n // 4), (ad, n)
