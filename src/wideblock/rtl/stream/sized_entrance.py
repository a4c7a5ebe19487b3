# SPDX-License-Identifier: Apache-2.0
"""Entrance for messages with a stated size: a register; drops messages of a wrong size."""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.bytes import below, is_run, kept, up_to

from .behaviour import Cause, Fault
from .entrance import UNKNOWN
from .sector import SLOT_BITS, WRONG_KEEP, sector_channel

__all__ = ["FAULTS", "SizedEntrance"]

SHORT, LONG, TWEAK, KEEP = range(4)
FAULTS = (
    Fault(Cause.SHORT, "a sector was shorter than it stated, or stated to be too short"),
    Fault(Cause.LONG, "a sector was longer than it stated, or stated to be too long"),
    Fault(Cause.TWEAK, "a tweak was stated to be too long"),
    WRONG_KEEP,
)
"""Bits of an entrance's ``fault``."""


class SizedEntrance(wiring.Component):
    """Offers the blocks of messages of ``least`` to ``most`` bytes, and drops messages of a wrong size.

    x:      out, a beat of blocks while ``valid``, with ``number`` in the message
    header: out, stable from the first block of a message to the last; ``end`` is the number of the last byte. Bytes of
            the tweak behind its size, and bytes of the last block behind ``end``, are zero
    take:   in, the core accepts the beat
    fault:  out, a bit a cause, high with the block that shows the fault
    open, hold, clear, between: as in :class:`.entrance.Entrance`

    A message that states a size outside of ``least`` to ``most``, or a tweak of over ``tweak_bytes``, is dropped whole
    and never offered. A message that ends before or after the stated size is a fault: the block with the fault
    is offered, the rest is dropped. A ``keep`` with gaps and a block that is not full before ``last`` are faults, too.
    One empty block with ``last`` may follow the message's bytes: the block before is offered
    when the empty block has come.

    With ``slots``, a message names a slot, kept in ``x.slot``. As the first beat is accepted, ``known`` is read; a
    message for an unknown slot is dropped whole. ``opening`` pulses as the first beat is accepted, unless the message
    is dropped whole. With ``tag_bits``, ``x.tag`` is the message's tag.

    Timing: a block is offered one cycle after it was accepted; full rate.
    Paths:  ``take`` to ``i.ready``; none from ``i`` but to ``opening``.
    """

    def __init__(self, *, least: int, most: int, tweak_bytes: int, width: int, slots: bool = False, tag_bits: int = 0):
        self.least, self.most, self.tweak_bytes = least, most, tweak_bytes
        self.place = (16 * width - 1).bit_length()  # bits of the number of a byte in its beat
        self.slots, self.beats = slots, -(-most // (16 * width))
        self.faults = (*FAULTS, *((UNKNOWN,) if slots else ()))
        more = {"slots": slots, "tag_bits": tag_bits}
        self.channel = sector_channel(width, keep=True, tweak_bits=8 * tweak_bytes, sized=True, **more)
        self.named = ({"slot": SLOT_BITS} if slots else {}) | ({"tag": tag_bits} if tag_bits else {})
        header = {
            "tweak": 8 * tweak_bytes,
            "tweak_size": tweak_bytes.bit_length(),
            "end": (most - 1).bit_length(),
            "decrypt": 1,
        }
        super().__init__(
            {
                "i": In(stream.Signature(self.channel.shape)),
                "open": In(1),
                "hold": In(1),
                "clear": In(1),
                "x": Out(data.StructLayout({"data": 128 * width, "last": 1} | self.named)),
                "header": Out(data.StructLayout(header)),
                "valid": Out(1),
                "number": Out(range(self.beats)),
                "take": In(1),
                "fault": Out(len(self.faults)),
                "between": Out(1),
                **({"known": In(1), "opening": Out(1)} if slots else {}),
            }
        )

    def elaborate(self, platform):
        m = Module()
        beat = Signal(self.i.payload.shape())
        full = Signal()
        begun = Signal()
        discard = Signal()
        first = Signal(init=1)
        unknown = Signal(name="unknown") if self.slots else Const(0, 1)  # slot of the message here
        foreign = self._foreign(m, beat, unknown)
        dropping = Signal()
        leaves = Signal()
        final = self.number == (self.header.end >> self.place)
        expected = Signal(len(beat.keep))
        hole = Signal()
        waits = Signal()  # the final block, which is not the last one, for the one behind it
        goes_on = Signal()  # that one has come, and it is not an empty last one
        lacks, exceeds = (expected & ~beat.keep).any(), (beat.keep & ~expected).any()
        short = Mux(final, lacks, beat.last | ~beat.keep[-1])
        long = final & (exceeds | (goes_on & beat.keep[-1]))
        m.d.comb += [
            expected.eq(up_to(self.header.end[: self.place])),
            dropping.eq(full & (discard | (first & foreign.any()))),
            leaves.eq(self.take | dropping),
            waits.eq(full & ~dropping & final & ~beat.last & ~goes_on),
            self.valid.eq(full & ~dropping & ~waits),
            self.x.data.eq(Mux(final, kept(beat.data, expected), beat.data)),
            self.x.last.eq(beat.last),
            *[self.x[name].eq(beat[name]) for name in self.named],
            self.i.ready.eq(self.open & (~full | leaves | waits) & ~(~begun & self.hold)),
            self.between.eq(~begun & ~full),
            self.fault.eq(foreign & (dropping & ~discard).replicate(len(self.faults))),
        ]
        ended = final | self.fault.any()
        with m.If(self.take):
            m.d.comb += [self.fault[SHORT].eq(short & ~hole), self.fault[LONG].eq(long & ~hole)]
            m.d.comb += self.fault[KEEP].eq(hole | (goes_on & ~lacks & ~exceeds & ~beat.keep[-1]))
            m.d.sync += self.number.eq(Mux(ended, 0, self.number + 1))
        with m.If(leaves):
            m.d.sync += [full.eq(0), first.eq(beat.last), discard.eq(~beat.last & (dropping | ended))]
        new = self.i.payload
        if self.slots:
            opens = self.i.valid & self.i.ready & ~begun
            m.d.comb += self.opening.eq(opens & self.known & ~self._refused(new).any())
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [full.eq(1), begun.eq(~new.last), beat.last.eq(new.last)]
            m.d.sync += [goes_on.eq(waits & (~new.last | new.keep.any()))]
            with m.If(~waits):
                m.d.sync += [
                    beat.data.eq(new.data),
                    beat.keep.eq(new.keep),
                    hole.eq(new.keep.any() & ~is_run(new.keep)),
                ]
            with m.If(~begun):
                m.d.sync += [beat[part].eq(new[part]) for part in self._request]
                m.d.sync += [unknown.eq(~self.known)] if self.slots else []
        with m.If(self.clear):
            m.d.sync += [full.eq(0), self.number.eq(0), beat.as_value().eq(0), first.eq(1), discard.eq(begun)]
            m.d.sync += [hole.eq(0), goes_on.eq(0)]
            m.d.sync += [unknown.eq(0)] if self.slots else []
        return m

    def _foreign(self, m: Module, beat: data.View, unknown: Value) -> Value:
        """The header of the beat's message; bits of ``fault`` for invalid sizes, and for an ``unknown`` slot."""
        tweak_size, tweak = beat.tweak_size, beat.tweak
        within = Signal(self.tweak_bytes)
        m.d.comb += [
            within.eq(below(tweak_size, self.tweak_bytes)),
            self.header.tweak.eq(kept(tweak, within)),
            self.header.tweak_size.eq(tweak_size),
            self.header.end.eq(beat.size - 1),
            self.header.decrypt.eq(beat.decrypt),
        ]
        refused = self._refused(beat)
        return Cat(refused & ~unknown.replicate(len(refused)), Const(0, 1), unknown) if self.slots else refused

    @property
    def _request(self) -> tuple[str, ...]:
        """Fields read with the first beat of a message."""
        return ("tweak", "tweak_size", "size", "decrypt", *self.named)

    def _refused(self, stated: data.View) -> Value:
        """Bits of ``fault`` for invalid sizes."""
        small, large = stated.size < self.least, stated.size > self.most
        return Cat(small, large, ~small & ~large & (stated.tweak_size > self.tweak_bytes))
