# SPDX-License-Identifier: Apache-2.0
"""The part that all checks of a sector core share: random requests, plays, and words for reports."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from wideblock.catalog import KnownAnswer
from wideblock.drive.sector.pool import SpecificationPool
from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.drive.sector.traffic import Key, Request, SectorRecord
from wideblock.export.contract import Contract
from wideblock.simulation.script import Event
from wideblock.verify.runner import Progress
from wideblock.verify.sector.judge import judge

__all__ = ["Check"]


class Check:
    """One check under way: the core, its model, the specification, a stream of random choices, and counts of work.

    sectors: of the random check; the others are scaled down with it when it is small
    """

    def __init__(
        self,
        subject: Contract,
        simulation: SectorSimulation,
        pool: SpecificationPool,
        seed: int,
        sectors: int,
        vectors: Sequence[KnownAnswer] = (),
        progress: Progress | None = None,
    ):
        self.subject = subject
        self.simulation = simulation
        self.pool = pool
        self.seed = seed
        self.sectors = sectors
        self.vectors = vectors
        self.progress = progress or (lambda done, total: None)
        self.shape = simulation.shape
        self.rng = np.random.default_rng(seed)
        self.played = 0
        self.cycles = 0
        self.seconds = 0.0

    @property
    def quiet(self) -> int:
        """Cycles after which nothing can still come."""
        t = self.subject.timing
        return t.latency + 2 * t.interval + t.setup + t.zeroize + 64

    @property
    def ways(self) -> str:
        """The directions of the core, in words."""
        directions = self.subject.behaviour.directions
        return "both ways" if len(directions) == 2 else "deciphering" if directions[0] else "enciphering"

    def few(self, n: int) -> int:
        """Sectors of a check whose count matters less than its variety."""
        return min(n, max(4, self.sectors // 4))

    def random(self, n: int) -> bytes:
        return self.rng.bytes(n)

    def number(self, least: int, most: int) -> int:
        """A number from ``least`` to ``most``."""
        return int(self.rng.integers(least, most, endpoint=True))

    def key(self) -> bytes:
        return self.random(self.shape.key_bytes)

    def request(self, size: int | None = None, *, decrypt: bool | None = None) -> Request:
        """A random sector, of a right length and direction unless ``size`` and ``decrypt`` say otherwise."""
        n = self.size() if size is None else size
        data, tweak = self.random(n), self.random(self.tweak_size())
        if decrypt is None:
            first, *other = self.subject.behaviour.directions
            decrypt = bool(self.rng.integers(2)) if other else bool(first)
        return Request(data, tweak, decrypt)

    def requests(self, n: int) -> list[Request]:
        """Random sectors of right lengths and directions."""
        return [self.request() for _ in range(n)]

    def size(self) -> int:
        """A right length: the usual one, or where there are others that one, short ones and long ones equally often."""
        length, usual = self.subject.behaviour.length, self.subject.behaviour.usual
        if length.fixed:
            return usual
        beat, kind = self.shape.beat_bytes, self.rng.integers(3)
        most = (length.least, length.least + 4 * beat, length.least + max(usual, 8 * beat))[kind]
        chosen = int(self.rng.integers(length.least, min(most, length.most), endpoint=True)) if kind else usual
        return chosen if self.shape.partial else max(beat, chosen // beat * beat)

    def tweak_size(self) -> int:
        """A right number of bytes of a tweak."""
        if not (stated := self.subject.behaviour.stated):
            return self.shape.tweak_bytes
        return int(self.rng.integers(stated.tweak.least, stated.tweak.most, endpoint=True))

    def moments(self, n: int) -> list[int]:
        """Cycles after a key at which to strike: in its set-up, the first sector's input, work and output, later."""
        t, beats = self.subject.timing, self.shape.beats
        marks = [
            1,
            max(1, t.setup // 2),
            t.setup,
            t.setup + 1,
            t.setup + beats // 2 + 1,
            t.setup + beats,
            t.setup + beats + 1,
            t.setup + t.compute,
            t.setup + t.latency - beats + 1,
            t.setup + t.latency,
            t.setup + t.latency + 1,
        ]
        spread = t.setup + 2 * t.latency + 4 * t.interval
        return [*marks, *self.rng.integers(1, spread, max(0, n - len(marks))).tolist()][:n]

    @property
    def keyed(self) -> int:
        """Cycle of a play after a reset in which a key that waits is accepted: the core clears before it."""
        return self.subject.timing.zeroize + self.shape.key_words - 1

    def strikes(self, n: int) -> list[int]:
        """Cycles of a play after a reset at which to strike: one while the core clears, and ``n`` after the key."""
        return [int(self.rng.integers(1, self.keyed)), *(self.keyed + moment for moment in self.moments(n))]

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Counts the time of the simulation."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - started

    def count(self, record: SectorRecord, sectors: int) -> None:
        """Counts a play."""
        self.cycles += record.cycles
        self.played += sectors

    def play(
        self,
        requests: Sequence[Request],
        keys: Sequence[Key],
        events: Sequence[Event] = (),
        *,
        offer: float = 1.0,
        take: float = 1.0,
        reset: bool = True,
    ) -> str | None:
        """The first difference between the core and its specification over these requests after a reset, or None."""
        if reset:
            self.simulation.reset()
        script = self.simulation.requests(
            requests,
            keys=keys,
            events=events,
            offer=offer,
            take=take,
            noise=True,
            quiet=self.quiet,
            patience=self.simulation.patience(offer, take),
        )
        with self.timed():
            record = self.simulation.play(script, seed=int(self.rng.integers(1 << 62)))
        self.count(record, len(requests))
        return judge(self.subject, self.pool, requests, record)
