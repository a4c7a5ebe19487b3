# SPDX-License-Identifier: Apache-2.0
"""SCREAM behind the CAESAR Hardware API in Amaranth's simulator: its cipher, known answers, and the stated cycles."""

import random
from functools import partial

import pytest

from wideblock import vectors
from wideblock.catalog.scream import ScreamParameters
from wideblock.rtl.aead.scream import ScreamCore
from wideblock.rtl.aead.scream_tweakable import BACKWARD, FORWARD, ScreamBlockCipher
from wideblock.spec.aead.scream import SCREAM, inv_l_box, l_box
from wideblock.spec.aead.scream import Scream as Specification

from ...variants import few_of_many
from ..simulated import Simulator
from .whole import assert_answers, assert_no_byte_leaves, assert_stated_cycles

pytestmark = pytest.mark.shows("caesar")

CORES = [{}, {"rounds": 4, "steps": 12}, {"rounds": 1, "word_bits": 128}]


def core(**parameters):
    return ScreamCore(ScreamParameters(**{"ad_bytes": 80, "data_bytes": 80, **parameters}))


@pytest.mark.parametrize(("terms", "model"), [(FORWARD, l_box), (BACKWARD, inv_l_box)])
def test_linear_layer(terms, model):
    assert len(terms) == 16
    for bit in range(16):
        assert sum((bit in chosen) << j for j, chosen in enumerate(terms)) == model(1 << bit)


@pytest.mark.parametrize(("steps", "rounds"), few_of_many([(10, 2), (12, 4), (10, 1), (12, 1), (10, 4)], [(10, 2)]))
def test_tweakable_cipher(steps, rounds):
    """Known answers and both directions, in the stated latency."""
    dut = ScreamBlockCipher(steps=steps, rounds=rounds)
    name = f"Scream TBC unit vectors, {steps} steps"
    known = next(group.vectors for group in vectors.load("scream") if group.name == name)
    for v in known:
        assert Specification(v["key"], steps=steps).encrypt(v["tweak"], v["x"]) == v["y"]

    async def bench(ctx):
        for v in known:
            for inverse, given, right in ((0, v["x"], v["y"]), (1, v["y"], v["x"])):
                for port, value in (("key", v["key"]), ("tweak", v["tweak"]), ("block", given)):
                    ctx.set(getattr(dut, port), int.from_bytes(value, "little"))
                ctx.set(dut.inverse, inverse)
                ctx.set(dut.start, 1)
                assert ctx.get(dut.ready)
                cycles = 0
                while not (cycles and ctx.get(dut.done)):
                    await ctx.tick()
                    ctx.set(dut.start, 0)
                    cycles += 1
                assert cycles == dut.latency
                assert ctx.get(dut.o).to_bytes(16, "little") == right

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()


@pytest.mark.parametrize("steps", few_of_many([10, 12], [10]))
def test_known_answers(steps):
    """A key for each message; random pauses on every port."""
    known = [
        a
        for group in vectors.load("scream")
        for a in group.vectors
        if "pt" in a and a.parameters["steps"] == steps and max(len(a["ad"]), len(a["pt"])) <= 64
    ]
    assert_answers(core(steps=steps), random.Random(4).sample(known, 4), seed=steps)


@pytest.mark.parametrize("changes", few_of_many(CORES, []))
def test_stated_cycles_are_measured(changes):
    dut = core(**changes)
    lengths = [(0, 0), (0, 1), (80, 0), (17, 33), (16, 16), (0, 80), (80, 80)]
    assert_stated_cycles(dut, partial(SCREAM, steps=dut.parameters.steps), lengths)


def test_cycles_a_block():
    """Eleven, the rate of the published core; 12 steps take two more."""
    assert core().timing.interval == 11
    assert core(steps=12).timing.interval == 13
    assert core(rounds=1).timing.interval == 21
    assert core(rounds=4).timing.interval == 6


def test_no_byte_leaves_under_a_wrong_tag():
    assert_no_byte_leaves(core(), SCREAM)


def test_the_formula_of_the_manual():
    """docs/authenticated-ciphers.md, section 7, for all lengths of up to five blocks."""
    timing = core().timing
    for ad in range(81):
        for n in range(81):
            a, m, w = -(-ad // 16), -(-n // 16), -(-min(ad or n, 16) // 4)
            S = 29 + w + 11 * a if ad else 32 + w
            assert timing.message(ad, n) == S + 11 * m, (ad, n)
            assert timing.message(ad, n, decrypt=True) == S + 11 * m - 2 + -(-n // 4), (ad, n)
