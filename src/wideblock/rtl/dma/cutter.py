# SPDX-License-Identifier: Apache-2.0
"""The cutter: a range of memory in bursts."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.bus.axi4 import PAGE_BITS

from .sizes import BLOCK_ADDRESS_BITS
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

    Timing: the first burst is valid two cycles after ``start`` and ``again``; then a burst a cycle.
    """

    def __init__(self, *, burst: int, length_bits: int, permission: str):
        self.burst, self.permission = burst, permission
        super().__init__(
            {
                **dict.fromkeys(("start", "again", "stop", "take"), In(1)),
                "address": In(BLOCK_ADDRESS_BITS),
                "length": In(length_bits),
                "windows": In(WINDOW_SET),
                **dict.fromkeys(("valid", "last", "permitted"), Out(1)),
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
        m.d.comb += [
            to_page.eq((1 << _IN_PAGE) - next_[:_IN_PAGE]),
            most.eq(Mux(to_page < self.burst, to_page, self.burst)),
            final.eq(left <= most),
            beats.eq(Mux(final, left, most)),
            cut.eq((left != 0) & (~self.valid | self.take)),
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
            ]
        with m.If(self.again):
            m.d.sync += left.eq(self.length)
        with m.If(self.stop):
            m.d.sync += [self.valid.eq(0), left.eq(0)]
        with m.If(self.start):
            m.d.sync += [next_.eq(self.address), left.eq(self.length), self.valid.eq(0)]
        return m
