# SPDX-License-Identifier: Apache-2.0
"""The key unit: two AES keys in their places, equal ones refused; values derived by a program of calls."""

import random
from itertools import product

import pytest
from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from wideblock.rtl.aes.pipelined import PipelinedEncryption
from wideblock.rtl.keys.material import Derivation, KeyMaterial, KeyWord
from wideblock.rtl.keys.unit import KeyUnit
from wideblock.rtl.stream.behaviour import KeyRule
from wideblock.spec.aes import AES, expand_key

from ...variants import few_of_many
from ..simulated import run

pytestmark = pytest.mark.shows("stream-parts")


@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_two_keys(key_bits):
    keys = KeyWord("Key1", key_bits, "Key1"), KeyWord("Key2", key_bits, "Key2")
    dut = KeyUnit(KeyMaterial(port=keys, ciphers=keys, rule=KeyRule.HALVES_DIFFER), sbox="lut", rows=4)
    rng = random.Random(key_bits)
    size = key_bits // 8
    right = [rng.randbytes(2 * size) for _ in range(2)]
    refused = []

    async def bench(ctx):
        ctx.set(dut.idle, 1)
        ctx.set(dut.derived, 1)
        # a key, equal halves instead of it, equal halves once more with no key in place, a key
        for key in (right[0], right[0][:size] * 2, right[1][:size] * 2, right[1]):
            ctx.set(dut.key.payload, int.from_bytes(key, "little"))
            ctx.set(dut.key.valid, 1)
            while not ctx.get(dut.key.ready):
                await ctx.tick()
            await ctx.tick()
            ctx.set(dut.key.valid, 0)
            for cycle in range(60):
                if ctx.get(dut.refused):
                    refused.append((key, cycle))
                await ctx.tick()
            halves = [b"".join(expand_key(key[:size])), b"".join(expand_key(key[size:]))]
            sound = halves[0] != halves[1]
            assert ctx.get(dut.running) == sound
            expected = b"".join(halves) if sound else bytes(len(halves[0]) * 2)
            assert ctx.get(dut.round_keys) == int.from_bytes(expected, "little")

    run(dut, bench)
    assert refused == [(right[0][:size] * 2, 0), (right[1][:size] * 2, 0)]


@pytest.mark.parametrize(("count", "rule"), [(1, KeyRule.HALVES_DIFFER), (2, KeyRule.ANY), (3, KeyRule.HALVES_DIFFER)])
def test_keys_are_one_or_two_that_differ(count, rule):
    keys = tuple(KeyWord(f"K{k}", 128, "") for k in range(count))
    message = f"^a key unit takes one AES key, or two that must differ; got {count} under the rule {rule.name}$"
    with pytest.raises(ValueError, match=message):
        KeyUnit(KeyMaterial(port=keys, ciphers=keys, rule=rule), sbox="lut", rows=4)


K = KeyWord("K", 128, "the AES key")
h, L, M = KeyWord("h", 128, "the hash key"), KeyWord("L", 128, "a word"), KeyWord("M", 128, "a further word")
K2 = KeyWord("K2", 256, "the AES key")
A, B = KeyWord("A", 128, "a derived AES key"), KeyWord("B", 128, "a further one")
S = KeyWord("S", 128, "a derived key of four rounds", rounds=4)
A2, B2 = KeyWord("A2", 256, "a derived AES key of two blocks"), KeyWord("B2", 256, "a further one")
PROGRAMS = {
    "hash key alone": KeyMaterial((K,), (K,), h, (Derivation(5, K, h),)),
    "one word": KeyMaterial((K,), (K,), None, (Derivation(2, K, L),)),
    "hash key, word": KeyMaterial((K,), (K,), h, (Derivation(0, K, h), Derivation(1, K, L))),
    "words before and after the hash key": KeyMaterial(
        (K,), (K,), h, (Derivation(7, K, L), Derivation(0, K, h), Derivation(1 << 127, K, M))
    ),
    "words, hash key on the port": KeyMaterial((K, h), (K,), h, (Derivation(3, K, L), Derivation(0, K, M))),
    "AES key alone": KeyMaterial((K,), (K,), None, (Derivation(1, K, A),), expanded=(A,)),
    "AES key of four rounds": KeyMaterial(
        (K,), (K,), None, (Derivation(2, K, S), Derivation(1, K, A)), expanded=(S, A)
    ),
    "AES keys": KeyMaterial(
        (K,), (K,), h, (Derivation(0, K, h), Derivation(1, K, A), Derivation(2, K, B)), expanded=(A, B)
    ),
    "AES keys of two blocks, and a word": KeyMaterial(
        (K2,),
        (K2,),
        h,
        (
            Derivation(0, K2, h),
            *(Derivation(k, K2, word, at) for k, (word, at) in enumerate([(A2, 128), (B2, 0), (B2, 128), (A2, 0)], 1)),
            Derivation(5, K2, L),
        ),
        expanded=(A2, B2),
    ),
}


class Core(wiring.Component):
    """A key unit and the cipher that it calls, and a hash that takes ``loading`` cycles to make use of its key.

    Without a hash key it is a table that is made of each derived word anew.
    """

    def __init__(self, material, loading):
        self.unit = KeyUnit(material, sbox="lut", rows=32)
        self.cipher = PipelinedEncryption(key_bits=material.ciphers[0].bits)
        self.loading = loading
        super().__init__({"hash_key": Out(128)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.unit = unit = self.unit
        m.submodules.cipher = cipher = self.cipher
        hash_key = unit.material.hash_key
        load, value = cipher.o.valid, cipher.o.payload
        if unit.sequenced:
            m.d.comb += [unit.returned.eq(cipher.o.valid), unit.result.eq(cipher.o.payload)]
            load = unit.returned if hash_key is None else unit.returned & unit.hash_key_next
        if hash_key in unit.material.raw:
            load, value = unit.taken, unit.word(hash_key)
        left = Signal(range(self.loading + 1))
        stale = Signal()
        with m.If(load):
            m.d.sync += [self.hash_key.eq(value), left.eq(self.loading), stale.eq(0)]
        with m.Elif(left != 0):
            m.d.sync += left.eq(left - 1)
        with m.If(unit.taken & ~load & (hash_key is not None)):
            m.d.sync += stale.eq(1)
        m.d.comb += [
            cipher.round_keys.eq(unit.round_keys),
            cipher.i.valid.eq(unit.derive),
            cipher.i.payload.eq(unit.block),
            unit.idle.eq(1),
            unit.derived.eq(~stale & (left == 0)),
        ]
        return m


@pytest.mark.parametrize(
    ("name", "loading"),
    few_of_many(product(PROGRAMS, (1, 40)), [("one word", 1), ("AES keys of two blocks, and a word", 1)]),
)
def test_program(name, loading):
    """Every word is right under two keys in turn, in the cycles that are stated; zeroize leaves none of them."""
    material, rng = PROGRAMS[name], random.Random(name)
    core = Core(material, loading)
    unit, latency = core.unit, core.cipher.timing.latency

    async def bench(ctx):
        for _ in range(2):
            key = rng.randbytes(material.bits // 8)
            ctx.set(unit.key.payload, int.from_bytes(key, "little"))
            ctx.set(unit.key.valid, 1)
            while not ctx.get(unit.key.ready):
                await ctx.tick()
            await ctx.tick()
            ctx.set(unit.key.valid, 0)
            ctx.set(unit.key.payload, rng.getrandbits(material.bits))
            cycles = 1
            while not ctx.get(unit.running):
                assert cycles < 200
                await ctx.tick()
                cycles += 1
            assert cycles == unit.setup(call=latency, loading=loading)
            cipher, words = AES(key[: material.ciphers[0].bits // 8]), dict.fromkeys(material.expanded, 0)
            for d in material.derivations:
                right = int.from_bytes(cipher.encrypt(d.block.to_bytes(16, "little")), "little")
                if d.into in material.expanded:
                    words[d.into] |= right << d.at
                    continue
                assert ctx.get(core.hash_key if d.into == material.hash_key else unit.value(d.into)) == right, d.into
            for word, value in words.items():
                rounds = word.rounds or unit.expansion.rounds
                round_keys = b"".join(expand_key(value.to_bytes(word.bits // 8, "little"))[: rounds + 1])
                assert ctx.get(unit.expanded(word)) == int.from_bytes(round_keys, "little"), word
            if material.hash_key in material.raw:
                assert ctx.get(core.hash_key) == int.from_bytes(key[16:], "little")
        for _ in range(2):  # while running, and while the program runs
            ctx.set(unit.zeroize, 1)
            await ctx.tick()
            ctx.set(unit.zeroize, 0)
            await ctx.tick().repeat(unit.clearing - 2)
            assert not ctx.get(unit.key.ready)
            await ctx.tick()
            assert ctx.get(unit.key.ready)
            assert not ctx.get(unit.clear) and not ctx.get(unit.running)
            assert not any(ctx.get(unit.value(word)) for word in material.stored)
            assert not any(ctx.get(unit.expanded(word)) for word in material.expanded)
            ctx.set(unit.key.valid, 1)
            await ctx.tick()
            ctx.set(unit.key.valid, 0)
            await ctx.tick().repeat(unit.expansion.timing.latency + latency + 2)

    run(core, bench)


@pytest.mark.parametrize("announced, waits", [(True, 2), (False, 0)])
def test_a_key_that_is_not_announced_is_taken_at_once(announced, waits):
    """While idle; a core that is offered key and message at the same time needs the announcement, a cycle."""
    word = KeyWord("K", 128, "K")
    dut = KeyUnit(KeyMaterial(port=(word,), ciphers=(word,)), sbox="lut", rows=1, announced=announced)

    async def bench(ctx):
        ctx.set(dut.derived, 1)
        ctx.set(dut.key.valid, 1)
        while not ctx.get(dut.key.ready):
            await ctx.tick()
        await ctx.tick()
        ctx.set(dut.key.valid, 0)
        while not ctx.get(dut.running):
            await ctx.tick()
        ctx.set(dut.key.valid, 1)
        await ctx.tick()
        assert not ctx.get(dut.key.ready)  # a sector is under way
        ctx.set(dut.key.valid, 0)
        ctx.set(dut.idle, 1)
        await ctx.tick().repeat(2)
        ctx.set(dut.key.valid, 1)
        for _ in range(waits):
            assert not ctx.get(dut.key.ready)
            await ctx.tick()
        assert ctx.get(dut.key.ready)

    run(dut, bench)
