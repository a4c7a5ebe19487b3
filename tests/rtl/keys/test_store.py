# SPDX-License-Identifier: Apache-2.0
"""The memory of keys: rows, parity, and nothing left after clear."""

import random

import pytest

from wideblock.rtl.keys.store import KeyStore

from ..simulated import run

pytestmark = pytest.mark.shows("stream-parts")

BITS, ROWS = 128, 4


async def write(ctx, dut, row, key):
    ctx.set(dut.write, 1)
    ctx.set(dut.write_row, row)
    ctx.set(dut.data, key)
    await ctx.tick()
    ctx.set(dut.write, 0)


async def read(ctx, dut, row):
    ctx.set(dut.read, 1)
    ctx.set(dut.row, row)
    await ctx.tick()
    ctx.set(dut.read, 0)
    return ctx.get(dut.key)


def test_rows_and_clear():
    dut, rng = KeyStore(bits=BITS, rows=ROWS), random.Random(1)
    keys = [rng.getrandbits(BITS) for _ in range(ROWS)]

    async def bench(ctx):
        for row, key in enumerate(keys):
            await write(ctx, dut, row, key)
        for row in (2, 0, 3, 1, 1):
            assert await read(ctx, dut, row) == keys[row]
        ctx.set(dut.row, 3)
        await ctx.tick().repeat(3)
        assert ctx.get(dut.key) == keys[1]  # held
        ctx.set(dut.clear, 1)
        for row in range(ROWS):
            ctx.set(dut.clear_row, row)
            await ctx.tick()
        assert ctx.get(dut.key) == 0
        ctx.set(dut.clear, 0)
        for row in range(ROWS):
            assert await read(ctx, dut, row) == 0
            ctx.set(dut.used, 1)
            await ctx.tick()
            assert not ctx.get(dut.wrong)

    run(dut, bench)


def test_a_key_with_a_wrong_bit_is_found_when_it_is_used():
    dut, rng = KeyStore(bits=BITS, rows=ROWS), random.Random(2)
    key = rng.getrandbits(BITS)

    async def bench(ctx):
        for bit in range(BITS + BITS // 32):
            await write(ctx, dut, 1, key)
            stored = ctx.get(dut.memory.data[1])
            for flipped in (0, 1 << bit):
                ctx.set(dut.memory.data[1], stored ^ flipped)
                await read(ctx, dut, 1)
                await ctx.tick()
                assert not ctx.get(dut.wrong)
                ctx.set(dut.used, 1)
                await ctx.tick()
                ctx.set(dut.used, 0)
                assert ctx.get(dut.wrong) == bool(flipped)
                await ctx.tick()
                assert not ctx.get(dut.wrong)

    run(dut, bench)


def test_keys_are_whole_words():
    with pytest.raises(ValueError, match="^bits must be a multiple of 32, got 100$"):
        KeyStore(bits=100, rows=4)
