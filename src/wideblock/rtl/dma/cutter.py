# SPDX-License-Identifier: Apache-2.0
"""The cutter: a range of memory in bursts."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.bus.axi4 import PAGE_BITS

from .segments import PLACE
from .sizes import BLOCK_ADDRESS_BITS, SEGMENT_BITS
from .windows import WINDOW_SET, hits

__all__ = ["BurstCutter"]

_IN_PAGE = PAGE_BITS - 4  # bits of the number of a block in its page


class BurstCutter(wiring.Component):
    """Cuts ranges of blocks into bursts of at most ``burst`` beats, of which none goes beyond a page.

    start:   in, the range of ``length`` blocks from block ``address`` begins
    again:   in, a range of ``length`` blocks begins where the range before has ended; only with ``take`` of its last
             burst
    stop:    in, the range ends; a ``start`` in the same cycle counts
    valid:   out, the next burst is known: ``at``, ``beats``, ``last`` of the range, ``permitted`` by a window
    take:    in, the burst begins
    windows: in, pages that may be touched; stable while a range is cut
    listed:  in, with ``start``: ranges lie in segments, one behind the other, and ``address`` does not matter
    segment: in, the next segment while ``segment_valid``; ``segment_take``: out
    starving: out, the next burst waits for a segment

    Timing: the first burst is valid two cycles after ``start`` and ``again``; then a burst a cycle. A segment costs a
            cycle more.
    """

    def __init__(self, *, burst: int, length_bits: int, permission: str):
        self.burst, self.permission = burst, permission
        super().__init__(
            {
                **dict.fromkeys(("start", "again", "stop", "take", "listed", "segment_valid"), In(1)),
                "address": In(BLOCK_ADDRESS_BITS),
                "length": In(length_bits),
                "windows": In(WINDOW_SET),
                "segment": In(PLACE),
                **dict.fromkeys(("valid", "last", "permitted", "segment_take", "starving"), Out(1)),
                "at": Out(BLOCK_ADDRESS_BITS),
                "beats": Out(range(burst + 1)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        next_ = Signal(BLOCK_ADDRESS_BITS, name="next_at")
        left = Signal.like(self.length, name="left")
        to_page = Signal(_IN_PAGE + 1)
        most = Signal(range(self.burst + 1))
        beats = Signal(range(self.burst + 1), name="next_beats")
        final = Signal()
        cut = Signal()
        in_list = Signal()
        room = Signal(SEGMENT_BITS, name="segment_left")
        within = Signal.like(most, name="most_in_segment")
        m.d.comb += [
            to_page.eq((1 << _IN_PAGE) - next_[:_IN_PAGE]),
            most.eq(Mux(to_page < self.burst, to_page, self.burst)),
            within.eq(Mux(in_list & (room < most), room, most)),
            final.eq(left <= within),
            beats.eq(Mux(final, left, within)),
            cut.eq((left != 0) & (~self.valid | self.take) & (~in_list | (room != 0))),
            self.starving.eq(in_list & (left != 0) & (room == 0) & ~self.valid),
            self.segment_take.eq(in_list & (left != 0) & (room == 0) & self.segment_valid),
        ]
        with m.If(self.take):
            m.d.sync += self.valid.eq(0)
        with m.If(cut):
            m.d.sync += [
                self.valid.eq(1),
                self.at.eq(next_),
                self.beats.eq(beats),
                self.last.eq(final),
                self.permitted.eq(hits(self.windows, next_[_IN_PAGE:], self.permission).any()),
                next_.eq(next_ + beats),
                left.eq(left - beats),
                room.eq(room - beats),
            ]
        with m.If(self.segment_take):
            m.d.sync += [next_.eq(self.segment.at), room.eq(self.segment.blocks)]
        with m.If(self.again):
            m.d.sync += left.eq(self.length)
        with m.If(self.stop):
            m.d.sync += [self.valid.eq(0), left.eq(0)]
        with m.If(self.start):
            m.d.sync += [next_.eq(self.address), left.eq(self.length), self.valid.eq(0)]
            m.d.sync += [in_list.eq(self.listed), room.eq(0)]
        return m
