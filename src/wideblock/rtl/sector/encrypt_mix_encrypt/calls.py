# SPDX-License-Identifier: Apache-2.0
"""The order of a sector's calls in the second layer."""

from amaranth import Const, Module, Mux, Signal, Value

from ..steps import Steps
from .schedule import Schedule

__all__ = ["Calls"]


class Calls:
    """Counts the calls of a sector that ``go`` lets pass: first those that refresh masks, then the steps.

    refresh:   the present call refreshes a mask, number ``refreshing`` of them from 0 on; else it is a step
    steps:     counts the steps         step: a step passes        done: the last one does
    column0:   row of column 0, whose block is in the last lane, in the next cycle; ``columns`` that of the others
    mask:      number of the mask that the call reads: 0 for M_0
    refreshed: that mask is the one of the last lane's block
    """

    def __init__(self, m: Module, schedule: Schedule, go: Value, clear: Value):
        s = schedule
        self.refresh: Value = Const(0)
        self.refreshing: Value = Const(0)
        self.mask: Value = Const(0)
        self.refreshed: Value = Const(0)
        if s.refreshes:
            self.refresh = Signal(name="refresh")
            self.refreshing = Signal(range(s.refreshes + 1), name="refreshing")
        self.step = go & ~self.refresh
        self.steps = steps = Steps(m, "call", self.step, s.steps, clear)
        self.done = self.step & steps.final
        self.columns = steps.following
        self.column0: Value = steps.following + 1
        if s.refreshes:
            self._refreshes(m, s, go, clear)

    def _refreshes(self, m: Module, s: Schedule, go: Value, clear: Value) -> None:
        refreshing, steps = self.refreshing, self.steps
        bits = (s.period // s.lanes).bit_length() - 1  # of the steps of a period
        following = Signal.like(refreshing, name="following_refreshing")
        next_block = Signal(len(steps.step) + 1, name="next_block")  # of the last lane, in lanes
        m.d.comb += [
            self.refresh.eq(refreshing != s.refreshes),
            following.eq(Mux(go & self.refresh, refreshing + 1, Mux(self.done, 0, refreshing))),
            next_block.eq(steps.step + 1),
        ]
        m.d.sync += refreshing.eq(Mux(clear, 0, following))
        refreshes_row = Signal(len(steps.step) + 1, name="refreshes_row")
        m.d.comb += refreshes_row.eq((following + 1) << bits)
        self.column0 = Mux(following != s.refreshes, refreshes_row, steps.following + 1)
        self.mask = Mux(self.refresh, 0, next_block[bits:])
        self.refreshed = ~self.refresh & (next_block[:bits] == 0)
