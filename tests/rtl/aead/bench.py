# SPDX-License-Identifier: Apache-2.0
"""A bench of Amaranth's simulator for the ports of the CAESAR Hardware API."""

import random
from functools import lru_cache

from ..simulated import Simulator

__all__ = ["play"]


@lru_cache(maxsize=4)
def _simulator(kind, parameters):
    """A core, its simulator and a place for the bench of the next run: to make them takes longer than many runs."""
    dut, benches = kind(parameters), []

    async def bench(ctx):
        await benches[-1](ctx)

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    return dut, simulator, benches


def play(dut, pdi, sdi, *, want, chance=(1.0, 1.0, 1.0), seed=0, patience=3000, zeroize=()):
    """Feeds words with these chances of PDI, SDI and DO; returns (cycle, word) accepted on each, by the port's name.

    Ends when ``want`` words left and all of PDI was accepted, and 50 cycles without a word passed. Checks that a word
    of the output is stable until accepted.
    """
    dut, simulator, benches = _simulator(type(dut), dut.parameters)
    rng = random.Random(seed)
    passed = {"pdi": [], "sdi": [], "do": []}
    given = {"pdi": list(pdi), "sdi": list(sdi)}

    async def bench(ctx):
        idle = cycle = 0
        held = None
        done = 0
        while done < 50:
            assert idle < patience, f"no progress: {[len(words) for words in passed.values()]}"
            ctx.set(dut.zeroize, cycle in zeroize)
            for name, p in zip(("pdi", "sdi"), chance, strict=False):
                port, left = getattr(dut, name), len(given[name]) > len(passed[name])
                valid = left and (ctx.get(port.valid) or rng.random() < p)
                ctx.set(port.valid, valid)
                ctx.set(port.payload, given[name][len(passed[name])] if valid else rng.getrandbits(len(port.payload)))
            ctx.set(dut.do.ready, rng.random() < chance[2])
            moved = False
            for name in ("pdi", "sdi"):
                port = getattr(dut, name)
                if ctx.get(port.valid) and ctx.get(port.ready):
                    passed[name].append((cycle, ctx.get(port.payload)))
                    moved = True
            if ctx.get(dut.do.valid):
                word = ctx.get(dut.do.payload)
                assert held in (None, word) or cycle - 1 in zeroize, "an output word changed before it was accepted"
                held = word
                if ctx.get(dut.do.ready):
                    passed["do"].append((cycle, word))
                    held, moved = None, True
            else:
                assert held is None or cycle - 1 in zeroize, "an output word was taken back"
                held = None
            await ctx.tick()
            for name in ("pdi", "sdi"):  # a word that was accepted is not offered again
                port = getattr(dut, name)
                if passed[name] and passed[name][-1][0] == cycle:
                    ctx.set(port.valid, 0)
            cycle += 1
            idle = 0 if moved else idle + 1
            all_in = len(given["pdi"]) == len(passed["pdi"])
            done = done + 1 if all_in and len(passed["do"]) >= want and not moved else 0

    if benches:
        simulator.reset()
    benches[:] = [bench]
    simulator.run()
    return passed
