# SPDX-License-Identifier: Apache-2.0
"""AXI4-Lite as pulses: every order of the channels, back-pressure, refusals, cycles, and no word that stays."""

import random
from collections import deque

import pytest
from amaranth import Value

from wideblock.rtl.bus.axi_lite import OKAY, SLVERR, AxiLite, axi_lite_channels
from wideblock.rtl.bus.registers import Access, Register, RegisterField, RegisterMap
from wideblock.rtl.stream.interface import Interface

from ..simulated import run

pytestmark = pytest.mark.shows("registers")

WORD = (RegisterField("WORD", 0, 32, Access.RW, "a word"),)
REGISTERS = RegisterMap("TOY", "", (Register("A", 0, "", WORD, count=3), Register("B", 0x20, "", WORD)))
MAPPED = {0, 4, 8, 0x20}
REFUSED = 2  # address in words of the register that refuses odd words


class Bus:
    """Masters of the five channels that pause at random, and registers of which each is a word with strobes.

    ``words`` are written in place by ``write``, ``responses`` and ``read`` collect what comes back, in order.
    """

    def __init__(self, dut, *, seed=0, pause=0.0, stall=0.0):
        self.dut, self.rng, self.pause, self.stall = dut, random.Random(seed), pause, stall
        self.aw, self.w, self.ar = deque(), deque(), deque()
        self.responses, self.read, self.cycle = [], [], 0
        self.words = dict.fromkeys((offset >> 2 for offset in MAPPED), 0)
        self.accepted, self.answered, self.pulses = {}, {}, []
        self.pending, self.offered = {}, {}

    async def play(self, ctx, cycles):
        for _ in range(cycles):
            await self.tick(ctx)

    async def tick(self, ctx):
        dut = self.dut
        for name, waiting in (("aw", self.aw), ("w", self.w), ("ar", self.ar)):
            channel = getattr(dut, name)
            if waiting and name not in self.offered and self.rng.random() >= self.pause:
                self.offered[name] = waiting.popleft()
                for field, value in self.offered[name].items():
                    ctx.set(channel.payload[field], value)
            ctx.set(channel.valid, name in self.offered)
        for name in ("b", "r"):
            ctx.set(getattr(dut, name).ready, self.rng.random() >= self.stall)
        self.registers(ctx)
        for name in ("aw", "w", "ar"):
            if name in self.offered and ctx.get(getattr(dut, name).ready):
                del self.offered[name]
                self.accepted.setdefault(name, []).append(self.cycle)
        for name in ("b", "r"):
            self.result(ctx, name)
        await ctx.tick()
        self.cycle += 1

    def registers(self, ctx):
        """Takes pulses; the word of a read is there in its cycle alone, a wrong one in all others."""
        access = self.dut.access
        if ctx.get(access.write):
            address, data, strobe = (
                ctx.get(getattr(access, f"write_{name}")) for name in ("address", "data", "strobe")
            )
            ctx.set(access.refused, address == REFUSED and data & 1)
            if address == REFUSED and data & 1:
                strobe = 0
            mask = sum(0xFF << 8 * n for n in range(4) if strobe >> n & 1)
            self.words[address] = self.words[address] & ~mask | data & mask
            self.pulses.append(self.cycle)
        else:
            assert not any(ctx.get(getattr(access, f"write_{name}")) for name in ("address", "data", "strobe"))
            ctx.set(access.refused, self.rng.getrandbits(1))  # counts in the cycle of a write alone
        if ctx.get(access.read):
            self.pending[self.cycle + self.dut.latency] = self.words[ctx.get(access.read_address)]
        ctx.set(access.read_data, self.pending.get(self.cycle, 0xDEADBEEF))

    def result(self, ctx, name):
        channel = getattr(self.dut, name)
        payload = ctx.get(Value.cast(channel.payload))
        if not ctx.get(channel.valid):
            assert payload == 0 and name not in self.answered
            return
        assert self.answered.setdefault(name, payload) == payload  # stable until accepted
        if ctx.get(channel.ready):
            del self.answered[name]
            (self.read if name == "r" else self.responses).append(
                (ctx.get(channel.payload.data), ctx.get(channel.payload.resp)) if name == "r" else payload
            )

    def write(self, address, data, strobe=0xF):
        self.aw.append({"addr": address, "prot": self.rng.randrange(8)})
        self.w.append({"data": data, "strb": strobe})

    def ask(self, address):
        self.ar.append({"addr": address, "prot": self.rng.randrange(8)})


@pytest.mark.parametrize("latency", [0, 1, 3])
@pytest.mark.parametrize("pause, stall, seed", [(0.0, 0.0, 1), (0.6, 0.0, 2), (0.0, 0.7, 3), (0.5, 0.5, 4)])
def test_random_accesses_have_the_effect_of_registers_with_strobes(latency, pause, stall, seed):
    print(f"seed {seed}")
    dut, rng = AxiLite(REGISTERS, latency=latency), random.Random(seed)
    bus = Bus(dut, seed=seed, pause=pause, stall=stall)
    model, responses = dict.fromkeys((offset >> 2 for offset in MAPPED), 0), []

    async def bench(ctx):
        for _ in range(60):
            address, data, strobe = rng.randrange(0x40), rng.getrandbits(32), rng.randrange(16)
            bus.write(address, data, strobe)
            effect = address & ~3 in MAPPED and not (address >> 2 == REFUSED and data & 1)
            responses.append(OKAY if effect else SLVERR)
            if effect:
                mask = sum(0xFF << 8 * n for n in range(4) if strobe >> n & 1)
                model[address >> 2] = model[address >> 2] & ~mask | data & mask
        for _ in range(4000):
            if len(bus.responses) < len(responses):
                await bus.tick(ctx)
        assert bus.responses == responses and bus.words == model
        asked = [rng.randrange(0x40) for _ in range(60)]
        for address in asked:
            bus.ask(address)
        for _ in range(4000):
            if len(bus.read) < len(asked):
                await bus.tick(ctx)
        assert bus.read == [(model[a >> 2], OKAY) if a & ~3 in MAPPED else (0, SLVERR) for a in asked]
        assert 0 < responses.count(OKAY) < 60 and any(model.values())

    run(dut, bench)


@pytest.mark.parametrize("first", ["aw", "w"])
def test_address_and_word_come_in_any_order(first):
    dut = AxiLite(REGISTERS)
    bus = Bus(dut)

    async def bench(ctx):
        bus.write(4, 0x12345678)
        later = "w" if first == "aw" else "aw"
        kept = getattr(bus, later).popleft()
        await bus.play(ctx, 10)
        # a word waits at the master until there is an address
        assert bus.accepted == ({"aw": [0]} if first == "aw" else {}) and bus.pulses == [] and bus.responses == []
        getattr(bus, later).append(kept)
        await bus.play(ctx, 5)
        assert bus.words[1] == 0x12345678 and bus.pulses == [bus.accepted["w"][0] + 1] and bus.responses == [OKAY]

    run(dut, bench)


@pytest.mark.parametrize("latency", [0, 1, 2])
def test_cycles_are_those_stated(latency):
    dut = AxiLite(REGISTERS, latency=latency)
    bus = Bus(dut)

    async def bench(ctx):
        seen = {"b": [], "r": []}
        for _ in range(4):
            bus.write(0, 1)
            bus.ask(4)
        for _ in range(40):
            for name, cycles in seen.items():
                if ctx.get(getattr(dut, name).valid):
                    cycles.append(bus.cycle)
            await bus.tick(ctx)
        timing = dut.timing
        taken = bus.accepted
        assert [b - aw for aw, b in zip(taken["w"], seen["b"], strict=True)] == [timing.write] * 4
        assert [b - a for a, b in zip(taken["w"], taken["w"][1:], strict=False)] == [timing.interval] * 3
        assert seen["r"][0] - taken["ar"][0] == timing.read
        assert [b - a for a, b in zip(seen["r"], seen["r"][1:], strict=False)] == [timing.between] * 3

    run(dut, bench)


def test_a_word_stays_for_one_cycle_alone():
    """No register of the slave holds it before its effect or after, however long its response waits."""
    dut = AxiLite(REGISTERS)
    bus = Bus(dut, stall=1.0)

    async def bench(ctx):
        for value in (0x11111111, 0x22222222):
            bus.write(0, value)
        await bus.play(ctx, 12)
        assert len(bus.pulses) == len(bus.accepted["w"]) == 1 and bus.words[0] == 0x11111111
        bus.stall = 0.0
        await bus.play(ctx, 6)
        assert bus.words[0] == 0x22222222 and bus.responses == [OKAY, OKAY]

    run(dut, bench)


def test_channels_have_names_of_their_own():
    named = Interface((*axi_lite_channels("", 6), *axi_lite_channels("key", 8)), ())
    assert set(named.members()) == {*("aw", "w", "b", "ar", "r"), *("key_aw", "key_w", "key_b", "key_ar", "key_r")}
    assert named.channel("key_ar").field("addr").width == 8
    with pytest.raises(ValueError, match="0 or more cycles, got -1"):
        AxiLite(REGISTERS, latency=-1)
