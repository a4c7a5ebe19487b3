# SPDX-License-Identifier: Apache-2.0
"""Horner's rule over runs of any length, with pauses and runs that are abandoned."""

import random

import pytest
from amaranth import Module, Signal

from wideblock.rtl.gf128.reading import WireReading
from wideblock.rtl.hash.run import HornerRun
from wideblock.spec.hctr2 import polyval

from ...variants import few_of_many
from ..simulated import Simulator

pytestmark = pytest.mark.shows("hash-schedules")

MOST = 20


def beats_of(blocks, width):
    """Of whole blocks, the last beat perhaps in part."""
    beats = [blocks[k : k + 16 * width] for k in range(0, len(blocks), 16 * width)]
    return [int.from_bytes(beat, "little") for beat in beats]


def play(unit, keys, runs, rng):
    """(cycle of the last beat, cycle of done, result) of each run that is not abandoned; cycles from load to loaded.

    A run is (its bytes, how many of its beats are sent).
    """
    sent, results, loads = [], [], []

    async def bench(ctx):
        for key in keys:
            ctx.set(unit.tau, int.from_bytes(key, "little"))
            ctx.set(unit.load, 1)
            await ctx.tick()
            ctx.set(unit.load, 0)
            cycles = 1
            while not ctx.get(unit.loaded):
                await ctx.tick()
                cycles += 1
            loads.append(cycles)
            await ctx.tick()
            for blocks, amount in runs:
                beats = beats_of(blocks, unit.width)
                for k, beat in enumerate(beats[:amount]):
                    while rng.random() < 0.2:
                        await ctx.tick()
                    ctx.set(unit.go, 1)
                    ctx.set(unit.first, k == 0)
                    ctx.set(unit.left, len(beats) - 1 - k)
                    ctx.set(unit.ends, (len(blocks) // 16 - 1) % unit.width)
                    ctx.set(unit.block, beat)
                    if k == len(beats) - 1:
                        sent.append(ctx.get(now))
                    await ctx.tick()
                    ctx.set(unit.go, 0)
            for _ in range(unit.stages + 1):
                await ctx.tick()

    async def watch(ctx):
        while True:
            await ctx.tick()
            if ctx.get(unit.done):
                results.append((ctx.get(now), ctx.get(unit.result).to_bytes(16, "little")))

    m, now = Module(), Signal(32)
    m.submodules.unit = unit
    m.d.sync += now.eq(now + 1)
    simulator = Simulator(m)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.add_testbench(watch, background=True)
    simulator.run()
    return sent, results, loads


@pytest.mark.parametrize(
    ("width", "stages"), few_of_many([(1, s) for s in range(1, 9)] + [(2, 1), (2, 4), (2, 8), (4, 4)], [(2, 1)])
)
def test_runs_of_every_length(width, stages):
    """Zeros before a run do not count: the first beat of some runs has its first block in another column."""
    rng = random.Random(10 * width + stages)
    unit = HornerRun(width=width, most=MOST, stages=stages, leaf=16, reading=WireReading.POLYVAL)
    most = width * MOST
    lengths = [*range(1, MOST + 1), *rng.choices(range(1, most + 1), k=10)]
    messages = [bytes(16 * rng.randrange(min(width, most + 1 - n))) + rng.randbytes(16 * n) for n in lengths]
    runs = []
    for message in messages:
        if rng.random() < 0.3:
            n = rng.randrange(2, MOST)
            runs.append((rng.randbytes(16 * width * n), rng.randrange(1, n)))
        runs.append((message, most))
    keys = [rng.randbytes(16) for _ in range(2)]
    sent, results, loads = play(unit, keys, runs, rng)
    assert [result for _, result in results] == [polyval(key, message) for key in keys for message in messages]
    assert [cycle for cycle, _ in results] == [cycle + stages for cycle in sent]
    assert set(loads) == {unit.setup}
