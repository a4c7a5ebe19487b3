# SPDX-License-Identifier: Apache-2.0
"""A stream of sectors in the lanes, played cycle by cycle, and the interval at which it is steady."""

from collections import Counter, deque
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from .schedule import Schedule

__all__ = ["Timetable", "timetable"]

MEASURED = 50
"""Sectors whose distances must be equal, between others before and behind them."""


@dataclass(frozen=True)
class Timetable:
    """A steady stream of sectors.

    interval:  cycles from sector to sector
    residence: most cycles from the tweak's call of a sector until its last beat leaves the result ring
    delay:     most cycles by which a sector leaves the result ring later than one alone would, from its turn to enter
    """

    interval: int
    residence: int
    delay: int


@lru_cache(maxsize=256)
def timetable(s: Schedule) -> Timetable:
    """The least interval at which all sectors are equally far apart, where they enter and where they leave.

    It is the number of calls or little more: a mixing call that delays the first layer of another sector delays that
    sector's own mixing call, which may then meet another sector or none. Raises ValueError if there is none.
    """
    for interval in range(s.calls, 2 * s.calls + 64):
        edge = 2 * (1 + (s.compute + 1 + s.beats) // interval)
        opened, entered, left = _play(s, interval, MEASURED + 2 * edge)
        gaps = [b - a for times in (entered, left) for a, b in list(pairwise(times))[edge:-edge]]
        if set(gaps) == {interval}:
            turns = [opened[0], *(before + interval for before in opened[:-1])]
            alone = s.compute + s.beats - 1  # the same for one in an idle core
            residence, delayed = (max(b - a for a, b in zip(times, left, strict=True)) for times in (opened, turns))
            return Timetable(interval, residence, delayed - alone)
    raise ValueError(f"no steady interval for {s}")


def _play(s: Schedule, interval: int, sectors: int) -> tuple[list[int], list[int], list[int]]:
    """Cycles in which sectors open, in which their last beats enter the lanes, and in which they leave.

    A call is named by what its result completes. Beats are offered and accepted in every cycle.
    """
    first = ["tweak", *["first"] * (s.beats - 1), "whole"]
    refreshes = [*["refresh"] * (s.refreshes - 1), "refreshed"] if s.refreshes else []
    second = [*refreshes, *["second"] * (s.steps - 1), "computed"]
    follows = {"whole": "mixing", "mixing": "mixed"} if s.rest else {"whole": "mixed"}
    needs_no_refresh = len(refreshes) + s.steps_before_refresh if refreshes else len(second)
    opened: list[int] = []
    entered: list[int] = []
    left: list[int] = []
    lanes, done = deque([""] * s.cipher_latency), Counter[str]()
    mixing, place, call, calls, leaving, now = "", 0, 0, 0, 0, 1
    while len(left) < sectors:
        enters = ""
        if mixing:
            enters = mixing
        elif place or (len(opened) < sectors and (not opened or now >= opened[-1] + interval)):
            enters = first[place]
            if place == 0:
                opened.append(now)
            place = (place + 1) % len(first)
            if place == 0:
                entered.append(now)
        elif calls < done["mixed"] and (call < needs_no_refresh or calls < done["refreshed"]):
            enters = second[call]
            call = (call + 1) % len(second)
            calls += call == 0
        if len(left) < done["computed"]:
            leaving = (leaving + 1) % s.beats
            if leaving == 0:
                left.append(now)
        result = lanes.pop()
        lanes.appendleft(enters)
        done[result] += 1
        mixing = follows.get(result, "")
        now += 1
    return opened, entered, left
