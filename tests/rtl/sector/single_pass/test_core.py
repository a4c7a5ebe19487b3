# SPDX-License-Identifier: Apache-2.0
"""The cycle contract of a single pass for units of every kind of length, with registers in the place of ciphers."""

import random

import pytest

from wideblock.rtl.aes import pipelined
from wideblock.rtl.sector.parameters import SinglePassParameters
from wideblock.rtl.sector.single_pass import ciphers
from wideblock.rtl.tes.xts import Xts

from ....variants import few_of_many
from ...simulated import Simulator
from ..registers import Registers

pytestmark = pytest.mark.shows("stream-parts")


def measured(core):
    """compute and latency of a first unit, the gaps between units that leave a core that is full, and preparation."""
    p, t, rng = core.parameters, core.timing, random.Random(1)
    size = p.beat_bytes
    edge = 2 * (1 + t.latency // t.interval) + 2 * core.cycles.arrivals // p.beats + 2  # the core fills and empties
    units = 1 + 12 + 2 * edge
    sizes = [min(size, p.sector_bytes - at) for at in range(0, p.sector_bytes, size)]
    entered, computed, left, key = [], [], [], []

    async def bench(ctx):
        ctx.set(core.o.ready, 1)
        ctx.set(core.key.payload.key if p.slots else core.key.payload, rng.getrandbits(2 * p.key_bits))
        ctx.set(core.key.valid, 1)
        unit = beat = cycle = 0
        while len(left) < units:
            assert cycle < 100_000
            offered = unit < units and (unit == 0 or len(left) > 0) and (not p.slots or key != [])
            ctx.set(core.i.valid, offered)
            ctx.set(core.i.payload.last, beat == len(sizes) - 1)
            ctx.set(core.i.payload.keep, (1 << sizes[beat]) - 1)
            ctx.set(core.i.payload.decrypt, p.direction == "decrypt")
            taken = offered and ctx.get(core.i.ready)
            key_taken = not key and ctx.get(core.key.ready)
            if ctx.get(core.computed):
                computed.append(cycle)
            if ctx.get(core.o.valid & core.o.payload.last):
                left.append(cycle)
            await ctx.tick()
            cycle += 1
            if key_taken:
                key.append(cycle - 1)
                ctx.set(core.key.valid, 0)
            if taken:
                if beat == 0:
                    entered.append(cycle - 1)
                beat = (beat + 1) % len(sizes)
                unit += beat == 0

    simulator = Simulator(core)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()

    steady = left[1 + edge : -edge]
    gaps = {b - a for a, b in zip(steady, steady[1:], strict=False)}
    return computed[0] - entered[0], left[0] - entered[0], gaps, entered[0] - key[0]


CASES = [
    *(("encrypt", 1, size, 128, 1) for size in (16, 17, 31, 33, 56, 72, 80, 200, 520)),
    *(("encrypt", 2, size, 128, 1) for size in (24, 40, 48, 56, 72, 184, 408)),
    *(("encrypt", 4, size, 128, 1) for size in (40, 80, 520)),
    *(("both", 1, size, 128, 1) for size in (16, 24, 264)),
    *(("both", 2, size, 128, 2) for size in (24, 72)),
    *(("decrypt", 2, size, 256, 1) for size in (100, 520)),
    *(("encrypt", 1, size, 128, 2) for size in (16, 17, 33, 80, 168, 200, 360, 376)),
    *(("encrypt", 2, size, 128, 2) for size in (24, 40, 72, 88)),
    *(("both", 1, size, 128, 2) for size in (24, 264)),
    ("encrypt", 1, 168, 128, 3),
]
KEYED = [
    *(("encrypt", 1, size, 128, 1) for size in (16, 17, 33, 56, 200)),
    *(("encrypt", 2, size, 256, 2) for size in (24, 40, 184)),
    ("encrypt", 4, 520, 256, 1),
    *(("both", width, size, 256, stages) for width, size, stages in ((1, 16, 1), (2, 72, 2), (4, 512, 1))),
    ("decrypt", 1, 264, 128, 2),
]
FEW = [("encrypt", 1, 17, 128, 1), ("encrypt", 2, 40, 128, 2), ("both", 1, 24, 128, 1)]


@pytest.mark.parametrize(
    ("slots", "direction", "width", "sector_bytes", "key_bits", "round_stages"),
    few_of_many(
        [*((0, *case) for case in CASES), *((2, *case) for case in KEYED)],
        [*((0, *case) for case in FEW), *((2, *case) for case in KEYED if case[2] == 17)],
    ),
)
def test_timing(monkeypatch, slots, direction, width, sector_bytes, key_bits, round_stages):
    monkeypatch.setattr(pipelined, "PipelinedEitherWay", Registers)
    for name in ("PipelinedEncryption", "PipelinedDecryption"):
        monkeypatch.setattr(ciphers, name, Registers)
    core = Xts(
        SinglePassParameters(
            direction=direction,
            width=width,
            lanes=width,
            sector_bytes=sector_bytes,
            key_bits=key_bits,
            round_stages=round_stages,
            slots=slots,
        )
    )
    t = core.timing
    assert measured(core) == (t.compute, t.latency, {t.interval}, t.preparation)


@pytest.mark.parametrize("case", KEYED)
def test_slots_cost_no_cycle(case):
    """Where the pipelines of a core of one key encipher the tweaks, too, the contract is the same; else no longer."""
    direction, width, sector_bytes, key_bits, round_stages = case
    parameters = {"width": width, "lanes": width, "sector_bytes": sector_bytes}
    parameters |= {"key_bits": key_bits, "round_stages": round_stages}
    one, many = (Xts(SinglePassParameters(direction="encrypt", slots=slots, **parameters)).timing for slots in (0, 256))
    both = Xts(SinglePassParameters(direction=direction, slots=256, **parameters)).timing
    for figure in ("compute", "latency", "busy", "interval"):
        assert getattr(one, figure) == getattr(many, figure) == getattr(both, figure)
