# SPDX-License-Identifier: Apache-2.0
"""Cycles of a message in a cipher, played from the phases of its blocks."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from .cipher import BlockKind

__all__ = ["Pace", "Phase"]


@dataclass(frozen=True)
class Phase:
    """A part of a block's way through a cipher; it begins as soon as it may.

    after:  marks before the phase: cycles from which on resources are free, or values known
    delay:  least cycles from the previous phase
    until:  marks moved by the phase, each with the cycles from the phase's beginning
    result: cycles to a result; None: no result
    accept: the block is accepted when this phase begins; else when the block's first phase begins
    """

    after: tuple[str, ...] = ()
    delay: int = 0
    until: Mapping[str, int] = field(default_factory=dict)
    result: int | None = None
    accept: bool = False


class Pace:
    """The :class:`~wideblock.rtl.aead.cipher.Timetable` of a message whose blocks consist of phases.

    phases: from kind, size and ``last``, the phases of a block, one or more
    end:    the phase behind those of the last block; it may have a result
    tag:    cycles from its beginning to the tag
    """

    def __init__(self, phases: Callable[[BlockKind, int, bool], Sequence[Phase]], end: Phase, tag: int):
        self._phases, self._end, self._cycles_to_tag = phases, end, tag
        self._marks: dict[str, int] = defaultdict(int)
        self._at = 0
        self._results: list[int] = []

    def accept(self, kind: BlockKind, size: int, *, last: bool, offered: int) -> int:
        """The cycle in which a block is accepted that is valid from cycle ``offered`` on."""
        self._at = offered
        accepted = offered
        for number, phase in enumerate(self._phases(kind, size, last)):
            self._at = at = self._begins(phase)
            if number == 0 or phase.accept:
                accepted = at
            if phase.result is not None:
                self._results.append(at + phase.result)
            for mark, cycles in phase.until.items():
                self._marks[mark] = max(self._marks[mark], at + cycles)
        return accepted

    def _begins(self, phase: Phase) -> int:
        return max(self._at + phase.delay, *(self._marks[mark] for mark in phase.after), 0)

    def results(self) -> list[int]:
        """The cycles in which the results are valid, in order. Asked after all blocks."""
        last = [] if self._end.result is None else [self._begins(self._end) + self._end.result]
        return self._results + last

    def tag(self) -> int:
        """The cycle from which on the tag is valid. Asked after all blocks."""
        return self._begins(self._end) + self._cycles_to_tag
