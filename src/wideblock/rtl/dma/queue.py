# SPDX-License-Identifier: Apache-2.0
"""A queue in distributed memory that is cleared row by row."""

from amaranth import Module, Signal
from amaranth.hdl import ShapeLike
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.stream.storage import store

__all__ = ["ClearedQueue"]


class ClearedQueue(wiring.Component):
    """Queue of ``depth`` rows, a power of two, of layout ``row``.

    put, new:  in, ``new`` enters; only while not ``full``
    head:      out, the oldest row while ``valid``
    take:      in, the oldest row leaves; only while ``valid``
    clear:     in, the queue is empty; row ``clear_row`` becomes 0
    empty:     in, the queue is empty; rows stay

    Timing: a row can be taken in the cycle after it was put.
    """

    def __init__(self, row: ShapeLike, *, depth: int, clear_row_bits: int):
        self.row, self.depth = row, depth
        super().__init__(
            {
                "put": In(1),
                "new": In(row),
                "head": Out(row),
                "valid": Out(1),
                "full": Out(1),
                "take": In(1),
                **dict.fromkeys(("clear", "empty"), In(1)),
                "clear_row": In(clear_row_bits),
            }
        )

    def elaborate(self, platform):
        m = Module()
        bits = (self.depth - 1).bit_length()
        first = Signal(bits)
        next_ = Signal(bits, name="next")
        level = Signal(range(self.depth + 1))
        width = data.Layout.cast(self.row).size if isinstance(self.row, data.Layout) else self.row
        m.submodules.rows = rows = memory.Memory(shape=width, depth=self.depth, init=[])
        new = self.new.as_value() if isinstance(self.row, data.Layout) else self.new
        store(m, rows, next_, new, self.put, clear=self.clear, clear_row=self.clear_row[:bits])
        read = rows.read_port(domain="comb")
        m.d.comb += [
            read.addr.eq(first),
            self.head.eq(read.data),
            self.valid.eq(level != 0),
            self.full.eq(level == self.depth),
        ]
        m.d.sync += [first.eq(first + self.take), next_.eq(next_ + self.put), level.eq(level + self.put - self.take)]
        with m.If(self.clear | self.empty):
            m.d.sync += [first.eq(0), next_.eq(0), level.eq(0)]
        return m
