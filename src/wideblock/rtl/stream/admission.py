# SPDX-License-Identifier: Apache-2.0
"""When a sector may begin."""

from amaranth import Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Admission"]


class Admission(wiring.Component):
    """Admits sectors in order, at most ``slots`` under way.

    free:     out, a sector may begin: the result has a place
    taken:    in, number of the sector that enters next
    computed: in, number of the first sector without a known result
    left:     in, number of the sector at the exit
    opening:  in, the first beat of a sector is accepted
    done:     out, every sector is computed

    With an ``interval`` a sector may begin ``interval`` cycles after the sector before; without, when ``done``.

    If ``registered``, ``free`` is a register, and high if a beat may enter: a beat of a sector that may begin or has
    begun, while ``ready_next`` was high in the cycle before. ``first`` is low from the cycle after ``opening`` until
    ``taken`` rises, and ``first_next`` is ``first`` a cycle ahead. A sector takes two cycles or more.

    Timing: a sector that leaves makes room one cycle later, if ``registered`` two.
    Cost:  a counter, and comparisons of sector numbers.
    Paths: sector numbers to ``free``, unless ``registered``, and to ``done``.
    """

    def __init__(self, *, slots: int, interval: int | None, registered: bool = False):
        self.interval, self.slots, self.registered = interval, slots, registered
        number = slots.bit_length()
        super().__init__(
            {
                "opening": In(1),
                "taken": In(number),
                "computed": In(number),
                "left": In(number),
                "clear": In(1),
                **({"ready_next": In(1), "first": In(1), "first_next": In(1)} if registered else {}),
                "free": Out(1),
                "done": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        limit = Signal(len(self.taken), init=self.slots)  # the first sector for which there is no room
        m.d.sync += limit.eq(Mux(self.clear, self.slots, self.left + self.slots))
        m.d.comb += self.done.eq(self.taken == self.computed)
        turn, turn_next = (self.done, None) if self.interval is None else self._turn(m, self.interval)
        if not self.registered:
            m.d.comb += self.free.eq((self.taken != limit) & turn)
            return m
        if turn_next is None:
            turn_next = self.done & self.first
        number = Signal.like(self.taken)  # of the sector behind the one that enters
        m.d.comb += number.eq(self.taken + ~self.first)
        m.d.sync += self.free.eq(self.ready_next & (~self.first_next | ((number != limit) & turn_next)))
        with m.If(self.clear):
            m.d.sync += self.free.eq(0)
        return m

    def _turn(self, m: Module, interval: int) -> tuple[Value, Value]:
        """Whether an interval has passed since a sector began, in this cycle and in the next cycle."""
        turn = Signal(init=1)  # a register, as it decides what enters everywhere
        begun = Signal()  # in the cycle before: what begins a sector comes late, and does not choose a count
        count = Signal(range(interval))
        since = Mux(begun, 1, count)  # cycles since a sector began, until an interval has passed
        last = since == interval - 1
        m.d.sync += begun.eq(self.opening)
        with m.If(~turn):
            m.d.sync += count.eq(since + 1)
        with m.If(self.opening):
            m.d.sync += turn.eq(interval == 1)
        with m.Elif(last):
            m.d.sync += turn.eq(1)
        with m.If(self.clear):
            m.d.sync += [turn.eq(1), begun.eq(0), count.eq(0)]
        return turn, turn | last
