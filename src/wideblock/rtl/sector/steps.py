# SPDX-License-Identifier: Apache-2.0
"""A counter of the steps of a sector that pass a stage."""

from amaranth import Module, Mux, Signal, Value

__all__ = ["Steps"]


class Steps:
    """Counts the steps of a sector that ``go`` lets pass.

    step, following: the present one, and that of the next cycle
    first, final:    the present one is the sector's first, its last
    """

    def __init__(self, m: Module, name: str, go: Value, count: int, clear: Value):
        self.step = Signal(range(count), name=f"{name}_step")
        self.following = Signal.like(self.step, name=f"{name}_following")
        self.first = self.step == 0
        self.final = self.step == count - 1
        m.d.comb += self.following.eq(Mux(go, Mux(self.final, 0, self.step + 1), self.step))
        m.d.sync += self.step.eq(Mux(clear, 0, self.following))
