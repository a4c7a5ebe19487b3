# SPDX-License-Identifier: Apache-2.0
"""Pipelines whose blocks bring their keys, and the last round keys, against the specification."""

import random
from itertools import product

import pytest

from wideblock.rtl.aes.forms import KINDS
from wideblock.rtl.aes.pipelined import PipelinedDecryption, PipelinedEitherWay, PipelinedEncryption
from wideblock.rtl.aes.travelling import LastRoundKeys, TravellingKeys
from wideblock.spec.aes import AES, expand_key

from ...variants import few_of_many
from ..simulated import run

pytestmark = pytest.mark.shows("aes-cores")


def last_keys(key):
    """The last round keys in the order in which decryption uses them, as many bytes as the key has."""
    return b"".join(expand_key(key)[::-1])[: len(key)]


def number(data):
    return int.from_bytes(data, "little")


CASES = [
    (pipeline, key_bits, stages, sbox)
    for pipeline in (PipelinedEncryption, PipelinedDecryption, PipelinedEitherWay)
    for key_bits, stages, sbox in product((128, 256), (1, 2), KINDS)
    if sbox != "bram" or pipeline is not PipelinedEitherWay
]
FEW = [(PipelinedDecryption, 128, 1, "lut")]


@pytest.mark.parametrize(("pipeline", "key_bits", "stages", "sbox"), few_of_many(CASES, FEW))
def test_a_key_and_a_direction_of_its_own_for_each_block(pipeline, key_bits, stages, sbox):
    dut = pipeline(key_bits=key_bits, round_stages=stages, sbox=sbox, lanes=2, travelling=True)
    rng = random.Random(f"{key_bits}{stages}{sbox}")
    valid = (1, 1, 1, 0, 1, 1, 0, 0, 1, 1)
    ways = {PipelinedEncryption: (0,), PipelinedDecryption: (1,), PipelinedEitherWay: (0, 1)}[pipeline]
    expected, got = [], []

    async def bench(ctx):
        for cycle in range(len(valid) + dut.timing.latency + 1):
            key, data, decrypt = rng.randbytes(key_bits // 8), rng.randbytes(32), rng.choice(ways)
            offered = cycle < len(valid) and valid[cycle]
            ctx.set(dut.i.valid, offered)
            ctx.set(dut.i.payload, number(data))
            ctx.set(dut.key, number(last_keys(key) if decrypt else key))
            if len(ways) == 2:
                ctx.set(dut.decrypt, decrypt)
            if offered:
                cipher = AES(key)
                blocks = [(cipher.decrypt if decrypt else cipher.encrypt)(data[at : at + 16]) for at in (0, 16)]
                expected.append((cycle + dut.timing.latency, b"".join(blocks)))
            if ctx.get(dut.o.valid):
                got.append((cycle, ctx.get(dut.o.payload).to_bytes(32, "little")))
            await ctx.tick()

    run(dut, bench)
    assert got == expected and dut.timing.latency == 1 + stages * {128: 10, 256: 14}[key_bits]


@pytest.mark.parametrize(("key_bits", "stages"), [*product((128, 256), (1, 2))])
def test_each_round_key_when_its_round_needs_it(key_bits, stages):
    dut = TravellingKeys(key_bits=key_bits, round_stages=stages, inverse=None)
    rng = random.Random(key_bits + stages)
    given = [(rng.randbytes(key_bits // 8), rng.randrange(2)) for _ in range(40)]

    async def bench(ctx):
        for cycle, (key, decrypt) in enumerate(given):
            ctx.set(dut.key, number(last_keys(key) if decrypt else key))
            ctx.set(dut.decrypt, decrypt)
            seen = ctx.get(dut.round_keys)
            for place in range(dut.rounds + 1):
                if (then := cycle - place * stages) >= 0:
                    key, decrypt = given[then]
                    right = expand_key(key)[:: -1 if decrypt else 1][place]
                    assert seen >> 128 * place & (1 << 128) - 1 == number(right), (cycle, place)
            await ctx.tick()

    run(dut, bench)


@pytest.mark.parametrize("key_bits", [128, 256])
def test_last_round_keys(key_bits):
    """In the stated cycles, begun anew at any moment, and nothing left after clear."""
    dut = LastRoundKeys(key_bits=key_bits)
    rng = random.Random(key_bits)
    assert dut.timing.latency == {128: 21, 256: 27}[key_bits]

    async def start(ctx, key):
        ctx.set(dut.key, number(key))
        ctx.set(dut.start, 1)
        await ctx.tick()
        ctx.set(dut.start, 0)
        ctx.set(dut.key, 0)

    async def bench(ctx):
        assert not ctx.get(dut.done)
        for moment in (0, 1, 2, 5, dut.timing.latency - 1, dut.timing.latency + 3):
            await start(ctx, rng.randbytes(key_bits // 8))
            for _ in range(moment):
                await ctx.tick()
            key = rng.randbytes(key_bits // 8)
            await start(ctx, key)
            cycles = 1
            while not ctx.get(dut.done):
                await ctx.tick()
                cycles += 1
            assert cycles == dut.timing.latency
            await ctx.tick().repeat(2)
            assert ctx.get(dut.done) and ctx.get(dut.o) == number(last_keys(key))
            await start(ctx, key)
            for _ in range(moment):
                await ctx.tick()
            ctx.set(dut.clear, 1)
            await ctx.tick()
            ctx.set(dut.clear, 0)
            for _ in range(dut.timing.latency + 2):
                assert not ctx.get(dut.o) and not ctx.get(dut.done)
                await ctx.tick()

    run(dut, bench)


@pytest.mark.parametrize(
    ("part", "bad", "message"),
    [
        (TravellingKeys, {"key_bits": 192}, "^key_bits must be 128 or 256, whole round keys, got 192$"),
        (LastRoundKeys, {"key_bits": 192}, "^key_bits must be 128 or 256, whole round keys, got 192$"),
        (TravellingKeys, {"round_stages": 3}, "^round_stages must be 1 or 2 for keys that travel, got 3$"),
        (TravellingKeys, {"sbox": "bram"}, "got 'bram'$"),
    ],
)
def test_impossible_parameters(part, bad, message):
    with pytest.raises(ValueError, match=message):
        part(**bad)


def test_a_pipeline_has_one_kind_of_keys():
    with pytest.raises(ValueError, match="^key_sets must be 1 where each block brings its key, got 2$"):
        PipelinedEncryption(key_sets=2, travelling=True)
