# SPDX-License-Identifier: Apache-2.0
"""Values that several stages of single pass share."""

from dataclasses import dataclass

from amaranth import Module, Signal, Value
from amaranth.lib import data

from wideblock.rtl.stream.queue import PromisedQueue

from .stealing import StealingControl

__all__ = ["Frame", "Moves", "Present"]


@dataclass(frozen=True)
class Frame:
    """Shared by all stages: the queues of beats and of enciphered tweaks, and the control of the present beat."""

    m: Module
    clear: Value
    clear_row: Value
    arrivals: PromisedQueue
    tweaks: PromisedQueue
    control: StealingControl

    def kept(self, value: Value) -> Value:
        """``value``, and zero while clearing."""
        return value & ~self.clear.replicate(len(value))


@dataclass(frozen=True)
class Present:
    """The beat whose turn it is, ``valid`` or not, its direction, and the beat ``behind`` it."""

    here: data.View
    valid: Signal
    behind: data.View
    decrypt: Value


@dataclass(frozen=True)
class Moves:
    """Flags of what enters the pipelines in a cycle, or leaves them: a beat, a last whole block that is held, the
    completed block, or the place of a rest.
    """

    beat: Value
    held: Value
    completed: Value
    rest: Value
