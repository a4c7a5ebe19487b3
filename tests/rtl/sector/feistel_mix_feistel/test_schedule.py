# SPDX-License-Identifier: Apache-2.0
"""The steps of a sector and their cycles, without hardware."""

from itertools import pairwise

import pytest

from wideblock.rtl.sector.feistel_mix_feistel.schedule import Schedule
from wideblock.rtl.sector.feistel_mix_feistel.timetable import play, timetable
from wideblock.rtl.stream.stages import power_of_two

pytestmark = pytest.mark.shows("cycle-contract")

A = 11


@pytest.mark.parametrize(
    ("pairs", "lanes", "beats", "steps", "last_lane", "calls", "compute"),
    [
        (1, 2, 1, 1, 0, 6, 69),
        (2, 2, 2, 1, 1, 6, 70),
        (5, 2, 5, 3, 0, 16, 75),
        (11, 2, 11, 6, 0, 31, 84),
        (13, 2, 13, 7, 0, 36, 88),  # the last step waits for a second call
        (128, 1, 256, 128, 0, 641, 693),
        (128, 2, 128, 64, 1, 321, 369),
        (128, 4, 64, 32, 3, 161, 207),
        (3, 4, 2, 1, 2, 6, 70),
    ],
)
def test_steps_of_a_sector(pairs, lanes, beats, steps, last_lane, calls, compute):
    s = Schedule(pairs, lanes, A)
    assert (s.beats, s.steps, s.last_lane, s.calls, s.compute) == (beats, steps, last_lane, calls, compute)


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
@pytest.mark.parametrize("cipher_latency", [11, 21, 41])
def test_cycles_of_a_sector_alone_are_those_that_are_played(lanes, cipher_latency):
    for pairs in (*range(1, 60), 128):
        s = Schedule(pairs, lanes, cipher_latency)
        played = play(s, pace=1, sectors=1)
        assert played.opened == [1] and played.computed == [s.compute]
        assert played.left == [s.latency - 1]  # as its last beat is read, a cycle before it is valid


@pytest.mark.parametrize(
    ("pairs", "lanes", "interval", "pace"), [(128, 2, 324, 128), (128, 1, 646, 256), (128, 4, 163, 64), (2, 2, 8, 8)]
)
def test_interval(pairs, lanes, interval, pace):
    """Long sectors follow each other as fast as they come, and take little more than their calls."""
    stream = timetable(Schedule(pairs, lanes, A))
    assert (stream.interval, stream.pace) == (interval, pace)


@pytest.mark.parametrize("pairs", [1, 2, 5, 16, 33, 128])
@pytest.mark.parametrize("lanes", [1, 2, 4])
def test_a_stream_is_steady_and_has_a_slot_for_each_sector(pairs, lanes):
    s = Schedule(pairs, lanes, A)
    stream = timetable(s)
    slots = power_of_two(-(-(stream.residence + 1) // stream.interval))
    played = play(s, stream.pace, 200)
    edge = 2 * (1 + s.latency // stream.interval)
    for times in (played.accepted, played.left):
        assert {b - a for a, b in list(pairwise(times))[edge:-edge]} == {stream.interval}
    for number, opened in enumerate(played.opened):
        assert number < slots or played.left[number - slots] < opened
