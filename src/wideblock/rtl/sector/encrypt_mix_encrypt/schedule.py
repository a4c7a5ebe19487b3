# SPDX-License-Identifier: Apache-2.0
"""The calls of a sector, and their order."""

from dataclasses import dataclass

from wideblock.rtl.flow.stage import After, Flow, Stage

__all__ = ["EmeSchedule"]


@dataclass(frozen=True)
class EmeSchedule:
    """The calls of a sector, in the order of entry into the lanes; a line takes a cycle of all lanes.

        the tweak's call
        the first layer, ``beats`` steps of ``lanes`` blocks
        ``leading``: a call of block 0, which is in no beat
        1 mixing call, or 2 with a ``rest``
        ``refreshes`` calls, one for each refreshed mask
        the second layer, ``steps`` steps; block 0 is the last call of the last step

    blocks:  whole blocks of a sector, and that in no beat    rest: bytes of a partial last block, or 0
    lanes:   AES pipelines, and blocks a beat  period: blocks from one refresh of the mask to the next
    cipher_latency: cycles of a call           behind: beats behind a sector, for which its last beat waits
    """

    blocks: int
    rest: int
    lanes: int
    period: int
    cipher_latency: int
    leading: bool = False
    behind: int = 0

    @property
    def beats(self) -> int:
        """Beats of a sector; the last one may hold a rest alone."""
        return -(-(self.blocks - self.leading + (self.rest > 0)) // self.lanes)

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
    def flow(self) -> Flow:
        """The stages of a sector. The mixing calls go first, then the leading, then the first layer, the second."""

        def calls(n: int) -> tuple[str, ...]:
            return ("lanes",) * n

        A, masks = self.cipher_latency, self.refreshes
        last = After("first", self.beats - 1, begin=self.beats, delay=1 + self.behind - A)
        waits = (last,) if self.behind else ()
        after = (After("first", delay=1 - A),)  # in the cycle behind the last beat's
        leading = [Stage("leading", calls(1), A, after, at="first")] if self.leading else []
        whole = "leading" if self.leading else "first"
        halfway = [Stage("halfway", calls(1), A, (After(whole),))] if self.rest else []
        mix = Stage("mix", calls(1), A, (After("halfway" if self.rest else whole),))
        refreshed = [After("second", masks - 1, begin=masks + self.steps_before_refresh)] if masks else []
        return Flow(
            (
                *halfway,
                mix,
                *leading,
                Stage("first", calls(1 + self.beats), A, waits),  # the tweak's call is its first step
                Stage("second", calls(masks + self.steps), A, (After("mix"), *refreshed)),
                Stage("exit", ("exit",) * (self.beats + self.behind), 0, (After("second"),)),
            ),
            enters="first",
            computes="second",
            leaves="exit",
        )
