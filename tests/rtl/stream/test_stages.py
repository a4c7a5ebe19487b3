# SPDX-License-Identifier: Apache-2.0
"""What joins the stages of a core: numbers of sectors, delayed flags, held values; and that they are forgotten."""

import pytest
from amaranth import Const, Module, Signal

from wideblock.rtl.stream.stages import Stages, blocks, power_of_two, select

from ..simulated import Simulator

pytestmark = pytest.mark.shows("stream-parts")


def simulate(m, bench):
    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


def test_pointer_counts_with_one_bit_more_than_a_slot_needs():
    m, clear, advance = Module(), Signal(), Signal()
    pointer = Stages(m, slots=4, rows=2, clear=clear, clear_row=Const(0)).pointer("p", advance)
    assert len(pointer) == 3

    async def bench(ctx):
        for n in range(20):
            assert ctx.get(pointer) == n // 2 % 8
            ctx.set(advance, n % 2)
            await ctx.tick()
        ctx.set(clear, 1)
        await ctx.tick()
        assert ctx.get(pointer) == 0

    simulate(m, bench)


@pytest.mark.parametrize("cycles", [0, 1, 5])
def test_delayed(cycles):
    m, clear, flag, number = Module(), Signal(), Signal(), Signal(5)
    stages = Stages(m, slots=2, rows=2, clear=clear, clear_row=Const(0))
    *_, late = stages.delayed("late", cycles, flag=flag, number=number)
    m.d.sync += Signal().eq(flag)  # a clock, even where nothing is delayed
    out_flag, out_number = Signal(), Signal(5)
    m.d.comb += [out_flag.eq(late.flag), out_number.eq(late.number)]

    async def bench(ctx):
        for n in range(40):
            ctx.set(flag, n % 3 == 0)
            ctx.set(number, n % 32)
            if n >= cycles:
                then = n - cycles
                assert (ctx.get(out_flag), ctx.get(out_number)) == (then % 3 == 0, then % 32)
            await ctx.tick()
        ctx.set(clear, 1)
        ctx.set(flag, 0)
        ctx.set(number, 0)
        await ctx.tick()
        for _ in range(cycles + 1):
            assert (ctx.get(out_flag), ctx.get(out_number)) == (0, 0)
            await ctx.tick()

    simulate(m, bench)


def test_hold():
    m, clear, value, enable, register = Module(), Signal(), Signal(8), Signal(), Signal(8)
    Stages(m, slots=2, rows=2, clear=clear, clear_row=Const(0)).hold(register, value, enable)

    async def bench(ctx):
        expected = 0
        for n in range(1, 30):
            ctx.set(value, n)
            ctx.set(enable, n % 4 == 0)
            ctx.set(clear, n % 11 == 0)
            await ctx.tick()
            expected = 0 if n % 11 == 0 else n if n % 4 == 0 else expected
            assert ctx.get(register) == expected

    simulate(m, bench)


@pytest.mark.parametrize("rows", [1, 2, 5, 16])
def test_rows_of_two_sectors_are_apart(rows):
    m = Module()
    stages = Stages(m, slots=2, rows=rows, clear=Const(0), clear_row=Const(0))
    number, sector, row = Signal(range(rows)), Signal(2), Signal(16)
    m.d.comb += row.eq(stages.row(number, sector))
    found = []

    async def bench(ctx):
        for s in range(2):
            for n in range(rows):
                ctx.set(sector, s)
                ctx.set(number, n)
                await ctx.delay(1e-9)
                found.append(ctx.get(row))

    simulator = Simulator(m)
    simulator.add_testbench(bench)
    simulator.run()
    assert len(set(found)) == 2 * rows and max(found) < 2 * power_of_two(rows)


def test_select_and_blocks():
    m, beat, index, chosen = Module(), Signal(512), Signal(2), Signal(128)
    m.d.comb += chosen.eq(select(blocks(beat, 4), index))

    async def bench(ctx):
        ctx.set(beat, sum((k + 1) << 128 * k for k in range(4)))
        for k in range(4):
            ctx.set(index, k)
            await ctx.delay(1e-9)
            assert ctx.get(chosen) == k + 1

    simulator = Simulator(m)
    simulator.add_testbench(bench)
    simulator.run()


def test_power_of_two():
    assert [power_of_two(n) for n in (1, 2, 3, 4, 5, 16, 17)] == [2, 2, 4, 4, 8, 16, 32]
