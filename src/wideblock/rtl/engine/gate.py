# SPDX-License-Identifier: Apache-2.0
"""The gate of the core's streams: one message at a time is the user's or the window's, and its slot must permit it."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.stream.behaviour import Behaviour, Cause, Fault
from wideblock.rtl.stream.interface import Interface
from wideblock.rtl.stream.sector import SLOT_BITS

from .commands import NOWHERE
from .slots import MARKS, STATE

__all__ = ["StreamGate"]

FORBIDDEN = Fault(Cause.FORBIDDEN, "a unit named a slot whose key is not for it: of known answers, or not this way")
EXHAUSTED = Fault(Cause.LIMIT, "a unit named a slot whose key has processed as many blocks as it may")

_OF_KEYS = (Cause.KEY, Cause.KEY_WORDS, Cause.KEY_SLOT)
"""Causes that only a user of the core's own key port can see."""


class StreamGate(wiring.Component):
    """Messages of the user, ``i`` to ``o``, and of the window, ``window_i`` to ``window_o``, through a core.

    ``to_core`` and ``from_core`` are the core's streams. The window's messages pass while it ``owns`` the core, the
    user's in all other cycles. While the window ``wants`` it, no message of the user begins; ``begun`` in the midst of
    one; ``moves`` as a beat enters or is offered. No message passes while ``closed``; ``cleared`` hides what leaves.

    The first beat's slot is ``asked``, and the message is refused for its ``state`` or ``marks``: it goes to the core
    under a slot that no core has, so that the core drops it whole. Of others ``count`` pulses with the last beat, with
    the slot ``counted`` and its ``blocks``, one for each started 16 bytes.

    ``core_faults`` are the core's. ``faults`` are pulses by the bits of :attr:`causes`: those of the core, but with the
    cause of a refusal here in the place of the core's; ``slot`` is that of the last message that began.

    Timing: no cycle is added.
    Paths:  ``state`` and ``marks`` to ``to_core``; none combinational from stream to stream that the core has not.
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
                **{"i": In(entrance), "window_i": In(entrance), "to_core": Out(entrance)},
                **{"o": Out(exit_), "window_o": Out(exit_), "from_core": In(exit_)},
                **dict.fromkeys(("wants", "owns", "closed", "cleared"), In(1)),
                **dict.fromkeys(("begun", "moves"), Out(1)),
                "asked": Out(SLOT_BITS),
                "state": In(STATE),
                "marks": In(MARKS),
                "count": Out(1),
                "counted": Out(SLOT_BITS),
                "blocks": Out(self.block_bits),
                "core_faults": In(len(self.core_causes)),
                "faults": Out(len(self.causes)),
                "slot": Out(SLOT_BITS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        into = Signal.like(self.to_core.payload, name="into")
        held = Signal()  # the user's stream
        taken = Signal()
        opens = Signal()
        forbidden = Signal()
        refused = Signal()
        result = self.from_core.payload.as_value()
        m.d.comb += [
            held.eq((self.wants & ~self.begun) | self.closed),
            into.eq(Mux(self.owns, self.window_i.payload, self.i.payload)),
            self.to_core.payload.eq(into),
            self.to_core.payload.slot.eq(Mux(refused, NOWHERE, into.slot)),
            self.to_core.valid.eq(Mux(self.owns, self.window_i.valid & ~self.cleared, self.i.valid & ~held)),
            self.window_i.ready.eq(self.to_core.ready & ~self.cleared),
            self.i.ready.eq(self.to_core.ready & ~held & ~self.owns),
            taken.eq(self.to_core.valid & self.to_core.ready),
            opens.eq(taken & ~self.begun),
            self.asked.eq(into.slot),
            forbidden.eq(
                (self.state.kat & ~self.owns) | Mux(into.decrypt, self.state.no_decrypt, self.state.no_encrypt)
            ),
            refused.eq(forbidden | self.marks.spent),
            self.moves.eq(self.from_core.valid | taken),
            self.o.valid.eq(self.from_core.valid & ~self.owns & ~self.cleared),
            self.o.payload.eq(result & ~self.owns.replicate(len(result))),
            self.window_o.valid.eq(self.from_core.valid & self.owns),
            self.window_o.payload.eq(self.from_core.payload),
            self.from_core.ready.eq(Mux(self.owns, self.window_o.ready, self.o.ready)),
        ]
        with m.If(taken):
            m.d.sync += self.begun.eq(~into.last)
        self._count(m, into, taken, opens, refused)
        self._faults(m, opens, refused, forbidden)
        with m.If(opens):
            m.d.sync += self.slot.eq(into.slot)
        return m

    def _count(self, m: Module, into: Any, taken: Value, opens: Value, refused: Value) -> None:
        """Blocks of each message."""
        admitted = Signal()
        counted = Signal(name="counted_message")
        before = Signal(self.block_bits)
        width = len(into.data) // 128
        beat = sum((into.keep[16 * k] for k in range(1, width)), into.keep[0]) if self.keeps else width
        m.d.comb += [
            counted.eq(Mux(opens, self.state.loaded & ~refused, admitted)),
            self.blocks.eq(Mux(opens, 0, before) + beat),
            self.count.eq(taken & into.last & counted),
            self.counted.eq(Mux(opens, into.slot, self.slot)),
        ]
        with m.If(taken):
            m.d.sync += [admitted.eq(counted), before.eq(Mux(self.blocks[-1], before, self.blocks))]

    def _faults(self, m: Module, opens: Value, refused: Value, forbidden: Value) -> None:
        """Faults of the core by the bits of the engine, with the engine's own cause where that refused the message."""
        why = Signal(2, name="refused_because")
        pulses = [pulse for pulse, f in zip(self.core_faults, self.core_causes, strict=True) if f.cause not in _OF_KEYS]
        place = [fault.cause for fault in self.causes].index(Cause.SLOT)
        unknown = pulses[place]
        pulses[place] = unknown & (why == 0)
        with m.If(opens):
            m.d.sync += why.eq(Cat(forbidden, refused & ~forbidden))
        m.d.comb += self.faults.eq(Cat(*pulses, unknown & why[0], unknown & why[1]))
