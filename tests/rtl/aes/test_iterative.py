# SPDX-License-Identifier: Apache-2.0
"""The sequential cores, both ways: values, timing, and stream rules."""

import random
from itertools import product

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from wideblock.rtl.aes.iterative import IterativeDecryption, IterativeEitherWay, IterativeEncryption
from wideblock.spec.aes import AES, expand_key, full_rounds

from ...variants import few_of_many
from ..simulated import Simulator

pytestmark = pytest.mark.shows("aes-cores")

CORES = [IterativeEncryption, IterativeDecryption]


def oracle(dut, key):
    cipher = Cipher(algorithms.AES(key), modes.ECB())
    return cipher.encryptor() if isinstance(dut, IterativeEncryption) else cipher.decryptor()


def run(dut, blocks, *, p_valid=1.0, p_ready=1.0, seed=0):
    """Puts ``blocks`` through; returns cycle taken, cycle given and result of each."""
    rng = random.Random(seed)
    taken, given, held = [], [], []
    ahead = None

    async def bench(ctx):
        nonlocal ahead
        key = bytes(range(dut.key_bits // 8))
        ctx.set(dut.round_keys, int.from_bytes(b"".join(expand_key(key)), "little"))
        cycle = 0
        while len(given) < len(blocks):
            assert cycle < 100 * len(blocks), "no progress"
            offered = len(taken) < len(blocks) and (ctx.get(dut.i.valid) or rng.random() < p_valid)
            ctx.set(dut.i.valid, offered)
            ctx.set(dut.i.payload, int.from_bytes(blocks[len(taken)], "little") if offered else rng.getrandbits(128))
            ctx.set(dut.o.ready, rng.random() < p_ready)
            if ctx.get(dut.o.valid):
                assert held or ctx.get(dut.o.payload) == ahead  # as it was a cycle before
                held.append(ctx.get(dut.o.payload))
                assert len(set(held)) == 1  # until taken, a result stays
                if ctx.get(dut.o.ready):
                    given.append((cycle, held[0].to_bytes(16, "little")))
                    held.clear()
            else:
                assert not held
                ahead = ctx.get(dut.ahead)
            if offered and ctx.get(dut.i.ready):
                taken.append(cycle)
                ctx.set(dut.i.valid, 1)
                await ctx.tick()
                ctx.set(dut.i.valid, 0)
            else:
                await ctx.tick()
            cycle += 1

    sim = Simulator(dut)
    sim.add_clock(1e-8)
    sim.add_testbench(bench)
    sim.run()
    key = bytes(range(dut.key_bits // 8))
    right = oracle(dut, key)
    assert [result for _, result in given] == [right.update(block) for block in blocks]
    return taken, [cycle for cycle, _ in given]


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize(
    "key_bits, sbox, stages",
    few_of_many(
        product((128, 192, 256), ("lut", "composite", "norm"), (1, 2, 3)),
        [
            (128, "lut", 1),
            (192, "composite", 2),
            (256, "norm", 3),
        ],
    ),
)
def test_values_and_timing(core, key_bits, sbox, stages):
    dut = core(key_bits=key_bits, sbox=sbox, round_stages=stages)
    assert dut.timing.latency == dut.timing.interval == 1 + {128: 10, 192: 12, 256: 14}[key_bits] * stages
    blocks = [random.Random(seed).randbytes(16) for seed in range(5)]
    taken, given = run(dut, blocks)
    assert taken == [k * dut.timing.interval for k in range(5)]
    assert given == [cycle + dut.timing.latency for cycle in taken]


@pytest.mark.parametrize(
    "key_bits, block",
    [
        (128, "69c4e0d86a7b0430d8cdb78070b4c55a"),
        (192, "dda97ca4864cdfe06eaf70a0ec0d7191"),
        (256, "8ea2b7ca516745bfeafc49904b496089"),
    ],
)
def test_fips_197(key_bits, block):
    """FIPS 197, appendix C: the oracle itself is held to it."""
    decryptor = Cipher(algorithms.AES(bytes(range(key_bits // 8))), modes.ECB()).decryptor()
    assert decryptor.update(bytes.fromhex(block)).hex() == "00112233445566778899aabbccddeeff"
    run(IterativeDecryption(key_bits=key_bits), [bytes.fromhex(block)])
    run(IterativeEncryption(key_bits=key_bits), [bytes.fromhex("00112233445566778899aabbccddeeff")])


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("stages", few_of_many([1, 2, 3], [2]))
def test_a_block_goes_under_the_key_chosen_with_it(core, stages):
    dut = core(key_sets=2, round_stages=stages)
    keys = [random.Random(seed).randbytes(16) for seed in range(2)]
    blocks = [random.Random(seed).randbytes(16) for seed in range(4)]
    results = []

    async def bench(ctx):
        ctx.set(dut.round_keys, int.from_bytes(b"".join(b"".join(expand_key(key)) for key in keys), "little"))
        ctx.set(dut.o.ready, 1)
        for block, second in zip(blocks, (1, 0, 0, 1), strict=True):
            ctx.set(dut.i.payload, int.from_bytes(block, "little"))
            ctx.set(dut.i.valid, 1)
            ctx.set(dut.second, second)
            await ctx.tick()
            ctx.set(dut.i.valid, 0)
            ctx.set(dut.second, 1 - second)  # counts beside a block only
            for _ in range(dut.timing.latency - 1):
                assert not ctx.get(dut.o.valid)
                await ctx.tick()
            results.append(ctx.get(dut.o.payload).to_bytes(16, "little"))
            assert ctx.get(dut.o.valid)

    sim = Simulator(dut)
    sim.add_clock(1e-8)
    sim.add_testbench(bench)
    sim.run()
    assert results == [oracle(dut, keys[k]).update(b) for k, b in zip((1, 0, 0, 1), blocks, strict=True)]


def test_rounds_that_are_full_throughout():
    """AES4: four rounds with MixColumns."""
    keys = expand_key(bytes(range(16)))[:5]
    dut = IterativeEncryption(full_rounds=4)
    assert dut.timing.latency == 5

    async def bench(ctx):
        ctx.set(dut.round_keys, int.from_bytes(b"".join(keys), "little"))
        ctx.set(dut.o.ready, 1)
        ctx.set(dut.i.valid, 1)
        for seed in range(3):
            block = random.Random(seed).randbytes(16)
            ctx.set(dut.i.payload, int.from_bytes(block, "little"))
            assert ctx.get(dut.i.ready)
            await ctx.tick().repeat(dut.timing.latency)
            assert ctx.get(dut.o.valid)
            assert ctx.get(dut.o.payload).to_bytes(16, "little") == full_rounds(block, keys)

    sim = Simulator(dut)
    sim.add_clock(1e-8)
    sim.add_testbench(bench)
    sim.run()


@pytest.mark.parametrize(
    "key_bits, sbox", few_of_many([(128, "lut"), (192, "composite"), (256, "norm")], [(128, "lut")])
)
def test_either_way(key_bits, sbox):
    """Both directions mixed, back to back and with a pause; ``clear`` forgets a block."""
    dut, rng = IterativeEitherWay(key_bits=key_bits, sbox=sbox), random.Random(key_bits)
    key = rng.randbytes(key_bits // 8)
    aes, latency = AES(key), dut.timing.latency
    assert latency == dut.timing.interval == {128: 10, 192: 12, 256: 14}[key_bits]

    async def bench(ctx):
        ctx.set(dut.round_keys, int.from_bytes(b"".join(expand_key(key)), "little"))
        right = None
        for decrypt, pause in ((0, 0), (1, 0), (1, 3), (0, 1), (1, 0)):
            block = rng.randbytes(16)
            for _ in range(pause):
                await ctx.tick()
                assert not ctx.get(dut.o.valid) and ctx.get(dut.i.ready)
                right = None
            ctx.set(dut.i.payload, int.from_bytes(block, "little"))
            ctx.set(dut.decrypt, decrypt)
            ctx.set(dut.i.valid, 1)
            assert ctx.get(dut.i.ready)
            assert right is None or ctx.get(dut.o.payload).to_bytes(16, "little") == right
            await ctx.tick()
            ctx.set(dut.i.valid, 0)
            ctx.set(dut.decrypt, 1 - decrypt)  # counts beside a block only
            for _ in range(latency - 1):
                assert not ctx.get(dut.o.valid) and not ctx.get(dut.i.ready)
                await ctx.tick()
            right = (aes.decrypt if decrypt else aes.encrypt)(block)
            assert ctx.get(dut.o.valid)
        ctx.set(dut.i.valid, 1)
        await ctx.tick()
        ctx.set(dut.i.valid, 0)
        ctx.set(dut.clear, 1)
        await ctx.tick()
        ctx.set(dut.clear, 0)
        for _ in range(latency + 1):
            assert ctx.get(dut.i.ready) and not ctx.get(dut.o.valid)
            await ctx.tick()

    sim = Simulator(dut)
    sim.add_clock(1e-8)
    sim.add_testbench(bench)
    sim.run()


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("p_valid, p_ready", few_of_many(product((0.1, 1.0), (0.1, 0.5)), [(0.1, 0.5)]))
def test_gaps_and_back_pressure(core, p_valid, p_ready):
    blocks = [random.Random(seed).randbytes(16) for seed in range(12)]
    run(core(), blocks, p_valid=p_valid, p_ready=p_ready, seed=3)


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("stages", few_of_many([1, 2, 3], [2]))
def test_clear_forgets_the_block(core, stages):
    """In any stage of the first rounds, of the last one, and behind it; the next block is taken at once."""
    dut, key = core(round_stages=stages), bytes(range(16))
    right, latency = oracle(dut, key), dut.timing.latency

    async def take(ctx, block):
        ctx.set(dut.i.payload, int.from_bytes(block, "little"))
        ctx.set(dut.i.valid, 1)
        assert ctx.get(dut.i.ready)
        await ctx.tick()
        ctx.set(dut.i.valid, 0)

    async def clear(ctx):
        assert ctx.get(dut.o.payload) != 0
        ctx.set(dut.clear, 1)
        await ctx.tick()
        ctx.set(dut.clear, 0)
        assert ctx.get(dut.o.payload) == 0

    async def bench(ctx):
        ctx.set(dut.round_keys, int.from_bytes(b"".join(expand_key(key)), "little"))
        for cycles in (*range(2 * stages + 1), *range(latency - stages - 1, latency + 2)):
            await take(ctx, bytes(16 * [255]))
            for _ in range(cycles):
                await ctx.tick()
            await clear(ctx)
            block = random.Random(cycles).randbytes(16)
            await take(ctx, block)
            for _ in range(latency - 1):
                assert not ctx.get(dut.o.valid)
                await ctx.tick()
            assert ctx.get(dut.o.valid) and ctx.get(dut.o.payload).to_bytes(16, "little") == right.update(block)
            ctx.set(dut.o.ready, 1)
            await ctx.tick()
            ctx.set(dut.o.ready, 0)
        await take(ctx, bytes(16 * [255]))
        await clear(ctx)
        for _ in range(latency + 1):  # no block follows: nothing comes out
            assert ctx.get(dut.i.ready) and not ctx.get(dut.o.valid)
            await ctx.tick()

    sim = Simulator(dut)
    sim.add_clock(1e-8)
    sim.add_testbench(bench)
    sim.run()


@pytest.mark.parametrize(
    "bad, message",
    [
        ({"key_bits": 160}, "got 160"),
        ({"sbox": "bram"}, "got 'bram'"),
        ({"key_sets": 3}, "got 3"),
        ({"full_rounds": 11}, "full_rounds must be .*, got 11"),
    ],
)
@pytest.mark.parametrize("core", CORES)
def test_impossible_parameters(core, bad, message):
    with pytest.raises(ValueError, match=message):
        core(**bad)
