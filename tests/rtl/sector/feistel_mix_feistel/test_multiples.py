# SPDX-License-Identifier: Apache-2.0
"""Multiples of words: constant ones, and those that number pairs, against the specification of the field."""

import random

import pytest
from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.gf128.reading import WireReading
from wideblock.rtl.sector.feistel_mix_feistel.multiples import Multiples, Numbers, StoredNumbers
from wideblock.spec import gf128

from ...simulated import Simulator

LANES, STEPS, CONSTANT = 4, 5, 13


class Readers(wiring.Component):
    """Two readers of the multiples of ``J``, ``CONSTANT`` J, and whether the table is whole."""

    def __init__(self, stored):
        self.stored = stored
        steps = {"step0": In(range(STEPS)), "step1": In(range(STEPS))}
        super().__init__(
            {"J": In(128), "load": In(1), "loaded": Out(1), **steps, "j0": Out(128), "j1": Out(128), "times": Out(128)}
        )

    def elaborate(self, platform):
        m = Module()
        J = Multiples(m, "J", self.J, WireReading.BE)
        if self.stored:
            more = {"load": self.load, "enable": ~self.load, "clear": Signal(), "clear_row": Signal(3)}
            numbers = StoredNumbers(m, J, lanes=LANES, steps=STEPS, **more)
        else:
            numbers = Numbers(m, J, lanes=LANES, steps=STEPS)
        m.d.comb += [
            self.loaded.eq(numbers.loaded),
            self.j0.eq(numbers.last("first", self.step0 + 1)),
            self.j1.eq(numbers.last("second", self.step1 + 1)),
            self.times.eq(J.times(CONSTANT)),
        ]
        return m


@pytest.mark.parametrize("stored", [False, True])
def test_multiples(stored):
    rng, seen = random.Random(1), []
    words = [rng.randbytes(16) for _ in range(2)]

    def times(n, word):
        return int.from_bytes(gf128.Reading.BE.block(gf128.mul(n, gf128.Reading.BE.element(word))), "little")

    dut = Readers(stored)

    async def bench(ctx):
        for word in words:
            ctx.set(dut.J, int.from_bytes(word, "little"))
            ctx.set(dut.load, 1)
            await ctx.tick()
            ctx.set(dut.load, 0)
            cycles = 0
            while not ctx.get(dut.loaded):
                await ctx.tick()
                cycles += 1
            assert cycles == (STEPS if stored else 0)
            assert ctx.get(dut.times) == times(CONSTANT, word)
            for step in range(STEPS):
                ctx.set(dut.step0, step)
                ctx.set(dut.step1, STEPS - 1 - step)
                await ctx.tick()
                seen.append((ctx.get(dut.j0), ctx.get(dut.j1)))

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    last = [[times((step + 1) * LANES, word) for step in range(STEPS)] for word in words]
    assert seen == [pair for row in last for pair in zip(row, reversed(row), strict=True)]
