# SPDX-License-Identifier: Apache-2.0
"""The result buffer forgets what was under way when it was cleared."""

import pytest

from wideblock.rtl.aead.cipher import CipherShape
from wideblock.rtl.aead.result_buffer import ResultBuffer

from ..simulated import Simulator

pytestmark = pytest.mark.shows("caesar")


@pytest.mark.parametrize("before", range(5))
@pytest.mark.parametrize("hold", [0, 1])
def test_a_word_that_is_being_stored_is_cleared(before, hold):
    """``clear`` comes so many cycles after a block. Nothing is on the port from its third cycle on, and of held words
    nothing ever."""
    dut = ResultBuffer(CipherShape(block=16, key=16, npub=16, tag=16), word_bits=32, most_bytes=64)
    seen = []

    async def bench(ctx):
        ctx.set(dut.block.data, (1 << 128) - 1)
        ctx.set(dut.block.size, 16)
        ctx.set(dut.valid, 1)
        ctx.set(dut.hold, hold)
        await ctx.tick()
        ctx.set(dut.valid, 0)
        for _ in range(before):
            await ctx.tick()
        ctx.set(dut.clear, 1)
        for row in range(dut.rows + dut.flush):
            ctx.set(dut.clear_row, row % dut.rows)
            await ctx.tick()
            seen.append(ctx.get(dut.o.payload))
        ctx.set(dut.clear, 0)
        await ctx.tick()
        seen.append(ctx.get(dut.o.payload))
        assert not ctx.get(dut.o.valid) and not ctx.get(dut.pending)

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    assert not any(seen[0 if hold else 1 :])
    assert hold or (seen[0] != 0) == (before >= 2)
