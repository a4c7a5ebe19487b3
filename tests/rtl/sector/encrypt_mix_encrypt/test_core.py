# SPDX-License-Identifier: Apache-2.0
"""The cycle contract of encrypt-mix-encrypt for sectors of every kind of length, with registers for ciphers."""

import random

import pytest
from amaranth.sim import Simulator

from wideblock.rtl.aes import pipelined
from wideblock.rtl.sector.parameters import EncryptMixEncryptParameters
from wideblock.rtl.tes.eme2 import Eme2

from ..registers import Registers

pytestmark = pytest.mark.shows("cycle-contract")


def play(core, sectors):
    """Cycles in which first beats of ``sectors`` enter, in which results are known, and in which last beats leave."""
    p, rng = core.parameters, random.Random(1)
    sizes = [min(p.beat_bytes, p.sector_bytes - at) for at in range(0, p.sector_bytes, p.beat_bytes)]
    entered, computed, left = [], [], []

    async def bench(ctx):
        ctx.set(core.o.ready, 1)
        ctx.set(core.key.payload, rng.getrandbits(256 + p.key_bits))
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


@pytest.mark.parametrize(
    ("lanes", "sector_bytes", "key_bits", "round_stages", "overlap"),
    [
        *((1, size, 128, 1, overlap) for size in (16, 17, 32, 63, 64, 160) for overlap in (False, True)),
        *((2, size, 128, 1, True) for size in (16, 24, 40, 48, 96, 264, 2064)),
        *((4, size, 256, 2, True) for size in (24, 64, 100, 520)),
        *((4, size, 256, 3, overlap) for size in (2064, 2116) for overlap in (False, True)),
        *((8, size, 256, 4, True) for size in (128, 2064)),
    ],
)
def test_timing(monkeypatch, lanes, sector_bytes, key_bits, round_stages, overlap):
    monkeypatch.setattr(pipelined, "PipelinedEitherWay", Registers)

    def core():
        return Eme2(
            EncryptMixEncryptParameters(
                width=lanes,
                lanes=lanes,
                sector_bytes=sector_bytes,
                key_bits=key_bits,
                round_stages=round_stages,
                overlap=overlap,
            )
        )

    t = core().timing
    entered, computed, left = play(core(), 1)
    assert (computed[0] - entered[0], left[0] - entered[0]) == (t.compute, t.latency)
    edge = 2 * (1 + t.latency // t.interval)
    entered, _, left = play(core(), 8 + 2 * edge)
    for times in (entered, left):
        steady = times[edge:-edge]
        assert {b - a for a, b in zip(steady, steady[1:], strict=False)} == {t.interval}
