# SPDX-License-Identifier: Apache-2.0
"""Clearing: every row of every memory becomes zero."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Clearing"]


class Clearing(wiring.Component):
    """Clears after reset and after ``zeroize``, as a pulse in any cycle or as a level.

    zeroize: in, clearing begins, or lasts for ``cycles`` from here on
    clear:   out, a register; high from the cycle after ``zeroize`` until ``cycles`` cycles after its last cycle
    row:     out, the row to clear: 0 in the first cycle of ``clear``, then a row a cycle, around all ``rows``, while
             ``zeroize`` is high, too
    last:    out, a register; the last cycle of ``clear``, unless ``zeroize`` is high then

    Timing: ``clear`` for ``cycles`` cycles after a pulse. A level longer than ``rows`` cycles has cleared every row
            before it ends.
    Cost:   two counters.
    """

    def __init__(self, *, rows: int, cycles: int):
        if rows < 1 or rows & (rows - 1) or cycles < max(2, rows):
            raise ValueError(
                f"rows must be a power of two up to cycles, and cycles 2 or more, got {rows} rows, {cycles} cycles"
            )
        self.rows, self.cycles = rows, cycles
        super().__init__({"zeroize": In(1), "clear": Out(1, init=1), "row": Out(range(rows)), "last": Out(1)})

    def elaborate(self, platform):
        m = Module()
        left = Signal(range(self.cycles), init=self.cycles - 1)
        m.d.sync += [
            self.row.eq(Mux(self.clear, self.row + 1, 0)),
            left.eq(Mux(self.clear & ~self.zeroize & ~self.last, left - 1, left.init)),
            self.last.eq(self.clear & (left == 1) & ~self.zeroize),
        ]
        with m.If(self.last):
            m.d.sync += self.clear.eq(0)
        with m.If(self.zeroize):
            m.d.sync += self.clear.eq(1)
        return m
