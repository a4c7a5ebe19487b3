# SPDX-License-Identifier: Apache-2.0
"""Values that several stages of single pass share."""

from dataclasses import dataclass

from amaranth import Module, Signal, Value
from amaranth.hdl import ValueLike
from amaranth.lib import data

from wideblock.rtl.stream.queue import PromisedQueue

from .stealing import StealingControl

__all__ = ["Decision", "Frame", "Present"]


@dataclass(frozen=True)
class Frame:
    """Shared by all stages: the queues of beats and of enciphered tweaks, and the control of the present beat.

    ``ahead`` are the cycles by which the control is ahead of the data that it moves.
    """

    m: Module
    ahead: int
    clear: Value
    clear_row: Value
    arrivals: PromisedQueue
    tweaks: PromisedQueue
    control: StealingControl

    def kept(self, value: Value) -> Value:
        """``value``, and zero while clearing."""
        return value & ~self.clear.replicate(len(value))

    def later(self, name: str, value: ValueLike) -> Value:
        """``value`` of the control in the cycle in which the data move; its registers have the ``name``."""
        moved = Value.cast(value)
        for cycle in range(self.ahead):
            register = Signal(len(moved), name=f"{name}_later{cycle or ''}")
            self.m.d.sync += register.eq(moved)
            with self.m.If(self.clear):
                self.m.d.sync += register.eq(0)
            moved = register
        return moved


@dataclass(frozen=True)
class Present:
    """The beat whose turn it is, ``valid`` or not, its direction, and the beat ``behind`` it.

    ``here.data`` comes later than the rest, with the decision on it; ``behind.data`` when the beat is read.
    """

    here: data.View
    valid: Signal
    behind: data.View
    decrypt: Value


@dataclass(frozen=True)
class Decision:
    """Decision of the control on the present beat, in the cycle in which the data move.

    beat, held, completed, rest: what goes on its way to the results: a beat, a last whole block that is held, the
                                 completed block, or the place of a rest
    enters:                      a beat or the completed block enters the pipelines
    due:                         the masks of the next unit are
    holding, lane, whole, together: see :class:`.stealing.StealingControl`
    end, last, decrypt:          of the present beat
    """

    enters: Value
    beat: Value
    held: Value
    completed: Value
    rest: Value
    due: Value
    holding: Value
    lane: Value
    whole: Value
    together: Value
    end: Value
    last: Value
    decrypt: Value
