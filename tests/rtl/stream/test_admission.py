# SPDX-License-Identifier: Apache-2.0
"""Sectors begin when there is room and their turn has come, and not before."""

import pytest
from amaranth import Module, Signal

from wideblock.rtl.stream.admission import Admission

from ..simulated import Simulator

pytestmark = pytest.mark.shows("stream-parts")

SLOTS = 4


def openings(interval, computed_after, left_after, cycles=200, clear_at=None, registered=False, busy=()):
    """Cycles in which sectors begin, if each begins as soon as it may.

    A sector's result is known, and the sector gone, so many cycles after it began. A sector takes two cycles to enter
    where the answer is ``registered``, and none enters in cycles in which the core is ``busy``.
    """
    m = Module()
    m.submodules.dut = dut = Admission(slots=SLOTS, interval=interval, registered=registered)
    m.d.sync += Signal().eq(dut.free)  # a clock, even where nothing counts
    begun = []

    async def bench(ctx):
        for cycle in range(cycles):
            ctx.set(dut.clear, cycle == clear_at)
            if cycle == clear_at:
                begun.clear()
            entering = registered and bool(begun) and begun[-1] == cycle - 1
            ctx.set(dut.taken, (len(begun) - entering) % (2 * SLOTS))
            ctx.set(dut.computed, sum(at + computed_after <= cycle for at in begun) % (2 * SLOTS))
            ctx.set(dut.left, sum(at + left_after <= cycle for at in begun) % (2 * SLOTS))
            free = ctx.get(dut.free) and cycle != clear_at and not entering
            ctx.set(dut.opening, free)
            if registered:
                ctx.set(dut.first, not entering)
                ctx.set(dut.first_next, not free)
                ctx.set(dut.ready_next, cycle + 1 not in busy)
            done = sum(at + computed_after <= cycle for at in begun)
            assert ctx.get(dut.done) == (done == len(begun) - entering)
            await ctx.tick()
            if free:
                begun.append(cycle)

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return begun


@pytest.mark.parametrize("interval", [2, 3, 7, 8])
def test_one_an_interval(interval):
    assert openings(interval, 10, 3 * interval) == list(range(0, 200, interval))


def test_one_at_a_time():
    assert openings(None, 12, 20) == list(range(0, 200, 12))


@pytest.mark.parametrize("interval", [3, None])
def test_no_more_than_there_is_room_for(interval):
    begun = openings(interval, 1, 40)
    assert begun[SLOTS] == begun[0] + 40 + 1
    assert all(later - earlier >= 40 for earlier, later in zip(begun, begun[SLOTS:], strict=False))


def test_clear_ends_the_wait():
    assert openings(50, 1, 10, clear_at=5)[0] == 6


@pytest.mark.parametrize("interval", [2, 3, 7])
def test_registered_one_an_interval(interval):
    begun = openings(interval, 10, 3 * interval, registered=True)
    assert begun == list(range(begun[0], 200, interval))


def test_registered_none_while_the_core_takes_no_beat():
    begun = openings(7, 10, 21, registered=True)[0]
    held = openings(7, 10, 21, registered=True, busy=range(begun + 6, begun + 12))
    assert held[:3] == [begun, begun + 12, begun + 19]


def test_registered_one_at_a_time():
    """A cycle later: the core tells of a result a cycle ahead."""
    begun = openings(None, 12, 20, registered=True)
    assert begun == list(range(begun[0], 200, 13))


@pytest.mark.parametrize("interval", [3, None])
def test_registered_no_more_than_there_is_room_for(interval):
    begun = openings(interval, 1, 40, registered=True)
    assert begun[SLOTS] == begun[0] + 40 + 2
