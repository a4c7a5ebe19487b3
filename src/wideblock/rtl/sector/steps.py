# SPDX-License-Identifier: Apache-2.0
"""A counter of the steps of a sector that pass a stage."""

from amaranth import Module, Mux, Signal, Value

__all__ = ["Steps"]


class Steps:
    """Counts the steps of a sector from ``start`` on; ``go``: a step passes.

    step, following: the present step, and the step of the next cycle
    first, final:    the present step is the sector's first, the sector's last
    """

    def __init__(self, m: Module, name: str, go: Value, count: int, clear: Value, *, start: int = 0):
        self.step = Signal(range(start + count), name=f"{name}_step", init=start)
        self.following = Signal.like(self.step, name=f"{name}_following")
        self.first = self.step == start
        self.final = self.step == start + count - 1
        m.d.comb += self.following.eq(Mux(go, Mux(self.final, start, self.step + 1), self.step))
        m.d.sync += self.step.eq(Mux(clear, start, self.following))
