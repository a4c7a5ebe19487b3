# SPDX-License-Identifier: Apache-2.0
"""Possible values of a parameter of a core while all further parameters stay, found by trial."""

from collections.abc import Callable
from dataclasses import Field, dataclass, fields, replace
from typing import Any

from wideblock.errors import UserError

from .changes import written
from .scheme import Preset

__all__ = ["Choices", "choices"]

_STEPS = range(1, 257)  # the largest is a beat
_MOST = 1 << 25  # beyond every number that a parameter takes


@dataclass(frozen=True)
class Choices:
    """``values`` alone, and the numbers from ``least`` to ``most`` in steps of ``step``; a step of 0 is no number."""

    values: tuple[Any, ...] = ()
    least: int = 0
    most: int = 0
    step: int = 0

    def __str__(self):
        numbers = [f"{self.least} to {self.most}{f' in steps of {self.step}' if self.step > 1 else ''}"]
        return ", ".join([*map(written, self.values), *(numbers if self.step else [])])


def choices(preset: Preset) -> dict[str, Choices]:
    """The choices of each parameter of ``preset``."""
    return {each.name: _choices(preset, each) for each in fields(preset.parameters)}


def _choices(preset: Preset, field: Field[Any]) -> Choices:
    def taken(value: Any) -> bool:
        try:
            return bool(preset.changed({field.name: value}))
        except UserError:
            return False

    if listed := field.metadata["choices"]:
        return Choices(tuple(filter(taken, listed)))
    absent = field.metadata["absent"]
    numbers = _numbers(lambda value: value != absent and taken(value), getattr(preset.parameters, field.name))
    return replace(numbers, values=(absent,) if absent is not None and taken(absent) else ())


def _numbers(taken: Callable[[int], bool], usual: int) -> Choices:
    """The numbers that are ``taken``, around ``usual`` or a power of two; none, if none of those is."""
    start = next((number for number in (usual, *(1 << k for k in range(1, 25))) if taken(number)), None)
    if start is None:
        return Choices()
    step = next((step for step in _STEPS if taken(start + step) or taken(start - step)), 1)
    return Choices((), start - step * _reach(taken, start, -step), start + step * _reach(taken, start, step), step)


def _reach(taken: Callable[[int], bool], start: int, step: int) -> int:
    """Steps from ``start`` to the last number that is taken; all before it are."""
    low, high = 0, _MOST // abs(step)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if taken(start + step * middle) else (low, middle - 1)
    return low
