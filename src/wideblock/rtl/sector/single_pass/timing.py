# SPDX-License-Identifier: Apache-2.0
"""Cycles between the stages of single pass, and the depths of its queues, which follow from them."""

from dataclasses import dataclass

from ..parameters import SinglePassParameters

__all__ = ["SinglePassCycles"]

REGISTERED = 1
"""The input beat, in its register."""

MASKS = 2
"""The enciphered tweak, in its queue and in the register of masks."""


@dataclass(frozen=True)
class SinglePassCycles:
    """Cycles of a core, of its parameters and of the latencies of its ciphers.

    ``cipher`` is the latency of the pipelines, ``tweak_cipher`` that of the sequential AES, for a core that has one.
    """

    parameters: SinglePassParameters
    cipher: int
    tweak_cipher: int

    @property
    def shared(self) -> bool:
        """Whether the pipelines encipher the tweaks, too: those of a core that only encrypts, or whose keys travel."""
        return self.parameters.direction == "encrypt" or self.parameters.slots > 0

    @property
    def ahead(self) -> int:
        """Cycles by which the control is ahead of the data that it moves."""
        return self.parameters.ahead

    @property
    def tweak(self) -> int:
        """Cycles from the call of a tweak until it is enciphered."""
        return self.ahead + self.cipher if self.shared else self.tweak_cipher

    @property
    def arrivals(self) -> int:
        """Places for the beats that arrive while a tweak is enciphered."""
        return self.tweak + 2

    @property
    def results(self) -> int:
        """Places for results: those that the pipelines and the registers beside them hold."""
        return self.ahead + self.cipher + 2

    @property
    def partial(self) -> int:
        """Cycles by which a unit that ends in part of a block leaves later.

        The last whole block comes out of the pipelines before the completed one goes in.
        """
        return self.cipher + 2

    @property
    def together(self) -> bool:
        """Whether the part of a block is in the beat of the last whole block."""
        p = self.parameters
        return p.sector_bytes % 16 > 0 and p.sector_bytes % p.beat_bytes > 16

    @property
    def compute(self) -> int:
        """Cycles from the first beat accepted to the last block known."""
        stealing = self.cipher + 1 if self.parameters.sector_bytes % 16 else 0
        return REGISTERED + self.tweak + MASKS - 1 + self.ahead + self.cipher + self.parameters.beats + stealing

    @property
    def work(self) -> int:
        """Cycles that the present beat takes for a unit's beats."""
        stealing = self.cipher + 1 + self.together if self.parameters.sector_bytes % 16 else 0
        return self.parameters.beats + stealing

    @property
    def call(self) -> int:
        """Cycles that a tweak's call takes from the pipelines in a steady stream of units.

        Where they serve the tweaks, too, each unit takes them for one cycle more: that in which the tweak of a later
        unit goes in. In the steady state that is two cycles after a beat moved on and so made way for the last one of
        the unit before it, ``arrivals`` + 1 beats later. It costs nothing if the pipelines wait then, after the last
        whole block: if the beat that moves on is the one before that block, or the one with it. If the part is in that
        beat, too, the beat stays.
        """
        if not self.shared:
            return 0
        moves = self.arrivals % self.parameters.beats
        return 0 if self.parameters.sector_bytes % 16 and moves <= (not self.together) else 1

    @property
    def interval(self) -> int:
        """Cycles from unit to unit."""
        return self.work + self.call if self.shared else max(self.work, self.tweak)

    @property
    def busy(self) -> int:
        """Cycles, at most, for a unit in a stream of units to be computed and to leave."""
        beats = self.parameters.beats
        before = -(-(self.arrivals + 2) // beats)  # units that end in the queue or a register before it
        waiting = before * (self.work + self.call - beats) + (0 if self.shared else max(0, self.tweak - self.work))
        return self.compute + 1 + self.call + waiting
