# SPDX-License-Identifier: Apache-2.0
"""The calls of a sector and their cycles, without hardware."""

from math import ceil

import pytest

from wideblock.rtl.flow.cycles import alone, streaming
from wideblock.rtl.sector.encrypt_mix_encrypt.schedule import EmeSchedule

from ....variants import over

pytestmark = pytest.mark.shows("cycle-contract")

A = 11


def schedule(sector_bytes, lanes=1, *, period=128, cipher_latency=A):
    blocks, rest = divmod(sector_bytes, 16)
    return EmeSchedule(blocks, rest, lanes, period, cipher_latency)


@pytest.mark.parametrize(
    ("sector_bytes", "lanes", "refreshes", "mixing", "calls", "compute"),
    [
        (16, 1, 0, 1, 4, 37),
        (16, 8, 0, 1, 4, 37),
        (17, 1, 0, 2, 6, 50),
        (2048, 1, 0, 1, 258, 291),
        (2049, 1, 0, 2, 260, 304),
        (2064, 1, 1, 1, 261, 294),
        (4096, 1, 1, 1, 515, 548),
        (8192, 1, 3, 1, 1029, 1062),
        (2048, 2, 0, 1, 130, 163),
        (2064, 2, 1, 1, 133, 166),
        (4096, 2, 1, 1, 259, 292),
        (4096, 8, 1, 1, 67, 100),
    ],
)
def test_calls_of_a_sector(sector_bytes, lanes, refreshes, mixing, calls, compute):
    s = schedule(sector_bytes, lanes)
    assert (s.refreshes, s.flow.work, alone(s.flow).compute) == (refreshes, calls, compute)
    assert calls == 1 + s.beats + mixing + refreshes + s.steps


@over("cipher_latency", [11, 15, 21, 29, 41, 57])
@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
@over("sector_bytes", [16, 17, 520, 2048, 2064, 4096, 4104])
def test_compute_is_the_sum_of_its_waits(sector_bytes, lanes, cipher_latency):
    """The second layer waits for a mask only where a period is shorter than a call.

    The tweak's call enters in cycle 1, each mixing call a cycle after the result that it is made of.
    """
    s, A = schedule(sector_bytes, lanes, cipher_latency=cipher_latency), cipher_latency
    mixing = 2 if s.rest else 1
    first_step = 2 + s.beats - 1 + A + mixing * (1 + A) + 1
    stall = max(0, A - s.steps_before_refresh) if s.refreshes else 0
    assert alone(s.flow).compute == first_step + s.refreshes + stall + s.steps - 1 + A


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
@over("sector_bytes", [512, 520, 2048, 2064, 4096, 4104, 8192])
def test_a_stream_takes_the_lanes_in_every_cycle(sector_bytes, lanes):
    """In a stream of sectors that are not tiny nothing but the calls takes a cycle of the lanes."""
    s = schedule(sector_bytes, lanes)
    stream = streaming(s.flow)
    assert s.flow.work <= stream.interval <= s.flow.work + (0 if s.flow.work > 40 else 1)
    assert ceil(stream.residence / stream.interval) >= 2


@pytest.mark.parametrize("cipher_latency", [11, 15, 29, 57])
@pytest.mark.parametrize("lanes", [1, 8])
def test_every_sector_has_a_steady_interval(lanes, cipher_latency):
    for blocks in (1, 2, 3, 5, 8, 9, 17, 129):
        for rest in (0, 7):
            s = schedule(16 * blocks + rest, lanes, cipher_latency=cipher_latency)
            assert s.flow.work <= streaming(s.flow).interval <= max(s.flow.work + 23, alone(s.flow).compute)
