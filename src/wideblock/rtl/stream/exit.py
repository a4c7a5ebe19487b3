# SPDX-License-Identifier: Apache-2.0
"""The exit of a sector core: whole results, in natural order."""

from amaranth import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .sector import result_channel

__all__ = ["Exit"]


class Exit(wiring.Component):
    """Reads finished sectors from a ring whose read register is the output register.

    ``pending`` says that sector ``sector`` is whole. ``fetch`` asks for its beat ``number``, which is on ``data`` in
    the next cycle and for as long as ``advance`` is low; ``shown`` and ``shown_number`` say which one ``data`` is.
    With ``end``, so many bytes of the last beat are the result's.

    Timing: the first beat is offered two cycles after ``pending`` rises; full rate.
    Paths:  ``o.ready`` to ``advance`` and ``fetch``; none to ``o``.
    """

    def __init__(self, *, width: int, beats: int, sector_bits: int, end: int | None = None):
        self.width, self.beats, self.end = width, beats, end
        number = range(max(2, beats))
        super().__init__(
            {
                "o": Out(stream.Signature(result_channel(width, keep=end is not None).shape)),
                "clear": In(1),
                "pending": In(1),
                "data": In(128 * width),
                "advance": Out(1),
                "fetch": Out(1),
                "number": Out(number),
                "sector": Out(sector_bits),
                "shown": Out(sector_bits),
                "shown_number": Out(number),
            }
        )

    def elaborate(self, platform):
        m = Module()
        valid = Signal()
        final = self.number == self.beats - 1
        m.d.comb += [
            self.advance.eq(~valid | self.o.ready),
            self.fetch.eq(self.advance & self.pending),
            self.o.valid.eq(valid & ~self.clear),
            self.o.payload.data.eq(self.data),
            self.o.payload.last.eq(self.shown_number == self.beats - 1),
        ]
        if self.end is not None:
            whole, rest = ((1 << size) - 1 for size in (16 * self.width, self.end))
            m.d.comb += self.o.payload.keep.eq(Mux(self.o.payload.last, rest, whole))
        with m.If(self.advance):
            m.d.sync += [valid.eq(self.pending), self.shown.eq(self.sector), self.shown_number.eq(self.number)]
        with m.If(self.fetch):
            m.d.sync += [
                self.number.eq(Mux(final, 0, self.number + 1)),
                self.sector.eq(self.sector + final),
            ]
        with m.If(self.clear):
            m.d.sync += [s.eq(0) for s in (valid, self.number, self.sector, self.shown, self.shown_number)]
        return m
