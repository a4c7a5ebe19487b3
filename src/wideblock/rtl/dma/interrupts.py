# SPDX-License-Identifier: Apache-2.0
"""Coalescing of interrupts: one for several completions, or some time after the first of them."""

from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Coalescing"]


class Coalescing(wiring.Component):
    """Pulses ``due`` for ``count`` completions, or ``time`` microseconds after the first one since ``due``.

    completed: in, pulses for a completion
    count:     in, number of completions; 0 counts as 1
    time:      in, microseconds; 0: no limit
    cycles:    in, cycles of a microsecond; 0 counts as 1
    """

    def __init__(self):
        super().__init__({"completed": In(1), "count": In(8), "time": In(16), "cycles": In(10), "due": Out(1)})

    def elaborate(self, platform):
        m = Module()
        waiting = Signal(8, name="completions_waiting")
        part = Signal(10, name="cycles_passed")
        passed = Signal(16, name="microseconds_passed")
        full = Signal()
        late = Signal()
        m.d.comb += [
            full.eq(self.completed & (waiting + 1 >= self.count)),
            late.eq((waiting != 0) & (self.time != 0) & (passed >= self.time)),
            self.due.eq(full | late),
        ]
        with m.If(self.completed):
            m.d.sync += waiting.eq(waiting + 1)
        with m.If(waiting != 0):
            m.d.sync += part.eq(part + 1)
            with m.If(part + 1 >= self.cycles):
                m.d.sync += [part.eq(0), passed.eq(passed + 1)]
        with m.If(self.due):
            m.d.sync += [waiting.eq(0), part.eq(0), passed.eq(0)]
        return m
