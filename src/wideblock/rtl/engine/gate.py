# SPDX-License-Identifier: Apache-2.0
"""The gate of the core's streams: multiplexer of user's and engine's messages, each checked against its slot."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.stream.behaviour import Behaviour, Cause, Fault
from wideblock.rtl.stream.interface import Interface
from wideblock.rtl.stream.sector import SLOT_BITS

from .commands import NOWHERE
from .passage import core_access
from .slots import KEY_CHANGE, slot_use

__all__ = ["StreamGate"]

FORBIDDEN = Fault(Cause.FORBIDDEN, "a unit named a slot whose key is not for it: of known answers, or not this way")
EXHAUSTED = Fault(Cause.LIMIT, "a unit named a slot whose key has processed as many blocks as it may")

_OF_KEYS = (Cause.KEY, Cause.KEY_WORDS, Cause.KEY_SLOT)
"""Causes that only a user of the core's own key port can see."""


class StreamGate(wiring.Component):
    """Messages of the user, ``i`` to ``o``, and of the engine, through a core.

    to_core, from_core: the core's streams
    access:      in, messages of the engine; while ``request``, no message of the user begins; while ``granted``,
                 messages of the engine pass, else messages of the user
    disabled:    in, no message passes
    cleared:     in, no result passes; core and engine clear themselves
    uncounted:   in, blocks of messages are not counted
    slots:       out, slot of the beginning message, and blocks of the ending one: one for each started 16 bytes
    change:      in, the slot whose key ends or begins
    core_faults: in, faults of the core
    slot:        out, slot of the last message that began

    ``access.faults`` has a pulse a fault, by the bits of :attr:`causes`.

    A message is refused for ``state`` or ``marks`` of its slot. The core gets a refused message under the slot
    :data:`NOWHERE`, and drops it whole; the gate's cause replaces the core's. A message is admitted if it is not
    refused, the slot has a key, and the key is not changing. A message is no longer counted once its slot is put, or
    with ``cleared``.

    The payload of ``o`` is 0 while it is not valid: a core shows an earlier result then, which may be the engine's own.

    Timing: no cycle is added.
    Paths:  ``slots.state`` and ``slots.marks`` to ``to_core``; none combinational from stream to stream that the core
            has not.
    """

    def __init__(self, interface: Interface, behaviour: Behaviour):
        into, out = interface.channel("i"), interface.channel("o")
        self.keeps = into.field("keep") is not None
        self.core_causes = behaviour.faults
        self.causes = (*(fault for fault in behaviour.faults if fault.cause not in _OF_KEYS), FORBIDDEN, EXHAUSTED)
        self.block_bits = (behaviour.length.most // 16).bit_length() + 1
        entrance, exit_ = stream.Signature(into.shape), stream.Signature(out.shape)
        super().__init__(
            {
                **{"i": In(entrance), "to_core": Out(entrance)},
                **{"o": Out(exit_), "from_core": In(exit_)},
                "access": In(core_access(into, out, faults=len(self.causes))),
                **dict.fromkeys(("disabled", "cleared", "uncounted"), In(1)),
                "slots": Out(slot_use(self.block_bits)),
                "change": In(KEY_CHANGE),
                "core_faults": In(len(self.core_causes)),
                "slot": Out(SLOT_BITS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        into = Signal.like(self.to_core.payload, name="into")
        held = Signal()  # the user's stream
        taken = Signal()
        opens = Signal()
        admits = Signal()
        forbidden = Signal()
        refused = Signal()
        result = self.from_core.payload.as_value()
        access, granted, slots = self.access, self.access.granted, self.slots
        m.d.comb += [
            held.eq((access.request & ~access.begun) | self.disabled),
            into.eq(Mux(granted, access.i.payload, self.i.payload)),
            self.to_core.payload.eq(into),
            self.to_core.payload.slot.eq(Mux(refused, NOWHERE, into.slot)),
            self.to_core.valid.eq(Mux(granted, access.i.valid & ~self.cleared, self.i.valid & ~held)),
            access.i.ready.eq(self.to_core.ready & ~self.cleared),
            self.i.ready.eq(self.to_core.ready & ~held & ~granted),
            taken.eq(self.to_core.valid & self.to_core.ready),
            opens.eq(taken & ~access.begun),
            slots.slot.eq(into.slot),
            forbidden.eq(
                (slots.state.kat & ~granted) | Mux(into.decrypt, slots.state.no_decrypt, slots.state.no_encrypt)
            ),
            refused.eq(forbidden | slots.marks.spent),
            admits.eq(slots.state.loaded & ~refused & ~(self.change.active & (into.slot == self.change.slot))),
            access.active.eq(self.from_core.valid | taken),
            self.o.valid.eq(self.from_core.valid & ~granted & ~self.cleared),
            self.o.payload.eq(result & self.o.valid.replicate(len(result))),
            access.o.valid.eq(self.from_core.valid & granted),
            access.o.payload.eq(self.from_core.payload),
            self.from_core.ready.eq(Mux(granted, access.o.ready, self.o.ready)),
        ]
        with m.If(taken):
            m.d.sync += access.begun.eq(~into.last)
        self._count(m, into, taken, opens, admits)
        self._faults(m, opens, refused, forbidden)
        with m.If(opens):
            m.d.sync += self.slot.eq(into.slot)
        return m

    def _count(self, m: Module, into: Any, taken: Value, opens: Value, admits: Value) -> None:
        """Blocks of each message."""
        slots = self.slots
        admitted = Signal()
        counted = Signal(name="counted_message")
        before = Signal(self.block_bits)
        width = len(into.data) // 128
        beat = sum((into.keep[16 * k] for k in range(1, width)), into.keep[0]) if self.keeps else width
        m.d.comb += [
            counted.eq(Mux(opens, admits, admitted)),
            slots.blocks.eq(Mux(opens, 0, before) + beat),
            slots.count.eq(taken & into.last & counted & ~self.uncounted),
            slots.counted.eq(Mux(opens, into.slot, self.slot)),
        ]
        with m.If(taken):
            m.d.sync += [admitted.eq(counted), before.eq(Mux(slots.blocks[-1], before, slots.blocks))]
        with m.If((self.change.put & (self.slot == self.change.slot) & ~opens) | self.cleared):
            m.d.sync += admitted.eq(0)

    def _faults(self, m: Module, opens: Value, refused: Value, forbidden: Value) -> None:
        """Faults of the core by the bits of the engine, with the engine's own cause where that refused the message."""
        why = Signal(2, name="refused_because")
        pulses = [pulse for pulse, f in zip(self.core_faults, self.core_causes, strict=True) if f.cause not in _OF_KEYS]
        place = [fault.cause for fault in self.causes].index(Cause.SLOT)
        unknown = pulses[place]
        pulses[place] = unknown & (why == 0)
        with m.If(opens):
            m.d.sync += why.eq(Cat(forbidden, refused & ~forbidden))
        m.d.comb += self.access.faults.eq(Cat(*pulses, unknown & why[0], unknown & why[1]))
