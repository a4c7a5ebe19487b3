# SPDX-License-Identifier: Apache-2.0
"""Streams of sectors of a common size through a core in simulation, for disk images."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from functools import partial

import numpy as np

from wideblock.drive.sector.shape import check_sector
from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.drive.sector.traffic import Bytes, SectorRecord
from wideblock.simulation.bench import SimulationError

__all__ = ["stream_sectors"]


def stream_sectors(
    simulations: Sequence[SectorSimulation],
    threads: Executor,
    chunks: Iterable[tuple[Bytes, Bytes, int]],
    decrypt: bool = False,
) -> Iterator[Bytes]:
    """Sectors as they leave, for chunks of ``(sectors, tweaks, slot)`` as they come.

    The chunks go in turn through several simulations of a core, each in a thread; none runs empty between its chunks.
    Sectors in are (n, size), of a valid size, not necessarily whole beats; tweaks are (n, tweak_bytes);
    sectors out (n, size), in the order of those in.
    ``slot`` has the key of the chunk's sectors, 0 in a core of one key. Memory is bounded by a few chunks a simulation.

    threads: one a simulation; the maker must end the threads before the simulations are closed
    The keys must be loaded. Raises ValueError for an invalid size, :class:`SimulationError` unless exactly the given
    sectors leave.
    """
    lanes: list[_Lane] = []
    waiting: deque[tuple[_Lane, int]] = deque()
    for number, (sectors, tweaks, slot) in enumerate(chunks):
        if number < len(simulations):
            lanes.append(_Lane(_Stream(simulations[number], sectors.shape[1], decrypt), threads))
        lane = lanes[number % len(simulations)]
        lane.start(partial(lane.stream.play, sectors, tweaks, slot, last=False))
        waiting.append((lane, len(sectors)))
        yield from _left(waiting)
    for lane in lanes:
        lane.start(lane.stream.end)
    for lane in lanes:
        lane.finish()
    yield from _left(waiting)


def _left(waiting: "deque[tuple[_Lane, int]]") -> Iterator[Bytes]:
    """The whole chunks so far, in order; a chunk is returned once."""
    while waiting and len(waiting[0][0].left) >= waiting[0][1]:
        lane, count = waiting.popleft()
        sectors, lane.left = lane.left[:count], lane.left[count:]
        yield sectors


class _Lane:
    """A stream with calls by another thread, a call at a time; ``left``: sectors that left."""

    def __init__(self, stream: "_Stream", threads: Executor):
        self.stream, self._threads = stream, threads
        self.left = np.zeros((0, stream.size), np.uint8)
        self._under_way: Future[list[Bytes]] | None = None

    def start(self, call: Callable[[], Iterator[Bytes]]) -> None:
        """Makes a call when the one before has ended."""
        self.finish()
        self._under_way = self._threads.submit(lambda: list(call()))

    def finish(self) -> None:
        """Waits for the call under way, if any. Raises what it raised."""
        if self._under_way:
            self.left = np.concatenate([self.left, *self._under_way.result()])
            self._under_way = None


class _Stream:
    """The state of a stream: beats ``inside`` the core, and beats of a sector under way out."""

    def __init__(self, simulation: SectorSimulation, size: int, decrypt: bool):
        check_sector(simulation.core, size)
        self.simulation, self.size, self.decrypt = simulation, size, decrypt
        self.beats = simulation.shape.beats_of(size)
        self.inside = 0
        self.left = np.zeros((0, simulation.shape.beat_bytes), np.uint8)

    def play(self, sectors: Bytes, tweaks: Bytes, slot: int = 0, *, last: bool) -> Iterator[Bytes]:
        """Sends sectors; results that leave meanwhile; behind the last beats all results."""
        if sectors.shape[1] != self.size:
            raise ValueError(f"sector must be {self.size} bytes, as those before, got {sectors.shape[1]}")
        self.inside += len(sectors) * self.beats
        want = self.inside if last else 0
        simulation = self.simulation
        more = {"slots": slot, "consumed": not last, "quiet": 0, "want": want}
        script = simulation.script(sectors, tweaks, self.decrypt, **more)
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

    def end(self) -> Iterator[Bytes]:
        """The sectors that are still inside."""
        none = np.zeros((0, self.size), np.uint8), np.zeros((0, self.simulation.shape.tweak_bytes), np.uint8)
        yield from self.play(*none, last=True)
        if self.inside:
            raise SimulationError(f"{self.simulation.core.module}: {self.inside} beats never left")

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
