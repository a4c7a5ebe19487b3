# SPDX-License-Identifier: Apache-2.0
"""Search for the best parameters of a preset: one parameter after the other, until nothing gets better."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from enum import Enum

from wideblock import catalog
from wideblock.errors import UserError
from wideblock.evaluate.plots import front
from wideblock.evaluate.point import SAME_FUNCTION, Figures, Identity, Point
from wideblock.evaluate.store import medians
from wideblock.evaluate.sweep import Space

__all__ = ["Objective", "explore", "pareto", "same_function"]

log = logging.getLogger(__name__)


class Objective(Enum):
    """The figure to maximise."""

    EFFICIENCY = "throughput-per-area"
    LUTS = "throughput-per-lut"
    THROUGHPUT = "throughput"
    CLOCK = "clock"

    def of(self, found: Figures) -> float:
        """The objective's value; nothing where a target has no such figure."""
        value = {
            Objective.EFFICIENCY: found.efficiency,
            Objective.LUTS: found.rate / found.luts if found.luts else 0,
            Objective.THROUGHPUT: found.rate,
            Objective.CLOCK: found.clock and found.clock.mhz,
        }[self]
        return value or 0


def same_function(name: str) -> dict[str, list[str]]:
    """The parameters that may be searched without changing the function, each with all its values."""
    known = fields(catalog.preset_or_part(name).parameters)
    return {f.name: list(map(str, f.metadata["choices"])) for f in known if f.name in SAME_FUNCTION}


def explore(
    spaces: Sequence[Space], objective: Objective, measure: Callable[[Sequence[Identity]], list[Point]]
) -> tuple[str, dict[str, str], list[Point]]:
    """Searches ``spaces``, each of one preset or part, by changing one parameter at a time to its best value.

    A search begins at the preset as it is, but where a space has not its value of a parameter, at the first one that it
    has. Of several clocks that tools are to aim at, the best one counts.

    measure: gives the point of each identity, from a store or by measuring it
    Returns the best preset or part with its best values, and the median
    point of everything that was measured. Mixes that no core can have, and points that fail, are passed over. Raises
    UserError for a name that does not exist and if nothing has a value of the objective.
    """
    searches = [_Search(space, objective, measure) for space in spaces]
    best = max(searches, key=lambda search: search.run())
    if not best.highest:
        names, where = ", ".join(search.name for search in searches), spaces[0].targets[0]
        raise UserError(f"nothing of {names} on {where} has a figure for {objective.value}; choose another target")
    return best.name, best.values, [point for search in searches for point in search.seen.values()]


class _Search:
    """The search of one preset's parameters.

    values, highest: best values, and the objective there          seen: median points by key
    """

    def __init__(self, space: Space, objective: Objective, measure: Callable[[Sequence[Identity]], list[Point]]):
        (self.name,) = space.names
        self._space, self._objective, self._measure = space, objective, measure
        self.values: dict[str, str] = {}
        self.highest = 0.0
        self.seen: dict[str, Point] = {}
        known = asdict(catalog.preset_or_part(self.name).parameters)
        if unknown := [name for name in space.changes if name not in known]:
            would = ", ".join(sorted(known))
            raise UserError(f"unknown parameter {unknown[0]!r} of {self.name}; it would be one of {would}")
        self._start = {name: texts[0] for name, texts in space.changes.items() if str(known[name]) not in texts}

    def run(self) -> float:
        """Searches; the highest value of the objective."""
        self.values = self._start
        self.highest, improved = self._value(self._points(self.values)), True
        while improved:
            improved = False
            for name, texts in self._space.changes.items():
                for text in texts:
                    improved |= self._try(self.values | {name: text})
        return self.highest

    def _try(self, values: dict[str, str]) -> bool:
        """Takes ``values`` if they are better."""
        try:
            wanted = self._points(values)
        except UserError as error:
            log.info("passed over: %s", error)
            return False
        if (reached := self._value(wanted)) <= self.highest:
            return False
        self.values, self.highest = values, reached
        log.info("%s %s: %s %.4g", self.name, values, self._objective.value, reached)
        return True

    def _points(self, values: Mapping[str, str]) -> list[Identity]:
        return replace(self._space, changes={name: (text,) for name, text in values.items()}).points()

    def _value(self, identities: Sequence[Identity]) -> float:
        """The objective's median, the highest if tools aim at several clocks."""
        found = medians(self._measure(identities))
        self.seen.update((point.identity.key, point) for point in found)
        return max((self._objective.of(point.found) for point in found), default=0)


def pareto(points: Sequence[Point]) -> list[Point]:
    """The points of which none has as small an area and as much throughput, from the smallest on."""
    known = [point for point in points if point.found.rate]
    return front(known, lambda point: point.found.area, lambda point: point.found.rate)
