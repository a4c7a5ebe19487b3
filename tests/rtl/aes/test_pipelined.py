# SPDX-License-Identifier: Apache-2.0
"""The pipelined cores against the `cryptography` package and FIPS 197, with their latency measured."""

import random
from itertools import product

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from wideblock.rtl.aes.forms import GATES, KINDS
from wideblock.rtl.aes.pipelined import PipelinedDecryption, PipelinedEitherWay, PipelinedEncryption
from wideblock.rtl.aes.rounds import cut_places
from wideblock.spec.aes import expand_key

from ...variants import few_of_many
from ..simulated import Simulator

pytestmark = pytest.mark.shows("aes-cores")

STAGES = (1, 2, 3, 4)
# FIPS 197, appendix C
PLAIN = bytes.fromhex("00112233445566778899aabbccddeeff")
CIPHER = {
    128: bytes.fromhex("69c4e0d86a7b0430d8cdb78070b4c55a"),
    192: bytes.fromhex("dda97ca4864cdfe06eaf70a0ec0d7191"),
    256: bytes.fromhex("8ea2b7ca516745bfeafc49904b496089"),
}


def oracle(key, data, decrypt):
    cipher = Cipher(algorithms.AES(key), modes.ECB())
    return (cipher.decryptor() if decrypt else cipher.encryptor()).update(data)


def check(dut, *, decrypt=False, valid=(1, 1, 0, 1)):
    """Sends the FIPS vector and random blocks under the FIPS key, with gaps; checks values and cycle of each result.

    Where there are two key sets, the second is the key turned around, and every other block goes under it.
    """
    size = 16 * dut.lanes
    rng = random.Random(f"{dut.key_bits}{dut.round_stages}{dut.sbox}")
    key = bytes(range(dut.key_bits // 8))
    first, last = (CIPHER[dut.key_bits], PLAIN) if decrypt else (PLAIN, CIPHER[dut.key_bits])
    beats = [first * dut.lanes] + [rng.randbytes(size) for _ in range(sum(valid) - 1)]
    assert oracle(key, first, decrypt) == last
    keys = [key, key[::-1]][: dut.key_sets]
    sent, got, ahead = [], [], None

    async def bench(ctx):
        nonlocal ahead
        ctx.set(dut.round_keys, int.from_bytes(b"".join(b"".join(expand_key(k)) for k in keys), "little"))
        for cycle in range(len(valid) + dut.timing.latency + 1):
            offered = cycle < len(valid) and valid[cycle]
            ctx.set(dut.i.valid, offered)
            ctx.set(dut.i.payload, rng.getrandbits(8 * size))  # what is not valid must not matter
            if offered:
                ctx.set(dut.i.payload, int.from_bytes(beats[len(sent)], "little"))
                if dut.key_sets == 2:
                    ctx.set(dut.second, len(sent) % 2)
                sent.append(cycle)
            if ctx.get(dut.o.valid):
                got.append((cycle, ctx.get(dut.o.payload).to_bytes(size, "little")))
                assert ahead in (None, ctx.get(dut.o.payload))
            if "ahead" in dut.signature.members:
                ahead = ctx.get(dut.ahead)
            await ctx.tick()

    sim = Simulator(dut)
    sim.add_clock(1e-8)
    sim.add_testbench(bench)
    sim.run()
    expected = [oracle(keys[k % len(keys)], beat, decrypt) for k, beat in enumerate(beats)]
    assert got == [(cycle + dut.timing.latency, beat) for cycle, beat in zip(sent, expected, strict=True)]


@pytest.mark.parametrize("round_stages, sbox", few_of_many(product((1, 2), KINDS), [(2, "bram")]))
def test_result_a_cycle_ahead(round_stages, sbox):
    dut = PipelinedEncryption(round_stages=round_stages, sbox=sbox, lanes=2, ahead=True)
    check(dut)
    assert "ahead" not in PipelinedEncryption().signature.members


@pytest.mark.parametrize(
    "key_bits, round_stages, sbox",
    few_of_many(
        [
            *product((128,), STAGES, KINDS),
            *zip((192,) * 4, STAGES, KINDS, strict=True),
            *zip((256,) * 4, STAGES, KINDS, strict=True),
        ],
        [(192, 3, "norm"), (256, 1, "lut")],
    ),
)
def test_encryption(key_bits, round_stages, sbox):
    dut = PipelinedEncryption(key_bits=key_bits, round_stages=round_stages, sbox=sbox)
    assert dut.timing.latency == 1 + {128: 10, 192: 12, 256: 14}[key_bits] * round_stages and dut.timing.interval == 1
    check(dut)


@pytest.mark.parametrize(
    "key_bits, round_stages, sbox",
    few_of_many(
        [
            (128, 1, "lut"),
            (128, 1, "composite"),
            (128, 1, "bram"),
            (128, 2, "composite"),
            (128, 2, "bram"),
            (128, 3, "lut"),
            (128, 3, "bram"),
            (128, 4, "lut"),
            (128, 4, "composite"),
            (128, 4, "bram"),
            (128, 2, "norm"),
            (192, 1, "lut"),
            (256, 1, "composite"),
            (256, 2, "lut"),
            (256, 4, "norm"),
        ],
        [(128, 2, "bram"), (192, 1, "lut")],
    ),
)
def test_decryption(key_bits, round_stages, sbox):
    check(PipelinedDecryption(key_bits=key_bits, round_stages=round_stages, sbox=sbox), decrypt=True)


@pytest.mark.parametrize("sbox", few_of_many(KINDS, ["composite"]))
def test_lanes(sbox):
    check(PipelinedEncryption(round_stages=2, sbox=sbox, lanes=2))


@pytest.mark.parametrize(
    "key_bits, round_stages, sbox, lanes",
    few_of_many(
        [(128, 1, "lut", 1), (128, 1, "bram", 2), (128, 2, "bram", 1), (256, 3, "composite", 1), (128, 4, "lut", 2)],
        [(128, 1, "bram", 2)],
    ),
)
def test_two_key_sets(key_bits, round_stages, sbox, lanes):
    dut = PipelinedEncryption(key_bits=key_bits, round_stages=round_stages, sbox=sbox, lanes=lanes, key_sets=2)
    check(dut, valid=(1, 1, 1, 0, 1, 0, 0, 1))


def test_key_sets_are_for_encryption():
    with pytest.raises(ValueError, match="^key_sets must be 1 or 2, got 3$"):
        PipelinedEncryption(key_sets=3)
    with pytest.raises(ValueError, match="^key_sets must be 1 to decrypt, got 2$"):
        PipelinedDecryption(key_sets=2)


@pytest.mark.parametrize(
    "sbox, key_bits, round_stages",
    few_of_many(
        ((sbox, *sizes) for sbox in GATES for sizes in ((128, 1), (192, 1), (256, 2), (128, 4))),
        [("norm", 192, 1)],
    ),
)
def test_either_way(sbox, key_bits, round_stages):
    """Blocks of both directions, mixed: each is as if it were alone."""
    lanes = 2 if (round_stages, sbox) == (1, "lut") else 1
    dut = PipelinedEitherWay(key_bits=key_bits, round_stages=round_stages, sbox=sbox, lanes=lanes)
    rng = random.Random(f"{key_bits}{round_stages}{sbox}")
    key = bytes(range(key_bits // 8))
    beats = [(PLAIN * lanes, False), (CIPHER[key_bits] * lanes, True)]
    beats += [(rng.randbytes(16 * lanes), way) for way in (False, False, True, False, True, True)]
    got = []

    async def bench(ctx):
        ctx.set(dut.round_keys, int.from_bytes(b"".join(expand_key(key)), "little"))
        for cycle in range(len(beats) + dut.timing.latency):
            ctx.set(dut.i.valid, cycle < len(beats))
            if cycle < len(beats):
                ctx.set(dut.i.payload, int.from_bytes(beats[cycle][0], "little"))
                ctx.set(dut.decrypt, beats[cycle][1])
            if ctx.get(dut.o.valid):
                got.append((cycle, ctx.get(dut.o.payload).to_bytes(16 * lanes, "little")))
            await ctx.tick()

    sim = Simulator(dut)
    sim.add_clock(1e-8)
    sim.add_testbench(bench)
    sim.run()
    expected = [oracle(key, beat, way) for beat, way in beats]
    assert expected[:2] == [CIPHER[key_bits] * lanes, PLAIN * lanes]
    assert got == [(cycle + dut.timing.latency, beat) for cycle, beat in enumerate(expected)]


def test_no_result_without_input():
    check(PipelinedEncryption(sbox="composite"), valid=(0, 0, 1, 0))


@pytest.mark.parametrize(
    "bad, message",
    [
        ({"key_bits": 160}, "one of 128, 192, 256, got 160"),
        ({"round_stages": 0}, "1, 2, 3 or 4, got 0"),
        ({"round_stages": 5}, "1, 2, 3 or 4, got 5"),
        ({"sbox": "table"}, "lut, composite, norm(, bram)?, got 'table'"),
        ({"lanes": 0}, "1 or more, got 0"),
    ],
)
@pytest.mark.parametrize("core", [PipelinedEncryption, PipelinedDecryption, PipelinedEitherWay])
def test_impossible_parameters(core, bad, message):
    with pytest.raises(ValueError, match=message):
        core(**bad)


def test_cut_places():
    assert cut_places([4, 1, 2], 1) == {2}
    assert cut_places([4, 1, 2], 2) == {0, 2}
    assert cut_places([1, 1, 1, 1], 2) == {1, 3}
    assert cut_places([2, 3, 1, 2, 2, 1, 2], 7) == set(range(7))
    with pytest.raises(ValueError, match="from 1 to 3, got 4"):
        cut_places([1, 1, 1], 4)
