# SPDX-License-Identifier: Apache-2.0
"""The cycles of a message, from the program that the core carries out."""

from collections import deque
from collections.abc import Sequence

from ..cipher import BlockKind
from .overlap import CALL
from .step import Base, Count, Enter, Known, MicroStep, Out, Span, Turn, Wait

__all__ = ["AezTimetable", "setup"]


def setup(steps: Sequence[MicroStep], words: int = 1) -> int:
    """Cycles from a key accepted to the first word of a block that can be taken. The last word accepts the block."""
    return words * (_idle(steps) - 1) + 1


def _idle(steps: Sequence[MicroStep]) -> int:
    return next(at for at, step in enumerate(steps) if step.wait is Wait.EITHER)


class AezTimetable:
    """The program carried out on lengths alone, for one message.

    room:  bytes of the message in M_y
    words: cycles of a step
    """

    def __init__(self, steps: Sequence[MicroStep], *, decrypt: bool, room: int = 0, words: int = 1):
        self._steps, self._known, self._room, self._words = steps, Known(decrypt=decrypt), room, words
        self._place = _idle(steps)
        self._cycle = self._turns = 0
        self._results: list[int] = []
        self._live = deque([False] * CALL)  # whether the calls in the pipeline are those of pairs

    def accept(self, kind: BlockKind, size: int, *, last: bool, offered: int) -> int:
        """The cycle in which a block is accepted that is valid from cycle ``offered`` on."""
        self._run()
        self._cycle = max(self._cycle, offered)
        if kind is not BlockKind.TAG:
            known = self._known
            known.size, known.last, known.offered, known.final = size, last, size, last
            if self._room and kind is BlockKind.DATA and last:
                known.cuts, known.empty = size <= self._room, size == 0
                known.size = size - self._room + (32 if known.cuts else 0)
                known.most = 9 if known.cuts and known.size % 16 else 7
        self._carry_out()
        return self._cycle - 1

    def results(self) -> list[int]:
        """The cycles in which the results are valid, in order."""
        self._run()
        return self._results

    def tag(self) -> int:
        """The cycle from which on the tag is valid."""
        self._run()
        return self._cycle + self._words - 1

    def _run(self) -> None:
        """To the next step that waits for a block, or for the tag to be taken."""
        while self._steps[self._place].wait in (Wait.NONE, Wait.TURNED):
            self._carry_out()

    def _carry_out(self) -> None:
        step = self._steps[self._place]
        if step.wait is Wait.TURNED:
            self._cycle += self._turns // 8 + self._words * (self._turns % 8)
            self._turns = 0
        live = self._live.popleft()
        self._live.append(self._enters(step.enter, live))
        if step.out is not Out.NONE and (live or step.base is Base.TEXT):
            self._results.append(self._cycle + self._words - 1)
        following = step.target if self._known.conditions()[step.cond] else self._place + 1
        self._count(step)
        self._place = following
        self._cycle += self._words

    def _count(self, step: MicroStep) -> None:
        known = self._known
        match step.count:
            case Count.ZERO:
                known.done = 0
            case Count.NEXT:
                known.done += 1
            case Count.ALL:
                known.pairs, known.done = known.done, 0
            case Count.ROUND:
                known.number = 0 if known.number == known.most else known.number + 1
        if step.turn is not Turn.KEEP:
            nibbles = self._nibbles(step)
            left = Turn.LEFT if self._words == 1 else Turn.RIGHT
            self._turns = (nibbles if step.turn is left else -nibbles) % 32

    def _nibbles(self, step: MicroStep) -> int:
        """e of a step."""
        n = self._known.size % 16
        if step.span is Span.PART:
            return 2 * self._room
        if step.span is Span.REST:
            return -2 * n
        brief = self._known.cuts and n
        return n + (0 if brief else 16) if step.half else 2 * n

    def _enters(self, enter: Enter, live: bool) -> bool:
        whole = not (self._known.last and (self._known.cuts or self._known.size < 16))
        return {Enter.NONE: False, Enter.SAME: live, Enter.WHOLE: whole, Enter.SECOND: True}[enter]
