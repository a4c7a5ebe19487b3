# SPDX-License-Identifier: Apache-2.0
"""Streams of sectors of one size through a core in simulation, as disk images need them."""

from collections.abc import Iterable, Iterator

import numpy as np

from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.drive.sector.traffic import Bytes, SectorRecord
from wideblock.simulation.bench import SimulationError

__all__ = ["stream_sectors"]


def stream_sectors(
    simulation: SectorSimulation, chunks: Iterable[tuple[Bytes, Bytes]], decrypt: bool = False
) -> Iterator[Bytes]:
    """Sectors as they leave, for chunks of ``(sectors, tweaks)`` as they come; the core never runs empty between.

    Sectors in are (n, size), of one size that the core takes, not necessarily whole beats; tweaks are (n, tweak_bytes);
    sectors out (any number, size). Memory is bounded by the largest chunk. A key must be loaded. Raises ValueError for
    a size that the core does not take, :class:`SimulationError` if not exactly these sectors leave.
    """
    stream: _Stream | None = None
    for sectors, tweaks in chunks:
        stream = stream or _Stream(simulation, sectors.shape[1], decrypt)
        yield from stream.play(sectors, tweaks, last=False)
    if stream:
        none = np.zeros((0, stream.size), np.uint8), np.zeros((0, simulation.shape.tweak_bytes), np.uint8)
        yield from stream.play(*none, last=True)
        if stream.inside:
            raise SimulationError(f"{simulation.core.module}: {stream.inside} beats never left")


class _Stream:
    """The state of a stream: beats ``inside`` the core, and those of a sector that has only begun to leave."""

    def __init__(self, simulation: SectorSimulation, size: int, decrypt: bool):
        simulation.expect_length(size)
        self.simulation, self.size, self.decrypt = simulation, size, decrypt
        self.beats = simulation.shape.beats_of(size)
        self.inside = 0
        self.left = np.zeros((0, simulation.shape.beat_bytes), np.uint8)

    def play(self, sectors: Bytes, tweaks: Bytes, *, last: bool) -> Iterator[Bytes]:
        """Sends sectors; those that leave meanwhile, or all if these are the last."""
        if sectors.shape[1] != self.size:
            raise ValueError(f"sector must be {self.size} bytes, as those before, got {sectors.shape[1]}")
        self.inside += len(sectors) * self.beats
        want = self.inside if last else 0
        simulation = self.simulation
        script = simulation.script(
            sectors, tweaks, self.decrypt, consumed=not last, quiet=0, want=want, patience=simulation.patience()
        )
        script.capacity = self.inside + 1
        record = simulation.play(script)
        simulation.expect_done(record)
        self._expect_framed(record)
        self.inside -= len(record.out)
        out = np.concatenate([self.left, record.out])
        whole = len(out) // self.beats * self.beats
        self.left = out[whole:]
        if whole:
            yield out[:whole].reshape(whole // self.beats, -1)[:, : self.size]

    def _expect_framed(self, record: SectorRecord) -> None:
        """Raises :class:`SimulationError` unless every sector ends where it should."""
        module, beat = self.simulation.core.module, self.simulation.shape.beat_bytes
        if record.faults:
            raise SimulationError(f"{module}: fault {record.faults[0][1]} at a sector that is neither short nor long")
        ends = np.arange(self.beats - 1 - len(self.left), len(record.out), self.beats)
        if not np.array_equal(np.flatnonzero(record.out_last), ends):
            raise SimulationError(f"{module}: not every {self.beats}th beat is the last of its sector")
        if (record.out_bytes[ends] != (self.size - 1) % beat + 1).any():
            raise SimulationError(f"{module}: a sector of {self.size} bytes left with another number of bytes")
