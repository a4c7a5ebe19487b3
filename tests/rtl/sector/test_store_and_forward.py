# SPDX-License-Identifier: Apache-2.0
"""The shell of a sector core around a work without a hash: every block plus the sum of all."""

import random
from functools import reduce
from operator import xor

import pytest
from amaranth import Module, Mux, Signal

from wideblock.rtl.flow.cycles import Cycles
from wideblock.rtl.keys.material import KeyMaterial, KeyWord
from wideblock.rtl.sector.parameters import SectorParameters
from wideblock.rtl.sector.store_and_forward import StoreAndForward
from wideblock.rtl.stream.stages import blocks

from ..simulated import Simulator

pytestmark = pytest.mark.shows("stream-parts")

SHORT, LONG = 1, 2


class Sums(StoreAndForward):
    """Y_i = X_i + X_1 + .. + X_m."""

    title = "a mix"

    @staticmethod
    def key_material(p):
        K = KeyWord("K", p.key_bits, "the AES key")
        return KeyMaterial(port=(K,), ciphers=(K,))

    def __init__(self, p, *, overlap):
        cycles = Cycles.stated(compute=p.beats, beats=p.beats, interval=p.beats if overlap else None)
        super().__init__(p, cipher_latency=1, cycles=cycles)

    def elaborate(self, platform):
        m, w = Module(), self.parameters.width
        stages = self._stages(m)
        ring, sums = stages.ring("sector_ring", 128 * w), stages.slots("sums")
        admit = Signal()

        offer, entrance = Signal(), self.entrance
        opening = self._enter(m, admit=admit, offer=offer, ready=1, first=entrance.number == 0)
        whole = entrance.take & entrance.x.last & ~entrance.fault.any()
        sector = stages.pointer("taken", whole)
        ring.write(stages.row(entrance.number, sector), entrance.x.data, entrance.take)
        held, total = Signal(128), Signal(128)
        beat = reduce(xor, [entrance.x.data[k] for k in range(w)])
        m.d.comb += total.eq(Mux(entrance.number == 0, 0, held) ^ beat)
        stages.hold(held, total, entrance.take)
        sums.write(sector, total, whole)
        m.d.comb += self.computed.eq(whole)

        leaving = self._leave(m, stages, sector)
        read = ring.read(stages.row(leaving.number, leaving.sector), leaving.load)
        finished = self._beside(m, leaving, "finished", sums.read(leaving.sector))
        for block, value in zip(blocks(leaving.data, w), blocks(read, w), strict=True):
            m.d.comb += block.eq(value ^ finished)

        admission = self._admission(m, opening, taken=sector, computed=sector, left=leaving.sector)
        m.d.comb += admit.eq((entrance.number != 0) | admission.free)
        self._connect_keys(m, idle=entrance.between & admission.done, derived=1)
        return m


def play(core, sectors, *, p_valid=1.0, p_ready=1.0, seed=0):
    """Sends ``sectors``, lists of beats. Returns beats out, faults, and cycles: first beats in, last beats out."""
    rng, width = random.Random(seed), core.parameters.width
    beats = [(beat, k == len(sector) - 1, k == 0) for sector in sectors for k, beat in enumerate(sector)]
    out, faults, first_in, last_out, setup = [], [], [], [], []

    async def bench(ctx):
        ctx.set(core.key.valid, 1)
        sent, offered, idle, cycle, key = 0, False, 0, 0, None
        while idle < 4 * core.timing.latency + 200:
            offered = sent < len(beats) and (offered or rng.random() < p_valid)
            ctx.set(core.i.valid, offered)
            if offered:
                data, last, _ = beats[sent]
                ctx.set(core.i.payload.data, sum(block << 128 * k for k, block in enumerate(data)))
                ctx.set(core.i.payload.last, last)
            ctx.set(core.o.ready, rng.random() < p_ready)
            if fault := ctx.get(core.fault):
                faults.append(fault)
            taken = offered and ctx.get(core.i.ready)
            given = ctx.get(core.o.valid & core.o.ready)
            if ctx.get(core.o.valid & core.o.payload.last):
                last_out.append(cycle)
            if given:
                data = ctx.get(core.o.payload.data)
                out.append([data >> 128 * k & (1 << 128) - 1 for k in range(width)])
            assert not taken or key is not None
            key_taken = key is None and ctx.get(core.key.ready)
            if ctx.get(core.ready) and not setup:
                setup.append(cycle - key)
            await ctx.tick()
            cycle += 1
            idle = 0 if taken or given or key is None else idle + 1
            if key_taken:
                key = cycle - 1
                ctx.set(core.key.valid, 0)
            if taken:
                if beats[sent][2]:
                    first_in.append(cycle - 1)
                sent, offered = sent + 1, False
        assert sent == len(beats)

    simulator = Simulator(core)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    return out, faults, first_in, last_out, setup


def random_sector(rng, width, beats):
    return [[rng.getrandbits(128) for _ in range(width)] for _ in range(beats)]


def mixed(sector):
    total = reduce(xor, [block for beat in sector for block in beat])
    return [[block ^ total for block in beat] for beat in sector]


@pytest.mark.parametrize(("p_valid", "p_ready"), [(1.0, 1.0), (0.4, 1.0), (1.0, 0.3), (0.6, 0.6)])
@pytest.mark.parametrize("overlap", [False, True])
@pytest.mark.parametrize(("width", "beats"), [(1, 1), (2, 3), (1, 8)])
def test_sectors_pass_and_malformed_ones_do_not(width, beats, overlap, p_valid, p_ready):
    rng = random.Random(width + beats)
    core = Sums(SectorParameters(sector_bytes=16 * width * beats, width=width, lanes=1), overlap=overlap)
    good = [random_sector(rng, width, beats) for _ in range(10)]
    sent, expected = list(good), [SHORT] * (beats > 1) + [LONG] * 2
    if beats > 1:
        sent.insert(7, random_sector(rng, width, beats - 1))
    sent[3:3] = [random_sector(rng, width, beats + 1), random_sector(rng, width, 3 * beats)]
    out, faults, *_ = play(core, sent, p_valid=p_valid, p_ready=p_ready, seed=beats)
    assert out == [beat for sector in good for beat in mixed(sector)]
    assert sorted(faults) == sorted(expected)


@pytest.mark.parametrize("overlap", [False, True])
def test_timing(overlap):
    rng, t = random.Random(1), None
    core = Sums(SectorParameters(sector_bytes=16 * 5, width=1, lanes=1), overlap=overlap)
    t = core.timing
    _, _, first, last, setup = play(core, [random_sector(rng, 1, 5) for _ in range(12)])
    assert last[0] - first[0] == t.latency
    assert {b - a for a, b in zip(first[2:], first[3:], strict=False)} == {t.interval}
    assert setup == [t.setup]
