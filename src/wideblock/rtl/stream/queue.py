# SPDX-License-Identifier: Apache-2.0
"""The queue between the lanes, which never stall, and a hash unit that may."""

from amaranth import Const, Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["PromisedQueue"]


class PromisedQueue(wiring.Component):
    """Holds ``depth`` beats; a step may enter the lanes only if its beat has a reserved place.

    ``step`` enters the lanes, if there is ``room``; ``parts`` steps make a beat, which arrives with ``write``.
    ``beat`` is the oldest one while ``valid``; ``read`` takes it.

    Timing: a beat can be read one cycle after it was written. ``valid`` comes from a register, and so does ``room``
            but for the number of the part.
    Cost:   distributed memory of ``depth`` rows, rounded up to a power of two; four counters.
    """

    def __init__(self, *, width: int, depth: int, parts: int, clear_row_bits: int):
        self.width, self.depth, self.parts = width, depth, parts
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
        m.submodules.beats = beats = memory.Memory(shape=self.width, depth=rows, init=[])
        write = beats.write_port()
        read = beats.read_port(domain="comb")
        head = Signal(range(rows))
        tail = Signal(range(rows))
        waiting = Signal(range(self.depth + 1))
        promised = Signal(range(self.depth + 1))
        full = Signal()  # promised == depth
        part = Signal(range(self.parts), name="part") if self.parts > 1 else Const(0)
        promise = self.step & (part == 0)
        m.d.comb += [
            write.addr.eq(tail),
            write.data.eq(self.data),
            write.en.eq(self.write),
            read.addr.eq(head),
            self.beat.eq(read.data),
            self.room.eq(~full | (part != 0)),
        ]
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
            m.d.comb += [write.addr.eq(self.clear_row), write.en.eq(1)]
            m.d.sync += [counter.eq(0) for counter in (head, tail, waiting, promised, self.valid, full)]
        return m
