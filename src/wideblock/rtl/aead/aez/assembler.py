# SPDX-License-Identifier: Apache-2.0
"""An assembler for the program: steps in sequence, or tracks of steps that run in parallel."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .offsets import Tweak
from .step import AezKey, Cond, Hold, MicroStep, OperandSource, Row, Wait

__all__ = ["ACCEPT", "LOAD", "Microprogram", "Parts", "beside", "cleared", "go", "merged", "offset"]

Parts = Mapping[str, Any]
"""Some of the fields of a step."""
LOAD, ACCEPT = {"aes": AezKey.LOAD}, {"wait": Wait.BLOCK}


def merged(*parts: Parts) -> dict[str, Any]:
    """The fields of all, each from one of them."""
    names = [name for part in parts for name in part]
    if len(names) != len(set(names)):
        raise ValueError(f"a step has a field twice: {', '.join(names)}")
    return {name: value for part in parts for name, value in part.items()}


def offset(tweak: Tweak) -> list[Parts]:
    """Three steps that make the offset of the next call."""
    return [{"tweak": tweak, "bit": bit} for bit in (3, 2, 1)]


def beside(*tracks: Iterable[Parts]) -> list[Parts]:
    """Tracks of steps in parallel. All start together; empty steps fill the shorter tracks."""
    lists = [list(track) for track in tracks]
    length = max(len(track) for track in lists)
    padded = [[*track, *[{}] * (length - len(track))] for track in lists]
    return [merged(*column) for column in zip(*padded, strict=True)]


def cleared(row: Row) -> Parts:
    """The row is cleared."""
    return {"write": row, "source": OperandSource.CLEAR}


def go(name: str, cond: Cond = Cond.ALWAYS) -> Parts:
    """The step of that name follows, if the condition holds."""
    return {"cond": cond, "target": name}


class Microprogram:
    """Steps in the order in which they are written, and names for some of them.

    spacing: least cycles between two results, if pairs are in a pipeline; else None
    short:   the tag is shorter than a block
    narrow:  H is 0 where a result is V alone
    """

    def __init__(self, spacing: int | None = None, *, short: bool = False, narrow: bool = False):
        self.spacing, self.short = spacing, short
        self.alone: Parts = {"hold": Hold.CLEAR} if narrow else {}
        self.steps: list[MicroStep] = []
        self._names: dict[str, int] = {}

    def name(self, name: str) -> None:
        """Names the next step."""
        self._names[name] = len(self.steps)

    def step(self, **parts: Any) -> None:
        """Adds a step."""
        self.steps.append(MicroStep(**parts))

    def run(self, track: Iterable[Parts]) -> None:
        """Adds steps."""
        self.steps.extend(MicroStep(**parts) for parts in track)

    def rounds(self, keys: Sequence[AezKey], following: Tweak | None, *tracks: Iterable[Parts], **last: Any) -> None:
        """Adds a call's rounds, beside other tracks; ``last`` are fields of the last round."""
        made = [] if following is None else offset(following)
        late = [*[{}] * (len(keys) - len(made)), *made]
        self.run(beside([{"aes": key} for key in keys], late, [*[{}] * (len(keys) - 1), last], *tracks))

    def linked(self) -> tuple[MicroStep, ...]:
        """The steps, with numbers as targets."""
        return tuple(
            replace(step, target=self._names[step.target]) if step.cond is not Cond.NEVER else step
            for step in self.steps
        )
