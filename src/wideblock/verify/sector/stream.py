# SPDX-License-Identifier: Apache-2.0
"""Streams of sectors of one size through a core in simulation, as disk images need them."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from wideblock.simulation.bench import SimulationError
from wideblock.verify.sector.stimulus import Bytes, Record

if TYPE_CHECKING:
    from wideblock.verify.sector.driver import SectorSimulation

__all__ = ["stream_sectors"]


def stream_sectors(
    simulation: "SectorSimulation", chunks: Iterable[tuple[Bytes, Bytes]], decrypt: bool = False
) -> Iterator[Bytes]:
    """Sectors as they leave, for chunks of ``(sectors, tweaks)`` as they come; the core never runs empty between.

    Sectors in are (n, size) of the one size for which the core's timing is stated, tweaks (n, 16), sectors out
    (any number, size). A size that is not whole beats is allowed where the core is. Memory is bounded by the largest
    chunk. A key must be loaded. Raises ValueError for another size, SimulationError.
    """
    core, beat = simulation.core, simulation.shape.beat_bytes
    size, beats = core.behaviour.usual, simulation.shape.beats
    last = np.zeros((0, size), np.uint8), np.zeros((0, 16), np.uint8)
    left = np.zeros((0, beat), np.uint8)
    inside = 0
    for sectors, tweaks in chain(chunks, [last]):
        end = len(sectors) == 0
        if sectors.shape[1] != size:
            raise ValueError(f"sector must be {size} bytes, got {sectors.shape[1]}")
        inside += len(sectors) * beats
        stimulus = simulation.stimulus(
            sectors,
            tweaks,
            decrypt,
            consumed=not end,
            quiet=0,
            want=inside if end else 0,
            patience=simulation.patience(),
        )
        record = simulation.play(stimulus, capacity=inside + 1)
        simulation.expect_done(record, want=inside if end else None)
        _expect_framed(record, len(left), size, beat)
        inside -= len(record.out)
        out = np.concatenate([left, record.out])
        whole = len(out) // beats * beats
        left = out[whole:]
        if whole:
            yield out[:whole].reshape(-1, beats * beat)[:, :size]
    if inside:
        raise SimulationError(f"{core.module}: {inside} beats never left")


def _expect_framed(record: Record, before: int, size: int, beat: int) -> None:
    """Raises :class:`SimulationError` unless every sector is of ``size``, the first less ``before`` beats."""
    if record.faults:
        raise SimulationError(f"fault {record.faults[0][1]} at a sector that is neither short nor long")
    beats = -(-size // beat)
    ends = np.arange(beats - 1 - before, len(record.out), beats)
    if not np.array_equal(np.flatnonzero(record.out_last), ends):
        raise SimulationError(f"not every {beats}th beat is the last of its sector")
    if (record.out_bytes[ends] != (size - 1) % beat + 1).any():
        raise SimulationError(f"a sector of {size} bytes left with another number of bytes in its last beat")
