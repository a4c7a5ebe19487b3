# SPDX-License-Identifier: Apache-2.0
"""The steps of a sector and their cycles, without hardware."""

from itertools import pairwise

import pytest

from wideblock.rtl.flow.cycles import alone, streaming
from wideblock.rtl.flow.play import play
from wideblock.rtl.sector.feistel_mix_feistel.schedule import FmfSchedule
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
    s = FmfSchedule(pairs, lanes, A)
    assert (s.beats, s.steps, s.last_lane) == (beats, steps, last_lane)
    assert (s.flow.work, alone(s.flow).compute) == (calls, compute)


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
@pytest.mark.parametrize("cipher_latency", [11, 21, 41])
def test_compute_is_the_sum_of_its_waits(lanes, cipher_latency):
    """As many steps as a call has cycles enter one after another, and take the lanes for three calls.

    Steps of two beats enter in even cycles, and so their second calls in odd ones. A last step of one beat, in an odd
    cycle, waits for one if there is any.
    """
    A = cipher_latency
    for pairs in (*range(1, 60), 128):
        s = FmfSchedule(pairs, lanes, A)
        second_layer = s.beats + (s.beats % 2 and s.beats >= 2 + A) + 3 * A + 2
        groups, rest = divmod(s.steps - 1, A)
        assert alone(s.flow).compute == second_layer + groups * 3 * A + rest + 3 * A


@pytest.mark.parametrize(
    ("pairs", "lanes", "interval", "pace"), [(128, 2, 324, 128), (128, 1, 646, 256), (128, 4, 163, 64), (2, 2, 8, 8)]
)
def test_interval(pairs, lanes, interval, pace):
    """Long sectors follow each other as fast as they come, and take little more than their calls."""
    stream = streaming(FmfSchedule(pairs, lanes, A).flow)
    assert (stream.interval, stream.pace) == (interval, pace)


@pytest.mark.parametrize("pairs", [1, 2, 5, 16, 33, 128])
@pytest.mark.parametrize("lanes", [1, 2, 4])
def test_a_stream_is_steady_and_has_a_slot_for_each_sector(pairs, lanes):
    s = FmfSchedule(pairs, lanes, A)
    stream = streaming(s.flow)
    slots = power_of_two(-(-stream.residence // stream.interval))
    played = play(s.flow, 200, stream.pace)
    first, last = 16 + 8 * stream.latency // s.flow.work, 199 - slots
    for times in (played.accepted(), played.left):
        assert {b - a for a, b in pairwise(times[first:last])} == {stream.interval}
    for number, opened in enumerate(played.opened):
        assert number < slots or played.left[number - slots] < opened
