# SPDX-License-Identifier: Apache-2.0
"""Minalpher behind the CAESAR Hardware API in Amaranth's simulator: its permutation, known answers, stated cycles."""

import random

import pytest

from wideblock import vectors
from wideblock.catalog.minalpher import MinalpherParameters
from wideblock.rtl.aead.minalpher import MinalpherCore
from wideblock.rtl.aead.minalpher_permutation import Permutation
from wideblock.spec.aead.minalpher import TEM, P, P_inverse, times_y
from wideblock.spec.aead.minalpher import Minalpher as Specification

from ...variants import few_of_many
from ..simulated import Simulator
from .bench import play
from .whole import assert_answers, assert_stated_cycles
from .words import ACTIVATE, FAILURE, key_words, message, results, segment

pytestmark = pytest.mark.shows("caesar")


def test_permutation_both_ways():
    """Back to back, each result in the cycle that is stated."""
    dut, rng = Permutation(), random.Random(1)
    blocks = [(rng.randbytes(32), rng.random() < 0.5) for _ in range(8)]
    right = [(P_inverse if back else P)([int.from_bytes(x, "big")])[0].to_bytes(32, "big") for x, back in blocks]
    taken, found = [], []

    async def bench(ctx):
        ctx.set(dut.o.ready, 1)
        for cycle in range(18 * len(blocks) + 1):
            if len(taken) < len(blocks):
                x, back = blocks[len(taken)]
                ctx.set(dut.i.payload, {"x": int.from_bytes(x, "little"), "inverse": back})
            ctx.set(dut.i.valid, len(taken) < len(blocks))
            if ctx.get(dut.o.valid):
                found.append((cycle, ctx.get(dut.o.payload).to_bytes(32, "little")))
            if ctx.get(dut.i.valid & dut.i.ready):
                taken.append(cycle)
            await ctx.tick()
        assert not ctx.get(dut.o.valid) and ctx.get(dut.o.payload) == 0

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    assert [x for _, x in found] == right
    assert taken == [dut.timing.interval * n for n in range(len(blocks))]
    assert [cycle for cycle, _ in found] == [cycle + dut.timing.latency for cycle in taken]


def core(**parameters):
    return MinalpherCore(MinalpherParameters(**{"ad_bytes": 100, "data_bytes": 100, **parameters}))


def exchanges(key, cases):
    """The words of (nonce, ad, text, sealed, decrypt), and their right output."""
    pdi, want = [], []
    for npub, ad, text, sealed, decrypt in cases:
        body, tag = sealed[:-16], sealed[-16:]
        pdi += message(npub, ad, body, tag) if decrypt else message(npub, ad, text)
        want += [FAILURE] if text is None else results(text) if decrypt else results(body, tag, size=len(text))
    return pdi, want


@pytest.mark.parametrize("permutations", few_of_many([1, 2], [2]))
def test_known_answers(permutations):
    """A key for each message, both ways, and those to be rejected; random pauses on every port."""
    known = [a for group in vectors.load("minalpher") for a in group.vectors if "ct" in a and len(a["ad"]) <= 100]
    rejected = [a for a in known if "pt" not in a]
    short = [a for a in known if len(a.data.get("pt", bytes(999))) <= 100]
    chosen = [*random.Random(permutations).sample(short, 4), *rejected]
    assert_answers(core(permutations=permutations), chosen, seed=permutations)


@pytest.mark.parametrize(
    "changes",
    few_of_many([{}, {"permutations": 1}, {"word_bits": 128}, {"permutations": 1, "word_bits": 64}], []),
)
def test_stated_cycles_are_measured(changes):
    lengths = [(0, 0), (0, 31), (1, 32), (32, 33), (33, 64), (100, 100)]
    assert_stated_cycles(core(**changes), Specification, lengths)


def test_a_block_every_nineteen_cycles():
    """The rate of the published core; 37 cycles with one permutation."""
    assert core().timing.interval == 19
    assert core(permutations=1).timing.interval == 37


def test_the_formulas_of_the_manual():
    """docs/authenticated-ciphers.md, section 6."""
    one, two = core(permutations=1).timing, core().timing
    for n in range(100):
        m, r, words = n // 32 + 1, -(-(n % 32) // 4), -(-n // 4)
        for ad in range(100):
            a = -(-ad // 32)
            S = 28 + 19 * a if a else 30
            assert two.message(ad, n) == S + 19 * m + 24, (ad, n)
            assert two.message(ad, n, decrypt=True) == S + 19 * m + 5 + max(2, r) + words, (ad, n)
            S = 46 + 19 * a if a else 30
            assert one.message(ad, n) == S + 37 * m + 6, (ad, n)
            assert one.message(ad, n, decrypt=True) == S + 37 * m + 6 + words, (ad, n)


@pytest.mark.slow
@pytest.mark.parametrize("permutations", [1, 2])
def test_no_byte_leaves_under_a_wrong_tag_or_padding(permutations):
    """Any bit of tag, ciphertext or associated data; a padding that only the owner of the key can make."""
    rng, key = random.Random(6), bytes(range(16))
    spec, npub, ad, text = Specification(key), rng.randbytes(13), rng.randbytes(40), rng.randbytes(37)
    sealed, cases = spec.encrypt(npub, ad, text), []
    for _ in range(4):
        at = rng.randrange(8 * (len(ad) + len(sealed)))
        wrong = (int.from_bytes(ad + sealed, "big") ^ 1 << at).to_bytes(len(ad) + len(sealed), "big")
        cases.append((npub, wrong[: len(ad)], None, wrong[len(ad) :], True))
    for last in (bytes(32), bytes(31) + b"\1", b"\x80" + bytes(30) + b"\x40"):
        D = spec.L(spec.FLAG_MESSAGE, npub)
        y = [D := times_y(D) for _ in range(3)]
        C = TEM(y[::2], [int.from_bytes(block, "big") for block in (bytes(31) + b"\x80", last)])
        forged = b"".join(c.to_bytes(32, "big") for c in C) + spec.tag([0, *y], ad, C)
        cases += [(npub, ad, None, forged, True), (npub, ad, text, sealed, True)]
    pdi, want = exchanges(key, cases)
    passed = play(core(permutations=permutations), [ACTIVATE, *pdi], key_words(key), want=len(want))
    assert [word for _, word in passed["do"]] == want


@pytest.mark.parametrize("permutations", few_of_many([1, 2], [2]))
def test_a_message_that_is_abandoned_anywhere_fails_and_the_next_one_is_right(permutations):
    """Its nonce, associated data, or some blocks of its message were taken, and results have left or are held."""
    rng, key = random.Random(3), bytes(range(16))
    spec, fault = Specification(key), segment(9, bytes(5), last=1)
    npub, ad, text = rng.randbytes(13), rng.randbytes(64), rng.randbytes(64)
    sealed, right = spec.encrypt(npub, ad, text), spec.encrypt(npub, b"", text[:33])
    pdi, want = [ACTIVATE], []
    for way, kind, data in ((0x20000000, 4, text), (0x30000000, 5, sealed)):
        start = [way, *segment(0xD, npub)]
        part, whole = segment(1, ad[:32], eot=0), segment(1, ad)
        left = segment(5, sealed[:64], eot=0) if kind == 4 else []
        some = [*start, *whole, *segment(kind, data[:64], eot=0)]
        for words, sent in ((start, []), ([*start, *part], []), ([*start, *whole], []), (some, left)):
            after, result = exchanges(key, [(npub, b"", text[:33], right, way == 0x20000000)])
            pdi += [*words, *fault, *after]
            want += [*sent, FAILURE, *result]
    passed = play(core(permutations=permutations), pdi, key_words(key), want=len(want))
    assert [word for _, word in passed["do"]] == want
