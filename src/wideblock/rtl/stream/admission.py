# SPDX-License-Identifier: Apache-2.0
"""When a sector may begin."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Admission"]


class Admission(wiring.Component):
    """``free`` says that a sector may begin: there is room for its result, and its turn has come.

    ``taken``, ``computed`` and ``left`` number the sector that enters next, the first one whose result is not known
    and the one that leaves; ``opening`` is high while the first beat of one is taken. With an ``interval`` a sector may
    begin so many cycles after the one before it; without, when the one before it is ``done``.

    ``slots`` sectors have numbers of their own, and ``room`` of them (all, if it is not given) can be under way.

    Timing: a sector that leaves makes room one cycle later.
    Cost:  a counter, and comparisons of sector numbers.
    Paths: sector numbers to ``free`` and ``done``.
    """

    def __init__(self, *, slots: int, interval: int | None, room: int | None = None):
        self.interval, self.room = interval, slots if room is None else room
        number = slots.bit_length()
        super().__init__(
            {
                "opening": In(1),
                "taken": In(number),
                "computed": In(number),
                "left": In(number),
                "clear": In(1),
                "free": Out(1),
                "done": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        limit = Signal(len(self.taken), init=self.room)  # the first sector for which there is no room
        m.d.sync += limit.eq(Mux(self.clear, self.room, self.left + self.room))
        m.d.comb += self.done.eq(self.taken == self.computed)
        room = self.taken != limit
        if self.interval is None:
            m.d.comb += self.free.eq(room & self.done)
            return m
        pace = Signal(range(self.interval))
        turn = Signal(init=1)  # pace is 0: a register, as it decides what enters everywhere
        with m.If(self.clear):
            m.d.sync += [pace.eq(0), turn.eq(1)]
        with m.Elif(self.opening):
            m.d.sync += [pace.eq(self.interval - 1), turn.eq(self.interval == 1)]
        with m.Elif(~turn):
            m.d.sync += [pace.eq(pace - 1), turn.eq(pace == 1)]
        m.d.comb += self.free.eq(room & turn)
        return m
