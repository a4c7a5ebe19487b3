# SPDX-License-Identifier: Apache-2.0
"""Search for the best parameters of a preset: one parameter after the other, until nothing gets better."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from enum import Enum

from wideblock import catalog
from wideblock.errors import UserError
from wideblock.evaluate.plots import front
from wideblock.evaluate.point import Figures, Identity, Point
from wideblock.evaluate.store import medians
from wideblock.evaluate.sweep import Space

__all__ = ["Objective", "explore", "pareto", "same_function"]

log = logging.getLogger(__name__)

SAME_FUNCTION = ("sbox", "round_stages", "mult_stages", "leaf", "squares")
"""Parameters that change figures and never the function."""


class Objective(Enum):
    """What is to be large."""

    EFFICIENCY = "throughput-per-area"
    THROUGHPUT = "throughput"
    CLOCK = "clock"

    def of(self, found: Figures) -> float:
        """The objective's value; nothing where there is no clock."""
        value = {
            Objective.EFFICIENCY: found.mbps_per_area,
            Objective.THROUGHPUT: found.gbps,
            Objective.CLOCK: found.clock and found.clock.mhz,
        }[self]
        return value or 0


def same_function(preset: str) -> dict[str, list[str]]:
    """The parameters of a preset that may be searched without changing its function, each with all its values."""
    known = fields(catalog.preset(preset).parameters)
    return {f.name: list(map(str, f.metadata["choices"])) for f in known if f.name in SAME_FUNCTION}


def explore(
    space: Space, objective: Objective, measure: Callable[[Sequence[Identity]], list[Point]]
) -> tuple[dict[str, str], list[Point]]:
    """Searches ``space``, of one preset and one target, by changing one parameter at a time to its best value.

    measure: gives the point of each identity, from a store or by measuring it
    Returns the best values and the median point of everything that was measured. Mixes that no core can have, and
    points that fail, are passed over. Raises UserError for a name that does not exist and if nothing has a clock.
    """
    (preset,) = space.names
    known = {f.name for f in fields(catalog.preset(preset).parameters)}
    if unknown := [name for name in space.changes if name not in known]:
        raise UserError(f"unknown parameter {unknown[0]!r} of {preset}; it would be one of {', '.join(sorted(known))}")
    seen: dict[str, Point] = {}

    def points(changes: Mapping[str, str]) -> list[Identity]:
        return replace(space, changes={name: (text,) for name, text in changes.items()}).points()

    def value(identities: Sequence[Identity]) -> float:
        """The objective's median."""
        found = medians(measure(identities))
        seen.update((point.identity.key, point) for point in found)
        return max((objective.of(point.found) for point in found), default=0)

    best: dict[str, str] = {}
    highest, improved = value(points(best)), True
    while improved:
        improved = False
        for name, values in space.changes.items():
            for text in values:
                try:
                    wanted = points(best | {name: text})
                except UserError as error:
                    log.info("passed over: %s", error)
                    continue
                if (reached := value(wanted)) > highest:
                    best, highest, improved = best | {name: text}, reached, True
                    log.info("%s, %s: %s %.4g", preset, f"{name}={text}", objective.value, highest)
    if not highest:
        raise UserError(f"nothing of {preset} on {space.targets[0]} has a clock; choose a target that gives one")
    return best, list(seen.values())


def pareto(points: Sequence[Point]) -> list[Point]:
    """The points of which none has as small an area and as much throughput, from the smallest on."""
    known = [point for point in points if point.found.gbps]
    return front(known, lambda point: point.found.area, lambda point: point.found.gbps or 0)
