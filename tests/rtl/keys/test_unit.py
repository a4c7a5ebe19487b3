# SPDX-License-Identifier: Apache-2.0
"""The key unit with two keys: both round keys in their places, equal ones refused; and the delay in memory."""

import random

import pytest
from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator
from wideblock.rtl.sector.key_unit import KeyUnit
from wideblock.rtl.sector.storage import Delay

from wideblock.spec.aes import expand_key


def simulate(dut, bench):
    sim = Simulator(dut)
    sim.add_clock(1e-8)
    sim.add_testbench(bench)
    sim.run()


@pytest.mark.parametrize("key_bits", [128, 256])
def test_two_keys(key_bits):
    dut = KeyUnit(key_bits=key_bits, sbox="lut", rows=4, keys=2)
    rng = random.Random(key_bits)
    size = key_bits // 8
    right = [rng.randbytes(2 * size) for _ in range(2)]
    refused = []

    async def bench(ctx):
        ctx.set(dut.idle, 1)
        ctx.set(dut.derived, 1)
        # a key, equal halves instead of it, equal halves once more with no key in place, a key
        for key in (right[0], right[0][:size] * 2, right[1][:size] * 2, right[1]):
            ctx.set(dut.key.payload, int.from_bytes(key, "little"))
            ctx.set(dut.key.valid, 1)
            while not ctx.get(dut.key.ready):
                await ctx.tick()
            await ctx.tick()
            ctx.set(dut.key.valid, 0)
            for cycle in range(60):
                if ctx.get(dut.refused):
                    refused.append((key, cycle))
                await ctx.tick()
            halves = [b"".join(expand_key(key[:size])), b"".join(expand_key(key[size:]))]
            sound = halves[0] != halves[1]
            assert ctx.get(dut.running) == sound
            expected = b"".join(halves) if sound else bytes(len(halves[0]) * 2)
            assert ctx.get(dut.round_keys) == int.from_bytes(expected, "little")

    simulate(dut, bench)
    assert refused == [(right[0][:size] * 2, 0), (right[1][:size] * 2, 0)]


def test_keys_are_one_or_two():
    with pytest.raises(ValueError, match="^keys must be 1 or 2, got 3$"):
        KeyUnit(key_bits=128, sbox="lut", rows=4, keys=3)


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

    simulate(dut, bench)
    assert seen[cycles:] == values[:-cycles]
    assert not any(after)
