# SPDX-License-Identifier: Apache-2.0
"""Stages, and the order of their steps, as values."""

from collections import Counter
from dataclasses import dataclass

__all__ = ["After", "Flow", "Stage"]


@dataclass(frozen=True)
class After:
    """A step passes no earlier than ``delay`` cycles after the result of an awaited step.

    stage: name of the awaited stage, for the same sector; may be the stage of the step
    step:  number of the awaited step, counted from the end if negative; None: see ``per``
    per:   with ``step`` None, step k waits for ``per`` steps more than step k - 1 does, the first ``per`` for step 0
    begin: the first waiting step
    delay: cycles; 0: in the cycle of the result
    """

    stage: str
    step: int | None = -1
    per: int = 1
    begin: int = 0
    delay: int = 1

    def awaited(self, step: int, steps: int) -> int | None:
        """Number of the awaited step, of ``steps``; None if ``step`` does not wait."""
        if step < self.begin:
            return None
        if self.step is None:
            return min(steps, (step + 1) * self.per) - 1
        return self.step % steps


@dataclass(frozen=True)
class Stage:
    """A stage, passed by the steps of every sector in order, at most a step a cycle.

    name:    unique in the flow; the hardware's pointers have the name, see
             :meth:`~wideblock.rtl.stream.stages.Stages.pointer`
    lanes:   resource taken by each step of a sector for a cycle; None: no resource
    latency: cycles from a step to the result
    after:   awaited steps, beside the step before
    at:      stage whose pointer gives the sector of this stage; empty: the stage has a pointer
    """

    name: str
    lanes: tuple[str | None, ...]
    latency: int = 0
    after: tuple[After, ...] = ()
    at: str = ""

    @property
    def steps(self) -> int:
        """Steps of a sector."""
        return len(self.lanes)


@dataclass(frozen=True)
class Flow:
    """The stages of a core, by priority for resources.

    enters:   the stage of the input; steps are offered from cycle 1 on, a cycle after the first beat is accepted
    computes: the stage of a sector's last result
    leaves:   the stage that reads a sector's result, a beat a step; a beat is valid a cycle later
    """

    stages: tuple[Stage, ...]
    enters: str
    computes: str
    leaves: str

    def __post_init__(self):
        names = [stage.name for stage in self.stages]
        if len(set(names)) < len(names):
            raise ValueError(f"stages must have different names, got {', '.join(names)}")
        awaited = {after.stage for stage in self.stages for after in stage.after}
        pointers = {stage.at for stage in self.stages if stage.at}
        if missing := {self.enters, self.computes, self.leaves, *awaited, *pointers} - set(names):
            raise ValueError(f"no stage {', '.join(sorted(missing))}; there are {', '.join(names)}")

    def __getitem__(self, name: str) -> Stage:
        return next(stage for stage in self.stages if stage.name == name)

    @property
    def work(self) -> int:
        """Cycles of a sector in the most used resource or stage: no interval is shorter."""
        lanes = Counter(lane for stage in self.stages for lane in stage.lanes if lane)
        return max(*lanes.values(), *(stage.steps for stage in self.stages))
