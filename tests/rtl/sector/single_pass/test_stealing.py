# SPDX-License-Identifier: Apache-2.0
"""The end of a unit: what goes into the pipelines, in which order, and which bytes leave where."""

import random

import pytest

from wideblock.rtl.sector.single_pass.stealing import StealingControl, StealingData

from ...simulated import Simulator

pytestmark = pytest.mark.shows("stream-parts")

pytestmark = pytest.mark.shows("stream-parts")

LATENCY = 5  # of the pipelines, as the bench plays them


def beats_of(width, size):
    """(number of the last byte, last) of each beat of a unit."""
    full, rest = divmod(size, 16 * width)
    ends = [16 * width - 1] * full + ([rest - 1] if rest else [])
    return [(end, beat == len(ends) - 1) for beat, end in enumerate(ends)]


def number(value):
    return int.from_bytes(value, "little")


def steps_of(width, sizes, seed):
    """What the control does with units of these sizes: its steps in order, and the beat that is present at each."""
    dut = StealingControl(width=width)
    rng = random.Random(seed)
    beats = [beat for size in sizes for beat in beats_of(width, size)]
    steps, ends = [], []

    async def bench(ctx):
        at, cycle, out = 0, 0, []
        while at < len(beats):
            cycle += 1
            for port, beat in (("", at), ("next_", at + 1)):
                there = beat < len(beats)
                end, last = beats[beat] if there else (0, 0)
                ctx.set(getattr(dut, f"{port}present"), there)
                ctx.set(getattr(dut, f"{port}end"), end)
                ctx.set(getattr(dut, f"{port}last"), last)
            for permit in (dut.masked, dut.room, dut.free):
                ctx.set(permit, rng.random() < 0.7)
            ctx.set(dut.held, cycle in out)
            for name in ("go", "complete", "finish"):
                if ctx.get(getattr(dut, name)):
                    steps.append(("hold" if name == "go" and ctx.get(dut.hold) else name, at))
            if ctx.get(dut.hold):
                out.append(cycle + LATENCY)
            if ctx.get(dut.unit_end):
                ends.append(at)
            at += ctx.get(dut.pop)
            assert cycle < 100 * len(beats)
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return steps, ends


@pytest.mark.parametrize("width", [1, 2, 4])
def test_steps_of_units_of_every_length(width):
    sizes = [*range(16, 16 * 2 * width + 17)]
    random.Random(width).shuffle(sizes)
    right, ends, at = [], [], 0
    for size in sizes:
        blocks, part = divmod(size, 16)
        last = -(-size // (16 * width)) - 1
        held = (blocks - 1) // width  # the beat of the last whole block
        for beat in range(last + 1):
            if part and beat == held:
                # a part in the next beat is what is present when its completed block goes in
                right += [("hold", at + held), ("complete", at + last), ("finish", at + last)]
            elif not part or beat < held:
                right.append(("go", at + beat))
        ends.append(at + last)
        at += last + 1
    assert steps_of(width, sizes, width) == (right, ends)


@pytest.mark.parametrize(
    "width, lane, part", [(1, 0, 1), (1, 0, 15), (2, 0, 7), (2, 1, 7), (4, 0, 1), (4, 2, 9), (4, 3, 15)]
)
def test_bytes_of_the_end(width, lane, part):
    dut = StealingData(width=width)
    rng = random.Random(lane + part)
    together = lane + 1 < width  # the part is beside the last whole block
    present, result = rng.randbytes(16 * width), rng.randbytes(16 * width)
    completed = rng.randbytes(16)  # as it comes out
    at = 16 * (lane + 1) if together else 0

    async def bench(ctx):
        ctx.set(dut.y, number(result))
        ctx.set(dut.y_held, 1)
        await ctx.tick()
        ctx.set(dut.y_held, 0)
        ctx.set(dut.blocks, number(present))
        ctx.set(dut.lane, lane)
        ctx.set(dut.part, lane + 1 if together else 0)
        ctx.set(dut.own, (1 << part) - 1)
        held = result[16 * lane : 16 * lane + 16]
        assert ctx.get(dut.first) == number(present[at : at + part] + held[part:])
        out = result[: 16 * lane] + completed
        if together:
            out += held[:part]
        ctx.set(dut.y_completed, 1)
        ctx.set(dut.y_lane, lane)
        ctx.set(dut.y_together, together)
        ctx.set(dut.y_keep, (1 << len(out)) - 1)
        await ctx.tick()
        ctx.set(dut.y, number(completed))
        assert ctx.get(dut.beat) == number(out)
        ctx.set(dut.y_completed, 0)
        if not together:
            ctx.set(dut.y_rest, 1)
            ctx.set(dut.y_keep, (1 << part) - 1)
            await ctx.tick()
            assert ctx.get(dut.beat) == number(held[:part])
        ctx.set(dut.clear, 1)
        await ctx.tick()
        ctx.set(dut.own, 1)
        assert ctx.get(dut.first) >> 8 == 0

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
