# SPDX-License-Identifier: Apache-2.0
"""Values that several stages of single pass share."""

from dataclasses import dataclass

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.hdl import ValueLike
from amaranth.lib import data

from wideblock.rtl.pipeline import later
from wideblock.rtl.stream.queue import PromisedQueue

from .slots import UnitSlots
from .stealing import StealingControl
from .timing import SinglePassCycles

__all__ = ["Decision", "Present", "SinglePassFrame"]


@dataclass(frozen=True)
class SinglePassFrame:
    """Shared by all stages: the queues of beats and of enciphered tweaks, and the control of the present beat."""

    m: Module
    cycles: SinglePassCycles
    clear: Value
    clear_row: Value
    round_keys: Value
    arrivals: PromisedQueue
    tweaks: PromisedQueue
    control: StealingControl
    slots: UnitSlots | None = None

    def later(self, name: str, value: ValueLike) -> Value:
        """``value`` of the control in the cycle in which the data move; see :func:`wideblock.rtl.pipeline.later`."""
        return later(self.m, name, value, cycles=self.cycles.ahead, clear=self.clear)

    def tag(self, name: str, entering: Value) -> Signal:
        """A flag beside the pipelines; the highest bit is at the output."""
        tag = Signal(self.cycles.cipher, name=f"{name}_tag")
        self.m.d.sync += tag.eq(Mux(self.clear, 0, Cat(entering, tag[:-1])))
        return tag


@dataclass(frozen=True)
class Present:
    """The present beat, ``valid`` or not, the direction, and the next beat, ``behind``.

    ``here.data`` comes with the decision on the beat, later than the rest; ``behind.data`` when the beat is read.
    """

    here: data.View
    valid: Signal
    behind: data.View
    decrypt: Value


@dataclass(frozen=True)
class Decision:
    """Decision of the control on the present beat, in the cycle in which the data move.

    beat, held, completed, rest: under way to the results: a beat, a held last whole block, the completed block, or the
                                 place of a rest
    enters:                      a beat or the completed block enters the pipelines
    due:                         the masks of the next unit are due
    holding, lane, together:     see :class:`.stealing.StealingControl`
    part:                        see :class:`.stealing.StealingData`
    bytes, rest_bytes:           bytes of the present beat, and of the partial block at the end
    last, decrypt, tag:          of the present beat; the tag has no bits if units have no tag
    """

    enters: Value
    beat: Value
    held: Value
    completed: Value
    rest: Value
    due: Value
    holding: Value
    lane: Value
    together: Value
    part: Value
    bytes: Value
    rest_bytes: Value
    last: Value
    decrypt: Value
    tag: Value
