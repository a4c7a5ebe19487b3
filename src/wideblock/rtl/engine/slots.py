# SPDX-License-Identifier: Apache-2.0
"""The state of each slot: whether it has a key, of which kind, for which directions, and the blocks it has seen."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.stream.sector import SLOT_BITS
from wideblock.rtl.stream.storage import store

__all__ = ["BLOCK_BITS", "MARKS", "STATE", "SlotTable"]

STATE = data.StructLayout({"loaded": 1, "kat": 1, "locked": 1, "no_encrypt": 1, "no_decrypt": 1})
"""State of a slot that commands decide."""

MARKS = data.StructLayout({"warned": 1, "spent": 1})
"""State of a slot that the blocks decide which its key has processed."""

BLOCK_BITS = 45
"""Bits of a number of blocks: up to 2^44, and one bit more."""


class SlotTable(wiring.Component):
    """Table of slots: the state of each, and the blocks that its key has processed, compared with two limits.

    asked:   in, slot of ``state`` and ``marks``, outputs in the same cycle
    own:     in, slot of a command, of ``own_state``, an output in the same cycle; ``exists``: out, there is such a slot
    shown:   in, slot that registers show, of ``shown_state`` and ``shown_marks``, outputs in the same cycle, and of
             ``shown_blocks``: valid two cycles after ``shown`` changes, if neither ``count`` nor a write comes between
    write:   in, slot ``own`` gets the state ``new``, no marks and 0 blocks; waits for ``ready``, which is low in the
             second cycle after ``count``
    put:     out, pulses as the write takes effect; blocks of that slot that are not yet added are dropped
    count:   in, pulses: a message of ``blocks`` in slot ``counted`` has ended; its blocks are added two cycles later
    warns:   out, pulses if the sum is ``warn`` or more, or 2^44; the slot is ``warned`` until it is put
    spends:  out, pulses if the sum is ``limit`` or more, or 2^44; the slot is ``spent`` until it is put
    any_kat: out, a slot has the key of known-answer tests
    clear:   in, each row of number ``clear_row`` becomes 0

    A slot beyond ``slots`` has no key.

    Timing: a state can be read in the cycle after it was written, a mark in the third cycle after ``count``.
    Cost:   distributed memory of 5 bits and of 2 bits a slot, of three readers each, block memory of 45 bits a slot.
    Paths:  ``asked``, ``own`` and ``shown`` to states.
    """

    def __init__(self, *, slots: int, clear_row_bits: int, block_bits: int):
        self.slots, self.bits = slots, (slots - 1).bit_length()
        if clear_row_bits < self.bits:
            raise ValueError(f"clear_row must have {self.bits} bits for {slots} slots, got {clear_row_bits}")
        super().__init__(
            {
                **dict.fromkeys(("asked", "own", "shown", "counted"), In(SLOT_BITS)),
                **dict.fromkeys(("state", "own_state", "shown_state"), Out(STATE)),
                **dict.fromkeys(("marks", "shown_marks"), Out(MARKS)),
                "exists": Out(1),
                "any_kat": Out(1),
                "shown_blocks": Out(BLOCK_BITS),
                "new": In(STATE),
                "write": In(1),
                **dict.fromkeys(("ready", "put"), Out(1)),
                "count": In(1),
                "blocks": In(block_bits),
                "limit": In(BLOCK_BITS),
                "warn": In(BLOCK_BITS),
                "warns": Out(1),
                "spends": Out(1),
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
        put = self.put
        m.d.comb += [
            self.ready.eq(~adding & ~self.clear),
            put.eq(self.write & self.ready),
            self.exists.eq(self.own < self.slots),
        ]
        m.submodules.states = states = memory.Memory(shape=STATE.size, depth=depth, init=[])
        m.submodules.marked = marked = memory.Memory(shape=MARKS.size, depth=depth, init=[])
        clearing = {"clear": self.clear, "clear_row": self.clear_row[: self.bits]}
        own = self.own[: self.bits]
        store(m, states, own, self.new.as_value(), put, **clearing)
        store(m, marked, Mux(adding, added, own), marks.as_value(), put | adding, **clearing)
        for slot, of, found in (
            (self.asked, states, self.state),
            (self.own, states, self.own_state),
            (self.shown, states, self.shown_state),
            (self.asked, marked, self.marks),
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
        with m.If(put & self.new.kat & ~self.own_state.kat):
            m.d.sync += number.eq(number + 1)
        with m.If(put & ~self.new.kat & self.own_state.kat):
            m.d.sync += number.eq(number - 1)
        with m.If(self.clear):
            m.d.sync += number.eq(0)
        m.d.comb += self.any_kat.eq(number != 0)

    def _count(self, m: Module, adding: Signal, added: Signal, marks, had, put: Signal, clearing) -> None:
        """Adds the blocks of a message to those of its slot, in three cycles: read, add, write."""
        attributes = {"ram_style": "block", "no_rw_check": 1}
        depth = 1 << self.bits
        m.submodules.used = used = memory.Memory(shape=BLOCK_BITS, depth=depth, init=[], attrs=attributes)
        port = used.read_port(domain="sync")
        reading = Signal()
        read = Signal(self.bits)
        blocks = Signal.like(self.blocks, name="more")
        sum_ = Signal(BLOCK_BITS)
        before = Signal(BLOCK_BITS)
        last = Signal(self.bits)
        last_valid = Signal()
        old = Signal(BLOCK_BITS)
        showing = Signal()
        shows = Signal(self.bits)
        most = sum_[-1]
        m.d.comb += [
            port.addr.eq(Mux(self.count, self.counted, self.shown)),
            # a row that is not written yet: that of the message before, or of the one before that
            old.eq(
                Mux(
                    adding & (added == read),
                    sum_,
                    Mux(last_valid & (last == read), before, port.data),
                )
            ),
            self.warns.eq(adding & ((sum_ >= self.warn) | most)),
            self.spends.eq(adding & ((sum_ >= self.limit) | most)),
            marks.warned.eq(self.warns | (adding & had.warned)),
            marks.spent.eq(self.spends | (adding & had.spent)),
        ]
        own = self.own[: self.bits]
        written = Signal(self.bits, name="row_written")
        m.d.comb += written.eq(Mux(adding, added, own))
        store(m, used, written, Mux(adding, sum_, 0), put | adding, **clearing)
        m.d.sync += [
            reading.eq(self.count & ~self.clear & ~(put & (self.counted[: self.bits] == own))),
            read.eq(self.counted),
            blocks.eq(self.blocks),
            adding.eq(reading & ~self.clear & ~(put & (read == own))),
            added.eq(read),
            sum_.eq(Cat((old + blocks)[:BLOCK_BITS])),
            last.eq(added),
            last_valid.eq(adding),
            before.eq(sum_),
            # a row that is written in this cycle may be read wrong
            showing.eq(~self.count & ~((put | adding) & (written == self.shown[: self.bits]))),
            shows.eq(self.shown),
        ]
        with m.If(showing & (shows == self.shown[: self.bits])):
            m.d.sync += self.shown_blocks.eq(
                Mux((self.shown[self.bits :] == 0) & self.shown_state.loaded, port.data, 0)
            )
