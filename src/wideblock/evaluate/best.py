# SPDX-License-Identifier: Apache-2.0
"""The best core of each scheme, and the best build of each preset: the most throughput an area, target by target."""

from collections.abc import Callable, Iterable

from wideblock import catalog
from wideblock.evaluate.point import SAME_FUNCTION, Point
from wideblock.evaluate.store import own, typical
from wideblock.synth.targets import targets

__all__ = ["of_presets", "of_schemes"]


def of_schemes(points: Iterable[Point]) -> list[Point]:
    """The best point of each scheme on each target: by target, from the best scheme on."""
    return _best(points, lambda preset: preset.scheme.name)


def of_presets(points: Iterable[Point]) -> list[Point]:
    """The best point of each preset on each target: by target, from the best preset on."""
    return _best(points, lambda preset: preset.name)


def _best(points: Iterable[Point], kind: Callable[[catalog.Preset], str]) -> list[Point]:
    """Of the typical points of presets, as they are or built otherwise for the same function, the best of each kind."""
    chosen: dict[tuple[str, str], Point] = {}
    for point in typical(own(points)):
        preset = catalog.PRESETS.get(point.identity.preset)
        if preset is None or not SAME_FUNCTION.issuperset(point.identity.changed):
            continue
        key = point.identity.target, kind(preset)
        if key not in chosen or point.found.efficiency > chosen[key].found.efficiency:
            chosen[key] = point
    order = list(targets)
    return sorted(chosen.values(), key=lambda point: (order.index(point.identity.target), -point.found.efficiency))
