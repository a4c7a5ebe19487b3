# SPDX-License-Identifier: Apache-2.0
"""The key unit of a core with slots: commands, their cycles and faults, and the wait of an eviction."""

import random

import pytest

from wideblock.rtl.keys.material import KeyMaterial, KeyWord
from wideblock.rtl.keys.slots import SlotUnit
from wideblock.rtl.stream.behaviour import KeyRule
from wideblock.spec.aes import expand_key

from ..simulated import run

pytestmark = pytest.mark.shows("stream-parts")

WORDS = KeyWord("A", 128, "A"), KeyWord("B", 128, "B")
MATERIAL = KeyMaterial(port=WORDS, ciphers=WORDS, rule=KeyRule.HALVES_DIFFER)
WAYS = [(False,), (True,), (False, True)]
SLOTS = 5


def unit(ways=(False,)):
    return SlotUnit(MATERIAL, slots=SLOTS, ways=ways, sbox="lut", rows=4, most=20)


class Bench:
    """Plays commands; ``first`` and ``second`` are the rows as they were written."""

    def __init__(self, ctx, dut):
        self.ctx, self.dut, self.first, self.second = ctx, dut, {}, {}

    async def tick(self):
        ctx, dut = self.ctx, self.dut
        if ctx.get(dut.writing):
            self.first[ctx.get(dut.row0)] = ctx.get(dut.data0)
            self.second[ctx.get(dut.row1)] = ctx.get(dut.data1)
        await ctx.tick()

    async def cleared(self):
        cycles = 0
        while self.ctx.get(self.dut.clear):
            assert not self.ctx.get(self.dut.key.ready)
            await self.tick()
            cycles += 1
        return cycles

    async def command(self, slot, key, *, evict=False):
        """Cycles until it is accepted, and the faults in the cycle after that."""
        ctx, dut, cycles = self.ctx, self.dut, 0
        ctx.set(dut.slot, slot)
        ctx.set(dut.evict, evict)
        ctx.set(dut.key.payload, key)
        ctx.set(dut.key.valid, 1)
        while not ctx.get(dut.key.ready):
            await self.tick()
            cycles += 1
            assert cycles < 100
        await self.tick()
        ctx.set(dut.key.valid, 0)
        return cycles, ctx.get(dut.refused), ctx.get(dut.misplaced)

    def known(self):
        found = []
        for slot in (*range(SLOTS + 4), 1 << 15, 0xFFFF):
            self.ctx.set(self.dut.asked, slot)
            if self.ctx.get(self.dut.known):
                found.append(slot)
        return found


def last_keys(key):
    return int.from_bytes(expand_key(key.to_bytes(16, "little"))[-1], "little")


@pytest.mark.parametrize("ways", WAYS)
def test_loads_and_evictions(ways):
    dut, rng = unit(ways), random.Random(1)
    key1, key2 = rng.getrandbits(128), rng.getrandbits(128)
    key = key1 | key2 << 128
    rows = {False: {3: key1}, True: {3: last_keys(key1)}}
    right = rows[ways[0]] if len(ways) == 1 else {3: key1, 3 + 8: last_keys(key1)}
    load = dut.load
    assert load == (2 if ways == (False,) else 21)

    async def bench(ctx):
        b = Bench(ctx, dut)
        assert await b.cleared() == 2 * dut.rows
        assert b.known() == []
        assert await b.command(3, key) == (load, 0, 0)
        assert b.known() == [3] and b.first == right and b.second == {3: key2}
        assert await b.command(3, key ^ 1) == (1, 0, 1)  # it has a key
        assert await b.command(4, key1 | key1 << 128) == (1, 1, 0)  # equal halves
        assert await b.command(SLOTS, key) == (1, 0, 1)
        assert await b.command(3 | 1 << 15, key, evict=True) == (1, 0, 1)
        assert await b.command(0, key, evict=True) == (1, 0, 1)  # it has none
        assert b.known() == [3] and b.first == right
        assert await b.command(3, key1 | key1 << 128, evict=True) == (1, 0, 0)
        assert b.known() == []
        assert (await b.command(3, key ^ 1))[1:] == (0, 0)
        assert b.known() == [3] and b.second == {3: key2}

    run(dut, bench)


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("units", [(), (1,), (1, 1, 1), (2, 1, 0), (1, 3, 3, 2), (3, 2), (3,) * 12])
def test_an_eviction_waits_for_the_messages_of_its_slot_alone(units, together):
    """It ends once the newest of them is computed; those of other slots may wait for ever. ``units`` are the slots.

    ``together``: a message is computed in each cycle from the eviction on, else one at a time, long after.
    """
    dut = unit()
    needed = len(units) - units[::-1].index(1) if 1 in units else 0

    async def bench(ctx):
        b = Bench(ctx, dut)
        await b.cleared()
        await b.command(1, 1)
        for _ in range(3):  # the ring is somewhere
            for pin in (dut.begins, dut.computed):
                ctx.set(pin, 1)
                await b.tick()
                ctx.set(pin, 0)
        for slot in units:
            ctx.set(dut.asked, slot)
            ctx.set(dut.begins, 1)
            await b.tick()
        ctx.set(dut.begins, 0)
        done = 0
        assert (await b.command(1, 0, evict=True))[0] == 1
        ctx.set(dut.asked, 2)  # of another slot, behind it
        ctx.set(dut.begins, 1)
        ctx.set(dut.computed, together and done < len(units))
        await b.tick()
        ctx.set(dut.begins, 0)
        done += together and len(units) > 0
        while done < needed:
            if not together:
                for _ in range(len(units) + 3):
                    await b.tick()
            assert b.first == {1: 1}, done
            ctx.set(dut.computed, 1)
            await b.tick()
            ctx.set(dut.computed, 0)
            done += 1
        for _ in range(len(units) + 3):
            await b.tick()
        assert b.first == {1: 0} and b.second == {1: 0}

    run(dut, bench)


@pytest.mark.parametrize("damage", [False, True])
@pytest.mark.parametrize("ways", WAYS)
def test_zeroize_in_each_cycle_of_a_load(ways, damage):
    """No slot has a key then, no state is left, and the command is played anew."""
    dut = unit(ways)

    async def bench(ctx):
        b = Bench(ctx, dut)
        await b.cleared()
        await b.command(0, 5)
        for moment in range(dut.load + 3):
            ctx.set(dut.slot, 2)
            ctx.set(dut.evict, 0)
            ctx.set(dut.key.payload, 7)
            ctx.set(dut.key.valid, 1)
            for _ in range(moment):
                await b.tick()
            event = dut.damaged if damage else dut.zeroize
            ctx.set(event, 1)
            await b.tick()
            ctx.set(event, 0)
            assert await b.cleared() == 2 * dut.rows and b.known() == []
            assert await b.command(2, 7) == (dut.load, 0, 0)
            assert b.known() == [2]

    run(dut, bench)


def test_other_keys_are_refused():
    one = KeyMaterial(port=WORDS[:1], ciphers=WORDS[:1])
    with pytest.raises(ValueError, match="^slots hold two AES keys that must differ; got A$"):
        SlotUnit(one, slots=4, ways=(False,), sbox="lut", rows=4, most=4)
