# SPDX-License-Identifier: Apache-2.0
"""The table of slots: a key begins at 0 blocks and without marks, whenever messages end."""

import pytest

from wideblock.rtl.engine.slots import SlotTable

from ..simulated import run

pytestmark = pytest.mark.shows("engine")

SLOT, OTHER = 2, 5
LOADED = {"loaded": 1, "kat": 0, "locked": 0, "no_encrypt": 0, "no_decrypt": 0}


async def put(ctx, dut, slot=SLOT):
    """Writes the state of a slot; the cycles that it waits."""
    ctx.set(dut.own.slot, slot)
    ctx.set(dut.own.new, LOADED)
    ctx.set(dut.own.write, 1)
    waits = 0
    while not ctx.get(dut.own.put):
        await tick(ctx, dut)
        waits += 1
    await tick(ctx, dut)
    ctx.set(dut.own.write, 0)
    return waits


async def tick(ctx, dut):
    await ctx.tick()
    ctx.set(dut.use.count, 0)


def count(ctx, dut, slot, blocks):
    ctx.set(dut.use.count, 1)
    ctx.set(dut.use.counted, slot)
    ctx.set(dut.use.blocks, blocks)


async def shown(ctx, dut, slot):
    """Blocks of a slot, and its marks."""
    ctx.set(dut.shown, slot)
    for _ in range(4):
        await tick(ctx, dut)
    return ctx.get(dut.shown_blocks), ctx.get(dut.shown_marks.warned), ctx.get(dut.shown_marks.spent)


@pytest.mark.parametrize("counts", [(0,), (0, 1), (0, 2), (0, 1, 2, 3)], ids=str)
@pytest.mark.parametrize("moment", range(7))
def test_a_new_key_begins_at_no_block(counts, moment):
    """Messages of the slot and of another one end in cycles ``counts``; the state is written in cycle ``moment`` on."""
    dut = SlotTable(slots=8, clear_row_bits=4, block_bits=8)

    async def bench(ctx):
        ctx.set(dut.limit, 3)
        ctx.set(dut.warn, 2)
        for slot in (SLOT, OTHER):
            await put(ctx, dut, slot)
        for cycle in range(moment):
            if cycle in counts:
                count(ctx, dut, SLOT, 4)
            await tick(ctx, dut)
        if moment in counts:
            count(ctx, dut, SLOT, 4)
        assert await put(ctx, dut) <= len(counts)
        assert await shown(ctx, dut, SLOT) == (0, 0, 0)
        count(ctx, dut, SLOT, 1)
        await tick(ctx, dut)
        assert await shown(ctx, dut, SLOT) == (1, 0, 0)
        for _ in range(2):
            count(ctx, dut, OTHER, 1)
            await tick(ctx, dut)
        assert await shown(ctx, dut, OTHER) == (2, 1, 0)
        assert await shown(ctx, dut, SLOT) == (1, 0, 0)

    run(dut, bench)


def test_marks_stay_until_the_key_ends():
    """A raised limit opens no slot, a lowered one counts with the next message; each message adds up."""
    dut = SlotTable(slots=8, clear_row_bits=4, block_bits=8)

    async def bench(ctx):
        ctx.set(dut.warn, 100)
        ctx.set(dut.limit, 4)
        await put(ctx, dut)
        for _ in range(4):  # one in each cycle, of the same slot
            count(ctx, dut, SLOT, 1)
            await tick(ctx, dut)
        assert await shown(ctx, dut, SLOT) == (4, 0, 1)
        ctx.set(dut.limit, 1000)
        count(ctx, dut, SLOT, 1)
        await tick(ctx, dut)
        assert await shown(ctx, dut, SLOT) == (5, 0, 1)
        await put(ctx, dut)
        assert await shown(ctx, dut, SLOT) == (0, 0, 0)
        count(ctx, dut, SLOT, 9)
        await tick(ctx, dut)
        assert await shown(ctx, dut, SLOT) == (9, 0, 0)
        ctx.set(dut.warn, 3)
        ctx.set(dut.limit, 3)
        assert await shown(ctx, dut, SLOT) == (9, 0, 0)
        count(ctx, dut, SLOT, 1)
        await tick(ctx, dut)
        assert await shown(ctx, dut, SLOT) == (10, 1, 1)

    run(dut, bench)
