# SPDX-License-Identifier: Apache-2.0
"""Entrance for data units of any length: a register; drops malformed units."""

from collections.abc import Sequence

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.bytes import end, is_run

from .behaviour import Cause, Fault
from .sector import SLOT_BITS, WRONG_KEEP, sector_channel

__all__ = ["FAULTS", "UNKNOWN", "UnitEntrance"]

SHORT, LONG, DIRECTION, KEEP, SLOT = range(5)
FAULTS = (
    Fault(Cause.SHORT, "a unit was too short"),
    Fault(Cause.LONG, "a unit was too long"),
    Fault(Cause.DIRECTION, "a unit's direction is one that the core does not have"),
    WRONG_KEEP,
)
"""Bits of an entrance's ``fault``."""

UNKNOWN = Fault(Cause.SLOT, "a unit named a slot without a key")
"""The next bit, of an entrance with slots."""


class UnitEntrance(wiring.Component):
    """Offers the beats of units of 16 bytes to ``beats`` full beats, and drops malformed units.

    x:       out, a beat while ``valid``; ``x.end`` is the number of the last byte, ``x.last`` is high with the unit's
             last beat, and ``x.empty`` if a beat without a byte ended the unit
    first:   out, the beat is the unit's first
    permit:  in, the core accepts the beat; ``take``: out, the beat is accepted
    open:    in, beats are accepted
    hold:    in, no further unit is accepted
    between: out, no unit has begun, and the register is empty
    opening: out, pulses as the first beat of a unit that will be offered enters the register
    tweak:   out, tweak of the unit while the first beat is in the register; ``slot`` likewise
    renewed: out, ``tweak`` and ``slot`` may change
    known:   in, with ``slots``: the slot of the first beat has a key, in the cycle in which the beat is accepted
    fault:   out, a bit a cause, pulses with the beat that shows the fault, once a unit
    clear:   in, empties the register. The rest of a unit cut by ``clear`` is dropped without a fault; the flag for
             the rest survives ``clear``, but not a reset

    A unit ends with ``last``, or with a beat that is not full. A beat without a byte, or with a gap in ``keep``, ends
    the unit with the beat before, which was offered as any beat. One empty beat with ``last`` may follow the unit's
    end. Further beats up to ``last``, and a unit of more than ``beats``, are dropped with a fault.

    A unit is dropped whole if the first beat lacks a byte of the first 16 or has a gap, if the slot is not ``known``,
    or if ``decrypt`` is not among ``directions``. With ``tag_bits``, ``x.tag`` is the unit's tag,
    also as ``fault`` pulses.

    Timing: a beat is offered one cycle after it was accepted; full rate.
    Paths:  ``permit`` to ``take`` and ``i.ready``; none from ``i`` but to ``opening``.
    """

    def __init__(self, *, width: int, beats: int, directions: Sequence[bool], slots: bool = False, tag_bits: int = 0):
        self.width, self.beats, self.directions, self.slots = width, beats, tuple(directions), slots
        self.tag_bits = tag_bits
        self.layout = data.StructLayout(
            {
                "data": data.ArrayLayout(128, width),
                "end": (16 * width - 1).bit_length(),
                "last": 1,
                "empty": 1,
                "decrypt": 1,
                **({"tag": tag_bits} if tag_bits else {}),
            }
        )
        super().__init__(
            {
                "i": In(stream.Signature(sector_channel(width, keep=True, slots=slots, tag_bits=tag_bits).shape)),
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
                "fault": Out(len(FAULTS) + slots),
                "between": Out(1),
                **({"known": In(1), "slot": Out(SLOT_BITS), "renewed": Out(1)} if slots else {}),
            }
        )

    def elaborate(self, platform):
        m = Module()
        unit = _Unit(self.layout, self.beats)
        room = Signal()  # a dropped beat leaves without a permit, but the next beat is accepted only with a permit
        m.d.comb += [
            room.eq(~unit.full | self.permit),
            self.i.ready.eq(self.open & (unit.begun | ~self.hold) & room),
            self.between.eq(~unit.begun & ~unit.full),
        ]
        self._offer(m, unit)
        self._faults(m, unit)
        self._load(m, unit, room)
        with m.If(self.clear):
            m.d.sync += [unit.beat.as_value().eq(0), self.tweak.eq(0), unit.full.eq(0), unit.first.eq(1)]
            m.d.sync += [unit.discard.eq(unit.begun), unit.number.eq(0), unit.final.eq(unit.final.init)]
            m.d.sync += [unit.goes_on.eq(0)]
            m.d.sync += [flag.eq(0) for flag in (unit.closes, unit.void, unit.wrong)]
            if self.slots:
                m.d.sync += [self.slot.eq(0), unit.unknown.eq(0)]
        return m

    def _offer(self, m: Module, unit: "_Unit") -> None:
        """Offers the beat in the register, or drops it."""
        beat, leaves, ended = unit.beat, Signal(name="leaves"), Signal(name="ended")
        m.d.comb += [
            unit.dropping.eq(unit.full & (unit.discard | (unit.first & unit.wrong))),
            self.take.eq(self.valid & self.permit),
            leaves.eq(self.take | unit.dropping),
            self.valid.eq(unit.full & ~unit.dropping),
            self.first.eq(unit.first),
            self.x.eq(beat),
            self.x.last.eq(beat.last | (unit.final & ~beat.empty)),
            ended.eq(beat.last | beat.empty | unit.final),
        ]
        with m.If(leaves):
            m.d.sync += [unit.full.eq(0), unit.first.eq(unit.closes), unit.goes_on.eq(0)]
            m.d.sync += unit.discard.eq(~unit.closes & (unit.dropping | ended))
        with m.If(self.take):
            m.d.sync += [
                unit.number.eq(Mux(ended, 0, unit.number + 1)),
                unit.final.eq(~ended & (unit.number == self.beats - 2) if self.beats > 1 else 1),
            ]
            with m.If(~unit.closes & ~beat.empty):
                m.d.sync += unit.goes_on.eq(Cat(~beat.last & unit.final, beat.last))

    def _faults(self, m: Module, unit: "_Unit") -> None:
        """Raises the faults of the beat in the register."""
        beat, foreign = unit.beat, Signal(name="foreign")
        proper_end = unit.void & unit.closes  # an empty last beat, behind the unit's bytes
        dropped = unit.dropping & ~unit.discard
        hole = beat.empty & ~unit.void
        refused = foreign | unit.unknown if self.slots else foreign
        m.d.comb += [
            foreign.eq(0 if len(self.directions) == 2 else beat.decrypt != Const(self.directions[0], 1)),
            self.fault[SHORT].eq(dropped & ~refused & ~hole),
            self.fault[LONG].eq(unit.dropping & unit.goes_on[0] & ~proper_end),
            self.fault[DIRECTION].eq(dropped & foreign),
            self.fault[KEEP].eq(
                (dropped & ~refused & hole)
                | (self.take & beat.empty & ~proper_end)
                | (unit.dropping & unit.goes_on[1] & ~proper_end)
            ),
        ]
        if self.slots:
            m.d.comb += self.fault[SLOT].eq(dropped & unit.unknown & ~foreign)

    def _load(self, m: Module, unit: "_Unit", room: Signal) -> None:
        """Classifies a beat before the register, for a short path behind the register."""
        beat, new, load = unit.beat, self.i.payload, Signal(name="load")
        run, improper = Signal(name="new_run"), Signal(name="new_wrong")
        short = ~(run & new.keep[15])
        improperly = short if len(self.directions) == 2 else short | (new.decrypt != Const(self.directions[0], 1))
        m.d.comb += [
            load.eq(self.i.valid & self.i.ready),
            run.eq(is_run(new.keep)),
            improper.eq(improperly if not self.slots else improperly | ~self.known),
            self.opening.eq(load & ~unit.begun & ~improper),
        ]
        with m.If(self.i.valid & room):  # perhaps not taken yet: as little as possible enables these many registers
            m.d.sync += [
                beat.data.eq(new.data),
                self.tweak.eq(new.tweak),
                beat.end.eq(end(new.keep)),
                beat.last.eq(run & (new.last | ~new.keep[-1])),
                beat.empty.eq(~run),
                unit.closes.eq(new.last),
                unit.void.eq(~new.keep.any()),
                unit.wrong.eq(improper),
            ]
        if self.slots:
            m.d.comb += self.renewed.eq(self.i.valid & room)
            with m.If(self.renewed):
                m.d.sync += [self.slot.eq(new.slot), unit.unknown.eq(~self.known)]
        with m.If(load):
            m.d.sync += [unit.full.eq(1), unit.begun.eq(~new.last)]
            with m.If(~unit.begun):
                m.d.sync += beat.decrypt.eq(new.decrypt)
                if self.tag_bits:
                    m.d.sync += beat.tag.eq(new.tag)


class _Unit:
    """The beat in the register, and the state of its unit.

    begun:    the source has begun a unit
    closes:   the beat is the source's last of the unit
    void:     the beat has no byte
    wrong:    as a first beat: short, foreign, not a run or of an unknown slot
    goes_on:  the unit has ended: LONG or KEEP if more than an empty last beat follows
    dropping: the beat leaves without an offer
    """

    def __init__(self, layout: data.StructLayout, beats: int):
        self.beat = Signal(layout, name="beat")
        self.full = Signal(name="full")
        self.begun = Signal(name="begun")
        self.discard = Signal(name="discard")
        self.first = Signal(init=1, name="first")
        self.number = Signal(range(beats), name="number")
        self.closes = Signal(name="closes")
        self.void = Signal(name="void")
        self.wrong = Signal(name="wrong")
        self.unknown = Signal(name="unknown")
        self.final = Signal(init=beats == 1, name="final")
        self.goes_on = Signal(2, name="goes_on")
        self.dropping = Signal(name="dropping")
