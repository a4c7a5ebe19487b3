# SPDX-License-Identifier: Apache-2.0
"""Sectors played through small flows, whose cycles can be counted by hand."""

from itertools import pairwise, product

import pytest

from wideblock.rtl.flow.cycles import alone, streaming
from wideblock.rtl.flow.play import Playing, play
from wideblock.rtl.flow.stage import After, Flow, Stage
from wideblock.rtl.flow.table import rows

pytestmark = pytest.mark.shows("cycle-contract")


def flow(beats=2, latency=5, *, second="lanes", after=("first",), **how):
    """Two layers of ``beats`` calls; the second one has the ``second`` resource and waits ``how`` for ``after``."""
    waits = tuple(After(name, **how) for name in after)
    return Flow(
        (
            Stage("second", (second,) * beats, latency, waits),
            Stage("first", ("lanes",) * beats, latency),
            Stage("exit", ("exit",) * beats, 0, (After("second"),)),
        ),
        enters="first",
        computes="second",
        leaves="exit",
    )


def test_a_sector_alone():
    """Calls in cycles 1 and 2; the second layer a cycle after the last result, 7; its last result 14; out 15, 16."""
    played = play(flow(), 1)
    assert played.steps == {"first": [1, 2], "second": [8, 9], "exit": [15, 16]}
    assert (played.opened, played.accepted(), played.computed, played.left) == ([1], [0], [14], [16])
    assert (alone(flow()).compute, alone(flow()).latency, alone(flow()).busy) == (14, 17, 29)
    assert alone(flow(), held=1).busy == 28


@pytest.mark.parametrize(
    ("how", "second"),
    [
        ({"delay": 3}, [10, 11]),
        ({"delay": 0}, [7, 8]),
        ({"step": 0}, [7, 8]),
        ({"step": None}, [7, 8]),
        ({"step": None, "per": 2}, [8, 9]),
        ({"begin": 1}, [1, 8]),
        ({"begin": 2}, [1, 2]),
    ],
)
def test_waiting_for_a_step(how, second):
    assert play(flow(second="others", **how), 1).steps["second"] == second


def test_the_first_of_two_stages_takes_the_resource():
    """Without a wait the second layer takes the lanes from the first in cycles 1 and 2."""
    assert play(flow(begin=2), 1).steps["first"] == [3, 4]


def test_a_step_without_a_resource_takes_none():
    stages = Stage("first", (None, "lanes"), 5), Stage("exit", ("exit", "exit"), 0, (After("first"),))
    made = Flow(stages, "first", "first", "exit")
    assert made.work == 2 and play(made, 2, pace=2).steps["first"] == [1, 2, 3, 4]


@pytest.mark.parametrize("beats", [1, 2, 7, 16])
@pytest.mark.parametrize("latency", [1, 5, 11])
def test_a_stream_is_steady_and_no_faster_than_its_work(beats, latency):
    made = flow(beats, latency)
    stream, played = streaming(made), play(made, 200, streaming(made).pace)
    assert made.work == 2 * beats <= stream.interval and stream.latency <= stream.busy
    last = 199 - stream.latency // stream.interval  # those behind it have fewer neighbours
    for times in (played.accepted(), played.left):
        assert {b - a for a, b in pairwise(times[40:last])} == {stream.interval}
    assert max(b - a for a, b in zip(played.accepted(), played.left, strict=True)) + 1 == stream.busy
    assert streaming(flow(beats, latency, second="others")).interval == beats


def through_a_queue(first_steps, beats, depth):
    """Cycles in which a queue takes beats that are always offered, and leave in ``first_steps``."""
    count, waits, leaves, taken, now = 0, False, list(first_steps), [], -2 * depth
    while leaves:
        take = count < depth and not (waits and len(taken) % beats == 0)
        leave = leaves[0] == now
        waits = (waits or (take and len(taken) % beats == 0)) and not (
            leave and (len(first_steps) - len(leaves)) % beats == 0
        )
        taken += [now] * take
        leaves = leaves[leave:]
        count, now = count + take - leave, now + 1
    return taken


@pytest.mark.parametrize("latency", [1, 5, 11, 40])
@pytest.mark.parametrize("beats", [1, 3, 7, 16, 17, 40])
@pytest.mark.parametrize("second", ["lanes", "others"])
def test_beats_are_taken_into_a_queue_as_early_as_it_has_room(beats, latency, second):
    made = flow(beats, latency, second=second)
    stream = streaming(made, 16)
    played = play(made, 40, stream.pace)
    taken = through_a_queue(played.steps["first"], beats, 16)[beats - 1 :: beats]
    assert played.accepted(16)[2:] == taken[1 : len(played.opened) - 1]
    waits = [b - a for a, b in zip(played.accepted(16), played.left, strict=True)]
    assert max(waits[20:30]) + 1 <= stream.busy <= max(waits) + 1 and stream.busy >= streaming(made).busy


@pytest.mark.parametrize("beats", [64, 129])
def test_a_stream_that_only_grows_longer_is_not_steady(beats):
    """A first layer that goes before the second one never lets it pass: sectors enter and leave as fast, but never one
    while another one does.
    """
    first, second, out = (flow(beats)[name] for name in ("first", "second", "exit"))
    made = Flow((first, second, out), enters="first", computes="second", leaves="exit")
    backlog = play(made, 60)
    assert {b - a for t in (backlog.accepted(), backlog.left) for a, b in pairwise(t[2:-2])} == {beats}
    stream = streaming(made)
    assert (made.work, stream.interval, stream.pace) == (2 * beats, 2 * beats, 2 * beats)
    assert stream.busy < 3 * stream.interval


def test_from_equal_states_a_play_goes_on_alike():
    """Each step of the sectors behind comes by the same number of cycles later."""
    found = 0
    for beats, latency, pace in product((1, 3, 8), (1, 3, 11, 40), (1, 5, 12, 13, 16)):
        made = flow(beats, latency)
        states, playing = [], Playing(made, pace)
        for sector in range(40):
            playing.until("first", beats * sector + 1)
            states.append((playing.state(sector), playing.now))
        repeats = [(n, b[1] - a[1]) for n, (a, b) in enumerate(pairwise(states)) if a[0] == b[0]]
        found += bool(repeats)
        for begin, later in repeats[:1]:
            for times in play(made, 60, pace).steps.values():
                sectors = [times[at : at + beats] for at in range(begin * beats, 50 * beats, beats)]
                assert all([at + later for at in a] == b for a, b in pairwise(sectors))
    assert found > 30


def test_a_pace_holds_sectors_off():
    assert play(flow(), 3, pace=9).opened == [1, 10, 19]


def test_a_flow_that_cannot_go_on_is_refused():
    with pytest.raises(ValueError, match="no step can pass after cycle 3"):
        play(flow(after=("first", "exit")), 1)


def test_stages_are_named_once_and_exist():
    with pytest.raises(ValueError, match="different names, got a, a"):
        Flow((Stage("a", (None,)), Stage("a", (None,))), "a", "a", "a")
    with pytest.raises(ValueError, match="no stage b, c, d; there are a"):
        Flow((Stage("a", (None,), 0, (After("b"),), "d"),), "a", "a", "c")


def test_a_row_a_stage():
    """In the order of the first steps; a wait is named by the step that is waited for and what lies between."""
    assert rows(flow(step=0)) == [
        ("first", "2", "lanes", "-", "1", "2", "7"),
        ("second", "2", "lanes", "first step of first", "7", "8", "13"),
        ("exit", "2", "exit", "second", "14", "15", "15"),
    ]
    assert rows(flow(step=None, delay=3))[1][3] == "each step of first, 3 cycles"
    assert rows(flow(step=None, per=2, delay=0))[1][3] == "each 2 steps of first, 0 cycles"
