# SPDX-License-Identifier: Apache-2.0
"""Keys in words: every whole key is offered once, every other one is a fault, and nothing is left of any of them."""

import random

import pytest

from wideblock.rtl.keys.words import KeyWords

from ...variants import few_of_many, over
from ..simulated import Simulator

pytestmark = pytest.mark.shows("stream-parts")

BITS, WIDTH = 128, 32
WORDS = BITS // WIDTH


def key_of(words):
    """The key whose words these are, the first one in the low bits."""
    return sum(word << WIDTH * k for k, word in enumerate(words))


def run(dut, keys, *, seed=0, ready=0.5, offer=0.7, clear=(), late=False):
    """Offers ``keys``, lists of words. The keys taken, and the number of each key at whose end there was a fault.

    ready: chance that the key unit takes keys in a cycle; ``late``: only from the cycle after that in which one is
    valid on, as a key unit does that has a key
    clear: cycles in which ``clear`` is high
    """
    rng = random.Random(seed)
    words = [(number, word, k == len(key) - 1) for number, key in enumerate(keys) for k, word in enumerate(key)]
    taken, faults = [], []

    async def bench(ctx):
        sent, valid, waiting, before, left = 0, False, False, None, 40
        for cycle in range(40 * len(words) + 40):
            left -= sent == len(words)
            if not left:
                break
            clearing = cycle in clear
            valid = sent < len(words) and (valid or rng.random() < offer)
            ctx.set(dut.clear, clearing)
            ctx.set(dut.i.valid, valid)
            number, word, last = words[sent] if valid else (None, rng.getrandbits(WIDTH), rng.getrandbits(1))
            ctx.set(dut.i.payload, {"key": word, "last": last})
            ctx.set(dut.o.ready, not clearing and (waiting or not late) and rng.random() < ready)
            if ctx.get(dut.fault):
                faults.append(before)
            if offered := ctx.get(dut.o.valid):
                assert valid and last
            if offered and ctx.get(dut.o.ready):
                taken.append(ctx.get(dut.o.payload))
                assert ctx.get(dut.i.ready)
            waiting = bool(offered)
            assert not (clearing and ctx.get(dut.i.ready))
            if valid and ctx.get(dut.i.ready):
                sent, valid, before = sent + 1, False, number
            await ctx.tick()
        assert sent == len(words)

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    return taken, faults


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize("seed", few_of_many(range(3), [0]))
def test_only_whole_keys_are_offered(width, seed, late):
    """Keys of every number of words around the right one, in any order, each followed by a right one at times."""
    rng = random.Random(f"{width} {seed}")
    right = 384 // width
    sizes = [right, *(rng.choice([1, right - 1, right, right, right + 1, 2 * right]) for _ in range(25)), 1, right]
    keys = [[rng.getrandbits(width) for _ in range(size)] for size in sizes]
    taken, faults = run(KeyWords(bits=384, width=width), keys, seed=seed, late=late)
    assert taken == [sum(word << width * k for k, word in enumerate(key)) for key in keys if len(key) == right]
    assert faults == [number for number, key in enumerate(keys) if len(key) != right]


def test_words_without_gaps_take_a_cycle_each():
    dut = KeyWords(bits=BITS, width=WIDTH)
    cycles = []

    async def bench(ctx):
        ctx.set(dut.o.ready, 1)
        ctx.set(dut.i.valid, 1)
        for cycle in range(3 * WORDS):
            ctx.set(dut.i.payload, {"key": cycle, "last": cycle % WORDS == WORDS - 1})
            assert ctx.get(dut.i.ready)
            if ctx.get(dut.o.valid):
                cycles.append(cycle)
                assert ctx.get(dut.o.payload) == key_of(range(cycle - WORDS + 1, cycle + 1))
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    assert cycles == [WORDS - 1, 2 * WORDS - 1, 3 * WORDS - 1]


@pytest.mark.parametrize("size", [1, WORDS - 1, WORDS, WORDS + 2, 2 * WORDS])
@over("cut", range(2 * WORDS + 1))
def test_the_rest_of_a_key_that_clear_cut_is_no_key(size, cut):
    """Where as many words as a key has are left of a longer one, they are no key, either."""
    keys = [[100 * number + k + 1 for k in range(n)] for number, n in enumerate((size, WORDS, WORDS))]
    clear = range(cut, cut + 3)
    taken, faults = run(KeyWords(bits=BITS, width=WIDTH), keys, ready=1, offer=1, clear=clear)
    # a word a cycle is accepted before ``clear``; a key that is cut neither arrives nor is a fault
    starts = [0, size, size + WORDS]
    whole = [not start < cut < start + len(key) for start, key in zip(starts, keys, strict=True)]
    assert taken == [key_of(key) for key, sound in zip(keys, whole, strict=True) if sound and len(key) == WORDS]
    done = size != WORDS and min(size, WORDS) <= cut  # of the word that shows it, at the latest in the cycle before
    assert faults == ([0] if size != WORDS and (whole[0] or done) else [])


@pytest.mark.parametrize("size", [1, WORDS - 1, WORDS, WORDS + 1])
def test_nothing_is_left_of_a_key(size):
    """Once a key is accepted, refused or cut, ``o.payload`` has the word at the input and else nothing."""
    dut = KeyWords(bits=BITS, width=WIDTH)

    async def bench(ctx):
        async def words(count, last):
            ctx.set(dut.i.valid, 1)
            for k in range(count):
                ctx.set(dut.i.payload, {"key": 0xFFFF_FFFF, "last": last and k == count - 1})
                while not ctx.get(dut.i.ready):
                    await ctx.tick()
                await ctx.tick()
            ctx.set(dut.i.valid, 0)
            ctx.set(dut.i.payload, {"key": 0, "last": 0})

        ctx.set(dut.o.ready, 1)
        await words(size, last=True)
        assert ctx.get(dut.o.payload) == 0
        await words(WORDS - 1, last=False)
        assert ctx.get(dut.o.payload) != 0
        ctx.set(dut.clear, 1)
        await ctx.tick()
        assert ctx.get(dut.o.payload) == 0

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()


@pytest.mark.parametrize(("bits", "width"), [(128, 48), (32, 32)])
def test_a_key_is_whole_words(bits, width):
    with pytest.raises(ValueError, match=f"^a key must be two words of {width} bits or more, got {bits} bits$"):
        KeyWords(bits=bits, width=width)
