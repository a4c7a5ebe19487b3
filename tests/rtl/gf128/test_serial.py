# SPDX-License-Identifier: Apache-2.0
"""The serial multiplier against the field of the specifications: values, cycles, and what clear leaves."""

import random

import pytest

from wideblock.rtl.gf128.field import GF128, BinaryField
from wideblock.rtl.gf128.serial import SerialMultiplier
from wideblock.spec import gf128 as spec

from ..simulated import run
from .test_karatsuba import multiply


async def begin(ctx, dut, a, b):
    ctx.set(dut.i.payload, {"a": a, "b": b})
    ctx.set(dut.i.valid, 1)
    await ctx.tick()
    ctx.set(dut.i.valid, 0)
    ctx.set(dut.i.payload.a, 0)


def check(dut, pairs):
    """Each product comes after the stated cycles, alone, and stays."""

    async def bench(ctx):
        for a, b in pairs:
            await begin(ctx, dut, a, b)
            for _ in range(dut.timing.latency - 1):
                assert not ctx.get(dut.o.valid) and not ctx.get(dut.i.ready)
                await ctx.tick()
            assert ctx.get(dut.o.valid) and ctx.get(dut.o.payload) == multiply(a, b, dut.field)
            if a % 2:  # the next operands may come with the product, or later
                await ctx.tick()
                assert not ctx.get(dut.o.valid) and ctx.get(dut.o.payload) == multiply(a, b, dut.field)

    run(dut, bench)


@pytest.mark.parametrize("cycles", [1, 2, 3, 4])
def test_gf16_exhaustively(cycles):
    field = BinaryField(4, 0b0011)
    check(SerialMultiplier(field, cycles=cycles), [(a, b) for a in range(16) for b in range(16)])


@pytest.mark.parametrize("cycles", [3, 10, 128])
def test_gf128(cycles):
    rng = random.Random(cycles)
    one, top = 1, 1 << 127
    pairs = [(one, top), (top, one), (top, top), ((1 << 128) - 1,) * 2, (0, top)]
    check(SerialMultiplier(cycles=cycles), pairs + [(rng.getrandbits(128), rng.getrandbits(128)) for _ in range(20)])


def test_it_is_the_field_of_the_specifications():
    rng = random.Random(1)
    for _ in range(20):
        a, b = rng.getrandbits(128), rng.getrandbits(128)
        assert multiply(a, b, GF128) == spec.mul(a, b)


@pytest.mark.parametrize("moment", [0, 1, 4, 7, 8])
def test_clear_forgets_the_product(moment):
    dut = SerialMultiplier(cycles=8)

    async def bench(ctx):
        await begin(ctx, dut, (1 << 128) - 1, (1 << 127) + 3)
        await ctx.tick().repeat(moment) if moment else None
        ctx.set(dut.clear, 1)
        await ctx.tick()
        ctx.set(dut.clear, 0)
        for _ in range(10):
            assert not ctx.get(dut.o.valid) and not ctx.get(dut.o.payload)
            await ctx.tick()

    run(dut, bench)


def test_operands_wait_for_the_product_under_way():
    """They are valid from its first cycle on, and taken in the cycle in which it is complete."""
    dut = SerialMultiplier(cycles=5)

    async def bench(ctx):
        assert ctx.get(dut.i.ready)
        await begin(ctx, dut, 3, 7)
        for cycle in range(1, 6):
            assert ctx.get(dut.i.ready) == (cycle == 5)
            ctx.set(dut.i.valid, 1)
            ctx.set(dut.i.payload.a, 1 << 100 if cycle == 5 else 9)
            assert ctx.get(dut.o.valid) == (cycle == 5)
            if cycle == 5:
                assert ctx.get(dut.o.payload) == multiply(3, 7, GF128)
            await ctx.tick()
        ctx.set(dut.i.valid, 0)
        for _ in range(4):
            assert not ctx.get(dut.o.valid) and not ctx.get(dut.i.ready)
            await ctx.tick()
        assert ctx.get(dut.o.valid) and ctx.get(dut.o.payload) == multiply(1 << 100, 7, GF128)

    run(dut, bench)


def test_operands_may_depend_on_the_product():
    """Horner's rule on whole elements, each taken with the product before it: (a b + c) b."""
    dut = SerialMultiplier(cycles=11)
    a, b, c = ((1 << 128) - 5, (1 << 127) + 99, 0x1234 << 90)

    async def bench(ctx):
        await begin(ctx, dut, a, b)
        await ctx.tick().repeat(dut.timing.latency - 1)
        await begin(ctx, dut, ctx.get(dut.o.payload) ^ c, b)
        await ctx.tick().repeat(dut.timing.latency - 1)
        assert ctx.get(dut.o.valid) and ctx.get(dut.o.payload) == multiply(multiply(a, b, GF128) ^ c, b, GF128)

    run(dut, bench)


@pytest.mark.parametrize("cycles", [0, 129])
def test_impossible_cycles(cycles):
    with pytest.raises(ValueError, match=f"cycles must be from 1 to 128, got {cycles}"):
        SerialMultiplier(cycles=cycles)
