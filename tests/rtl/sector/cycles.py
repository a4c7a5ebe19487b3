# SPDX-License-Identifier: Apache-2.0
"""Sectors of one size through a core in Amaranth's simulator, for tests of cycles."""

import random

from ..simulated import Simulator


def play(core, sectors):
    """Cycles in which first beats of ``sectors`` enter, in which results are known, and in which last beats leave."""
    p, rng = core.parameters, random.Random(1)
    sizes = [min(p.beat_bytes, p.sector_bytes - at) for at in range(0, p.sector_bytes, p.beat_bytes)]
    entered, computed, left = [], [], []

    async def bench(ctx):
        ctx.set(core.o.ready, 1)
        ctx.set(core.key.payload, rng.getrandbits(len(core.key.payload)))
        ctx.set(core.key.valid, 1)
        sector = beat = cycle = 0
        while len(left) < sectors:
            assert cycle < 50_000
            offered = sector < sectors
            ctx.set(core.i.valid, offered)
            ctx.set(core.i.payload.last, beat == len(sizes) - 1)
            if core.tail:
                ctx.set(core.i.payload.keep, (1 << sizes[beat]) - 1)
            taken = offered and ctx.get(core.i.ready)
            key_taken = ctx.get(core.key.ready)
            if ctx.get(core.computed):
                computed.append(cycle)
            if ctx.get(core.o.valid & core.o.payload.last):
                left.append(cycle)
            await ctx.tick()
            cycle += 1
            if key_taken:
                ctx.set(core.key.valid, 0)
            if taken:
                if beat == 0:
                    entered.append(cycle - 1)
                beat = (beat + 1) % len(sizes)
                sector += beat == 0

    simulator = Simulator(core)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    return entered, computed, left
