# SPDX-License-Identifier: Apache-2.0
"""Cycles between the stages of single pass, and the depths of the queues."""

from dataclasses import dataclass

from ..parameters import SinglePassParameters

__all__ = ["SinglePassCycles"]

REGISTERED = 1
"""The input beat, in its register."""

MASKS = 2
"""The enciphered tweak, in its queue and in the register of masks."""


@dataclass(frozen=True)
class SinglePassCycles:
    """Cycles of a core, from parameters and latencies of ciphers.

    cipher:       latency of the pipelines
    tweak_cipher: latency of the sequential AES, if the core has a sequential AES
    """

    parameters: SinglePassParameters
    cipher: int
    tweak_cipher: int

    @property
    def shared(self) -> bool:
        """Whether the pipelines encipher the tweaks, too: in a core that only encrypts, or with travelling keys."""
        return self.parameters.direction == "encrypt" or self.parameters.slots > 0

    @property
    def ahead(self) -> int:
        """Cycles by which the control is ahead of the data."""
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
        """Places for results: capacity of the pipelines and of the registers behind."""
        return self.ahead + self.cipher + 2

    @property
    def partial(self) -> int:
        """Extra cycles of a unit with a partial last block.

        The last whole block comes out of the pipelines before the completed block goes in.
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

        If the pipelines serve tweaks, each unit takes an extra cycle, for the tweak of a later unit. In the steady
        state the tweak goes in two cycles after a beat moved on and made way for the last beat of the unit before,
        ``arrivals`` + 1 beats later. The cycle costs nothing if the pipelines wait then, after the last whole block: if
        the moving beat is the beat before the last whole block, or the beat with the block. If the beat has the partial
        block, too, the beat stays.
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
