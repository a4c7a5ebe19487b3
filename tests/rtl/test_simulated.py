# SPDX-License-Identifier: Apache-2.0
"""The simulator of the tests gives the values that Amaranth's own engine gives."""

import random

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib.memory import Memory
from amaranth.sim import Simulator as Amaranths

from .simulated import Simulator


def circuit():
    """Chains against the order of their statements and through modules, parts of a signal, a loop, memory, a switch."""
    i, way = Signal(8), Signal(2)
    chain, halves, one, other, below = Signal(8), Signal(8), Signal(8), Signal(8), Signal(8)
    count, last = Signal(8, init=3), Signal(8, reset_less=True)
    m = Module()
    m.submodules.inner = inner = Module()
    m.submodules.memory = memory = Memory(shape=8, depth=4, init=[9])
    write, now, later = memory.write_port(), memory.read_port(domain="comb"), memory.read_port()
    m.d.comb += chain.eq(halves + below)
    m.d.comb += halves[4:].eq(count[:4] ^ i[4:])
    inner.d.comb += below.eq(halves ^ last)
    m.d.comb += halves[:4].eq(count[4:])
    m.d.comb += [one.eq(Mux(way[0], i, other)), other.eq(Mux(way[0], one + 1, count))]
    with m.Switch(way):
        with m.Case(1):
            m.d.sync += count.eq(chain)
            m.d.comb += write.en.eq(1)
        with m.Default():
            m.d.sync += Cat(count, last).eq(Cat(one, other, i))
    m.d.comb += [write.addr.eq(i), write.data.eq(chain), now.addr.eq(one), later.addr.eq(now.data)]
    return m, i, way, [chain, halves, one, other, below, count, last, now.data, later.data]


def played(simulator):
    """The values of all signals as a bench sees them, and as a clock edge samples them."""
    m, i, way, signals = circuit()
    seen, rng = [], random.Random(1)

    async def bench(ctx):
        for _ in range(100):
            ctx.set(i, rng.getrandbits(8))
            ctx.set(way, rng.getrandbits(2))
            seen.append([ctx.get(signal) for signal in signals])
            seen.append(await ctx.tick().sample(*signals))

    simulator = simulator(m)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    simulator.reset()
    simulator.run()
    return seen


def test_the_values_are_those_of_amaranths_engine():
    seen = played(Simulator)
    assert seen == played(Amaranths)
    assert all(len({row[k] for row in seen}) > 4 for k in range(9))
