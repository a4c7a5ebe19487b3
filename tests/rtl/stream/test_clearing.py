# SPDX-License-Identifier: Apache-2.0
"""Clearing: its cycles after pulses and levels in every phase of it, and its rows under a level."""

import random

import pytest

from wideblock.rtl.stream.clearing import Clearing

from ..simulated import run

pytestmark = pytest.mark.shows("stream-parts")


@pytest.mark.parametrize("rows, cycles", [(1, 2), (4, 8), (8, 11)])
def test_it_lasts_from_the_last_cycle_of_zeroize_on(
    rows,
    cycles,
):
    dut, rng = Clearing(rows=rows, cycles=cycles), random.Random(1)
    pattern = [0] * 20
    for _ in range(60):
        pattern += [1] * rng.choice([1, 1, 2, 3 * rows]) + [0] * rng.randrange(2 * cycles)

    async def bench(ctx):
        since, walked = 0, 0  # cycles since zeroize or reset, and since clear rose
        for zeroize in pattern:
            ctx.set(dut.zeroize, zeroize)
            clear = since < cycles
            assert ctx.get(dut.clear) == clear
            assert ctx.get(dut.last) == (since == cycles - 1)
            if clear:
                assert ctx.get(dut.row) == walked % rows
            await ctx.tick()
            walked = walked + 1 if clear else 0
            since = 0 if zeroize else since + 1

    run(dut, bench)


@pytest.mark.parametrize("rows, cycles", [(3, 6), (0, 4), (8, 4), (1, 1)])
def test_rows_that_are_not_cleared(rows, cycles):
    with pytest.raises(
        ValueError, match=f"power of two up to cycles, and cycles 2 or more, got {rows} rows, {cycles} cycles"
    ):
        Clearing(rows=rows, cycles=cycles)
