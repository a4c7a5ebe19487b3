# SPDX-License-Identifier: Apache-2.0
"""A stream of sectors in the lanes, played cycle by cycle, and the interval at which it is steady."""

from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise

from .schedule import Schedule

__all__ = ["Played", "Timetable", "play", "timetable"]

MEASURED = 50
"""Sectors whose distances must be equal, between others before and behind them."""


@dataclass(frozen=True)
class Timetable:
    """A steady stream of sectors.

    interval:  cycles from sector to sector
    pace:      least cycles from the beginning of a sector to that of the next
    residence: most cycles from the beginning of a sector until its last beat leaves the result ring
    delay:     most cycles by which a sector leaves later than one alone, beside those that it waits at the entrance
    """

    interval: int
    pace: int
    residence: int
    delay: int


@dataclass(frozen=True)
class Played:
    """Cycles of sectors that are offered back to back.

    accepted: the first beat goes into the input register, from cycle 0 on
    opened:   the first beat leaves that register, for the core
    computed: the result is known                 left: its last beat is read
    """

    accepted: list[int]
    opened: list[int]
    computed: list[int]
    left: list[int]


@lru_cache(maxsize=256)
def timetable(s: Schedule) -> Timetable:
    """The pace at which sectors soon are equally far apart, where they enter and where they leave.

    The first pace tried is none at all: the next sector's first layer then fills the lanes during the mix. Short
    sectors would overtake that, and need one: the least at which they are steady. Raises ValueError if there is none.
    """
    for pace in chain([s.beats], range(max(s.beats, s.calls), 2 * s.calls + 64)):
        edge = 2 * (1 + s.latency // max(pace, s.calls))
        played = play(s, pace, MEASURED + 2 * edge)
        gaps = {b - a for t in (played.accepted, played.left) for a, b in list(pairwise(t))[edge:-edge]}
        if len(gaps) == 1:
            interval = gaps.pop()
            residence, stay = (
                max(b - a for a, b in zip(times, played.left, strict=True))
                for times in (played.opened, played.accepted)
            )
            return Timetable(interval, pace, residence, stay + 1 - s.latency - max(0, interval - s.beats))
    raise ValueError(f"no steady interval for {s}")


def play(s: Schedule, pace: int, sectors: int) -> Played:
    """Sectors at a least distance of ``pace``; beats are offered and accepted in every cycle.

    A step is named by its layer, its call in it and whether it is the sector's last.
    """
    played = Played([0], [], [], [])
    lanes: deque[tuple[int, int, bool] | None] = deque([None] * s.cipher_latency)
    beat = step = leaving = mixed = begun = now = 0
    ready = False
    while len(played.left) < sectors:
        now += 1
        returned, enters = lanes.pop(), None
        if returned:
            layer, call, final = returned
            if call < (3 if layer == 2 or final else 2):
                enters = layer, call + 1, final
        if len(played.left) < len(played.computed):
            leaving = (leaving + 1) % s.beats
            if leaving == 0:
                played.left.append(now)
        if enters is None and ready:
            enters = 2, 1, step == s.steps - 1
            step = (step + 1) % s.steps
            begun += step == 0
        last = beat == s.beats - 1
        complete = last or beat % 2 == 1
        opens = len(played.opened) < sectors and (not played.opened or now >= played.opened[-1] + pace)
        if (beat or opens) and not (complete and enters):
            if beat == 0:
                played.opened.append(now)
            if complete:
                enters = 1, 1, last
            if last:
                played.accepted.append(now)
            beat = (beat + 1) % s.beats
        ready = begun < mixed
        if returned == (1, 3, True):
            mixed += 1
        if returned == (2, 3, True):
            played.computed.append(now)
        lanes.appendleft(enters)
    del played.accepted[sectors:]
    return played
