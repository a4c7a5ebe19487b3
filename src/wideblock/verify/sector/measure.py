# SPDX-License-Identifier: Apache-2.0
"""The cycle contract of a core, measured at the ports of its running model."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from wideblock.export.contract import Contract
from wideblock.rtl.stream.behaviour import SectorTiming
from wideblock.verify.sector.driver import SectorSimulation, SimulationError
from wideblock.verify.sector.stimulus import Bytes, Key

__all__ = ["EXACT", "Measured", "measure"]

EXACT = ("compute", "latency", "interval", "setup")
"""Figures that must be as stated; ``busy`` may be less."""

T = TypeVar("T", int, tuple[int, ...])


@dataclass(frozen=True)
class Measured:
    """Cycles seen at the ports of the running model; the same meaning as :class:`SectorTiming`.

    taken, left: cycles of each beat of a sector alone, counted from its first
    """

    compute: int
    latency: int
    busy: int
    interval: int
    setup: int
    taken: tuple[int, ...]
    left: tuple[int, ...]

    def keeps(self, stated: SectorTiming) -> bool:
        """Whether the figures are as stated."""
        return self.busy <= stated.busy and all(getattr(self, name) == getattr(stated, name) for name in EXACT)


def measure(
    core: Contract, *, sectors: int = 50, seed: int = 0, simulation: SectorSimulation | None = None
) -> dict[str, Measured]:
    """Cycles of ``core`` in simulation: ``{"encrypt": Measured, "decrypt": Measured}``, or what it has of these.

    compute, latency, taken and left: of single sectors into an idle core; a few must agree
    busy: the longest latency of sectors offered back to back
    interval: between sectors offered back to back, with the core full before and after; all those gaps must agree,
              where sectors enter and where they leave
    setup: from the key beat to the first beat of a sector that was waiting, for a first key and for a next one
    Raises :class:`SimulationError` where cycles that must agree do not.
    """
    if sectors < 12:
        raise ValueError(f"interval needs at least 12 sectors to be steady, got {sectors}")
    rng = np.random.default_rng(seed)
    owned = simulation is None
    simulation = simulation or SectorSimulation(core)
    try:
        return {
            ("encrypt", "decrypt")[decrypt]: _measure(simulation, decrypt, sectors, rng)
            for decrypt in core.behaviour.directions
        }
    finally:
        if owned:
            simulation.close()


def _measure(simulation: SectorSimulation, decrypt: bool, n: int, rng: np.random.Generator) -> Measured:
    core, shape = simulation.core, simulation.shape

    def random(*shape: int) -> Bytes:
        return rng.integers(0, 256, shape, np.uint8)

    def only(values: Iterable[T], what: str) -> T:
        seen = sorted(set(values))
        if len(seen) != 1:
            raise SimulationError(f"{core.module}: {what} is not one number of cycles: {', '.join(map(str, seen))}")
        return seen[0]

    simulation.reset()
    setups = []
    for _ in range(2):
        stimulus = simulation.stimulus(
            random(1, core.behaviour.usual),
            random(1, shape.tweak_bytes),
            decrypt,
            want=shape.beats,
            keys=[Key(random(shape.key_bytes).tobytes(), before=0)],
            patience=simulation.patience(),
        )
        record = simulation.play(stimulus)
        simulation.expect_done(record, want=shape.beats)
        setups.append(int(record.first_in[0] - record.key_taken[0]))
    size, tweak = core.behaviour.usual, shape.tweak_bytes
    single = []
    for _ in range(3):
        alone = simulation.stimulus(
            random(1, size), random(1, tweak), decrypt, want=shape.beats, patience=simulation.patience()
        )
        single.append(simulation.play(alone))
        simulation.expect_done(single[-1], want=shape.beats)
    # while the core fills and empties, what shares a resource with a neighbour may go a cycle earlier
    edge = 2 * (1 + core.timing.busy // core.timing.interval)
    full = simulation.run(random(n + 2 * edge, size), random(n + 2 * edge, tweak), decrypt)
    gaps = [*np.diff(full.first_in)[edge:-edge].tolist(), *np.diff(full.last_out)[edge:-edge].tolist()]
    left = only((tuple((run.out_cycle - run.first_in[0]).tolist()) for run in single), "a sector's way out")
    return Measured(
        compute=only((int(run.computed[0] - run.first_in[0]) for run in single), "compute"),
        latency=left[-1],
        busy=int((full.last_out - full.first_in).max()),
        interval=only(gaps, "interval"),
        setup=only(setups, "setup"),
        taken=only((tuple((run.beats_in - run.first_in[0]).tolist()) for run in single), "a sector's way in"),
        left=left,
    )
