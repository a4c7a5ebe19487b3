# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""An answer for each unit of an engine's stream: the result, or a beat with an error flag."""

from dataclasses import replace

from amaranth import Module, Mux, Signal, Value
from amaranth.lib import wiring

from wideblock.rtl.stream.interface import Field, Interface, Read
from wideblock.rtl.stream.passing import pass_ports
from wideblock.rtl.stream.stages import power_of_two

from .engine import SlotEngine

__all__ = ["ErrorBeats"]

_FLAG = "in the last beat: the unit was dropped, was cut, or has ended early; there is no more of the result"


class ErrorBeats(wiring.Component):
    """``engine`` with a packet on ``o`` for each packet on ``i``, in order.

    A dropped unit, and a unit under way in a clear, leaves a beat of one byte 0 with ``last`` and ``error``. A unit
    that has ended early leaves the shorter result, with ``error`` in the last beat, which waits for the end of the
    packet on ``i``.

    engine: drops a unit whole with a fault in the cycle after the first beat; any further fault comes before the next
            unit begins; results are in the order of the units

    Timing: of the engine.
    Paths:  none combinational between the streams.
    Cost:   two flags for each of :attr:`units` under way.
    """

    def __init__(self, engine: SlotEngine):
        self.core, self.parameters = engine, engine.parameters
        own, length = engine.interface, engine.behaviour.length
        self.units = power_of_two(length.timing(0, length.least).busy + 1)
        flag = Field("error", 1, _FLAG, Read.LAST)
        channels = (replace(each, fields=(*each.fields, flag)) if each.name == "o" else each for each in own.channels)
        self.interface = Interface(tuple(channels), own.controls)
        self.timing, self.behaviour = engine.timing, replace(engine.behaviour, influences=())
        super().__init__(self.interface.members())

    @property
    def registers(self):
        """The maps of the engine."""
        return self.core.registers

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = self.core
        pass_ports(m, core, self, but=("i", "o"))
        first = Signal(range(self.units))
        last = Signal(range(self.units), name="newest", init=self.units - 1)
        level = Signal(range(self.units + 1))
        within = Signal()  # the newest unit has a beat to come
        dropped = Signal(self.units, name="unit_dropped")
        faulty = Signal(self.units, name="unit_faulty")
        opens = self._enter(m, last, level, within, dropped, faulty)
        retire = self._leave(m, first, last, level, within, dropped, faulty)
        m.d.sync += [first.eq(first + retire), level.eq(level + opens - retire)]
        return m

    def _enter(self, m: Module, last: Signal, level: Signal, within: Signal, dropped: Signal, faulty: Signal) -> Value:
        """Units into the engine, and their faults. Returns whether a unit begins."""
        into, given = self.core.i, self.i
        passes = Signal()
        opens = Signal()
        begun = Signal()
        new = Signal.like(last, name="new")
        accepted = Signal()
        m.d.comb += [
            passes.eq(within | (level != self.units)),
            into.payload.eq(given.payload),
            into.valid.eq(given.valid & passes),
            given.ready.eq(into.ready & passes),
            accepted.eq(given.valid & given.ready),
            opens.eq(accepted & ~within),
            new.eq(last + 1),
        ]
        m.d.sync += begun.eq(opens)
        with m.If(self.core.fault.any()):
            m.d.sync += faulty.bit_select(last, 1).eq(1)
            with m.If(begun):
                m.d.sync += dropped.bit_select(last, 1).eq(1)
        with m.If(accepted):
            m.d.sync += within.eq(~given.payload.last)
        with m.If(opens):
            m.d.sync += [last.eq(new), dropped.bit_select(new, 1).eq(0), faulty.bit_select(new, 1).eq(0)]
        with m.If(~self.core.ready):  # it has cleared itself, or has failed: nothing of these units comes any more
            m.d.sync += dropped.eq(-1)
        return opens

    def _leave(
        self, m: Module, first: Signal, last: Signal, level: Signal, within: Signal, dropped: Signal, faulty: Signal
    ) -> Value:
        """Results and error beats. Returns whether the oldest unit leaves."""
        result, out = self.core.o, self.o
        present = Signal()
        gone = Signal()
        moved = Signal()  # a beat was accepted in the cycle before: its fault comes in this one
        whole = Signal()  # the oldest unit has ended, and its faults are known
        passes = Signal(name="result_passes")
        retire = Signal()
        m.d.sync += moved.eq(self.i.valid & self.i.ready)
        m.d.comb += [
            present.eq(level != 0),
            gone.eq(present & dropped.bit_select(first, 1)),
            whole.eq((first != last) | ~(within | moved)),
            passes.eq(present & ~gone & result.valid & (whole | ~result.payload.last)),
            result.ready.eq(out.ready & passes),
            out.valid.eq(gone | passes),
            *(
                out.payload[name].eq(Mux(passes, result.payload[name], gone if name != "data" else 0))
                for name in ("data", "last", "keep")
            ),
            out.payload.error.eq(gone | (passes & result.payload.last & faulty.bit_select(first, 1))),
            retire.eq(out.valid & out.ready & out.payload.last),
        ]
        return retire
