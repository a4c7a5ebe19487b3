# SPDX-License-Identifier: Apache-2.0
"""Sectors played through a flow cycle by cycle."""

from dataclasses import dataclass
from itertools import takewhile

from .stage import Flow, Stage

__all__ = ["Played", "Playing", "play"]


@dataclass(frozen=True)
class Played:
    """Cycles of sectors offered back to back; beats are accepted in every cycle.

    steps: cycles of every step of every sector, in order, by stage
    """

    flow: Flow
    steps: dict[str, list[int]]

    def _each(self, stage: str, step: int) -> list[int]:
        steps = self.flow[stage].steps
        return self.steps[stage][step % steps :: steps]

    @property
    def opened(self) -> list[int]:
        """Cycle of each sector's first step."""
        return self._each(self.flow.enters, 0)

    def accepted(self, queue: int = 0) -> list[int]:
        """Cycle of each sector's first beat into the input register: with the last step of the sector before.

        A ``queue`` of beats behind the register takes a beat a cycle after a beat has left the full queue, and the
        first beat of a sector a cycle after the sector before has begun.
        """
        beats, steps = self.flow[self.flow.enters].steps, self.steps[self.flow.enters]
        if not queue:
            return [0, *self._each(self.flow.enters, -1)[:-1]]
        begun = [at + beats for at in (-beats, -beats, *self.opened[:-2])]
        last = [sector * beats - 1 for sector in range(len(begun))]  # number of the last beat of the sector before
        return [
            max(at, steps[number - queue] + 1 if number >= queue else 0) for at, number in zip(begun, last, strict=True)
        ]

    @property
    def computed(self) -> list[int]:
        """Cycle of each sector's last result."""
        latency = self.flow[self.flow.computes].latency
        return [at + latency for at in self._each(self.flow.computes, -1)]

    @property
    def left(self) -> list[int]:
        """Cycle in which each sector's last beat is read."""
        return self._each(self.flow.leaves, -1)


def play(flow: Flow, sectors: int, pace: int = 1) -> Played:
    """Plays ``sectors``, at least ``pace`` cycles apart. Raises ValueError if a step can never pass."""
    playing = Playing(flow, pace, sectors)
    playing.until(flow.leaves, sectors * flow[flow.leaves].steps)
    return Played(flow, playing.steps)


class Playing:
    """A play under way: ``sectors``, or without end if None, enter at least ``pace`` cycles apart.

    now:   cycles played
    steps: cycles of the steps so far, in order, by stage
    """

    def __init__(self, flow: Flow, pace: int, sectors: int | None = None):
        self.flow, self.now = flow, 0
        self.steps: dict[str, list[int]] = {stage.name: [] for stage in flow.stages}
        self._places = [_Place(flow, stage, sectors, pace, self.steps) for stage in flow.stages]
        self._awaited = dict.fromkeys(self.steps, 0)  # cycles for which a step of the stage may be waited for
        for after in (after for stage in flow.stages for after in stage.after):
            self._awaited[after.stage] = max(self._awaited[after.stage], flow[after.stage].latency + after.delay)

    def until(self, stage: str, steps: int) -> None:
        """Plays on until ``steps`` steps of a stage have passed. Raises ValueError if they never can."""
        while len(self.steps[stage]) < steps:
            self._cycle()

    def state(self, sector: int) -> list[tuple[int, list[int]]]:
        """State in the cycle in which ``sector`` enters: plays from equal states are equal.

        For each stage the number of steps ahead of the sector, and the ages of steps that later steps may wait for.
        """
        return [(len(times) - sector * self.flow[name].steps, self._ages(name)) for name, times in self.steps.items()]

    def _ages(self, stage: str) -> list[int]:
        """Ages of the steps of a stage that later steps may wait for."""
        begin = self.now - self._awaited[stage]
        return [self.now - at for at in takewhile(lambda at: at > begin, reversed(self.steps[stage]))]

    def _cycle(self) -> None:
        """The next cycle with a step, or the cycle before."""
        self.now += 1
        taken: set[str] = set()
        passed = False
        for place in self._places:
            if place.at is None:
                place.look()  # a stage before it may have passed in this cycle
            if place.at is None or place.at > self.now or place.lane in taken:
                continue
            if place.lane:
                taken.add(place.lane)
            place.pass_step(self.now)
            passed = True
        for place in self._places:
            if place.at is None:
                place.look()
        if not passed:
            coming = [place.at for place in self._places if place.at is not None]
            if not coming:
                raise ValueError(f"no step can pass after cycle {self.now}")
            self.now = max(self.now, min(coming) - 1)


class _Place:
    """The next step of a stage in a play: the ``lane`` taken, and ``at``, the first possible cycle.

    ``at`` is None while an awaited step has not passed, and after the last step.
    """

    def __init__(self, flow: Flow, stage: Stage, sectors: int | None, pace: int, times: dict[str, list[int]]):
        self._lanes, self._times = stage.lanes, times[stage.name]
        self._sectors, self._sector, self._step = sectors, 0, 0
        self._pace = pace if stage.name == flow.enters else 1
        self._awaited: list[list[tuple[list[int], int, int, int]]] = [[] for _ in stage.lanes]
        for after in stage.after:
            other = flow[after.stage]
            for step, awaited in enumerate(self._awaited):
                if (number := after.awaited(step, other.steps)) is not None:
                    awaited.append((times[other.name], number, other.steps, other.latency + after.delay))
        self.look()

    def look(self) -> None:
        """Sets ``lane`` and ``at`` from the past steps."""
        self.at: int | None = None
        self.lane = self._lanes[self._step]
        if self._sector == self._sectors:
            return
        earliest = self._times[-1] + 1 if self._times else 1
        if self._step == 0 and self._sector:
            earliest = max(earliest, self._times[-len(self._lanes)] + self._pace)
        for times, number, steps, delay in self._awaited[self._step]:
            index = self._sector * steps + number
            if index >= len(times):
                return
            earliest = max(earliest, times[index] + delay)
        self.at = earliest

    def pass_step(self, now: int) -> None:
        """Notes the step's cycle, and turns to the next step."""
        self._times.append(now)
        self.at, self._step = None, self._step + 1
        if self._step == len(self._lanes):
            self._step, self._sector = 0, self._sector + 1
