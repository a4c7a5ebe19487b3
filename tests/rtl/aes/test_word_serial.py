# SPDX-License-Identifier: Apache-2.0
"""AES a column a cycle: values, timing, the last round keys that it leaves, stream rules, and what is left of it."""

import random
from itertools import product

import pytest

from wideblock.rtl.aes.word_serial import WordSerialEncryption
from wideblock.spec.aes import AES

from ...variants import few_of_many
from ..simulated import run
from .test_on_the_fly import encrypted, number
from .test_pipelined import CIPHER, PLAIN

pytestmark = pytest.mark.shows("aes-cores")


@pytest.mark.parametrize("key_bits", [128, 256])
def test_fips_197(key_bits):
    """FIPS 197, appendix C; the key is gone in the cycle after that of the block."""
    dut = WordSerialEncryption(key_bits=key_bits)
    assert dut.timing.latency == dut.timing.interval == {128: 67, 256: 91}[key_bits]

    async def bench(ctx):
        ctx.set(dut.key, number(bytes(range(key_bits // 8))))
        found = await encrypted(ctx, dut, PLAIN)
        assert found == (CIPHER[key_bits], 0, dut.timing.latency)

    run(dut, bench)


@pytest.mark.parametrize(
    "key_bits, sbox", few_of_many(product((128, 256), ("lut", "composite", "norm")), [(256, "lut")])
)
def test_blocks_and_last_round_keys(key_bits, sbox):
    """A key a block, whose last round keys stay until the next block; pauses of every length."""
    dut = WordSerialEncryption(key_bits=key_bits, sbox=sbox)
    rng = random.Random(key_bits)

    async def bench(ctx):
        ctx.set(dut.o.ready, 1)
        for pause in (0, 0, 1, 2, 5):
            key, block = rng.randbytes(key_bits // 8), rng.randbytes(16)
            ctx.set(dut.key, number(key))
            assert await encrypted(ctx, dut, block) == (AES(key).encrypt(block), 0, dut.timing.latency)
            ctx.set(dut.key, 0)
            kept = AES(key).round_keys[-(key_bits // 128) :]
            for _ in range(pause + 1):
                assert ctx.get(dut.last) == number(b"".join(reversed(kept)))
                await ctx.tick()

    run(dut, bench)


def test_a_result_stays_until_it_is_taken():
    dut = WordSerialEncryption()
    key, first, second = (random.Random(seed).randbytes(16) for seed in range(3))

    async def bench(ctx):
        ctx.set(dut.key, number(key))
        assert (await encrypted(ctx, dut, first))[0] == AES(key).encrypt(first)
        ctx.set(dut.i.valid, 1)
        ctx.set(dut.i.payload, number(second))
        for _ in range(5):
            assert not ctx.get(dut.i.ready) and ctx.get(dut.o.valid)
            assert ctx.get(dut.o.payload) == number(AES(key).encrypt(first))
            await ctx.tick()
        ctx.set(dut.o.ready, 1)
        assert (await encrypted(ctx, dut, second))[0] == AES(key).encrypt(second)

    run(dut, bench)


@pytest.mark.parametrize("key_bits", [128, 256])
def test_clear_leaves_nothing(key_bits):
    """At every third cycle of a block: no port shows a block or key, and the next block is right."""
    dut = WordSerialEncryption(key_bits=key_bits)
    key, block = bytes(range(1, 1 + key_bits // 8)), bytes(range(16))

    async def bench(ctx):
        ctx.set(dut.key, number(key))
        for moment in range(0, dut.timing.latency + 2, 3):
            ctx.set(dut.i.payload, number(block))
            ctx.set(dut.i.valid, 1)
            await ctx.tick()
            ctx.set(dut.i.valid, 0)
            await ctx.tick().repeat(moment + 1)
            ctx.set(dut.clear, 1)
            await ctx.tick()
            ctx.set(dut.clear, 0)
            assert (ctx.get(dut.o.payload), ctx.get(dut.last), ctx.get(dut.o.valid)) == (0, 0, 0)
            ctx.set(dut.o.ready, 1)
            assert (await encrypted(ctx, dut, block))[0] == AES(key).encrypt(block)
            await ctx.tick()
            ctx.set(dut.o.ready, 0)

    run(dut, bench)


@pytest.mark.parametrize("key_bits", [192, 512])
def test_other_keys_are_refused(key_bits):
    with pytest.raises(ValueError, match="key_bits must be"):
        WordSerialEncryption(key_bits=key_bits)
