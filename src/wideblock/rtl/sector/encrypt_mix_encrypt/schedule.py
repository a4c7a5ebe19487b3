# SPDX-License-Identifier: Apache-2.0
"""The calls of a sector, and the cycles that follow from them."""

from dataclasses import dataclass

__all__ = ["Schedule"]


@dataclass(frozen=True)
class Schedule:
    """The calls of one sector, in the order in which they enter the lanes: each line takes a cycle of all lanes.

        the tweak's call
        the first layer, ``beats`` steps of ``lanes`` blocks
        1 mixing call, or 2 with a ``rest``
        ``refreshes`` calls, one for each mask that is refreshed
        the second layer, ``steps`` steps; block 0 is the last call of the last

    blocks:  whole blocks of a sector          rest:   bytes of a last block that is not whole, or 0
    lanes:   AES pipelines, and blocks a beat  period: blocks from one refresh of the mask to the next
    cipher_latency: cycles of a call
    """

    blocks: int
    rest: int
    lanes: int
    period: int
    cipher_latency: int

    @property
    def beats(self) -> int:
        """Beats of a sector; the last one may hold a rest alone."""
        return -(-(self.blocks + (self.rest > 0)) // self.lanes)

    @property
    def steps(self) -> int:
        """Steps of the second layer. Lane q of step t takes block t lanes + q + 1; the last lane ends with block 0."""
        return -(-self.blocks // self.lanes)

    @property
    def refreshes(self) -> int:
        """Blocks whose mask is refreshed: each ``period``-th."""
        return (self.blocks - 1) // self.period

    @property
    def steps_before_refresh(self) -> int:
        """Steps of the second layer that need no refreshed mask."""
        return min(self.steps, self.period // self.lanes - 1)

    @property
    def stall(self) -> int:
        """Cycles for which the second layer waits for the refreshed masks: none unless a period is a few steps."""
        return max(0, self.cipher_latency - self.steps_before_refresh) if self.refreshes else 0

    @property
    def mixing(self) -> int:
        """Mixing calls, each on the result of the one before it."""
        return 2 if self.rest else 1

    @property
    def first_step(self) -> int:
        """Cycle in which the first call of the second layer, or of a refresh, can enter the lanes.

        1 cycle in the input register and 1 for the tweak; each mixing call enters a cycle after the result that it is
        made of; the mask is stored a cycle after the last of them.
        """
        A = self.cipher_latency
        return 2 + self.beats - 1 + A + self.mixing * (1 + A) + 1

    @property
    def compute(self) -> int:
        """Cycles from the first beat accepted to the last result known, into an idle core."""
        return self.first_step + self.refreshes + self.stall + self.steps - 1 + self.cipher_latency

    @property
    def calls(self) -> int:
        """Cycles of the lanes that a sector takes."""
        return 1 + self.beats + self.mixing + self.refreshes + self.steps
