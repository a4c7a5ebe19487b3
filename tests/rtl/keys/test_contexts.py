# SPDX-License-Identifier: Apache-2.0
"""The key unit of a core whose sectors take copies: rows of a slot, the words of a sector, evictions, damage."""

import random

import pytest

from wideblock.rtl.keys.context import Context
from wideblock.rtl.keys.contexts import ContextUnit
from wideblock.rtl.keys.material import Derivation, KeyMaterial, KeyWord
from wideblock.rtl.stream.behaviour import KeyRule
from wideblock.spec import gf128
from wideblock.spec.aes import AES, expand_key

from ..simulated import run

pytestmark = pytest.mark.shows("stream-parts")

SLOTS, PLACES, INTERVAL = 5, 4, 12
A, OWN, TAU = KeyWord("A", 256, "the AES key"), KeyWord("B", 128, "a word"), KeyWord("tau", 128, "the hash key")
MATERIAL = KeyMaterial(port=(A, OWN), ciphers=(A,), hash_key=TAU, derivations=(Derivation(5, A, TAU),))
POWERS = {1: 9, 2: 2, 4: 3, 8: 4}


def context(used=((A, 20), (OWN, 0))):
    return Context.of(MATERIAL, used=dict(used), powers=POWERS, inverse=20)


def unit(**more):
    fixed = {"slots": SLOTS, "places": PLACES, "interval": INTERVAL, "sbox": "lut", "rows": 4}
    return ContextUnit(MATERIAL, context(), **(fixed | more))


def int_of(data):
    return int.from_bytes(data, "little")


def words(key):
    """The words that a sector takes under a key, in the order of their first use."""
    a, own = key[:32], key[32:]
    last = b"".join(expand_key(a)[:-3:-1])
    tau = int_of(AES(a).encrypt((5).to_bytes(16, "little")))
    powers = [gf128.power(tau, e) for e in POWERS]
    return [int_of(own), *powers, *(int_of(each) for each in (a[:16], a[16:], last[:16], last[16:]))]


class Bench:
    """Plays commands and copies; ``places`` are the words as they were written last."""

    def __init__(self, ctx, dut):
        self.ctx, self.dut, self.places = ctx, dut, {}

    async def tick(self):
        ctx, dut = self.ctx, self.dut
        if ctx.get(dut.write):
            self.places[ctx.get(dut.place), ctx.get(dut.word)] = ctx.get(dut.data)
        await ctx.tick()

    async def cleared(self):
        cycles = 0
        while self.ctx.get(self.dut.clear):
            await self.tick()
            cycles += 1
        return cycles

    async def command(self, slot, key=b"", *, evict=False):
        """Cycles until it is accepted, and whether it was misplaced."""
        ctx, dut, cycles = self.ctx, self.dut, 0
        for pin, value in ((dut.slot, slot), (dut.evict, evict), (dut.key.payload, int_of(key)), (dut.key.valid, 1)):
            ctx.set(pin, value)
        while not ctx.get(dut.key.ready):
            await self.tick()
            cycles += 1
            assert cycles < 400
        await self.tick()
        ctx.set(dut.key.valid, 0)
        return cycles, ctx.get(dut.misplaced)

    async def fill(self, slot, place):
        """Cycles from the request to ``filled``, and to the last word."""
        ctx, dut, cycles, filled = self.ctx, self.dut, 0, None
        for pin, value in ((dut.copies.fill_slot, slot), (dut.copies.fill_place, place), (dut.copies.fill, 1)):
            ctx.set(pin, value)
        await self.tick()
        ctx.set(dut.copies.fill, 0)
        while ctx.get(dut.copies.filling):
            cycles += 1
            filled = cycles if ctx.get(dut.copies.filled) else filled
            await self.tick()
        return filled, cycles

    def copied(self, place):
        return [self.places[place, word] for word in range(len(self.dut.context.words))]


def test_words_come_in_the_order_of_their_use():
    made = context()
    assert [made.rows[word.row].word.name if word.row is not None else word.power for word in made.words] == [
        *("B", "tau", 2, 4, 8),
        *("A", "A", "A", "A"),
    ]
    assert made.powers == (1, 2, 4, 8)
    assert (
        made.lead == 0 and made.places(OWN) == [0] and made.places(A) == [5, 6] and made.places(A, last=True) == [7, 8]
    )


def test_a_power_is_a_square_unless_a_sector_would_begin_later():
    def made(powers):
        context = Context.of(MATERIAL, used={OWN: 1}, powers=powers)
        words = [(word.power, word.row) for word in context.words]
        return words, context.lead, [(step.making.name, step.row) for step in context.steps]

    assert made({1: 9, 2: 0}) == ([(2, 0), (None, 1), (1, 2)], 0, [("WORD", 2), ("SQUARE", 0), ("WORD", 1)])
    words, lead, steps = made({8: 1, 1: 7, 2: 7, 3: 5, 6: 5, 9: 5})
    assert lead == 0 and words == [(None, 0), (8, 1), (3, 2), (6, None), (9, 3), (1, 4), (2, None)]
    product, square = ("PRODUCT", None), ("SQUARE", None)
    powers = [("WORD", 4), square, ("PRODUCT", 2), square, product, ("PRODUCT", 1), ("PRODUCT", 3)]
    assert steps == [("WORD", 0), *powers]


def test_powers_that_no_squares_make_are_derived():
    """A hash key of the port, whose first power is no row of its own place; nothing of them stays once it is loaded."""
    tau = KeyWord("tau", 128, "the hash key")
    material = KeyMaterial(port=(A, tau), ciphers=(A,), hash_key=tau)
    made = Context.of(material, used={A: 1}, powers={7: 0, 3: 1, 6: 1, 16: 2})
    dut = ContextUnit(material, made, slots=2, places=2, interval=12, sbox="lut", rows=4)
    key = random.Random(4).randbytes(48)

    async def bench(ctx):
        b = Bench(ctx, dut)
        await b.cleared()
        assert await b.command(1, key) == (dut.load, 0)
        await b.fill(1, 0)
        powers = {e: gf128.power(int_of(key[32:]), e) for e in (3, 6, 7, 16)}
        halves = [int_of(key[:16]), int_of(key[16:32])]
        assert {word.power: value for word, value in zip(made.words, b.copied(0), strict=True) if word.power} == powers
        assert [b.copied(0)[place] for place in made.places(A)] == halves

    run(dut, bench)


def test_contexts_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="9 words take longer than an interval of 9 cycles"):
        unit(interval=9)
    halves = KeyMaterial(port=(A,), ciphers=(A,), rule=KeyRule.HALVES_DIFFER)
    with pytest.raises(ValueError, match="one AES key of any value"):
        ContextUnit(halves, context(), slots=2, places=2, interval=20, sbox="lut", rows=4)


def test_loads_copies_and_evictions():
    dut, rng = unit(), random.Random(1)
    keys = {slot: rng.randbytes(48) for slot in (0, 3, 4)}

    async def bench(ctx):
        b = Bench(ctx, dut)
        assert await b.cleared() == dut.clearing - 1
        for slot, key in keys.items():
            assert await b.command(slot, key) == (dut.load, 0)
        for slot in (SLOTS, 1 << 15):
            assert await b.command(slot, rng.randbytes(48)) == (1, 1)
        assert await b.command(3, keys[0]) == (1, 1) and await b.command(1, evict=True) == (1, 1)
        for place, slot in enumerate((3, 0, 4, 3)):
            assert await b.fill(slot, place) == (1 + dut.context.lead, len(dut.context.words))
            assert b.copied(place) == words(keys[slot])
        ctx.set(dut.asked, 3)
        assert ctx.get(dut.known)
        assert await b.command(3, evict=True) == (1, 0)
        assert not ctx.get(dut.known)
        cycles = 0
        while any(b.copied(place) != [0] * 9 for place in range(PLACES)):
            await b.tick()
            cycles += 1
            assert cycles <= dut.overwriting
        assert (await b.command(3, keys[4]))[1] == 0  # accepted as soon as the eviction is through
        assert await b.fill(3, 1) == (1 + dut.context.lead, 9) and b.copied(1) == words(keys[4])

    run(dut, bench)


def test_an_eviction_leaves_places_alone_that_are_used_and_waits_for_its_own_sectors():
    dut, rng = unit(), random.Random(2)
    mine, other = rng.randbytes(48), rng.randbytes(48)

    async def bench(ctx):
        b = Bench(ctx, dut)
        await b.cleared()
        await b.command(1, mine)
        await b.command(2, other)
        for place, slot in enumerate((1, 2, 1)):
            await b.fill(slot, place)
        ctx.set(dut.copies.begun, 1)
        ctx.set(dut.begins, 1)
        await b.tick()
        ctx.set(dut.begins, 0)
        await b.command(1, evict=True)
        for held in (1, 0):  # first a sector that is not whole, then one that is not computed
            ctx.set(dut.copies.held, held)
            for _ in range(20):
                await b.tick()
            assert b.copied(0) == words(mine) and b.copied(2) == words(mine)
        ctx.set(dut.computed, 1)
        await b.tick()
        ctx.set(dut.computed, 0)
        for _ in range(dut.overwriting):
            ctx.set(dut.copies.used, ctx.get(dut.copies.wiped_place) == 1)
            await b.tick()
        assert b.copied(0) == b.copied(2) == [0] * 9 and b.copied(1) == words(other)

    run(dut, bench)


@pytest.mark.parametrize("row", [0, pytest.param(5, marks=pytest.mark.slow)])
def test_a_damaged_row_clears_the_core(row):
    dut, rng = unit(), random.Random(3)

    async def bench(ctx):
        b = Bench(ctx, dut)
        await b.cleared()
        await b.command(2, rng.randbytes(48))
        rows, place = dut.store.memory.data, 2 << dut.context.row_bits | row
        ctx.set(rows[place], ctx.get(rows[place]) ^ 1 << rng.randrange(128))
        ctx.set(dut.copies.fill_slot, 2)
        ctx.set(dut.copies.fill, 1)
        await b.tick()
        ctx.set(dut.copies.fill, 0)
        cycles = 0
        while not ctx.get(dut.damaged):
            await b.tick()
            cycles += 1
            assert cycles < 12
        await b.tick()
        assert await b.cleared() == dut.clearing - 1
        ctx.set(dut.asked, 2)
        assert not ctx.get(dut.known)

    assert len(dut.context.rows) == 6
    run(dut, bench)
