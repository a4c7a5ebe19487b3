# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""Lists of segments: places in memory for the source or the target of a job, fetched ahead."""

from amaranth import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.bus.axi4 import PAGE_BITS
from wideblock.rtl.bus.dma_map import SEGMENT

from .queue import ClearedQueue
from .reads import read_request
from .sizes import BLOCK_ADDRESS_BITS, SEGMENT_BITS, DmaSizes
from .windows import WINDOW_SET, hits

__all__ = ["PLACE", "SegmentFetch"]

PLACE = data.StructLayout({"at": BLOCK_ADDRESS_BITS, "blocks": SEGMENT_BITS})
"""A segment: ``blocks`` from block ``at``."""

_AHEAD = 4  # entries of a burst
_ROWS = 2 * _AHEAD
_IN_PAGE = PAGE_BITS - 4


class SegmentFetch(wiring.Component):
    """Fetches the ``entries`` of a list from block ``address`` on.

    start:     in, a list begins; only while ``idle``; no entry of the list before is left
    segment:   out, the next segment while ``valid``; ``take``: in
    failed:    out, no next segment: the list has ended, the entry at block ``failed_at`` is wrong, or memory or a
               window refused the read
    reads:     out, bursts
    windows:   in, pages that may be read
    run:       in, bursts may begin
    clear, clear_row: in, as of :class:`~wideblock.rtl.dma.queue.ClearedQueue`

    An entry is wrong if the address is no multiple of 16, the bytes are 0 or no multiple of 16, or reserved bits are 1.
    """

    def __init__(self, sizes: DmaSizes, *, clear_row_bits: int):
        self.queue = ClearedQueue(
            data.StructLayout({"place": PLACE, "wrong": 1}), depth=_ROWS, clear_row_bits=clear_row_bits
        )
        super().__init__(
            {
                "start": In(1),
                "address": In(BLOCK_ADDRESS_BITS),
                "entries": In(16),
                "idle": Out(1),
                "segment": Out(PLACE),
                **dict.fromkeys(("valid", "failed"), Out(1)),
                "failed_at": Out(BLOCK_ADDRESS_BITS),
                "take": In(1),
                "reads": Out(read_request(sizes)),
                "windows": In(WINDOW_SET),
                **dict.fromkeys(("run", "clear"), In(1)),
                "clear_row": In(clear_row_bits),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.queue = queue = self.queue
        reads, entry = self.reads, Signal(SEGMENT, name="list_entry")
        left = Signal(16, name="entries_left")
        due = Signal(range(_AHEAD + 1), name="entries_due")
        kept = Signal(range(_ROWS + 1), name="entries_kept")  # in the queue, or due
        at = Signal(BLOCK_ADDRESS_BITS, name="next_entry")
        to_page = Signal(_IN_PAGE + 1)
        most = Signal(range(_AHEAD + 1))
        stale = Signal()  # entries that are due are of the list before
        looked = Signal()
        permitted = Signal()
        m.d.comb += [
            to_page.eq((1 << _IN_PAGE) - at[:_IN_PAGE]),
            most.eq(Mux(to_page < _AHEAD, to_page, _AHEAD)),
            reads.request.eq(self.run & (left != 0) & (due == 0) & (kept <= _AHEAD) & looked & permitted),
            reads.at.eq(at),
            reads.beats.eq(Mux(left < most, left, most)),
            entry.eq(reads.block),
            queue.put.eq(reads.beat & ~stale),
            queue.new.place.at.eq(entry.address[4:]),
            queue.new.place.blocks.eq(entry.bytes[4:]),
            queue.new.wrong.eq(
                reads.error | (entry.bytes == 0) | (entry.bytes[:4] | entry.address[:4]).any() | entry.reserved.any()
            ),
            queue.take.eq(self.take),
            queue.clear.eq(self.clear),
            queue.empty.eq(self.start),
            queue.clear_row.eq(self.clear_row),
            self.idle.eq(due == 0),
            self.segment.eq(queue.head.place),
            self.valid.eq(queue.valid & ~queue.head.wrong),
            self.failed.eq(Mux(queue.valid, queue.head.wrong, (due == 0) & ((left == 0) | (looked & ~permitted)))),
        ]
        m.d.sync += [
            permitted.eq(hits(self.windows, at[_IN_PAGE:], "read").any()),
            looked.eq(~(self.start | reads.accept)),
            due.eq(due - reads.beat),
            kept.eq(kept - self.take),
            stale.eq(stale & (due != 0)),
        ]
        with m.If(reads.accept):
            m.d.sync += [at.eq(at + reads.beats), left.eq(left - reads.beats), due.eq(reads.beats)]
            m.d.sync += kept.eq(kept + reads.beats - self.take)
        with m.If(self.take):
            m.d.sync += self.failed_at.eq(self.failed_at + 1)
        with m.If(self.start):
            m.d.sync += [at.eq(self.address), self.failed_at.eq(self.address), left.eq(self.entries), kept.eq(0)]
            m.d.sync += stale.eq(reads.accept)
        return m
