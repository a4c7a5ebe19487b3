# SPDX-License-Identifier: Apache-2.0
"""Memories that forget: the delay."""

import random

import pytest
from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from wideblock.rtl.stream.storage import Delay

pytestmark = pytest.mark.shows("stream-parts")


class Delayed(wiring.Component):
    def __init__(self, cycles):
        self.cycles = cycles
        super().__init__({"i": In(8), "clear": In(1), "row": In(5), "o": Out(8)})

    def elaborate(self, platform):
        m = Module()
        start = Signal(8)  # something in the synchronous domain beside the memory
        m.d.sync += start.eq(self.i)
        delay = Delay(m, "delay", self.i, cycles=self.cycles, clear=self.clear, clear_row=self.row)
        m.d.comb += self.o.eq(delay.value)
        return m


@pytest.mark.parametrize("cycles", [1, 2, 3, 11, 16])
def test_delay(cycles):
    dut, rng = Delayed(cycles), random.Random(cycles)
    values = [rng.randrange(256) for _ in range(100)]
    seen, after = [], []

    async def bench(ctx):
        for value in values:
            ctx.set(dut.i, value)
            seen.append(ctx.get(dut.o))
            await ctx.tick()
        ctx.set(dut.clear, 1)
        for row in range(32):
            ctx.set(dut.row, row)
            await ctx.tick()
        ctx.set(dut.clear, 0)
        ctx.set(dut.i, 0)
        for _ in range(40):
            after.append(ctx.get(dut.o))
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    assert seen[cycles:] == values[:-cycles]
    assert not any(after)
