# SPDX-License-Identifier: Apache-2.0
"""Search for the aim with which the tools give a core the highest clock.

A placer stops at a met aim; with a far aim a placer takes every path for critical, and serves none.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median_low, quantiles

from wideblock.errors import UserError
from wideblock.evaluate.point import Identity, Point

__all__ = ["Distribution", "Found", "search"]

log = logging.getLogger(__name__)

ABOVE = 1.1
"""The second aim, over the clock of the first aim: a little more than can be had."""

STEP, PRECISION = 1.15, 1.03
"""First and least ratio of an aim to its neighbours. Seeds differ by more than the least one."""


@dataclass(frozen=True)
class Distribution:
    """Clocks of a core with several seeds, in MHz.

    lower, upper: quartiles, inclusive; with one seed all figures are equal
    """

    lowest: float
    lower: float
    median: float
    upper: float
    best: float

    @classmethod
    def of(cls, points: Sequence[Point]) -> "Distribution":
        """The distribution of points with clocks, at least a point; of an even number the lower median."""
        clocks = sorted(point.found.clock.mhz for point in points if point.found.clock)
        lower, _, upper = quantiles(clocks, n=4, method="inclusive") if len(clocks) > 1 else clocks * 3
        return cls(clocks[0], lower, median_low(clocks), upper, clocks[-1])


@dataclass(frozen=True)
class Found:
    """The end of a search.

    tried: the points of each aim, in MHz, in the order of the trials          aim: the best one
    """

    tried: dict[float, list[Point]]
    aim: float

    @property
    def best(self) -> list[Point]:
        """The points of the best aim, one a seed."""
        return self.tried[self.aim]


def search(
    core: Identity,
    measure: Callable[[Sequence[Identity]], list[Point]],
    *,
    seeds: int = 8,
    first: int = 3,
    trials: int = 8,
) -> Found:
    """Tries aims above and below the best aim so far, in smaller and smaller steps; the highest median of clocks wins.

    core:    what to measure; the first aim. Its seed does not matter
    measure: gives the points of some identities, from a store or by measuring them; failures may be among them
    seeds:   of the best aim, from 1; a target without placement has a point an aim
    first:   seeds of every other aim, if ``seeds`` are not fewer          trials: most tried aims
    Raises UserError for a target without aims, and if every point of an aim fails.
    """
    if core.aim_mhz is None:
        raise UserError(f"the flow for {core.target} has no clock; choose a target with place and route, or a library")
    tried: dict[float, list[Point]] = {}

    def reached(aim: float, number: int) -> float:
        numbers = range(1, number + 1) if core.seed is not None else (None,)
        points = measure([replace(core, aim_mhz=aim, seed=seed) for seed in numbers])
        if not (clocked := [point for point in points if point.figures and point.found.clock]):
            reason = next((point.failure.reason for point in points if point.failure), "no clock")
            raise UserError(f"no seed of {core.name} on {core.target} gave a clock at {aim:g} MHz: {reason}")
        tried[aim] = clocked
        log.info("%s on %s at an aim of %g: %.1f MHz", core.name, core.target, aim, _median(clocked))
        return _median(clocked)

    best = core.aim_mhz
    following: float | None = round(ABOVE * reached(best, min(first, seeds)), 1)
    step = STEP
    while step > PRECISION and len(tried) < trials:
        if following is None:
            step **= 0.5
        else:
            reached(following, min(first, seeds))
            best = max(tried, key=lambda aim: _median(tried[aim]))
        around = (round(best * step, 1), round(best / step, 1))
        following = next((aim for aim in around if aim not in tried), None)
    if seeds > first and core.seed is not None:
        reached(best, seeds)
    return Found(tried, best)


def _median(points: Sequence[Point]) -> float:
    return Distribution.of(points).median
