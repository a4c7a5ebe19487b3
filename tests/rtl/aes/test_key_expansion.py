# SPDX-License-Identifier: Apache-2.0
"""The key expansion against the specification, its latency, and its zeroization."""

import random

import pytest

from wideblock.rtl.aes.key_expansion import KeyExpansion
from wideblock.spec.aes import expand_key

from ..simulated import run

pytestmark = pytest.mark.shows("aes-cores")

# cycles a round key: more than two only where the S-box has more than one step
PARAMETERS = [
    (128, "lut", 1, 1),
    (128, "lut", 2, 2),
    (128, "lut", 4, 2),
    (128, "composite", 1, 1),
    (128, "composite", 2, 2),
    (128, "composite", 4, 4),
    (128, "norm", 2, 2),
    (256, "lut", 1, 1),
    (256, "lut", 2, 2),
    (256, "composite", 1, 1),
    (256, "composite", 3, 3),
    (192, "lut", 1, 1),
    (192, "lut", 2, 2),
    (192, "composite", 4, 4),
]


async def load(ctx, dut, key):
    """Offers ``key`` until it is taken; returns after the clock edge that takes it."""
    ctx.set(dut.key.payload, int.from_bytes(key, "little"))
    ctx.set(dut.key.valid, 1)
    await ctx.tick().until(dut.key.ready)
    ctx.set(dut.key.valid, 0)
    ctx.set(dut.key.payload, 0)


def round_keys(ctx, dut):
    return ctx.get(dut.round_keys).to_bytes(len(dut.round_keys) // 8, "little")


@pytest.mark.parametrize("key_bits, sbox, round_stages, cycles_a_key", PARAMETERS)
def test_round_keys_and_timing(key_bits, sbox, round_stages, cycles_a_key):
    dut = KeyExpansion(key_bits=key_bits, sbox=sbox, round_stages=round_stages)
    assert dut.timing.latency == dut.timing.interval == 1 + {128: 10, 192: 8, 256: 13}[key_bits] * cycles_a_key
    rng = random.Random(key_bits)
    size = key_bits // 8

    async def bench(ctx):
        assert not ctx.get(dut.ready)
        for key in (bytes(range(size)), rng.randbytes(size), bytes(size), bytes([255] * size)):
            await load(ctx, dut, key)
            cycles = 1
            while not ctx.get(dut.ready):
                assert not ctx.get(dut.key.ready)
                await ctx.tick()
                cycles += 1
            assert cycles == dut.timing.latency
            assert round_keys(ctx, dut) == b"".join(expand_key(key))
            assert ctx.get(dut.key.ready)
        await ctx.tick().repeat(5)
        assert ctx.get(dut.ready) and round_keys(ctx, dut) == b"".join(expand_key(key))  # held

    run(dut, bench)


@pytest.mark.parametrize("rounds, round_stages", [(1, 1), (4, 1), (8, 2)])
def test_a_short_key_is_ready_early(rounds, round_stages):
    """Short and whole keys in turn: the round keys of a short one are the last, in the cycles that are stated."""
    dut = KeyExpansion(round_stages=round_stages, rounds_short=rounds)
    rng = random.Random(rounds)

    async def bench(ctx):
        for short in (1, 0, 1, 1, 0):
            key = rng.randbytes(16)
            ctx.set(dut.short, short)
            await load(ctx, dut, key)
            ctx.set(dut.short, 1 - short)
            cycles = 1
            while not ctx.get(dut.ready):
                await ctx.tick()
                cycles += 1
            assert cycles == (dut.short_latency if short else dut.timing.latency)
            expected = b"".join(expand_key(key)[: rounds + 1] if short else expand_key(key))
            assert round_keys(ctx, dut)[-len(expected) :] == expected

    run(dut, bench)


@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_keys_back_to_back(key_bits):
    dut = KeyExpansion(key_bits=key_bits)
    taken = []

    async def bench(ctx):
        ctx.set(dut.key.valid, 1)
        await ctx.tick()  # of the clearing after reset
        for cycle in range(3 * dut.timing.interval):
            if ctx.get(dut.key.ready):
                taken.append(cycle)
            await ctx.tick()

    run(dut, bench)
    assert taken == [k * dut.timing.interval for k in range(3)]


@pytest.mark.parametrize("key_bits, round_stages", [(128, 1), (128, 2), (192, 1), (256, 1)])
def test_clear_at_any_moment(key_bits, round_stages):
    dut = KeyExpansion(key_bits=key_bits, round_stages=round_stages)
    key = random.Random(1).randbytes(key_bits // 8)

    async def bench(ctx):
        for moment in range(dut.timing.latency + 3):
            await load(ctx, dut, key)
            for _ in range(moment):
                await ctx.tick()
            assert any(round_keys(ctx, dut))
            ctx.set(dut.clear, 1)
            ctx.set(dut.key.valid, 1)  # a key taken now is forgotten, too
            await ctx.tick()
            ctx.set(dut.clear, 0)
            await ctx.tick()
            ctx.set(dut.key.valid, 0)
            for _ in range(dut.timing.latency + 2):
                assert not any(round_keys(ctx, dut)) and not ctx.get(dut.ready)
                await ctx.tick()
        await load(ctx, dut, key)
        await ctx.tick().repeat(dut.timing.latency - 1)
        assert ctx.get(dut.ready) and round_keys(ctx, dut) == b"".join(expand_key(key))

    run(dut, bench)


@pytest.mark.parametrize(
    "bad, message",
    [
        ({"key_bits": 160}, "got 160"),
        ({"sbox": "bram"}, "got 'bram'"),
        ({"round_stages": 0}, "got 0"),
        ({"rounds_short": 9}, "got 9"),
        ({"rounds_short": 4, "key_bits": 256}, "of 256 bits"),
    ],
)
def test_impossible_parameters(bad, message):
    with pytest.raises(ValueError, match=message):
        KeyExpansion(**bad)
