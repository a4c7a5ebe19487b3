# SPDX-License-Identifier: Apache-2.0
"""AES-GCM behind the CAESAR Hardware API in Amaranth's simulator: known answers, and the stated cycles."""

import random

import pytest

from wideblock import vectors
from wideblock.rtl.aead.aes_gcm import AesGcm
from wideblock.rtl.aead.parameters import AesHashParameters
from wideblock.spec.aead.gcm import GCM

from .whole import assert_answers, assert_no_byte_leaves, assert_stated_cycles

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
    assert_answers(core(key_bits=key_bits), chosen, seed=key_bits)


@pytest.mark.parametrize(
    "changes", [{}, {"key_bits": 256, "mult_stages": 8, "sbox": "norm"}, {"mult_stages": 1, "word_bits": 128}]
)
def test_stated_cycles_are_measured(changes):
    assert_stated_cycles(core(**changes), GCM, [(0, 0), (0, 1), (80, 0), (17, 33), (0, 80), (80, 80)])


def test_a_block_every_eleven_cycles():
    """The rate of the published cores; 15 cycles with AES-256."""
    assert core().timing.interval == 11
    assert core(key_bits=256).timing.interval == 15


def test_no_byte_leaves_under_a_wrong_tag():
    assert_no_byte_leaves(core(), GCM)


def test_the_formula_of_the_manual():
    """docs/authenticated-ciphers.md, section 5, for all lengths of up to five blocks."""
    timing = core().timing
    for a in range(6):
        for n in range(5, 81):
            S, m = max(29, 11 + 5 * a + -(-min(n, 16) // 4)), -(-n // 16)
            assert timing.message(16 * a, n) == S + 11 * m + 8, (a, n)
            assert timing.message(16 * a, n, decrypt=True) == S + 11 * m + 6 + -(-n // 4), (a, n)
