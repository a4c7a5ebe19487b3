# SPDX-License-Identifier: Apache-2.0
"""The entrance for units of any length: what it offers, what it keeps out, and what it says of that."""

import random

import pytest
from amaranth.sim import Simulator

from wideblock.rtl.stream.unit_entrance import UnitEntrance

pytestmark = pytest.mark.shows("stream-parts")

SHORT, LONG, DIRECTION = 1, 2, 4


def run(dut, units, *, p_valid=1.0, p_take=1.0, seed=0):
    """Offers ``units`` of (bytes, keep of the last beat or None, decrypt); returns the beats taken and the faults."""
    rng = random.Random(seed)
    size = 16 * dut.width
    beats = []
    for length, keep, decrypt in units:
        count = -(-length // size)
        for k in range(count):
            last = k == count - 1
            run = (1 << ((length - 1) % size + 1)) - 1 if keep is None else keep
            beats.append(
                {
                    "data": rng.getrandbits(8 * size),
                    "keep": run if last else rng.getrandbits(size),
                    "last": last,
                    "tweak": len(beats) if k == 0 else rng.getrandbits(128),
                    "decrypt": decrypt if k == 0 else rng.getrandbits(1),
                }
            )
    taken, faults = [], []

    async def bench(ctx):
        ctx.set(dut.open, 1)
        sent, offered = 0, False
        for _ in range(20 + int(len(beats) / p_valid / p_take * 6)):
            offered = sent < len(beats) and (offered or rng.random() < p_valid)
            ctx.set(dut.i.valid, offered)
            if offered:
                ctx.set(dut.i.payload, beats[sent])
            ctx.set(dut.permit, rng.random() < p_take)
            if ctx.get(dut.take):
                x, first = ctx.get(dut.x), ctx.get(dut.first)
                data = sum(x.data[k] << 128 * k for k in range(dut.width))
                taken.append((data, x.end + 1, x.last, x.decrypt, ctx.get(dut.tweak) if first else None))
            if fault := ctx.get(dut.fault):
                faults.append(fault)
            if offered and ctx.get(dut.i.ready):
                sent, offered = sent + 1, False
            await ctx.tick()
        assert sent == len(beats) and ctx.get(dut.between)

    sim = Simulator(dut)
    sim.add_clock(1e-8)
    sim.add_testbench(bench)
    sim.run()
    return beats, taken, faults


@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize("p_valid, p_take", [(1.0, 1.0), (0.5, 0.7)])
def test_units_of_every_length_pass(width, p_valid, p_take):
    sizes = [*range(16, 16 + 33 * width)]
    dut = UnitEntrance(width=width, beats=64, directions=(False, True))
    beats, taken, faults = run(dut, [(n, None, n % 2) for n in sizes], p_valid=p_valid, p_take=p_take, seed=width)
    assert not faults and len(taken) == len(beats)
    size, at = 16 * width, 0
    for n in sizes:
        count = -(-n // size)
        for k, (data, end, last, decrypt, tweak) in enumerate(taken[at : at + count]):
            assert (data, last, decrypt) == (beats[at + k]["data"], k == count - 1, n % 2)
            assert end == (size if k < count - 1 else (n - 1) % size + 1)
            assert tweak == (at if k == 0 else None)
        at += count


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("length", [1, 7, 15])
def test_a_short_unit_is_swallowed(width, length):
    _, taken, faults = run(
        UnitEntrance(width=width, beats=8, directions=(False,)), [(32, None, 0), (length, None, 0)] * 2
    )
    assert faults == [SHORT] * 2 and len(taken) == 2 * (2 // width)


@pytest.mark.parametrize("own", [False, True])
def test_a_unit_in_the_other_direction_is_swallowed(own):
    units = [(32, None, own), (48, None, not own), (3, None, not own), (16, None, own)]
    _, taken, faults = run(UnitEntrance(width=1, beats=8, directions=(own,)), units)
    assert faults == [DIRECTION] * 2
    assert [last for _, _, last, _, _ in taken] == [0, 1, 1]


@pytest.mark.parametrize("p_take", [1.0, 0.4])
def test_a_unit_that_does_not_end_is_ended(p_take):
    units = [(128, None, 0), (129, None, 0), (400, None, 0), (16, None, 0)]
    beats, taken, faults = run(UnitEntrance(width=1, beats=8, directions=(False,)), units, p_take=p_take)
    assert faults == [LONG] * 2
    assert [last for _, _, last, _, _ in taken] == ([0] * 7 + [1]) * 3 + [1]
    assert taken[-1][0] == beats[-1]["data"] and taken[-1][-1] == len(beats) - 1


@pytest.mark.parametrize("keep", [0, 0b10, 0b101, 0xFFFE, 0xBFFF])
def test_bytes_that_are_no_run_are_a_fault(keep):
    _, taken, faults = run(UnitEntrance(width=1, beats=8, directions=(False,)), [(48, keep, 0), (20, None, 0)])
    assert faults == [SHORT]
    assert [last for _, _, last, _, _ in taken] == [0, 0, 1, 0, 1] and taken[-1][1] == 4
