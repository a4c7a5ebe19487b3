# SPDX-License-Identifier: Apache-2.0
"""The entrance of a core for data units of any length: one register, and what of a unit is one."""

from collections.abc import Sequence

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from .behaviour import Cause, Fault
from .sector import sector_channel

__all__ = ["FAULTS", "UnitEntrance"]

SHORT, LONG, DIRECTION = range(3)
FAULTS = (
    Fault(Cause.SHORT, "a unit was too short, or the bytes of its last beat were not a run from byte 0"),
    Fault(Cause.LONG, "a unit was too long"),
    Fault(Cause.DIRECTION, "a unit's direction is one that the core does not have"),
)
"""Bits of an entrance's ``fault``."""


class UnitEntrance(wiring.Component):
    """Offers the beats of units of 16 bytes to ``beats`` full beats, and keeps out what is no unit.

    A beat is in ``x`` while ``valid``, the unit's ``first`` or not; ``x.end`` is the number of its last byte. The core
    takes it, ``take``, if it gives ``permit``. ``directions`` are the values of ``decrypt`` that the core can serve.
    ``open`` admits beats at all, ``hold`` no further unit; ``between`` says that no unit has begun and none is in the
    register. ``tweak`` is that of the unit while its first beat is in the register.
    ``opening`` pulses as the first beat of a unit that will be offered comes into the register.

    A bit of ``fault`` pulses with the beat that shows it. A unit of one beat without all of its first 16 bytes, and one
    in a direction that the core does not have, are dropped whole. One that does not end is ended with its last possible
    beat, and its rest dropped. Where ``keep`` of any other last beat is not a run from byte 0, any bytes may be taken
    for its last. The rest of a unit that ``clear`` cut in two is dropped without a fault; the flag for that survives
    ``clear``, but not a reset.

    Timing: a beat is offered one cycle after it was taken; full rate.
    Paths:  ``permit`` to ``take`` and ``i.ready``; none from ``i`` but to ``opening``.
    """

    def __init__(self, *, width: int, beats: int, directions: Sequence[bool]):
        self.width, self.beats, self.directions = width, beats, tuple(directions)
        self.layout = data.StructLayout(
            {
                "data": data.ArrayLayout(128, width),
                "end": (16 * width - 1).bit_length(),
                "last": 1,
                "decrypt": 1,
            }
        )
        super().__init__(
            {
                "i": In(stream.Signature(sector_channel(width, keep=True).shape)),
                "open": In(1),
                "hold": In(1),
                "clear": In(1),
                "x": Out(self.layout),
                "tweak": Out(128),
                "opening": Out(1),
                "first": Out(1),
                "valid": Out(1),
                "permit": In(1),
                "take": Out(1),
                "fault": Out(len(FAULTS)),
                "between": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        beat = Signal(self.layout)
        full = Signal()
        begun = Signal()
        discard = Signal()
        first = Signal(init=1)
        number = Signal(range(self.beats))
        # What a beat is, is found on its way into the register, so that little is between that and the next one.
        holes = Signal()  # the bytes of a last beat are not a run from byte 0
        foreign = Signal()
        wrong = Signal()  # as a first beat: short or foreign
        final = Signal(init=self.beats == 1)
        swallow = Signal()
        leaves = Signal()
        room = Signal()
        m.d.comb += [
            swallow.eq(full & (discard | (first & wrong))),
            self.take.eq(self.valid & self.permit),
            leaves.eq(self.take | swallow),
            foreign.eq(0 if len(self.directions) == 2 else beat.decrypt != Const(self.directions[0], 1)),
            self.valid.eq(full & ~swallow),
            self.first.eq(first),
            self.x.data.eq(beat.data),
            self.x.end.eq(beat.end),
            self.x.last.eq(beat.last | final),
            self.x.decrypt.eq(beat.decrypt),
            # a beat that is dropped leaves without a permit, but another one is accepted in that cycle only with one
            room.eq(~full | self.permit),
            self.i.ready.eq(self.open & (begun | ~self.hold) & room),
            self.between.eq(~begun & ~full),
            self.fault[SHORT].eq((swallow & ~discard & ~foreign) | (self.take & holes)),
            self.fault[LONG].eq(self.take & final & ~beat.last),
            self.fault[DIRECTION].eq(swallow & ~discard & foreign),
        ]
        with m.If(leaves):
            m.d.sync += [full.eq(0), first.eq(beat.last), discard.eq(~beat.last & (swallow | final))]
        with m.If(self.take):
            m.d.sync += [
                number.eq(Mux(self.x.last, 0, number + 1)),
                final.eq(~self.x.last & (number == self.beats - 2) if self.beats > 1 else 1),
            ]
        new = self.i.payload
        load = Signal()
        end = Signal.like(beat.end, name="new_end")
        part, improper = Signal(name="new_short"), Signal(name="new_wrong")
        m.d.comb += [
            load.eq(self.i.valid & self.i.ready),
            end.eq(Mux(new.last, _end(new.keep), (1 << len(beat.end)) - 1)),
            part.eq(new.last & ~new.keep[:16].all()),
            improper.eq(part if len(self.directions) == 2 else part | (new.decrypt != Const(self.directions[0], 1))),
            self.opening.eq(load & ~begun & ~improper),
        ]
        with m.If(self.i.valid & room):  # perhaps not taken yet: as little as possible enables so many registers
            m.d.sync += [
                beat.data.eq(new.data),
                self.tweak.eq(new.tweak),
                beat.end.eq(end),
                beat.last.eq(new.last),
                holes.eq(new.last & (~new.keep[0] | (new.keep[1:] & ~new.keep[:-1]).any())),
                wrong.eq(improper),
            ]
        with m.If(load):
            m.d.sync += [full.eq(1), begun.eq(~new.last)]
            with m.If(~begun):
                m.d.sync += beat.decrypt.eq(new.decrypt)
        with m.If(self.clear):
            m.d.sync += [beat.as_value().eq(0), self.tweak.eq(0), full.eq(0), first.eq(1), discard.eq(begun)]
            m.d.sync += [number.eq(0), final.eq(final.init), holes.eq(0), wrong.eq(0)]
        return m


def _end(keep: Value) -> Value:
    """The number of the last of the bytes that ``keep`` is a run of: its length less one, by halves."""
    half = len(keep) // 2
    if not half:
        return Const(0, 0)
    return Cat(_end(Mux(keep[half], keep[half:], keep[:half])), keep[half])
