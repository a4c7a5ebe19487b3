# SPDX-License-Identifier: Apache-2.0
"""The calls of a sector, and the cycles that follow from them."""

from dataclasses import dataclass

__all__ = ["Schedule"]


@dataclass(frozen=True)
class Schedule:
    """The steps of one sector. A step is a call for each of ``lanes`` pairs, and takes all lanes for a cycle.

    A step that leaves the lanes enters them again in the same cycle, with the next call of its pairs, until the pairs
    have all calls of their layer: two in the first, three in the second. The last pair takes part with its own calls;
    the mix is a third call in the first layer for the step that it is in.

    pairs: all of a sector, the last one included      lanes: AES pipelines, and blocks a beat
    cipher_latency: cycles of a call, an odd number
    """

    pairs: int
    lanes: int
    cipher_latency: int

    @property
    def beats(self) -> int:
        """Beats of a sector. A step is two of them; the last one is a step of its own if their number is odd."""
        return -(-2 * self.pairs // self.lanes)

    @property
    def steps(self) -> int:
        """Steps of a layer. Lane q of step t takes pair t lanes + q, from 0 on."""
        return -(-self.pairs // self.lanes)

    @property
    def last_lane(self) -> int:
        """Lane of the last pair, in the last step; the lanes behind it have none then."""
        return (self.pairs - 1) % self.lanes

    @property
    def last_entry(self) -> int:
        """Cycle in which the last step enters the lanes for the first time; the first beat is accepted in cycle 0.

        A beat is in the input register a cycle after it is accepted. Steps of two beats enter in even cycles, and so
        their second calls in odd ones. A last step of one beat, in an odd cycle, waits for one if there is any.
        """
        waits = self.beats % 2 and self.beats >= 2 + self.cipher_latency
        return self.beats + int(waits)

    @property
    def second_layer(self) -> int:
        """Cycle in which the first step of the second layer can enter the lanes.

        S_y is there three calls after the last step's entry; a cycle later the sector is due, and a cycle later its
        first step has been read.
        """
        return self.last_entry + 3 * self.cipher_latency + 2

    @property
    def compute(self) -> int:
        """Cycles from the first beat accepted to the last result known, into an idle core.

        As many steps as a call has cycles enter one after another, and take the lanes for three calls.
        """
        A = self.cipher_latency
        groups, rest = divmod(self.steps - 1, A)
        return self.second_layer + groups * 3 * A + rest + 3 * A

    @property
    def latency(self) -> int:
        """Cycles from the first beat accepted to the last beat of the result."""
        return self.compute + 1 + self.beats

    @property
    def calls(self) -> int:
        """Cycles of the lanes that a sector takes."""
        return 5 * self.steps + 1
