# SPDX-License-Identifier: Apache-2.0
"""The queue from the lanes, which never stall, to a hash unit, which may stall."""

from amaranth import Const, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from .storage import store

__all__ = ["PromisedQueue"]


class PromisedQueue(wiring.Component):
    """Holds ``depth`` beats; a step may enter the lanes only if the beat has a reserved place.

    step:  in, a step enters the lanes; only with ``room``. A beat is made of ``parts`` steps
    room:  out, a step may enter
    write: in, a beat arrives
    beat:  out, the oldest beat while ``valid``; its lowest ``late`` bits come in the cycle after ``read``
    read:  in, takes the oldest beat

    Timing: a beat can be read one cycle after the write. ``valid`` comes from a register; ``room`` comes from a
            register and the number of the part.
    Cost:   distributed memory of ``depth`` rows, rounded up to a power of two; four counters, and an address for the
            late bits.
    """

    def __init__(self, *, width: int, depth: int, parts: int, clear_row_bits: int, late: int = 0):
        self.width, self.depth, self.parts, self.late = width, depth, parts, late
        super().__init__(
            {
                "step": In(1),
                "room": Out(1),
                "write": In(1),
                "data": In(width),
                "valid": Out(1),
                "beat": Out(width),
                "read": In(1),
                "clear": In(1),
                "clear_row": In(clear_row_bits),
            }
        )

    def elaborate(self, platform):
        m = Module()
        rows = 1 << max(1, (self.depth - 1).bit_length())  # so that addresses wrap by themselves
        head = Signal(range(rows))
        tail = Signal(range(rows))
        waiting = Signal(range(self.depth + 1))
        promised = Signal(range(self.depth + 1))
        full = Signal()  # promised == depth
        part = Signal(range(self.parts), name="part") if self.parts > 1 else Const(0)
        promise = self.step & (part == 0)
        m.d.comb += self.room.eq(~full | (part != 0))
        if self.late < self.width:
            self._store(m, "beats", slice(self.late, self.width), head, tail)
        if self.late:
            # a row that was read can be written in the next cycle: its late bits are read in that cycle, as they were
            before = Signal.like(head, name="head_before")
            m.d.sync += before.eq(head)
            self._store(m, "late_beats", slice(0, self.late), before, tail)
        if isinstance(part, Signal):
            with m.If(self.step):
                m.d.sync += part.eq(Mux(part == self.parts - 1, 0, part + 1))
            with m.If(self.clear):
                m.d.sync += part.eq(0)
        m.d.sync += [
            head.eq(head + self.read),
            tail.eq(tail + self.write),
            waiting.eq(waiting + self.write - self.read),
            promised.eq(promised + promise - self.read),
            self.valid.eq(self.write | (self.valid & ~(self.read & (waiting == 1)))),
            full.eq(Mux(promise, ~self.read & (promised == self.depth - 1), full & ~self.read)),
        ]
        with m.If(self.clear):
            m.d.sync += [counter.eq(0) for counter in (head, tail, waiting, promised, self.valid, full)]
        return m

    def _store(self, m: Module, name: str, bits: slice, head: Value, tail: Value) -> None:
        """The memory of some bits of all beats."""
        rows = 1 << len(head)
        m.submodules[name] = beats = memory.Memory(shape=bits.stop - bits.start, depth=rows, init=[])
        store(m, beats, tail, self.data[bits], self.write, clear=self.clear, clear_row=self.clear_row)
        read = beats.read_port(domain="comb")
        m.d.comb += [read.addr.eq(head), self.beat[bits].eq(read.data)]
