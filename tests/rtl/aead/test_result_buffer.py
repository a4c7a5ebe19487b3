# SPDX-License-Identifier: Apache-2.0
"""The result buffer forgets what was under way when it was cleared."""

import pytest
from amaranth.sim import Simulator

from wideblock.rtl.aead.cipher import CipherShape
from wideblock.rtl.aead.result_buffer import ResultBuffer

pytestmark = pytest.mark.shows("caesar")


@pytest.mark.parametrize("before", range(5))
def test_a_word_that_is_being_stored_is_cleared(before):
    """``clear`` comes so many cycles after a block. A cycle less than ``flush`` leaves one of its words behind."""
    dut = ResultBuffer(CipherShape(block=16, key=16, npub=16, tag=16), word_bits=32, most_bytes=64)
    seen = []

    async def bench(ctx):
        ctx.set(dut.block.data, (1 << 128) - 1)
        ctx.set(dut.block.size, 16)
        ctx.set(dut.valid, 1)
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
        assert not ctx.get(dut.o.valid) and not ctx.get(dut.pending)

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    assert seen[-1] == 0
    assert (seen[-2] != 0) == (before < 4)
