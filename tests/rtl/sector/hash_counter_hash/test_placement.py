# SPDX-License-Identifier: Apache-2.0
"""Every block is read from where it was written, and comes out where it belongs."""

import pytest
from amaranth import Const, Module

from wideblock.rtl.sector.hash_counter_hash import Structure
from wideblock.rtl.sector.hash_counter_hash.placement import Piece, Placement
from wideblock.rtl.sector.parameters import HornerParameters

from ....variants import over
from ...simulated import Simulator

pytestmark = pytest.mark.shows("stream-parts")

SHAPES = [(w, lanes, first) for w in (1, 2, 4, 8) for lanes in (1, 2, 4, 8) if lanes <= w for first in (0, 1, 2)]


def number(place, bank, step):
    """The same as ``place.place`` of integers."""
    part = step + place.shifts[bank]
    return part >> place.part_bits, part & place.parts - 1


@over(("width", "lanes", "first"), SHAPES)
@over("rows", [3, 4])
@over("room", range(8))
def test_lanes_find_their_blocks(width, lanes, first, rows, room):
    """The last row may have ``room`` left."""
    m = width * rows - room % width
    place = Placement(end=m, width=width, lanes=lanes, first=first)
    ring = {
        (bank, row): [row * width + c for c in place.columns(bank)]
        for bank in range(place.banks)
        for row in range(rows)
    }
    seen = []
    for step in range(place.steps):
        for lane in range(lanes):
            bank, choice = place.read(lane)
            row, part = number(place, bank, step)
            seen.append(ring[bank, row][choice][part] if row < rows else None)
    wanted = range(first, first + len(seen))
    assert seen == [j if j < width * rows else None for j in wanted]
    assert wanted[-1] >= m - 1


@over(("width", "lanes", "first"), SHAPES)
@over("room", range(8))
def test_results_come_out_in_order(width, lanes, first, room):
    """A beat's steps are collected; whole rows of a bank are written, and read column by column."""
    rows = 3
    m = width * rows - room % width
    place = Placement(end=m, width=width, lanes=lanes, first=first)
    ring, history = {}, [[None] * lanes] * place.parts
    for step in range(place.steps):
        history = [*history[1:], [first + step * lanes + lane for lane in range(lanes)]]
        for bank in range(place.banks):
            row, part = number(place, bank, step)
            if part == place.parts - 1:
                ring[bank, row] = [results[k] for results in history for k in place.written(bank)]
    out = [ring.get((bank, row), [None] * width)[k] for row in range(rows) for bank, k in map(place.bank, range(width))]
    missing = {j for j, block in enumerate(out[:m]) if block != j}
    assert missing <= set(range(first)), "only blocks that the lanes do not take"


def test_banks_are_as_few_as_can_be():
    assert [Placement(end=32, width=2, lanes=2, first=first).shifts for first in (0, 1)] == [(0,), (1, 0)]
    assert Placement(end=32, width=4, lanes=1, first=1).shifts == (1,)


@over("sector_bytes", [16, 17, 31, 32, 33, 47, 48, 80])
def test_the_last_bytes_and_those_before_them_are_the_sector(sector_bytes):
    p = HornerParameters(sector_bytes=sector_bytes, width=2, lanes=1)
    place = Placement.of(p, Structure(specials=1, last=True))
    enciphered = [(j, byte) for j in range(place.end) for byte in range(16 if j < place.end - 1 else place.tail)]
    (pieces,) = place.specials
    special = [(piece.block, piece.at + byte) for piece in pieces for byte in range(piece.size)]
    assert [16 * j + byte for j, byte in enciphered + special] == list(range(sector_bytes))
    assert len(special) == 16 and place.first == 0


def test_a_piece_is_put_where_it_was():
    block, piece = Const(int.from_bytes(bytes(range(16)), "little"), 128), Piece(3, at=5, size=4, begin=2)
    seen = []

    async def bench(ctx):
        seen.extend(ctx.get(value) for value in (piece.of(block), piece.put(block, Const(0xA5A4A3A2A1A0, 128))))

    simulator = Simulator(Module())
    simulator.add_testbench(bench)
    simulator.run()
    right = bytes(range(5, 9)), bytes([*range(5), *range(0xA2, 0xA6), *range(9, 16)])
    assert seen == [int.from_bytes(data, "little") for data in right]
