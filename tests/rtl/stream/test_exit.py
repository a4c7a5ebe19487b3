# SPDX-License-Identifier: Apache-2.0
"""The output registers of the exits hold zeros or finished beats, at all times."""

import pytest
from amaranth import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.stream.exit import Exit
from wideblock.rtl.stream.sized_exit import SizedExit
from wideblock.rtl.stream.storage import Ring

from ..simulated import Simulator

pytestmark = pytest.mark.shows("stream-parts")

BEATS, ROWS = 2, 8
SECRET, FINISHED = 1 << 100, 1 << 101


class Leaving(wiring.Component):
    """A ring of two sectors of two beats and its exit. ``computed`` is the first sector that is not finished."""

    def __init__(self, exit):
        self.exit = exit
        super().__init__(
            {"row": In(2), "value": In(128), "write": In(1), "computed": In(2), "clear": In(1), "clear_row": In(3)}
            | {"ready": In(1), "valid": Out(1), "o": Out(128)}
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.exit = leaving = self.exit
        ring = Ring(m, "ring", width=128, depth=4, clear=self.clear, clear_row=self.clear_row)
        ring.write(self.row, self.value, self.write)
        m.d.comb += [
            leaving.clear.eq(self.clear),
            leaving.pending.eq(leaving.sector != self.computed),
            leaving.data.eq(ring.read(Cat(leaving.number[0], leaving.sector[0]), leaving.load)),
            leaving.o.ready.eq(self.ready),
            self.valid.eq(leaving.o.valid),
            self.o.eq(leaving.o.payload.data),
        ]
        if isinstance(leaving, SizedExit):
            m.d.comb += leaving.end.eq(16 * BEATS - 1)
        return m


EXITS = {
    "sectors": lambda: Exit(width=1, beats=BEATS, sector_bits=2),
    "messages": lambda: SizedExit(width=1, most=16 * BEATS, sector_bits=2),
}


@pytest.mark.parametrize("made", EXITS)
@pytest.mark.parametrize("taken", range(3))
def test_no_row_of_a_sector_under_way_is_on_the_port(made, taken):
    """Two sectors are in the ring, and the first one is finished; so many of its beats leave before ``clear``."""
    dut = Leaving(EXITS[made]())
    seen = []

    async def bench(ctx):
        async def cycle():
            seen.append((ctx.get(dut.valid), ctx.get(dut.o)))
            await ctx.tick()

        ctx.set(dut.write, 1)
        for row, value in enumerate([FINISHED, FINISHED + 1, SECRET, SECRET + 1]):
            ctx.set(dut.row, row)
            ctx.set(dut.value, value)
            await cycle()
        ctx.set(dut.computed, 1)
        for ready in (0, 0, *[1] * taken, 0, 0, 0):
            ctx.set(dut.ready, ready)
            await cycle()
        ctx.set(dut.ready, 1)
        ctx.set(dut.clear, 1)
        for row in range(ROWS):  # the last value is still being written as ``clear`` rises
            ctx.set(dut.clear_row, row)
            await cycle()
            ctx.set(dut.computed, 0)
        ctx.set(dut.clear, 0)
        ctx.set(dut.write, 0)
        await cycle()

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    values = [value for _, value in seen]
    assert set(values) <= {0, FINISHED, FINISHED + 1}
    assert [value for valid, value in seen if valid][0] == FINISHED
    cleared = len(seen) - ROWS - 1
    assert not any(valid for valid, _ in seen[cleared:]) and not any(values[cleared + 2 :])
    assert values[cleared] == values[cleared + 1] != 0
