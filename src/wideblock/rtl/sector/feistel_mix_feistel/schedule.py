# SPDX-License-Identifier: Apache-2.0
"""The calls of a sector, and their order."""

from dataclasses import dataclass

from wideblock.rtl.flow.stage import After, Flow, Stage

__all__ = ["FmfSchedule"]


@dataclass(frozen=True)
class FmfSchedule:
    """The steps of a sector. A step is a call for each of ``lanes`` pairs, and takes all lanes for a cycle.

    A step leaving the lanes enters again in the same cycle, with the next call of the pairs, until the pairs have all
    calls of the layer: two in the first, three in the second. The last pair takes part with separate calls; the mix is
    a third call in the first layer, for the last pair's step.

    pairs: all pairs of a sector, with the last        lanes: AES pipelines, and blocks a beat
    cipher_latency: cycles of a call, an odd number
    """

    pairs: int
    lanes: int
    cipher_latency: int

    @property
    def beats(self) -> int:
        """Beats of a sector. A step is two beats; for an odd number the last beat is a step alone."""
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
    def flow(self) -> Flow:
        """The stages of a sector, each a call; returning steps go first, then the second layer's first call.

        A step of the first layer enters with the step's second beat, or with the last beat. S comes with the result of
        S_y; a cycle later the sector is due, and a cycle later the first step has been read.
        """
        A, step = self.cipher_latency, ("lanes",) * self.steps

        def again(name: str, before: str, per: int = 1, at: str = "") -> Stage:
            return Stage(name, step, A, (After(before, None, per=per, delay=0),), at)

        beats = tuple("lanes" if beat % 2 or beat == self.beats - 1 else None for beat in range(self.beats))
        return Flow(
            (
                again("X", "W", per=2, at="W"),
                Stage("Sy", ("lanes",), A, (After("X", delay=0),)),
                again("Cp", "YZ", at="YZ"),
                again("C", "Cp"),
                Stage("YZ", step, A, (After("Sy", delay=2),)),
                Stage("W", beats, A),
                Stage("exit", ("exit",) * self.beats, 0, (After("C"),)),
            ),
            enters="W",
            computes="C",
            leaves="exit",
        )
