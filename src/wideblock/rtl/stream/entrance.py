# SPDX-License-Identifier: Apache-2.0
"""The entrance of a sector core: one register, and the framing of sectors."""

from amaranth import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .behaviour import Cause, Fault
from .sector import sector_channel

__all__ = ["FAULTS", "Entrance"]

SHORT, LONG = range(2)
FAULTS = (Fault(Cause.SHORT, "a sector was too short"), Fault(Cause.LONG, "a sector was too long"))
"""Bits of an entrance's ``fault``."""


class Entrance(wiring.Component):
    """Offers the beats of a sector one after another, and drops what is not a sector of ``beats`` beats.

    ``beat`` is in ``x`` while ``valid``, and its number in ``number``; ``take`` says that the core takes it. A sector
    that ends early or does not end raises its bit of ``fault`` with the beat that shows it; what follows a sector that
    does not end is dropped up to its ``last``. ``open`` admits beats at all, ``hold`` admits no further sector;
    ``between`` says that no sector has begun and none is in the register.

    With ``end``, the last beat of a sector has so many bytes, and its ``keep`` must be these: without one of them the
    sector is too short, with more it is too long.

    Timing: a beat is offered one cycle after it was taken; full rate.
    Paths:  ``take`` to ``i.ready``; none from ``i``.
    """

    def __init__(self, *, width: int, beats: int, end: int | None = None):
        self.width, self.beats, self.end = width, beats, end
        partial = end is not None
        super().__init__(
            {
                "i": In(stream.Signature(sector_channel(width, keep=partial).shape)),
                "open": In(1),
                "hold": In(1),
                "clear": In(1),
                "x": Out(
                    data.StructLayout(
                        {"data": data.ArrayLayout(128, width), "tweak": 128, "decrypt": 1, "last": 1}
                        | ({"keep": 16 * width} if partial else {})
                    )
                ),
                "valid": Out(1),
                "number": Out(range(max(2, beats))),
                "take": In(1),
                "fault": Out(len(FAULTS)),
                "between": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        full = Signal()
        discard = Signal()
        begun = Signal()
        leaves = Signal()
        final = self.number == self.beats - 1
        short = self.take & self.x.last & ~final
        long = self.take & final & ~self.x.last
        endless = self.fault[LONG]
        if self.end is not None:
            missing, more = ~self.x.keep[: self.end].all(), self.x.keep[self.end :].any()
            short = short | (self.take & self.x.last & missing)
            long = long | (self.take & final & self.x.last & more & ~missing)
            endless = endless & ~self.x.last
        m.d.comb += [
            leaves.eq(self.take | (full & discard)),
            self.valid.eq(full & ~discard),
            self.i.ready.eq(self.open & (~full | leaves) & ~(~begun & self.hold)),
            self.between.eq(~begun & ~full),
            self.fault[SHORT].eq(short),
            self.fault[LONG].eq(long),
        ]
        with m.If(leaves):
            m.d.sync += full.eq(0)
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [full.eq(1), self.x.eq(self.i.payload), begun.eq(~self.i.payload.last)]
        with m.If(self.take):
            m.d.sync += self.number.eq(Mux(final | self.x.last, 0, self.number + 1))
        with m.If(endless):
            m.d.sync += discard.eq(1)
        with m.Elif(full & self.x.last):
            m.d.sync += discard.eq(0)
        with m.If(self.clear):
            m.d.sync += [full.eq(0), self.x.eq(0), begun.eq(0), discard.eq(0), self.number.eq(0)]
        return m
