# SPDX-License-Identifier: Apache-2.0
"""The state of each slot: kind and directions of the key, if any, and the number of blocks processed."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out, Signature

from wideblock.rtl.stream.sector import SLOT_BITS
from wideblock.rtl.stream.storage import store

__all__ = ["BLOCK_BITS", "KEY_CHANGE", "MARKS", "OWN_SLOT", "STATE", "SlotTable", "slot_use"]

STATE = data.StructLayout({"loaded": 1, "kat": 1, "locked": 1, "no_encrypt": 1, "no_decrypt": 1})
"""State of a slot that commands decide."""

MARKS = data.StructLayout({"warned": 1, "spent": 1})
"""State of a slot by the number of blocks processed under the key."""

BLOCK_BITS = 45
"""Bits of a number of blocks: up to 2^44, and one bit more."""

OWN_SLOT = Signature(
    {
        "slot": Out(SLOT_BITS),
        "exists": In(1),
        "state": In(STATE),
        "new": Out(STATE),
        "write": Out(1),
        "ready": In(1),
        "put": In(1),
    }
)
"""Link of commands to the table.

slot:   out, slot of the command
exists: in, the core has the slot
state:  in, state of the slot, without delay
write:  out, the slot gets the state ``new``, no marks and 0 blocks
ready:  in, a write is accepted; low in the second cycle after a message was counted
put:    in, pulses as a write is accepted; blocks of the slot that are not yet added are dropped
"""

KEY_CHANGE = Signature({"slot": Out(SLOT_BITS), "active": Out(1), "put": Out(1)})
"""Link of commands to all that depends on a slot's key.

active: out, the key of ``slot`` ends or begins; the slot may be named from the next cycle on
put:    out, pulses as its state is written
"""


def slot_use(block_bits: int) -> Signature:
    """Link of the gate to the table.

    slot:    out, slot of the message that begins
    state:   in, state of ``slot``, without delay
    marks:   in, marks of ``slot``, without delay
    count:   out, pulses: a message of ``blocks`` in slot ``counted`` has ended; its blocks are added two cycles later
    """
    return Signature(
        {
            "slot": Out(SLOT_BITS),
            "state": In(STATE),
            "marks": In(MARKS),
            "count": Out(1),
            "counted": Out(SLOT_BITS),
            "blocks": Out(block_bits),
        }
    )


class SlotTable(wiring.Component):
    """Table of slots: state and number of blocks of each slot. The number is compared with two limits.

    use:           in, slots of messages, and their blocks
    own:           in, slot of a command, and its new state
    shown:         in, slot that registers show
    shown_state:   out, state of slot ``shown``, without delay; so is ``shown_marks``
    shown_blocks:  out, blocks of slot ``shown``; valid two cycles after ``shown`` changes, if no row is
                   written meanwhile
    limit:         in, number of blocks at which a slot is exhausted
    warn:          in, number of blocks at which a warning is due
    limit_reached: out, pulses if a sum is ``limit`` or more, or 2^44; the slot is ``spent`` until it is put
    warn_reached:  out, pulses if a sum is ``warn`` or more, or 2^44; the slot is ``warned`` until it is put
    any_kat:       out, a slot has the key of known-answer tests
    clear:         in, each row of number ``clear_row`` becomes 0

    A slot beyond ``slots`` has no key.

    Timing: a state can be read in the cycle after it was written, a mark in the third cycle after ``use.count``.
    Cost:   distributed memory of 5 bits and of 2 bits a slot, of three readers each, block memory of 45 bits a slot.
    Paths:  each slot to its state.
    """

    def __init__(self, *, slots: int, clear_row_bits: int, block_bits: int):
        self.slots, self.bits = slots, (slots - 1).bit_length()
        if clear_row_bits < self.bits:
            raise ValueError(f"clear_row must have {self.bits} bits for {slots} slots, got {clear_row_bits}")
        super().__init__(
            {
                "use": In(slot_use(block_bits)),
                "own": In(OWN_SLOT),
                "shown": In(SLOT_BITS),
                "shown_state": Out(STATE),
                "shown_marks": Out(MARKS),
                "shown_blocks": Out(BLOCK_BITS),
                "limit": In(BLOCK_BITS),
                "warn": In(BLOCK_BITS),
                **dict.fromkeys(("limit_reached", "warn_reached", "any_kat"), Out(1)),
                "clear": In(1),
                "clear_row": In(clear_row_bits),
            }
        )

    def elaborate(self, platform):
        m = Module()
        depth = 1 << self.bits
        adding = Signal()  # the blocks that were counted two cycles ago are added
        added = Signal(self.bits)
        marks = Signal(MARKS)
        had = Signal(MARKS)
        use, own, put = self.use, self.own, self.own.put
        m.d.comb += [
            own.ready.eq(~adding & ~self.clear),
            put.eq(own.write & own.ready),
            own.exists.eq(own.slot < self.slots),
        ]
        m.submodules.states = states = memory.Memory(shape=STATE.size, depth=depth, init=[])
        m.submodules.marked = marked = memory.Memory(shape=MARKS.size, depth=depth, init=[])
        clearing = {"clear": self.clear, "clear_row": self.clear_row[: self.bits]}
        row = own.slot[: self.bits]
        store(m, states, row, own.new.as_value(), put, **clearing)
        store(m, marked, Mux(adding, added, row), marks.as_value(), put | adding, **clearing)
        for slot, of, found in (
            (use.slot, states, use.state),
            (own.slot, states, own.state),
            (self.shown, states, self.shown_state),
            (use.slot, marked, use.marks),
            (self.shown, marked, self.shown_marks),
            (added, marked, had),
        ):
            port = of.read_port(domain="comb")
            there = (slot[self.bits :] == 0).replicate(len(port.data)) if len(slot) > self.bits else -1
            m.d.comb += [port.addr.eq(slot), found.eq(port.data & there)]
        self._count(m, adding, added, marks, had, put, clearing)
        self._kats(m, put)
        return m

    def _kats(self, m: Module, put: Signal) -> None:
        """Whether a slot has the constant key, by their number."""
        number = Signal(range(self.slots + 1), name="kat_slots")
        new, old = self.own.new, self.own.state
        with m.If(put & new.kat & ~old.kat):
            m.d.sync += number.eq(number + 1)
        with m.If(put & ~new.kat & old.kat):
            m.d.sync += number.eq(number - 1)
        with m.If(self.clear):
            m.d.sync += number.eq(0)
        m.d.comb += self.any_kat.eq(number != 0)

    def _count(self, m: Module, adding: Signal, added: Signal, marks, had, put: Signal, clearing) -> None:
        """Adds the blocks of a message to the slot's number in three cycles: read, add, write."""
        attributes = {"ram_style": "block", "no_rw_check": 1}
        depth = 1 << self.bits
        m.submodules.used = used = memory.Memory(shape=BLOCK_BITS, depth=depth, init=[], attrs=attributes)
        port = used.read_port(domain="sync")
        reading = Signal()
        read = Signal(self.bits)
        blocks = Signal.like(self.use.blocks, name="more")
        sum_ = Signal(BLOCK_BITS)
        before = Signal(BLOCK_BITS)
        last = Signal(self.bits)
        last_valid = Signal()
        old = Signal(BLOCK_BITS)
        showing = Signal()
        shows = Signal(self.bits)
        most = sum_[-1]
        use, own = self.use, self.own.slot[: self.bits]
        m.d.comb += [
            port.addr.eq(Mux(use.count, use.counted, self.shown)),
            # a row that is not written yet: that of the message before, or of the one before that
            old.eq(
                Mux(
                    adding & (added == read),
                    sum_,
                    Mux(last_valid & (last == read), before, port.data),
                )
            ),
            self.warn_reached.eq(adding & ((sum_ >= self.warn) | most)),
            self.limit_reached.eq(adding & ((sum_ >= self.limit) | most)),
            marks.warned.eq(self.warn_reached | (adding & had.warned)),
            marks.spent.eq(self.limit_reached | (adding & had.spent)),
        ]
        written = Signal(self.bits, name="row_written")
        m.d.comb += written.eq(Mux(adding, added, own))
        store(m, used, written, Mux(adding, sum_, 0), put | adding, **clearing)
        m.d.sync += [
            reading.eq(use.count & ~self.clear & ~(put & (use.counted[: self.bits] == own))),
            read.eq(use.counted),
            blocks.eq(use.blocks),
            adding.eq(reading & ~self.clear & ~(put & (read == own))),
            added.eq(read),
            sum_.eq(Cat((old + blocks)[:BLOCK_BITS])),
            last.eq(added),
            last_valid.eq(adding),
            before.eq(sum_),
            # a row that is written in this cycle may be read wrong
            showing.eq(~use.count & ~((put | adding) & (written == self.shown[: self.bits]))),
            shows.eq(self.shown),
        ]
        with m.If(showing & (shows == self.shown[: self.bits])):
            m.d.sync += self.shown_blocks.eq(
                Mux((self.shown[self.bits :] == 0) & self.shown_state.loaded, port.data, 0)
            )
