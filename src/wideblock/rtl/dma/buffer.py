# SPDX-License-Identifier: Apache-2.0
"""The buffer of blocks that were read: each burst has places before it begins."""

from amaranth import Module, Mux, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.stream.storage import store

from .sizes import BLOCK_BITS, DmaSizes

__all__ = ["ReadBuffer", "buffer_row"]


def buffer_row(sizes: DmaSizes) -> data.StructLayout:
    """A block of job ``job``; with ``error`` there is none, as memory or a window refused the read."""
    return data.StructLayout({"block": BLOCK_BITS, "error": 1, "job": sizes.job_bits})


class ReadBuffer(wiring.Component):
    """Queue of blocks in block memory.

    promise:  in, ``promised`` places are given to a burst; only while ``free`` has as many
    free:     out, places that neither hold a block nor are promised
    put, new: in, a block of a burst
    head:     out, the oldest block while ``valid``; a register of the memory
    take:     in, the oldest block leaves
    clear:    in, the buffer is empty; row ``clear_row`` becomes 0, and from the second cycle on ``head``, too

    Timing: a block is valid two cycles after it was put; a block a cycle.
    """

    def __init__(self, sizes: DmaSizes):
        self.sizes, self.row = sizes, buffer_row(sizes)
        rows = sizes.rows
        super().__init__(
            {
                "promise": In(1),
                "promised": In(range(sizes.burst + 1)),
                "free": Out(range(rows + 1), init=rows),
                "put": In(1),
                "new": In(self.row),
                "head": Out(self.row),
                "valid": Out(1),
                "take": In(1),
                "clear": In(1),
                "clear_row": In(range(rows)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        rows = self.sizes.rows
        attributes = {"ram_style": "block", "no_rw_check": 1}
        m.submodules.blocks = blocks = memory.Memory(shape=self.row.size, depth=rows, init=[], attrs=attributes)
        first = Signal(range(rows))
        next_ = Signal(range(rows), name="next")
        stored = Signal(range(rows + 1))  # rows that can be read
        fetch = Signal()
        read = blocks.read_port(domain="sync")
        store(m, blocks, next_, self.new.as_value(), self.put, clear=self.clear, clear_row=self.clear_row)
        m.d.comb += [
            fetch.eq((stored != 0) & (~self.valid | self.take)),
            read.addr.eq(Mux(self.clear, 0, first)),
            read.en.eq(fetch | self.clear),
            self.head.eq(read.data),
        ]
        m.d.sync += [
            first.eq(first + fetch),
            next_.eq(next_ + self.put),
            stored.eq(stored + self.put - fetch),
            self.free.eq(self.free + fetch - Mux(self.promise, self.promised, 0)),
            self.valid.eq(fetch | (self.valid & ~self.take)),
        ]
        with m.If(self.clear):
            m.d.sync += [each.eq(0) for each in (first, next_, stored, self.valid)]
            m.d.sync += self.free.eq(rows)
        return m
