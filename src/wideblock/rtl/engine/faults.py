# SPDX-License-Identifier: Apache-2.0
"""The log of faults: a counter for each cause, and the first fault with its slot."""

from amaranth import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.stream.sector import SLOT_BITS

__all__ = ["COUNT_BITS", "FaultLog"]

COUNT_BITS = 16
"""Bits of a counter. A counter stops at the greatest value."""


class FaultLog(wiring.Component):
    """Counters of faults, and the first fault.

    faults: in, a pulse a fault
    slot:   in, slot of the faults in this cycle
    wipe:   in, clears the log; a fault in the same cycle is not counted
    counts: out, number of faults of each cause
    first:  out, cause and slot of the first fault; of several in a cycle the lowest bit
    """

    def __init__(self, *, causes: int):
        self.causes = causes
        super().__init__(
            {
                "faults": In(causes),
                "slot": In(SLOT_BITS),
                "wipe": In(1),
                "counts": Out(data.ArrayLayout(COUNT_BITS, causes)),
                "first": Out(data.StructLayout({"slot": SLOT_BITS, "cause": 5, "valid": 1})),
            }
        )

    def elaborate(self, platform):
        m = Module()
        lowest = Signal(5)
        for bit in reversed(range(self.causes)):
            count = Signal(COUNT_BITS, name=f"count{bit}")
            m.d.comb += self.counts[bit].eq(count)
            with m.If(self.faults[bit]):
                m.d.comb += lowest.eq(bit)
                m.d.sync += count.eq(Mux(count.all(), count, count + 1))
            with m.If(self.wipe):
                m.d.sync += count.eq(0)
        with m.If(self.faults.any() & ~self.first.valid):
            m.d.sync += [self.first.valid.eq(1), self.first.cause.eq(lowest), self.first.slot.eq(self.slot)]
        with m.If(self.wipe):
            m.d.sync += self.first.as_value().eq(0)
        return m
