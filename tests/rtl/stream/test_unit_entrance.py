# SPDX-License-Identifier: Apache-2.0
"""The entrance for units of any length: what it offers, what it keeps out, and what it says of that."""

import random

import pytest

from wideblock.rtl.stream.unit_entrance import UnitEntrance

from ..simulated import Simulator

pytestmark = pytest.mark.shows("stream-parts")

SHORT, LONG, DIRECTION, KEEP, SLOT = 1, 2, 4, 8, 16


def run(dut, units, *, p_valid=1.0, p_take=1.0, seed=0):
    """Offers ``units`` of (bytes, or keep of each beat, decrypt); returns all beats, those taken, and the faults.

    Where they name slots, that is the third value of a unit; only slot 7 is known.
    """
    rng = random.Random(seed)
    size = 16 * dut.width
    beats = []
    for length, decrypt, *slot in units:
        keeps = length
        if isinstance(length, int):
            keeps = [(1 << size) - 1] * (-(-length // size) - 1) + [(1 << ((length - 1) % size + 1)) - 1]
        for k, keep in enumerate(keeps):
            beats.append(
                {
                    "data": rng.getrandbits(8 * size),
                    "keep": keep,
                    "last": k == len(keeps) - 1,
                    "tweak": len(beats) if k == 0 else rng.getrandbits(128),
                    "decrypt": decrypt if k == 0 else rng.getrandbits(1),
                    **({"slot": slot[0] if k == 0 else rng.getrandbits(16)} if slot else {}),
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
                if dut.slots:
                    ctx.set(dut.known, beats[sent]["slot"] == 7)
            ctx.set(dut.permit, rng.random() < p_take)
            if ctx.get(dut.take):
                x, first = ctx.get(dut.x), ctx.get(dut.first)
                data = sum(x.data[k] << 128 * k for k in range(dut.width))
                end = 0 if x.empty else x.end + 1
                taken.append((data, end, x.last, x.decrypt, ctx.get(dut.tweak) if first else None))
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
    beats, taken, faults = run(dut, [(n, n % 2) for n in sizes], p_valid=p_valid, p_take=p_take, seed=width)
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
def test_a_short_unit_is_dropped(width, length):
    _, taken, faults = run(UnitEntrance(width=width, beats=8, directions=(False,)), [(32, 0), (length, 0)] * 2)
    assert faults == [SHORT] * 2 and len(taken) == 2 * (2 // width)


@pytest.mark.parametrize("own", [False, True])
def test_a_unit_in_the_other_direction_is_dropped(own):
    units = [(32, own), (48, not own), (3, not own), (16, own)]
    _, taken, faults = run(UnitEntrance(width=1, beats=8, directions=(own,)), units)
    assert faults == [DIRECTION] * 2
    assert [last for _, _, last, _, _ in taken] == [0, 1, 1]


@pytest.mark.parametrize("p_take", [1.0, 0.4])
def test_a_unit_of_an_unknown_slot_is_dropped_whole(p_take):
    """Whatever else is wrong with it but its direction, and the units around it are right."""
    dut = UnitEntrance(width=1, beats=8, directions=(False,), slots=True)
    units = [(40, 0, 7), (40, 0, 6), (16, 0, 0), (3, 0, 8), (200, 0, 9), (32, 1, 5), (17, 0, 7)]
    beats, taken, faults = run(dut, units, p_take=p_take)
    assert faults == [SLOT] * 4 + [DIRECTION]
    assert [data for data, *_ in taken] == [beat["data"] for beat in (*beats[:3], *beats[-2:])]


@pytest.mark.parametrize("p_take", [1.0, 0.4])
def test_a_unit_that_does_not_end_is_ended(p_take):
    units = [(128, 0), (129, 0), (400, 0), (16, 0)]
    beats, taken, faults = run(UnitEntrance(width=1, beats=8, directions=(False,)), units, p_take=p_take)
    assert faults == [LONG] * 2
    assert [last for _, _, last, _, _ in taken] == ([0] * 7 + [1]) * 3 + [1]
    assert taken[-1][0] == beats[-1]["data"] and taken[-1][-1] == len(beats) - 1


ALL = 0xFFFF
HOLES = [0b10, 0b101, 0xFFFE, 0xBFFF, 0x7FFE]


@pytest.mark.parametrize("p_take", [1.0, 0.4])
@pytest.mark.parametrize(
    ("keeps", "fault", "ends"),
    [
        # an empty last beat ends the unit before it, whole or not, and of the most beats
        ((ALL, 0), 0, [16, 0]),
        ((ALL, ALL, 0), 0, [16, 16, 0]),
        ((ALL, 0x1F, 0), 0, [16, 5]),
        ((ALL,) * 8 + (0,), 0, [16] * 8),
        ((ALL,) * 7 + (0,), 0, [16] * 7 + [0]),
        ((0,), SHORT, []),
        ((0x7F, 0), SHORT, []),
        # bytes that are no run: nothing of their beat is taken
        *(((ALL, hole), KEEP, [16, 0]) for hole in HOLES),
        *(((ALL, hole, ALL, ALL), KEEP, [16, 0]) for hole in HOLES),
        *(((hole, ALL), KEEP, []) for hole in HOLES),
        # a beat that is not full before the last one
        ((ALL, 0x7FFF, ALL), KEEP, [16, 15]),
        ((ALL, 0, ALL), KEEP, [16, 0]),
        ((ALL, 0, 0), KEEP, [16, 0]),
        ((ALL, 1, 0, 0), KEEP, [16, 1]),
        ((0, ALL), SHORT, []),
        ((ALL,) * 7 + (1, 1), KEEP, [16] * 7 + [1]),
        ((ALL,) * 8 + (0, 0), LONG, [16] * 8),
        ((ALL,) * 8 + (1,), LONG, [16] * 8),
    ],
)
def test_keep_says_where_a_unit_ends(keeps, fault, ends, p_take):
    dut = UnitEntrance(width=1, beats=8, directions=(False,))
    _, taken, faults = run(dut, [(keeps, 0), (20, 0), (keeps, 0), (16, 0)], p_take=p_take)
    assert faults == [fault] * 2 * bool(fault)
    assert [end for _, end, _, _, _ in taken] == [*ends, 16, 4, *ends, 16]
    last = [*[0] * (len(ends) - 1), *[bool(ends and ends[-1])] * bool(ends)]
    assert [last for _, _, last, _, _ in taken] == [*last, 0, 1, *last, 1]
