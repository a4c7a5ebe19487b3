# SPDX-License-Identifier: Apache-2.0
"""The entrance of a sector core: a register, and the framing of sectors."""

from typing import Any

from amaranth import Const, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.bytes import is_run

from .behaviour import Cause, Fault
from .sector import SLOT_BITS, TWEAK_BITS, WRONG_KEEP, sector_channel

__all__ = ["FAULTS", "UNKNOWN", "Entrance"]

SHORT, LONG, KEEP = range(3)
FAULTS = (Fault(Cause.SHORT, "a sector was too short"), Fault(Cause.LONG, "a sector was too long"))
"""Bits of an entrance's ``fault``; a ``tail`` adds a bit, ``slots`` add a bit."""

UNKNOWN = Fault(Cause.SLOT, "a sector named a slot without a key")
"""The last bit, where sectors name slots."""


class Entrance(wiring.Component):
    """Offers the beats of a sector in order, and drops sectors with a number of beats other than ``beats``.

    x:       out, a beat while ``valid``, with ``number`` in the sector
    take:    in, the core accepts the beat
    fault:   out, a bit a cause, high with the beat that shows a sector of a wrong length; with a sector that is too
             long, the beats up to ``last`` are dropped
    open:    in, beats are accepted
    hold:    in, no further sector is accepted
    between: out, no sector has begun, and the register is empty
    opening: out, pulses as the first beat of a sector is accepted
    known:   in, with ``slots``: the slot of the first beat has a key, in the cycle in which the beat is accepted
    clear:   in, empties the register. The rest of a sector cut by ``clear`` is dropped without a fault; the flag for
             the rest survives ``clear``, but not a reset

    With a ``tail`` the last beat has ``tail`` bytes, and all beats before it are full: ``keep`` must say so. A
    ``keep`` with gaps is a fault; so is a beat that is not full before ``last``. One empty beat with ``last`` may
    follow the sector's bytes: the beat before is offered when the empty beat has come.

    ``behind``: number of beats after the sector, the first with ``x.icv`` in block 0; of further beats the ends are
    kept. The sector's last beat is offered after all beats have come; ``last`` and ``tail`` are of the last beat
    behind.

    With ``slots``, a sector names a slot, kept in ``x.slot``. If the slot is not ``known``, the first beat raises a
    fault as it is accepted, the rest is dropped, and ``opening`` stays low. With ``tag_bits``, ``x.tag`` is the
    sector's tag.

    Timing: a beat is offered one cycle after it was accepted; full rate.
    Paths:  ``take`` to ``i.ready``; none from ``i`` but to ``opening``.
    """

    def __init__(
        self,
        *,
        width: int,
        beats: int,
        tweak_bits: int = TWEAK_BITS,
        tail: int | None = None,
        slots: bool = False,
        tag_bits: int = 0,
        icv_bits: int = 0,
        behind: int = 0,
    ):
        self.width, self.beats, self.tail, self.slots, self.behind = width, beats, tail, slots, behind
        self.faults = (*FAULTS, *(() if tail is None else (WRONG_KEEP,)), *((UNKNOWN,) if slots else ()))
        keep = {} if tail is None else {"keep": 16 * width}
        request = ({"slot": SLOT_BITS} if slots else {}) | ({"tag": tag_bits} if tag_bits else {})
        self.request = tuple(request)
        judged = {"icv": 128 if behind else icv_bits} if icv_bits or behind else {}
        more = {"slots": slots, "tag_bits": tag_bits, "icv_bits": icv_bits}
        channel = sector_channel(width, keep=bool(keep), tweak_bits=tweak_bits, **more)
        layout = {
            "data": data.ArrayLayout(128, width),
            "tweak": tweak_bits,
            **request,
            **judged,
            "decrypt": 1,
            "last": 1,
        }
        layout |= keep
        super().__init__(
            {
                "i": In(stream.Signature(channel.shape)),
                "open": In(1),
                "hold": In(1),
                "clear": In(1),
                "x": Out(data.StructLayout(layout)),
                "valid": Out(1),
                "number": Out(range(max(2, beats))),
                "take": In(1),
                "fault": Out(len(self.faults)),
                "between": Out(1),
                **({"known": In(1), "opening": Out(1)} if slots else {}),
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
        unknown = Signal(name="unknown") if self.slots else Const(0, 1)  # slot of the sector whose first beat is here
        final = self.number == self.beats - 1
        come = Signal(range(self.behind + 1))  # beats behind the sector that have come
        ends = final & (come == self.behind) if self.behind else final
        m.d.comb += [
            leaves.eq(self.take | (full & discard)),
            room.eq(~full | leaves),
            load.eq(self.i.valid & self.i.ready),
            self.valid.eq(full & ~discard),
            self.i.ready.eq(self.open & room & ~(~begun & self.hold)),
            self.between.eq(~begun & ~full),
        ]
        if self.tail is None:
            m.d.comb += self.fault[SHORT].eq(self.take & self.x.last & ~ends & ~unknown)
            m.d.comb += self.fault[LONG].eq(self.take & ends & ~self.x.last & ~unknown)
            ended, endless = final | self.x.last, self.fault[LONG]
        else:
            self._partial(m, self.tail, ends, full & ~discard & ~unknown, load, unknown)
            ended, endless = final | self.x.last | self.fault.any(), self.fault.any() & ~self.x.last
        if self.slots:
            refused = self.take & unknown
            m.d.comb += [self.fault[-1].eq(refused), self.opening.eq(load & ~begun & self.known)]
            ended, endless = ended | unknown, endless | (refused & ~self.x.last)
            with m.If(load):
                m.d.sync += unknown.eq(~begun & ~self.known)
        m.d.sync += full.eq(~room | load)
        with m.If(self.i.valid & room):  # perhaps not taken yet: as little as possible enables these many registers
            m.d.sync += self._loaded()
            with m.If(begun):  # beside the beats after the first one it says nothing
                m.d.sync += [self.x[name].eq(self.x[name]) for name in self.request]
        with m.If(load):
            m.d.sync += begun.eq(~self.i.payload.last)
        with m.If(self.take):
            m.d.sync += self.number.eq(Mux(ended, 0, self.number + 1))
        with m.If(endless):
            m.d.sync += discard.eq(1)
        with m.Elif(full & self.x.last):
            m.d.sync += discard.eq(0)
        if self.behind:
            self._beats_behind(m, full & ~discard & final, come, load)
        with m.If(self.clear):
            m.d.sync += [full.eq(0), self.x.eq(0), discard.eq(begun), self.number.eq(0)]
            m.d.sync += [unknown.eq(0)] if self.slots else []
        return m

    def _loaded(self) -> Any:
        """The register takes a beat."""
        if not self.behind:
            return self.x.eq(self.i.payload)
        return [self.x[name].eq(self.i.payload[name]) for name in self.i.payload.shape().members]

    def _beats_behind(self, m: Module, offered: Value, come: Signal, load: Value) -> None:
        """The beats behind the sector's last one, ``offered`` here: their ends, and the value in the first of them.

        The last beat waits for the next beat while the one that has come ends nothing.
        """
        new = self.i.payload
        waits = Signal(name="waits_behind")
        goes_on = ~self.x.last if self.tail is None else ~self.x.last & self.x.keep[-1] & ~self._hole
        m.d.comb += waits.eq(offered & (come != self.behind) & goes_on)
        with m.If(waits):
            m.d.comb += [self.valid.eq(0), self.i.ready.eq(self.open)]
        with m.If(load & waits):
            m.d.sync += [come.eq(come + 1), self.x.last.eq(new.last)]
            m.d.sync += [self.x.keep.eq(new.keep)] if self.tail is not None else []
            with m.If(come == 0):
                m.d.sync += self.x.icv.eq(new.data[:128])
        with m.If(self.take | self.clear):
            m.d.sync += come.eq(0)

    def _partial(self, m: Module, tail: int, final: Value, offered: Value, load: Value, unknown: Value) -> None:
        """Faults of a core with a ``tail``, and of the empty beat that may follow the tail."""
        new, keep = self.i.payload, self.x.keep
        hole = Signal()
        waits = Signal()  # the final beat, which is not the last one, for the one behind it
        goes_on = Signal()  # that one has come, and it is not an empty last one
        self._hole, taken = hole, self.take & ~unknown
        reaches, exceeds = keep[tail - 1], keep[tail]  # the tail, where the bytes are a run
        m.d.comb += [
            waits.eq(offered & final & ~self.x.last & ~goes_on),
            self.fault[SHORT].eq(taken & ~hole & Mux(final, ~reaches, self.x.last | ~keep[-1])),
            self.fault[LONG].eq(taken & ~hole & final & exceeds),
            self.fault[KEEP].eq(taken & (hole | (goes_on & reaches & ~exceeds))),
        ]
        with m.If(waits):
            m.d.comb += [self.valid.eq(0), self.i.ready.eq(self.open)]
        with m.If(load):
            m.d.sync += goes_on.eq(waits & (~new.last | new.keep.any()))
            with m.If(waits):  # only the end of the beat behind it is kept
                m.d.sync += self.x.last.eq(new.last)
            with m.Else():
                m.d.sync += hole.eq(new.keep.any() & ~is_run(new.keep))
        with m.If(self.clear):
            m.d.sync += [goes_on.eq(0), hole.eq(0)]
