# SPDX-License-Identifier: Apache-2.0
"""AES with round keys on the way: values, timing, stream rules, changes of the key, and what is left of it."""

import random
from itertools import product

import pytest
from amaranth.hdl import Fragment

from wideblock.rtl.aes.on_the_fly import OnTheFlyEncryption
from wideblock.spec.aes import AES

from ...variants import few_of_many
from ..simulated import run
from .test_pipelined import CIPHER, PLAIN

pytestmark = pytest.mark.shows("aes-cores")


def number(octets):
    return int.from_bytes(octets, "little")


async def load(ctx, dut, key):
    """A key, and the cycles after it in which no block is taken."""
    ctx.set(dut.key.payload, number(key))
    ctx.set(dut.key.valid, 1)
    for _ in range(dut.key_latency):
        await ctx.tick()
        ctx.set(dut.key.valid, 0)
        ctx.set(dut.key.payload, 0)


async def cycles_until(ctx, signal):
    """The cycles until a signal is high."""
    cycles = 0
    while not ctx.get(signal):
        await ctx.tick()
        cycles += 1
        assert cycles < 99
    return cycles


async def encrypted(ctx, dut, block):
    """The result of a block that is valid now, and the cycles until it was taken and until the result was valid."""
    ctx.set(dut.i.payload, number(block))
    ctx.set(dut.i.valid, 1)
    waited = await cycles_until(ctx, dut.i.ready)
    await ctx.tick()
    ctx.set(dut.i.valid, 0)
    ctx.set(dut.i.payload, 0)
    cycles = 1 + await cycles_until(ctx, dut.o.valid)
    return ctx.get(dut.o.payload).to_bytes(16, "little"), waited, cycles


@pytest.mark.parametrize("key_bits", [128, 256])
def test_fips_197(key_bits):
    """FIPS 197, appendix C."""
    dut = OnTheFlyEncryption(key_bits=key_bits)

    async def bench(ctx):
        await load(ctx, dut, bytes(range(key_bits // 8)))
        found, waited, cycles = await encrypted(ctx, dut, PLAIN)
        assert (found, waited, cycles) == (CIPHER[key_bits], 0, dut.timing.latency)

    run(dut, bench)


@pytest.mark.parametrize(
    "key_bits, sbox", few_of_many(product((128, 256), ("lut", "composite", "norm")), [(256, "lut")])
)
def test_values_and_timing(key_bits, sbox):
    """Blocks one after another, each as soon as it can be taken, under several keys; pauses of every length."""
    dut = OnTheFlyEncryption(key_bits=key_bits, sbox=sbox)
    assert dut.timing.latency == dut.timing.interval == {128: 11, 256: 15}[key_bits]
    rng = random.Random(key_bits)

    async def bench(ctx):
        ctx.set(dut.o.ready, 1)
        for _ in range(4):
            key = rng.randbytes(key_bits // 8)
            await load(ctx, dut, key)
            for pause in (0, 0, 0, 1, 2, 5):
                block = rng.randbytes(16)
                assert await encrypted(ctx, dut, block) == (AES(key).encrypt(block), 0, dut.timing.latency)
                if pause:
                    await ctx.tick().repeat(pause)
                    assert not ctx.get(dut.o.valid)

    run(dut, bench)


def test_a_result_stays_until_it_is_taken():
    dut = OnTheFlyEncryption()
    key, first, second = (random.Random(seed).randbytes(16) for seed in range(3))

    async def bench(ctx):
        await load(ctx, dut, key)
        found, _, _ = await encrypted(ctx, dut, first)
        ctx.set(dut.i.valid, 1)
        ctx.set(dut.i.payload, number(second))
        for _ in range(5):
            assert not ctx.get(dut.i.ready) and ctx.get(dut.o.valid) and ctx.get(dut.o.payload) == number(found)
            await ctx.tick()
        ctx.set(dut.o.ready, 1)
        assert found == AES(key).encrypt(first)
        assert (await encrypted(ctx, dut, second))[0] == AES(key).encrypt(second)

    run(dut, bench)


@pytest.mark.parametrize("key_bits", few_of_many([128, 256], [128]))
def test_a_key_is_that_of_the_blocks_after_it(key_bits):
    """A key in each cycle from the one that takes a block to the one after its result."""
    dut = OnTheFlyEncryption(key_bits=key_bits)
    rng = random.Random(key_bits)

    async def bench(ctx):
        ctx.set(dut.o.ready, 1)
        present = rng.randbytes(key_bits // 8)
        await load(ctx, dut, present)
        for moment in range(dut.timing.latency + 2):
            following = rng.randbytes(key_bits // 8)
            blocks = [rng.randbytes(16) for _ in range(2)]
            ctx.set(dut.key.payload, number(following))
            ctx.set(dut.i.payload, number(blocks[0]))
            ctx.set(dut.i.valid, 1)
            assert ctx.get(dut.i.ready)
            for cycle in range(dut.timing.latency + 2):
                ctx.set(dut.key.valid, cycle == moment)
                assert ctx.get(dut.o.valid) == (cycle == dut.timing.latency)
                if cycle == dut.timing.latency:
                    assert ctx.get(dut.o.payload) == number(AES(present).encrypt(blocks[0]))
                await ctx.tick()
                ctx.set(dut.i.valid, 0)
            ctx.set(dut.key.valid, 0)
            waited = 1 if moment == dut.timing.latency + 1 else 0
            assert await encrypted(ctx, dut, blocks[1]) == (
                AES(following).encrypt(blocks[1]),
                waited,
                dut.timing.latency,
            )
            await ctx.tick()
            present = following

    run(dut, bench)


def test_drop_forgets_the_block_and_keeps_the_key():
    """In any cycle of a block."""
    dut = OnTheFlyEncryption()
    key, block = random.Random(1).randbytes(16), random.Random(2).randbytes(16)

    async def bench(ctx):
        await load(ctx, dut, key)
        for moment in range(dut.timing.latency + 1):
            ctx.set(dut.i.payload, number(bytes(range(16))))
            ctx.set(dut.i.valid, 1)
            for cycle in range(moment + 1):
                ctx.set(dut.drop, cycle == moment)
                await ctx.tick()
                ctx.set(dut.i.valid, 0)
            ctx.set(dut.drop, 0)
            assert not ctx.get(dut.o.valid) and not ctx.get(dut.o.payload)
            assert await encrypted(ctx, dut, block) == (AES(key).encrypt(block), 1, dut.timing.latency)
            ctx.set(dut.drop, 1)
            await ctx.tick()
            ctx.set(dut.drop, 0)
            await ctx.tick()

    run(dut, bench)


@pytest.mark.parametrize("key_bits", few_of_many([128, 256], [128]))
def test_clear_zeroes_keys_and_block(key_bits):
    """In any cycle of a block: afterwards every register is as it was after a reset, and the key is 0."""
    dut = OnTheFlyEncryption(key_bits=key_bits)
    fragment = Fragment.get(dut, None)
    registers = list({id(r): r for s in fragment.statements["sync"] for r in s._lhs_signals()}.values())
    assert sum(map(len, registers)) > 128 + 2 * key_bits

    async def bench(ctx):
        ctx.set(dut.o.ready, 1)
        for moment in range(dut.timing.latency + 2):
            await load(ctx, dut, bytes([255]) * (key_bits // 8))
            ctx.set(dut.i.valid, 1)
            for cycle in range(moment + 1):
                ctx.set(dut.clear, cycle == moment)
                await ctx.tick()
                ctx.set(dut.i.valid, 0)
            ctx.set(dut.clear, 0)
            assert [ctx.get(register) for register in registers] == [register.init for register in registers]
        found, _, _ = await encrypted(ctx, dut, bytes(16))
        assert found == AES(bytes(key_bits // 8)).encrypt(bytes(16))

    run(fragment, bench)


@pytest.mark.parametrize(
    "key_bits, message",
    [
        (192, "key_bits must be 128 or 256, whole round keys, got 192"),
        (64, "key_bits must be one of 128, 192, 256, got 64"),
    ],
)
def test_impossible_keys(key_bits, message):
    with pytest.raises(ValueError, match=message):
        OnTheFlyEncryption(key_bits=key_bits)
