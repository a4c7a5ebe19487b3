# SPDX-License-Identifier: Apache-2.0
"""The order of a sector's calls in the second layer."""

from amaranth import Cat, Const, Module, Mux, Signal, Value

from ..steps import Steps
from .schedule import EmeSchedule

__all__ = ["EmeCalls"]


class EmeCalls:
    """Counts the calls of a sector, passed with ``go``: first calls to refresh masks, then steps.

    refresh:   the present call refreshes mask number ``refreshing``, from 0 on; low: the call is a step
    steps:     counts the steps         step: a step passes        done: the last step passes
    following, following_refreshing: step and refresh of the next cycle; see :meth:`last_lane`
    mask:      number of the mask for the call: 0 for M_0
    refreshed: the mask of the call is the mask of the last lane's block
    """

    def __init__(self, m: Module, schedule: EmeSchedule, go: Value, clear: Value):
        s = schedule
        self.refresh: Value = Const(0)
        self.refreshing: Value = Const(0)
        self.mask: Value = Const(0)
        self.refreshed: Value = Const(0)
        self.following_refreshing: Value = Const(0)
        if s.refreshes:
            self.refresh = Signal(name="refresh")
            self.refreshing = Signal(range(s.refreshes + 1), name="refreshing")
            self.following_refreshing = Signal.like(self.refreshing, name="following_refreshing")
        self.step = go & ~self.refresh
        self.steps = steps = Steps(m, "second", self.step, s.steps, clear)
        self.done = self.step & steps.final
        self.following = steps.following
        self._schedule = s
        self._period_bits = (s.period // s.lanes).bit_length() - 1  # of the steps of a period
        if s.refreshes:
            self._refreshes(m, go, clear)

    def last_lane(self, following: Value, refreshing: Value) -> Value:
        """Row of column 0, for the last lane's block, at a step or a refresh. The other columns' row is the step.

        With a leading block, the row of the last column: block j is in the place of block j - 1.
        """
        if self._schedule.leading:
            row, step = Cat(Const(-1, self._period_bits), refreshing), following
        else:
            row, step = Cat(Const(0, self._period_bits), (refreshing + 1)[: len(refreshing)]), following + 1
        return Mux(refreshing != self._schedule.refreshes, row, step)

    def _refreshes(self, m: Module, go: Value, clear: Value) -> None:
        s, refreshing, steps, following = self._schedule, self.refreshing, self.steps, self.following_refreshing
        bits = self._period_bits
        next_block = Signal(len(steps.step) + 1, name="next_block")  # of the last lane, in lanes
        m.d.comb += [
            self.refresh.eq(refreshing != s.refreshes),
            following.eq(Mux(go & self.refresh, refreshing + 1, Mux(self.done, 0, refreshing))),
            next_block.eq(steps.step + 1),
        ]
        m.d.sync += refreshing.eq(Mux(clear, 0, following))
        self.mask = Mux(self.refresh, 0, next_block[bits:])
        self.refreshed = ~self.refresh & (next_block[:bits] == 0)
