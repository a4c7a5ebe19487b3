# SPDX-License-Identifier: Apache-2.0
"""The best core of each scheme and the best build of each core: the most throughput an area, target by target.

A preset represents a scheme without a measured point, by contract.
"""

from collections.abc import Callable, Iterable
from enum import Enum

from wideblock import catalog
from wideblock.catalog import Preset
from wideblock.evaluate.plots import front
from wideblock.evaluate.point import SAME_FUNCTION, Figures, Point
from wideblock.evaluate.stated import rate
from wideblock.evaluate.store import own, typical
from wideblock.evidence.record import named
from wideblock.synth.targets import targets

__all__ = ["Objective", "best", "bits_a_cycle", "both_ways", "of_cores", "of_presets", "of_schemes", "pareto"]
__all__ += ["representatives", "shape"]


class Objective(Enum):
    """The figure to maximise."""

    EFFICIENCY = "throughput-per-area"
    LUTS = "throughput-per-lut"
    THROUGHPUT = "throughput"
    CLOCK = "clock"

    def of(self, found: Figures) -> float:
        """The objective's value; 0 where a target has no such figure."""
        value = {
            Objective.EFFICIENCY: found.efficiency,
            Objective.LUTS: found.rate / found.luts if found.luts else 0,
            Objective.THROUGHPUT: found.rate,
            Objective.CLOCK: found.mhz,
        }[self]
        return value or 0


def best(points: Iterable[Point], objective: Objective) -> Point | None:
    """The point with the highest value of the objective; None if no point has a value."""
    found = [point for point in _alike(points) if objective.of(point.found)]
    return max(found, key=lambda point: objective.of(point.found), default=None)


def pareto(points: Iterable[Point]) -> list[Point]:
    """Points without another that has as small an area and as much throughput, from the smallest on."""
    known = [point for point in _alike(points) if point.found.rate]
    return front(known, lambda point: point.found.area, lambda point: point.found.rate)


def of_schemes(points: Iterable[Point]) -> list[Point]:
    """The best point of each scheme on each target: by target, from the best scheme on."""
    return _best(_presets(points), lambda point: catalog.PRESETS[point.identity.preset].scheme.name)


def of_presets(points: Iterable[Point]) -> list[Point]:
    """The best point of each preset on each target: by target, from the best preset on."""
    return _best(_presets(points), shape)


def of_cores(points: Iterable[Point]) -> list[Point]:
    """The best point of each preset or part and each shape on each target: by target, from the best core on."""
    return _best(typical(own(points)), shape)


def shape(point: Point) -> str:
    """Preset or part with the changes of the function, for example "fast-brw-1 sector_bytes=512"."""
    core = point.identity
    changes = sorted((name, value) for name, value in core.changed.items() if name not in SAME_FUNCTION)
    return named(core.preset, dict(changes))


def representatives() -> dict[str, str]:
    """A preset for each scheme: of the presets for both directions with the fewest lanes, the preset with the most bits
    a cycle; of several the one with the narrowest ports.
    """
    chosen = {}
    for name, scheme in catalog.SCHEMES.items():
        presets = [each for each in catalog.PRESETS.values() if each.scheme is scheme and both_ways(each)]
        fewest = min(map(_lanes, presets))
        narrow = [each for each in presets if _lanes(each) == fewest]
        width = scheme.kind.data_bits
        chosen[name] = max(narrow, key=lambda each: (bits_a_cycle(each.name), -width(each.parameters))).name
    return chosen


def bits_a_cycle(name: str) -> float:
    """Bits a cycle of a preset, by its contract."""
    size, interval = rate(name)
    return 8 * size / interval


def both_ways(preset: Preset) -> bool:
    """Whether the cores of a preset encrypt and decrypt."""
    return getattr(preset.parameters, "direction", "both") == "both"


def _lanes(preset: Preset) -> int:
    return getattr(preset.parameters, "lanes", 1)


def _presets(points: Iterable[Point]) -> Iterable[Point]:
    """The typical points of presets, as they are or built otherwise for the same function."""
    return (point for point in typical(own(points)) if shape(point) in catalog.PRESETS)


def _alike(points: Iterable[Point]) -> list[Point]:
    """Points whose rates compare: of a target with a clock in any of them, those with a clock."""
    listed = list(points)
    clocked = {point.identity.target for point in listed if point.found.clock}
    return [point for point in listed if point.found.clock or point.identity.target not in clocked]


def _best(points: Iterable[Point], kind: Callable[[Point], str]) -> list[Point]:
    chosen: dict[tuple[str, str], Point] = {}
    for point in _alike(points):
        key = point.identity.target, kind(point)
        if key not in chosen or point.found.efficiency > chosen[key].found.efficiency:
            chosen[key] = point
    order = list(targets)
    return sorted(chosen.values(), key=lambda point: (order.index(point.identity.target), -point.found.efficiency))
