# SPDX-License-Identifier: Apache-2.0
"""The entrance for sectors of one size: what it offers, and what it says of sectors that end elsewhere."""

import random

import pytest

from wideblock.rtl.stream.entrance import Entrance
from wideblock.rtl.stream.exit import Exit

from ..simulated import Simulator

pytestmark = pytest.mark.shows("stream-parts")

SHORT, LONG, KEEP = 1, 2, 4
WHOLE = 0xFFFF_FFFF


def run(dut, sectors, seed=0):
    """Offers ``sectors`` of (beats, keep of the last one or of each); the tweaks of those taken, and the faults."""
    rng = random.Random(seed)
    beats = []
    for number, (count, keep) in enumerate(sectors):
        for k in range(count):
            last = k == count - 1
            beat = {"tweak": number if k == 0 else rng.getrandbits(8), "last": last, "data": rng.getrandbits(256)}
            if dut.tail is not None:
                beat["keep"] = keep[k] if isinstance(keep, tuple) else keep if last else WHOLE
            beats.append(beat)
    taken, faults = [], []

    async def bench(ctx):
        ctx.set(dut.open, 1)
        sent = 0
        for _ in range(4 * len(beats) + 20):
            ctx.set(dut.i.valid, sent < len(beats))
            if sent < len(beats):
                ctx.set(dut.i.payload, beats[sent])
            ctx.set(dut.take, ctx.get(dut.valid) and rng.random() < 0.7)
            if ctx.get(dut.take) and ctx.get(dut.number) == 0:
                taken.append(ctx.get(dut.x).tweak)
            if fault := ctx.get(dut.fault):
                faults.append((taken[-1], fault))
            sent += sent < len(beats) and ctx.get(dut.i.ready)
            await ctx.tick()
        assert sent == len(beats) and ctx.get(dut.between)

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    assert taken == [*range(len(sectors))]
    return faults


def test_keep_says_where_a_sector_ends():
    """Of a sector of two beats, the second one of 5 bytes. A run of any other length is a fault, and so is a hole."""
    kinds = [(0x1F, 0), (0xF, SHORT), (0, SHORT), (0x3F, LONG), (WHOLE, LONG), (0x17, KEEP), (0x3F & ~2, KEEP)]
    sectors = [sector for keep, _ in kinds for sector in ((2, keep), (2, 0x1F))]
    wrong = [(2 * n, fault) for n, (_, fault) in enumerate(kinds) if fault]
    assert run(Entrance(width=2, beats=2, tail=5), sectors) == wrong


KEEPS = [
    ((WHOLE, 0x1F, 0), 0),
    ((WHOLE, 0x1F, 0, 0), KEEP),
    ((WHOLE, 0x1F, 1), KEEP),
    ((WHOLE, 0x1F, WHOLE, WHOLE), KEEP),
    ((WHOLE, 0xF, 0), SHORT),
    ((WHOLE, 0x3F, 0), LONG),
    ((WHOLE, WHOLE, 0), LONG),
    ((WHOLE, 0x2F, 0), KEEP),
    ((WHOLE, 0), SHORT),
    ((WHOLE, 0, 0x1F), SHORT),
    ((0,), SHORT),
    ((0, 0x1F), SHORT),
    ((WHOLE >> 1, 0x1F), SHORT),
    ((WHOLE >> 1, 0), SHORT),
    ((WHOLE - 1, 0x1F), KEEP),
    ((WHOLE - 2, WHOLE, 0x1F), KEEP),
]


def test_one_empty_last_beat_may_follow():
    """A sector has two beats, the second one of 5 bytes. All before that is full."""
    sectors = [sector for keeps, _ in KEEPS for sector in ((len(keeps), keeps), (2, 0x1F))]
    wrong = [(2 * n, fault) for n, (_, fault) in enumerate(KEEPS) if fault]
    assert run(Entrance(width=2, beats=2, tail=5), sectors) == wrong


HALF = 0xFFFF
BEHIND = [
    ((WHOLE, WHOLE, HALF), 0),
    ((WHOLE, WHOLE, HALF, 0), 0),
    ((WHOLE, WHOLE), SHORT),
    ((WHOLE, HALF), SHORT),
    ((WHOLE,), SHORT),
    ((WHOLE, HALF, HALF), SHORT),
    ((WHOLE, WHOLE, 0), SHORT),
    ((WHOLE, WHOLE, HALF >> 1), SHORT),
    ((WHOLE, WHOLE, HALF >> 1, HALF), SHORT),
    ((WHOLE, WHOLE, WHOLE), LONG),
    ((WHOLE, WHOLE, WHOLE, HALF), LONG),
    ((WHOLE, WHOLE, HALF, HALF), KEEP),
    ((WHOLE, WHOLE, HALF, 0, 0), KEEP),
    ((WHOLE, WHOLE, HALF - 2), KEEP),
    ((WHOLE, WHOLE - 2, HALF), KEEP),
]


def test_the_beat_behind_a_sector_says_where_it_ends():
    """A sector has two beats, and half a beat behind: its last beat waits for that one, which is its end."""
    sectors = [sector for keeps, _ in BEHIND for sector in ((len(keeps), keeps), (3, HALF))]
    wrong = [(2 * n, fault) for n, (_, fault) in enumerate(BEHIND) if fault]
    assert run(Entrance(width=2, beats=2, tail=16, behind=1), sectors) == wrong


def test_beats_behind_a_sector_say_where_it_ends():
    sectors = [(4, WHOLE), (3, WHOLE), (4, WHOLE), (5, WHOLE), (4, WHOLE), (2, WHOLE), (1, WHOLE), (9, WHOLE)]
    wrong = [(1, SHORT), (3, LONG), (5, SHORT), (6, SHORT), (7, LONG)]
    assert run(Entrance(width=2, beats=2, behind=2), sectors) == wrong


@pytest.mark.parametrize("tail", [None, 5])
def test_beats_say_where_a_sector_ends(tail):
    """What goes on after a sector that does not end is dropped, however it ends."""
    sectors = [(2, 0x1F), (1, 0x1F), (2, 0x1F), (3, 0x1F), (2, 0x1F), (5, WHOLE), (2, 0x1F), (1, WHOLE), (2, 0x1F)]
    wrong = [(1, SHORT), (3, LONG), (5, LONG), (7, SHORT)]
    assert run(Entrance(width=2, beats=2, tail=tail), sectors) == wrong


@pytest.mark.parametrize("size", [2, 3, 4, 5])
@pytest.mark.parametrize("cut", range(2, 8))
def test_the_rest_of_a_sector_that_clear_cut_is_no_sector(size, cut):
    """Sectors have two beats, and so may the rest of a longer one. The cycles of clear and after it have no key."""
    dut = Entrance(width=1, beats=2)
    beats = [(number, k == count - 1) for number, count in enumerate((size, 2, 2)) for k in range(count)]
    taken, faults = [], []

    async def bench(ctx):
        sent, before = 0, None
        for cycle in range(40):
            ctx.set(dut.clear, cut <= cycle < cut + 3)
            ctx.set(dut.open, not cut <= cycle < cut + 5)
            ctx.set(dut.i.valid, sent < len(beats))
            if sent < len(beats):
                ctx.set(dut.i.payload, {"data": sent, "tweak": beats[sent][0], "last": beats[sent][1]})
            ctx.set(dut.take, ctx.get(dut.valid) and not cut <= cycle < cut + 3)
            if cycle == cut:
                before = sent
            if cycle >= cut + 3:
                if ctx.get(dut.take):
                    taken.append(ctx.get(dut.x).data[0])
                faults.append(ctx.get(dut.fault))
            sent += sent < len(beats) and ctx.get(dut.i.ready)
            await ctx.tick()
        assert sent == len(beats) and before is not None
        begins = next((n for n in (0, size, size + 2) if n >= before), len(beats))  # the first sector after the cut
        assert taken == [*range(begins, len(beats))] and not any(faults)

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()


def test_width_of_the_tweak():
    assert len(Entrance(width=1, beats=2, tweak_bits=256).x.tweak) == 256
    assert "keep" not in Entrance(width=1, beats=2).i.payload.shape().members


@pytest.mark.parametrize("tail", [1, 16, 31])
def test_exit_zeroes_the_bytes_after_the_last(tail):
    dut = Exit(width=2, beats=3, sector_bits=2, tail=tail)
    seen = []

    async def bench(ctx):
        ctx.set(dut.pending, 1)
        ctx.set(dut.o.ready, 1)
        ctx.set(dut.data, (1 << 256) - 1)
        for _ in range(8):
            if ctx.get(dut.o.valid):
                payload = ctx.get(dut.o.payload)
                seen.append((payload.keep, payload.data, payload.last))
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    whole, part = (WHOLE, (1 << 256) - 1, 0), ((1 << tail) - 1, (1 << 8 * tail) - 1, 1)
    assert seen[:6] == [whole, whole, part] * 2
