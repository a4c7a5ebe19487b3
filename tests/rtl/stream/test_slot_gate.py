# SPDX-License-Identifier: Apache-2.0
"""The gate behind the entrance of a core whose sectors take copies: order, places, malformed sectors, the wait."""

import random
from dataclasses import dataclass

import pytest

from wideblock.rtl.stream.entrance import Entrance
from wideblock.rtl.stream.slot_gate import SlotGate

from ..simulated import run

pytestmark = pytest.mark.shows("stream-parts")

BEATS, PLACES, SLOTS = 3, 2, {0: True, 1: True, 2: False, 3: True}
SHORT, LONG, UNKNOWN = 1, 2, 4
NUMBERS = 2 * PLACES


@dataclass
class Sector:
    slot: int
    beats: int

    @property
    def fault(self):
        wrong = SHORT if self.beats < BEATS else LONG if self.beats > BEATS else 0
        return wrong if SLOTS[self.slot] else UNKNOWN


def gate(depth=16):
    return SlotGate(
        Entrance(width=1, beats=BEATS, slots=True), places=PLACES, depth=depth, slot_bits=2, clear_row_bits=4
    )


class Bench:
    """A source, a key unit that takes ``words`` cycles to copy, and a core that takes beats and computes sectors."""

    def __init__(self, ctx, dut, sectors, *, words=5, lead=1, seed=0, offer=1.0, take=1.0, compute=1.0):
        self.ctx, self.dut, self.rng = ctx, dut, random.Random(seed)
        self.sectors, self.words, self.lead = sectors, words, lead
        self.offer, self.take, self.compute = offer, take, compute
        self.stream = [(n, k) for n, sector in enumerate(sectors) for k in range(sector.beats)]
        self.sent, self.cycle, self.accepted = 0, 0, {}
        self.fills, self.copying, self.taken, self.faults, self.begun = [], 0, [], [], []
        self.whole = self.computed = 0  # sectors that left whole, and those of them that are computed
        self.closing = 0

    async def tick(self):
        ctx, dut = self.ctx, self.dut
        valid = self.sent < len(self.stream) and self.rng.random() < self.offer
        ctx.set(dut.i.valid, valid)
        if valid:
            n, k = self.stream[self.sent]
            beat = {
                "data": 100 * n + k,
                "last": k == self.sectors[n].beats - 1,
                "slot": self.sectors[n].slot if not k else 3,
            }
            ctx.set(dut.i.payload, beat)
        ctx.set(dut.copies.filling, self.copying > 0)
        ctx.set(dut.copies.filled, self.copying == self.words - self.lead)
        ctx.set(dut.computed, self.computed % NUMBERS)
        self.closing = self.rng.randrange(len(SLOTS))
        ctx.set(dut.copies.closing, self.closing)
        ctx.set(dut.copies.wiped_place, self.rng.randrange(PLACES))
        ctx.set(dut.known, SLOTS.get(ctx.get(dut.asked), False))
        ctx.set(dut.take, ctx.get(dut.valid) and self.rng.random() < self.take)
        self.look(valid)
        await ctx.tick()
        self.cycle += 1
        if self.whole > self.computed and self.rng.random() < self.compute:
            self.computed += 1

    def look(self, valid):
        """Notes of this cycle, and the words of the gate that must hold in it."""
        ctx, dut = self.ctx, self.dut
        self.copying -= self.copying > 0
        if fault := ctx.get(dut.fault):
            self.faults.append(fault)
        if ctx.get(dut.begins):
            self.begun.append(ctx.get(dut.copies.begun))
        n, k = self.stream[self.sent] if self.sent < len(self.stream) else (0, 0)
        if k and self.sectors[n].slot == self.closing and SLOTS[self.closing] and k < BEATS:
            assert ctx.get(dut.copies.held)  # a part of it is here
        inside = {n % PLACES for n in range(self.computed, self.whole)}
        assert ctx.get(dut.copies.used) or ctx.get(dut.copies.wiped_place) not in inside
        if ctx.get(dut.copies.fill):
            assert not ctx.get(dut.copies.filling)
            self.fills.append((ctx.get(dut.copies.fill_slot), ctx.get(dut.copies.fill_place), self.computed))
            self.copying = self.words
        if ctx.get(dut.take):
            data = ctx.get(dut.x).data[0]
            n, k = divmod(data, 100)
            assert ctx.get(dut.number) == k
            if not k:
                assert self.fills[-1][0] == self.sectors[n].slot and self.copying < self.words - self.lead
            self.taken.append((n, k))
            self.whole += k == BEATS - 1 and not ctx.get(dut.spoiled)
            assert bool(ctx.get(dut.spoiled)) == (
                self.sectors[n].fault > 0 and k == min(self.sectors[n].beats, BEATS) - 1
            )
        if valid and ctx.get(dut.i.ready):
            n, k = self.stream[self.sent]
            self.accepted.setdefault(n, self.cycle)
            self.sent += 1

    async def play(self):
        for _ in range(60 * len(self.stream)):
            await self.tick()
            if len(self.faults) + self.whole == len(self.sectors) and self.sent == len(self.stream):
                return
        raise AssertionError(f"stuck with {self.sent} of {len(self.stream)} beats taken")

    def assert_right(self):
        offered = [sector for sector in self.sectors if SLOTS[sector.slot] and not (sector.fault and sector.beats == 1)]
        right = [sector for sector in self.sectors if not sector.fault]
        starts = [n for n, sector in enumerate(self.sectors) if sector in offered]
        cut = [(n, k) for n, sector in enumerate(self.sectors) if n in starts for k in range(min(sector.beats, BEATS))]
        assert self.taken == cut
        assert self.faults == [sector.fault for sector in self.sectors if sector.fault]
        assert self.begun == [sector.slot for sector in right]
        number = 0
        for n, (slot, place, computed) in zip(starts, self.fills, strict=True):
            assert (slot, place) == (self.sectors[n].slot, number % PLACES) and number < computed + PLACES
            number += not self.sectors[n].fault


@pytest.mark.parametrize(("offer", "take", "compute"), [(1, 1, 1), (1, 0.3, 0.1), (0.5, 1, 0.05), (0.7, 0.7, 0.3)])
@pytest.mark.parametrize("depth", [4, 16])
def test_sectors_wait_for_their_copies_in_their_order(depth, offer, take, compute):
    """Whole ones have the places in turn; a malformed one gives its place to the next, one of no slot has none."""
    dut, rng = gate(depth), random.Random(depth)
    sectors = [Sector(rng.choice([*SLOTS]), rng.choice([BEATS] * 4 + [1, 2, 4, 5])) for _ in range(60)]

    async def bench(ctx):
        b = Bench(ctx, dut, sectors, seed=depth, offer=offer, take=take, compute=compute)
        await b.play()
        b.assert_right()
        for _ in range(20):  # at last nothing is held
            await b.tick()
            assert not ctx.get(dut.copies.held)

    run(dut, bench)


def test_a_sector_alone_waits_as_stated():
    dut = gate()

    async def bench(ctx):
        for lead in (0, 1, 3):
            b = Bench(ctx, dut, [Sector(1, BEATS)], lead=lead, words=5)
            b.computed = b.whole = ctx.get(dut.computed)
            while not b.taken:
                await b.tick()
            assert b.cycle - 1 - b.accepted[0] == 1 + dut.wait + lead
            while len(b.taken) < BEATS:
                await b.tick()
            for _ in range(8):
                await b.tick()

    run(dut, bench)


def test_clear_forgets_and_the_rest_of_a_sector_that_it_cut_is_dropped():
    dut = gate()

    async def bench(ctx):
        b = Bench(ctx, dut, [Sector(1, BEATS)] * 3)
        while b.sent != BEATS + 1:
            await b.tick()
        ctx.set(dut.clear, 1)
        for row in range(16):
            ctx.set(dut.i.valid, 0)
            ctx.set(dut.clear_row, row)
            assert not ctx.get(dut.valid) and not ctx.get(dut.copies.fill)
            await ctx.tick()
        ctx.set(dut.clear, 0)
        after = Bench(ctx, dut, b.sectors)
        after.sent, after.sectors = b.sent, b.sectors
        while len(after.taken) < BEATS:
            await after.tick()
        assert after.taken == [(2, k) for k in range(BEATS)] and after.fills[0][:2] == (1, 0) and not after.faults

    run(dut, bench)
