# SPDX-License-Identifier: Apache-2.0
"""Memories that forget."""

import random

import pytest
from amaranth import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.stream.queue import PromisedQueue
from wideblock.rtl.stream.storage import Delay, Ring, Slots

from ..simulated import Simulator

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


class Kept(wiring.Component):
    """A slot memory, a ring and a queue of four rows, which all take ``value``."""

    def __init__(self):
        super().__init__({"value": In(8), "clear": In(1), "row": In(2), "look": In(2), "o": Out(24)})

    def elaborate(self, platform):
        m = Module()
        clearing = {"clear": self.clear, "clear_row": self.row}
        slots = Slots(m, "slots", width=8, slots=4, **clearing)
        ring = Ring(m, "ring", width=8, depth=4, **clearing)
        m.submodules.queue = queue = PromisedQueue(width=8, depth=4, parts=1, clear_row_bits=2)
        slots.write(self.look, self.value, 1)
        ring.write(self.look, self.value, 1)
        m.d.comb += [
            queue.write.eq(1),
            queue.data.eq(self.value),
            queue.clear.eq(self.clear),
            queue.clear_row.eq(self.row),
            self.o.eq(Cat(slots.read(self.look), ring.read(self.look, 1), queue.beat)),
        ]
        return m


def test_what_is_written_while_clearing_is_zero():
    """In each cycle of it, whatever is given to store; a row that was cleared is never written again."""
    dut, seen = Kept(), []

    async def bench(ctx):
        ctx.set(dut.value, 0xFF)
        for row in range(4):
            ctx.set(dut.look, row)
            await ctx.tick()
        await ctx.tick()
        ctx.set(dut.clear, 1)
        for cycle in range(8):
            ctx.set(dut.row, cycle % 4)
            ctx.set(dut.look, 0)
            seen.append(ctx.get(dut.o))
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    assert seen[0] & 0xFF and not any(seen[2:])
