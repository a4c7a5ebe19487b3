# SPDX-License-Identifier: Apache-2.0
"""Inverse AES with round keys made on the way back: values under changing keys, timing, and what stays of a key."""

import random

import pytest

from wideblock.rtl.aes.backward import BackwardDecryption
from wideblock.spec.aes import AES, expand_key

from ..simulated import run

pytestmark = pytest.mark.shows("aes-cores")


def last_keys(key):
    return b"".join(expand_key(key)[: -1 - len(key) // 16 : -1])


@pytest.mark.parametrize("key_bits", [128, 256])
@pytest.mark.parametrize("stages", [1, 2])
def test_each_block_is_deciphered_under_its_own_key(key_bits, stages):
    dut, rng = BackwardDecryption(key_bits=key_bits, round_stages=stages, sbox="composite"), random.Random(key_bits)
    assert dut.timing.latency == 1 + stages * {128: 10, 256: 14}[key_bits]

    async def bench(ctx):
        for number in range(4):
            key, block = rng.randbytes(key_bits // 8), rng.randbytes(16)
            ctx.set(dut.o.ready, 1)  # the block before goes as this one is taken
            ctx.set(dut.i.valid, 1)
            ctx.set(dut.i.payload, int.from_bytes(AES(key).encrypt(block), "little"))
            ctx.set(dut.key, int.from_bytes(last_keys(key), "little"))
            assert ctx.get(dut.i.ready)
            cycles = 0
            while not cycles or not ctx.get(dut.o.valid):
                await ctx.tick()
                ctx.set(dut.i.valid, 0)
                ctx.set(dut.o.ready, 0)
                ctx.set(dut.key, rng.getrandbits(key_bits))
                cycles += 1
                assert ctx.get(dut.o.valid) or not ctx.get(dut.i.ready)
            assert cycles == dut.timing.latency
            for _ in range(number):
                assert ctx.get(dut.o.payload).to_bytes(16, "little") == block and not ctx.get(dut.i.ready)
                await ctx.tick()
            ctx.set(dut.o.ready, 1)
            assert ctx.get(dut.o.payload).to_bytes(16, "little") == block and ctx.get(dut.i.ready)
        ctx.set(dut.i.valid, 1)
        await ctx.tick()
        ctx.set(dut.i.valid, 0)
        ctx.set(dut.clear, 1)
        await ctx.tick()
        assert not ctx.get(dut.o.valid) and not ctx.get(dut.o.payload)

    run(dut, bench)


def test_parameters():
    with pytest.raises(ValueError, match="key_bits must be 128 or 256, whole round keys, got 192"):
        BackwardDecryption(key_bits=192)
    with pytest.raises(ValueError, match="round_stages must be 1 or 2 for keys made on the way, got 3"):
        BackwardDecryption(round_stages=3)
