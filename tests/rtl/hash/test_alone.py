# SPDX-License-Identifier: Apache-2.0
"""hBRW and hPoly alone: the specification's psi, in the cycles that the paper's Table 2 has or fewer."""

import random

import pytest

from wideblock import catalog
from wideblock.rtl.hash.alone import Psi
from wideblock.spec.gf128 import Reading
from wideblock.spec.hmch import HMCH

from ...variants import few_of_many
from ..simulated import Simulator

pytestmark = pytest.mark.shows("hash-schedules")


def play(core, messages, h, pause):
    """Results and, for each message, the cycles from its first beat to its digest and to the next one's first beat."""
    rng = random.Random(7)
    begun, ended, out = [], [], []
    width, n = core.width, core.blocks

    async def source(ctx):
        ctx.set(core.h.valid, 1)
        ctx.set(core.h.payload, h)
        while not ctx.get(core.h.ready):
            await ctx.tick()
        await ctx.tick()
        ctx.set(core.h.valid, 0)
        for X in messages:
            for at in range(0, n, width):
                while rng.random() < pause:
                    ctx.set(core.i.valid, 0)
                    await ctx.tick()
                ctx.set(core.i.valid, 1)
                for lane in range(width):
                    ctx.set(core.i.payload[lane], X[at + lane] if at + lane < n else rng.getrandbits(128))
                await ctx.tick().until(core.i.ready)
        ctx.set(core.i.valid, 0)
        await ctx.tick().repeat(core.timing.latency + 2)

    async def watch(ctx):
        cycle, taken = 0, 0
        async for _, _, take, done, value in ctx.tick().sample(
            core.i.valid & core.i.ready, core.o.valid, core.o.payload
        ):
            if take:
                if taken == 0:
                    begun.append(cycle)
                taken = (taken + 1) % -(-n // width)
            if done:
                ended.append(cycle)
                out.append(value)
            cycle += 1

    simulator = Simulator(core)
    simulator.add_clock(1e-8)
    simulator.add_testbench(source)
    simulator.add_process(watch)
    simulator.run()
    latencies = {b - a for a, b in zip(begun, ended, strict=True)}
    intervals = {b - a for a, b in zip(begun, begun[1:], strict=False)}
    return out, latencies, intervals


SHAPES = [
    (31, {"order": "paper", "squares": "on-the-fly"}),
    (31, {}),
    (31, {"hash": "horner"}),
    (2, {}),
    (6, {"stages": 2, "squares": "on-the-fly"}),
    (12, {"hash": "horner", "stages": 4}),
    (21, {"order": "paper"}),
]


@pytest.mark.parametrize(("n", "changes"), few_of_many(SHAPES, SHAPES[:3]), ids=str)
def test_digest_and_cycles(n, changes):
    rng = random.Random(n)
    key = rng.randbytes(32)
    spec = {name: changes[name] for name in ("hash", "order") if name in changes}
    psi = HMCH(key, **{"hash": "brw", **spec}, sector_bytes=16 * (n + 1)).psi
    messages = [[rng.getrandbits(128) for _ in range(n)] for _ in range(3)]
    h = Reading.LE.element(key[16:])
    core = Psi(n, **changes)
    out, latencies, intervals = play(core, messages, h, 0.0)
    assert out == [psi(X) for X in messages]
    assert latencies == {core.timing.latency} and intervals == {core.timing.interval}
    assert play(Psi(n, **changes), messages, h, 0.4)[0] == out


@pytest.mark.parametrize(("name", "cycles"), [("hbrw-31", 21), ("hpoly-31", 35)])
def test_table_2(name, cycles):
    part = catalog.PARTS[name]
    core = part.make(part.parameters)
    assert core.blocks == 31 and core.timing.latency <= cycles and part.bytes == 496


def test_impossible():
    with pytest.raises(ValueError, match="^psi alone is for 2 blocks or more, got 1$"):
        Psi(1)
