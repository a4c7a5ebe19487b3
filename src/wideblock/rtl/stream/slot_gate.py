# SPDX-License-Identifier: Apache-2.0
"""The gate behind the entrance of a core with sectors that take copies of slots: a queue of a few beats."""

from amaranth import Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out, Signature, connect, flipped

from .entrance import Entrance
from .sector import SLOT_BITS
from .sized_entrance import SizedEntrance
from .storage import store

__all__ = ["SlotGate", "copy_requests"]


def copy_requests(*, slot_bits: int, places: int) -> Signature:
    """Link of a gate to a key unit: each sector gets copies of the slot's words in a place of ``places``.

    begun:       out, slot of the whole sector
    closing:     in, slot to be closed
    held:        out, a sector of slot ``closing`` has begun and is neither whole nor dropped, or the copies are not
                 complete
    fill:        out, pulses while not ``filling``: the words of ``fill_slot`` are due in ``fill_place``
    filling:     in, words are being copied
    filled:      in, pulses: from the next cycle on the sector may begin
    wiped_place: in, a place
    used:        out, without delay: a sector under way has copies in ``wiped_place``
    """
    return Signature(
        {
            "begun": Out(slot_bits),
            "closing": In(slot_bits),
            "held": Out(1),
            "fill": Out(1),
            "fill_slot": Out(slot_bits),
            "fill_place": Out(range(places)),
            **dict.fromkeys(("filling", "filled"), In(1)),
            "wiped_place": In(range(places)),
            "used": Out(1),
        }
    )


class SlotGate(wiring.Component):
    """Offers the beats of ``entrance`` a few cycles later: each sector waits for its copies.

    ``x``, ``header``, ``valid``, ``number``, ``take`` and ``fault`` are as in the entrance; sectors
    with a ``header`` have no ``number``. ``fault`` comes with the
    beat behind the queue. The fault of ``entrance`` comes before it, at the latest as the next sector begins.
    ``spoiled`` is high with the beat that shows a fault after the first beat of a sector was accepted; a sector with a
    fault in the first beat is never offered.

    ``asked`` and ``known`` are as in the key unit. ``begins`` pulses as a sector is whole. ``computed`` is the number
    of the first sector that is not computed. The copies of whole sector n go to place n of ``places``, a power of two,
    once sector n - ``places`` is computed. Copies for a sector that is not whole go to the place of the next sector.

    Timing: a sector alone is offered ``wait`` cycles later than without the gate, plus the cycles by which copies
            must be ahead.
    Paths:  none from ``take``; from ``i`` as the entrance.
    Cost:   a queue of ``depth`` beats in distributed memory.
    """

    wait = 3
    turn = 3
    """Cycles from the begin of a sector that waited to the next sector's first beat in the queue, and to its copies."""

    def __init__(
        self, entrance: Entrance | SizedEntrance, *, places: int, depth: int, slot_bits: int, clear_row_bits: int
    ):
        self.entrance, self.places, self.depth, self.slot_bits = entrance, places, depth, slot_bits
        x, self.sized = entrance.x.shape(), isinstance(entrance, SizedEntrance)
        self.header_shape = {"header": entrance.header.shape()} if self.sized else {}
        self.row = data.StructLayout({"x": x, "fault": len(entrance.fault), "first": 1, "void": 1, **self.header_shape})
        number = places.bit_length()
        super().__init__(
            {
                "i": In(stream.Signature(entrance.i.payload.shape())),
                "x": Out(x),
                **{name: Out(shape) for name, shape in self.header_shape.items()},
                "valid": Out(1),
                **({} if self.sized else {"number": Out(len(entrance.number))}),
                "take": In(1),
                "fault": Out(len(entrance.fault)),
                "spoiled": Out(1),
                "asked": Out(SLOT_BITS),
                "known": In(1),
                "begins": Out(1),
                "computed": In(number),
                "copies": Out(copy_requests(slot_bits=slot_bits, places=places)),
                "clear": In(1),
                "clear_row": In(clear_row_bits),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.entrance = entrance = self.entrance
        connect(m, flipped(self.i), entrance.i)
        waits = Signal()  # the sector whose first beat came last has not begun
        ready = Signal()  # its copies are there
        self._queue(m, waits, ready)
        self._sector(m, waits, ready)
        return m

    def _queue(self, m: Module, waits: Signal, ready: Signal) -> None:
        """Beats from the entrance to the core."""
        entrance = self.entrance
        m.submodules.beats = beats = memory.Memory(shape=self.row.size, depth=self.depth, init=[])
        head, tail = Signal(range(self.depth), name="head"), Signal(range(self.depth), name="tail")
        count = Signal(range(self.depth + 1), name="count")
        put, taken, pop = Signal(name="put"), Signal(self.row, name="taken"), Signal(name="pop")
        oldest = Signal(self.row, name="oldest")
        first = entrance.number == 0
        m.d.comb += [
            entrance.open.eq(~self.clear),
            entrance.clear.eq(self.clear),
            entrance.known.eq(self.known),
            self.asked.eq(self.i.payload.slot),
            put.eq(entrance.valid & (count != self.depth) & ~(first & waits)),
            entrance.take.eq(put),
            taken.x.eq(entrance.x),
            *[taken[name].eq(getattr(entrance, name)) for name in self.header_shape],
            taken.fault.eq(entrance.fault),
            taken.first.eq(first),
            taken.void.eq(first & entrance.fault.any()),
        ]
        clear_row = self.clear_row[: len(tail)]
        store(m, beats, tail, taken.as_value(), put, clear=self.clear, clear_row=clear_row)
        port = beats.read_port(domain="comb")
        there = (count != 0) & ~self.clear
        m.d.comb += [
            port.addr.eq(head),
            oldest.eq(port.data),
            self.x.eq(oldest.x),
            *[getattr(self, name).eq(oldest[name]) for name in self.header_shape],
            self.valid.eq(there & ~oldest.void & (~oldest.first | ready)),
            pop.eq(self.take | (there & oldest.void)),
            self.fault.eq(oldest.fault & pop.replicate(len(self.fault))),
            self.spoiled.eq(self.take & oldest.fault.any()),
        ]
        m.d.sync += [head.eq(head + pop), tail.eq(tail + put), count.eq(count + put - pop)]
        numbers = () if self.sized else (self.number,)
        with m.If(self.take):
            for number in numbers:
                ends = oldest.x.last | oldest.fault.any() | (number == entrance.beats - 1)
                m.d.sync += number.eq(Mux(ends, 0, number + 1))
            with m.If(oldest.first):
                m.d.sync += [waits.eq(0), ready.eq(0)]
        with m.If(self.clear):
            m.d.sync += [register.eq(0) for register in (head, tail, count, *numbers)]

    def _sector(self, m: Module, waits: Signal, ready: Signal) -> None:
        """The entering sector, its number, and the awaited copies."""
        entrance, copies, bits = self.entrance, self.copies, self.slot_bits
        number = Signal(len(self.computed), name="whole_sectors")
        whole = Signal(name="whole")
        enters = Signal(name="enters")  # a sector has begun at the port, and is neither whole nor dropped
        begun = Signal(name="begun_in_queue")  # the same, of one whose first beat was put
        owed = Signal(name="owed")  # copies that were not asked for
        turn = Signal.like(number, name="turn")  # number of the sector that they are for
        slot = Signal(bits, name="waiting_slot")
        bad = entrance.fault.any()
        end = entrance.header.end >> entrance.place if self.sized else entrance.beats - 1
        final = entrance.number == end
        ended = bad | final
        first = entrance.take & (entrance.number == 0) & ~bad
        m.d.comb += [
            whole.eq(entrance.take & ~bad & final),
            self.begins.eq(whole),
            copies.begun.eq(entrance.x.slot[:bits]),
            copies.fill.eq(owed & ~copies.filling & ((turn - self.computed)[: len(turn)] < self.places) & ~self.clear),
            copies.fill_slot.eq(slot),
            copies.fill_place.eq(turn[: len(copies.fill_place)]),
            copies.held.eq(
                (enters & (entrance.x.slot[:bits] == copies.closing))
                | ((owed | copies.filling) & (slot == copies.closing))
            ),
        ]
        with m.If(entrance.take & ended):
            m.d.sync += [enters.eq(0), begun.eq(0)]
        with m.If(entrance.opening):
            m.d.sync += enters.eq(1)
        with m.If(first):
            m.d.sync += [waits.eq(1), owed.eq(1), turn.eq(number), slot.eq(entrance.x.slot), begun.eq(~whole)]
        with m.If(copies.fill):
            m.d.sync += owed.eq(0)
        with m.If(copies.filled):
            m.d.sync += ready.eq(1)
        m.d.sync += number.eq(number + whole)
        ahead, sectors = Signal.like(copies.wiped_place, name="ahead"), Signal.like(number, name="whole_under_way")
        m.d.comb += [
            ahead.eq(copies.wiped_place - self.computed[: len(copies.wiped_place)]),
            sectors.eq(number - self.computed),
            copies.used.eq(
                (ahead < sectors) | (begun & ~owed & (copies.wiped_place == turn[: len(copies.wiped_place)]))
            ),
        ]
        state = (number, enters, begun, owed, turn, slot, waits, ready)
        with m.If(self.clear):
            m.d.sync += [register.eq(0) for register in state]
