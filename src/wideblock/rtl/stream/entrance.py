# SPDX-License-Identifier: Apache-2.0
"""The entrance of a sector core: one register, and the framing of sectors."""

from amaranth import Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .behaviour import Cause, Fault
from .sector import TWEAK_BITS, sector_channel

__all__ = ["FAULTS", "Entrance"]

SHORT, LONG = range(2)
FAULTS = (Fault(Cause.SHORT, "a sector was too short"), Fault(Cause.LONG, "a sector was too long"))
"""Bits of an entrance's ``fault``."""


class Entrance(wiring.Component):
    """Offers the beats of a sector one after another, and drops what is not a sector of ``beats`` beats.

    ``beat`` is in ``x`` while ``valid``, and its number in ``number``; ``take`` says that the core takes it. A sector
    that ends early or does not end raises its bit of ``fault`` with the beat that shows it; what follows a sector that
    does not end is dropped up to its ``last``. ``open`` admits beats at all, ``hold`` admits no further sector;
    ``between`` says that no sector has begun and none is in the register. With a ``tail`` the last beat has so many
    bytes, and its ``keep`` must say so. The rest of a sector that ``clear`` cut in two is dropped without a fault; the
    flag for that survives ``clear``, but not a reset.

    Timing: a beat is offered one cycle after it was taken; full rate.
    Paths:  ``take`` to ``i.ready``; none from ``i``.
    """

    def __init__(self, *, width: int, beats: int, tweak_bits: int = TWEAK_BITS, tail: int | None = None):
        self.width, self.beats, self.tail = width, beats, tail
        keep = {} if tail is None else {"keep": 16 * width}
        super().__init__(
            {
                "i": In(stream.Signature(sector_channel(width, keep=bool(keep), tweak_bits=tweak_bits).shape)),
                "open": In(1),
                "hold": In(1),
                "clear": In(1),
                "x": Out(
                    data.StructLayout(
                        {"data": data.ArrayLayout(128, width), "tweak": tweak_bits, "decrypt": 1, "last": 1, **keep}
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
        room = Signal()
        load = Signal()
        final = self.number == self.beats - 1
        short, long, endless = self._ends(final)
        m.d.comb += [
            leaves.eq(self.take | (full & discard)),
            room.eq(~full | leaves),
            load.eq(self.i.valid & self.i.ready),
            self.valid.eq(full & ~discard),
            self.i.ready.eq(self.open & room & ~(~begun & self.hold)),
            self.between.eq(~begun & ~full),
            self.fault[SHORT].eq(self.take & self.x.last & short),
            self.fault[LONG].eq(self.take & final & long),
        ]
        m.d.sync += full.eq(~room | load)
        with m.If(self.i.valid & room):  # perhaps not taken yet: as little as possible enables so many registers
            m.d.sync += self.x.eq(self.i.payload)
        with m.If(load):
            m.d.sync += begun.eq(~self.i.payload.last)
        with m.If(self.take):
            m.d.sync += self.number.eq(Mux(final | self.x.last, 0, self.number + 1))
        with m.If(endless):
            m.d.sync += discard.eq(1)
        with m.Elif(full & self.x.last):
            m.d.sync += discard.eq(0)
        with m.If(self.clear):
            m.d.sync += [full.eq(0), self.x.eq(0), discard.eq(begun), self.number.eq(0)]
        return m

    def _ends(self, final: Value) -> tuple[Value, Value, Value]:
        """Whether a beat that is the sector's last by ``last`` is too early, one that is it by its number too late or
        too long, and whether the sector goes on after it.
        """
        early, late = ~final, ~self.x.last
        if self.tail is None:
            return early, late, self.fault[LONG]
        keep, more = self.x.keep, self.x.keep[self.tail :].any()
        return early | (~keep[: self.tail].all() & ~more), late | more, self.take & final & late
