# SPDX-License-Identifier: Apache-2.0
"""The part that all checks of a sector core share: random requests, plays, and moments."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from wideblock.drive.sector.pool import AnswerPool
from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.drive.sector.traffic import Key, Request, SectorRecord, SectorScript
from wideblock.export.contract import SectorContract
from wideblock.rtl.stream.behaviour import LengthClass, SectorTiming
from wideblock.simulation.script import ScriptEvent
from wideblock.spec.sealed import ICV
from wideblock.verify.core.check import Check
from wideblock.verify.sector.judge import explain, judge

__all__ = ["LONGEST", "SectorCheck"]

LONGEST = 1 << 16
"""Bytes above which a core's longest sector is too long to be played or exceeded."""

SWEPT = 24
"""Cycles of a sector's work in which an event comes, at most, for each class of lengths."""


class SectorCheck(Check[SectorSimulation]):
    """A check of a sector core under way; ``pool`` computes the specification."""

    def __init__(self, subject: SectorContract, simulation: SectorSimulation, *rest: Any, pool: AnswerPool):
        super().__init__(subject, simulation, *rest)
        self.pool, self.shape = pool, simulation.shape

    @property
    def seals(self) -> bool:
        """Whether sectors have an integrity check value."""
        return self.subject.parameters.icv_bytes > 0

    @property
    def quiet(self) -> int:
        """Cycles after which nothing can still come."""
        t = self.subject.timing
        return t.latency + 2 * t.interval + t.setup + t.zeroize + 64

    @property
    def ways(self) -> str:
        """The directions of the core, in words."""
        directions = self.behaviour.directions
        return "both ways" if len(directions) == 2 else "deciphering" if directions[0] else "enciphering"

    def key(self) -> bytes:
        return self.random(self.shape.key_bytes)

    def request(
        self, size: int | None = None, *, decrypt: bool | None = None, tweak_size: int | None = None
    ) -> Request:
        """A random sector, of a right length and direction unless ``size`` and ``decrypt`` say otherwise."""
        n = self.size() if size is None else size
        data, tweak = self.random(n), self.random(self.tweak_size() if tweak_size is None else tweak_size)
        if decrypt is None:
            first, *other = self.behaviour.directions
            decrypt = bool(self.rng.integers(2)) if other else bool(first)
        size = self.shape.icv_bytes
        return Request(data, tweak, decrypt, icv=self.random(size) if size else b"")

    def sealed(self, requests: Sequence[Request], key: bytes) -> list[Request]:
        """The requests; requests to decrypt were sealed under ``key``; as they are for a core that seals none."""
        right, decrypted = list(requests), [n for n, request in enumerate(requests) if request.decrypt]
        if not self.seals:
            return right
        plain = [replace(requests[n], decrypt=False) for n in decrypted]
        for n, answer in zip(decrypted, self.pool.answers(key, plain), strict=True):
            at = len(answer) - self.shape.icv_bytes
            right[n] = self.joined(requests[n], *self.parts(replace(requests[n], data=answer[:at], icv=answer[at:])))
        return right

    def parts(self, request: Request) -> tuple[bytes, bytes]:
        """ICV and sector of a request of a right length, in a core that seals."""
        n = self.subject.parameters.sector_bytes
        return (request.icv, request.data) if self.shape.icv_bytes else (request.data[n : n + ICV], request.data[:n])

    def joined(self, request: Request, icv: bytes, sector: bytes) -> Request:
        """The request with another ICV and another sector; bytes behind the ICV stay."""
        if self.shape.icv_bytes:
            return replace(request, data=sector, icv=icv)
        return replace(request, data=sector + icv + request.data[len(sector) + ICV :])

    def dealt(self, requests: Sequence[Request], keys: Sequence[Key]) -> list[Request]:
        """The requests; requests of right lengths are sealed under the first key of the slot, and half then
        :meth:`forged`; as they are for a core that seals none.
        """
        mixed, first = list(requests), {key.slot: key.key for key in reversed(keys)}
        if not self.seals:
            return mixed
        for slot, key in first.items():
            mine = [n for n, r in enumerate(requests) if r.slot == slot and len(r.data) in self.behaviour.length]
            other = self.random(ICV)
            for n, request in zip(mine, self.sealed([requests[n] for n in mine], key), strict=True):
                mixed[n] = self.forged(request, other) if self.rng.integers(2) else request
                other, _ = self.parts(request)
        return mixed

    def forged(self, request: Request, other: bytes) -> Request:
        """The request with a bit of its data, ICV or tweak changed, or with the ICV of another sector."""
        icv, sector = self.parts(request)
        kind = self.number(0, 3)
        if kind == 0:
            return self.joined(request, icv, self.flipped(sector))
        if kind == 1:
            return self.joined(request, self.flipped(icv), sector)
        if kind == 2:
            return replace(request, tweak=self.flipped(request.tweak))
        return self.joined(request, other, sector)

    def flipped(self, data: bytes) -> bytes:
        """The bytes with a bit changed."""
        changed = bytearray(data)
        changed[self.number(0, len(changed) - 1)] ^= 1 << self.number(0, 7)
        return bytes(changed)

    @property
    def slots(self) -> list[int]:
        """Slots that checks use: the first, the last, one between; of a core with one key none but 0."""
        last = max(0, self.shape.slots - 1)
        return sorted({0, last // 2, last})

    def spread(self, requests: Sequence[Request]) -> list[Request]:
        """The requests under the keys of these slots, chosen at random."""
        return [replace(request, slot=int(self.rng.choice(self.slots))) for request in requests]

    def keys(self, before: int | None = 0, cycle: int = 0) -> list[Key]:
        """A random key for each of these slots."""
        return [Key(self.key(), before=before, cycle=cycle, slot=slot) for slot in self.slots]

    def change(self, before: int | None = None, cycle: int = 0) -> list[Key]:
        """Another random key: the key of the core, or of any of ``slots``, in place of the old key."""
        key = Key(self.key(), before=before, cycle=cycle, slot=int(self.rng.choice(self.slots)))
        return [replace(key, evict=True), key] if self.shape.slots else [key]

    def requests(self, n: int) -> list[Request]:
        """Random sectors of right lengths and directions."""
        return [self.request() for _ in range(n)]

    @property
    def classes(self) -> list[LengthClass]:
        """The classes of lengths, the usual class first, without a longest sector too long for a play."""
        found = self.behaviour.length.classes(self.shape.beat_bytes)
        return [kind for kind in found if max(kind.sizes) <= max(LONGEST, self.behaviour.usual)]

    def of(self, kind: LengthClass, n: int) -> list[Request]:
        """Random sectors of a class, of right directions, under the keys of the slots that checks use."""
        tweaks = kind.tweaks or (None,)
        sizes, chosen = (self.rng.choice(len(each), n).tolist() for each in (kind.sizes, tweaks))
        pairs = zip(sizes, chosen, strict=True)
        return self.spread([self.request(kind.sizes[a], tweak_size=tweaks[b]) for a, b in pairs])

    @property
    def wrong_sizes(self) -> list[int]:
        """Bytes of a too short and of a too long sector, for few bytes."""
        length, step = self.behaviour.length, 1 if self.shape.partial else self.shape.beat_bytes
        sizes = length.least - step, length.most + step
        return [size for size in sizes if 0 < size <= self.behaviour.usual + step]

    def timing(self, kind: LengthClass) -> SectorTiming:
        """The cycle contract for the longest sectors of a class."""
        return next(self.timings(kind, -1))

    def timings(self, kind: LengthClass, order: int = 1) -> Iterator[SectorTiming]:
        """The cycle contract for each size of a class, and each size of a tweak; ``order`` -1: the longest first."""
        if kind.sizes == (self.behaviour.usual,):
            return iter((self.subject.timing,))
        pairs = product((kind.tweaks or (0,))[::order], kind.sizes[::order])
        return (self.behaviour.length.timing(tweak, size) for tweak, size in pairs)

    def size(self) -> int:
        """A right length: of a class, chosen at random, or any up to the usual one."""
        length, usual = self.behaviour.length, self.behaviour.usual
        if length.least == length.most:
            return usual
        classes, beat = self.classes, self.shape.beat_bytes
        if kind := self.number(0, len(classes)):
            return int(self.rng.choice(classes[kind - 1].sizes))
        return self.number(length.least, min(length.least + max(usual, 8 * beat), length.most))

    def tweak_size(self) -> int:
        """A right number of bytes of a tweak."""
        tweaks = self.behaviour.length.tweaks
        return self.number(tweaks.least, tweaks.most) if tweaks else self.shape.tweak_bytes

    def moments(self, n: int, kind: LengthClass | None = None) -> list[int]:
        """Cycles after a key at which to strike: in its set-up, the first sector's input, work and output, later.

        kind: class of the sectors in a row; None: the usual one
        """
        kind = kind or self.classes[0]
        t, beats = self.timing(kind), self.shape.beats_of(max(kind.sizes))
        marks = [1, max(1, t.setup // 2), *(t.setup + later for later in (0, 1, beats // 2 + 1, beats, beats + 1))]
        marks += [t.setup + later for later in (t.compute, t.latency - beats + 1, t.latency, t.latency + 1)]
        spread = t.setup + 2 * t.latency + 4 * t.interval
        return [*marks, *self.rng.integers(1, spread, max(0, n - len(marks))).tolist()][:n]

    def sweep(self, kind: LengthClass, most: int = SWEPT) -> list[int]:
        """Cycles after a key in which the first sectors of a class are at work: each, or ``most`` of them."""
        t = self.timing(kind)
        return self.within(t.setup, t.latency + 2 * t.interval, most)

    def within(self, first: int, cycles: int, most: int = SWEPT) -> list[int]:
        """Each of ``cycles`` cycles from ``first`` on, or ``most`` of them."""
        step = max(1.0, cycles / most)
        return (first + np.arange(self.rng.random() * (step - 1), cycles, step)).astype(int).tolist()

    @property
    def keyed(self) -> int:
        """Cycle of a play after a reset in which a waiting key is accepted: the core clears before it."""
        return self.subject.timing.zeroize + self.shape.key_words - 1

    def strikes(self, n: int, most: int = SWEPT) -> list[tuple[int, LengthClass]]:
        """Cycles of a play after a reset at which to strike, and the class of the play's sectors.

        A cycle while the core clears, and ``n`` after a key; half with further classes; then cycles with sectors of
        another class at work, ``most`` for each class.
        """
        usual, *others = self.classes
        marks = [(self.keyed + moment, usual) for moment in self.moments(n // 2 if others else n)]
        swept = [(self.keyed + moment, kind) for kind in others for moment in self.sweep(kind, most)]
        return [(int(self.rng.integers(1, self.keyed)), usual), *marks, *swept]

    def record(self, script: SectorScript, *, seed: int = 0, played: int = 0) -> SectorRecord:
        """The record of a script of ``played`` sectors, counted."""
        with self.timed():
            record = self.simulation.play(script, seed=seed)
        self.count(record.cycles, played)
        return record

    def script(
        self,
        requests: Sequence[Request],
        keys: Sequence[Key],
        events: Sequence[ScriptEvent] = (),
        *,
        offer: float = 1.0,
        take: float = 1.0,
    ) -> SectorScript:
        """A script of requests with noise, which ends when nothing can still come."""
        return self.simulation.requests(
            requests,
            keys=keys,
            events=events,
            offer=offer,
            take=take,
            noise=True,
            quiet=self.quiet,
        )

    def play(
        self,
        requests: Sequence[Request],
        keys: Sequence[Key],
        events: Sequence[ScriptEvent] = (),
        *,
        offer: float = 1.0,
        take: float = 1.0,
        reset: bool = True,
    ) -> str | None:
        """The first difference between core and specification over the requests after a reset, or None.

        A core with sealed sectors gets the requests of :meth:`dealt`.
        """
        return self.compared(self.dealt(requests, keys), keys, events, offer=offer, take=take, reset=reset)

    def compared(
        self,
        requests: Sequence[Request],
        keys: Sequence[Key],
        events: Sequence[ScriptEvent] = (),
        *,
        offer: float = 1.0,
        take: float = 1.0,
        reset: bool = True,
    ) -> str | None:
        """As :meth:`play`, with the requests as they are."""
        if reset:
            self.simulation.reset()
        script = self.script(requests, keys, events, offer=offer, take=take)
        record = self.record(script, seed=self.play_seed(), played=len(requests))
        return judge(self.subject, self.pool, requests, record)

    def run(self, requests: Sequence[Request], key: bytes | None = None) -> SectorRecord:
        """The record of right requests, under ``key``, loaded before, in slot 0 of a core with slots; None: under the
        present key.
        """
        with self.timed():
            if key is not None:
                self.simulation.load_key(key)
            data, tweaks, ways, icvs = zip(*((r.data, r.tweak, r.decrypt, r.icv) for r in requests), strict=True)
            record = self.simulation.run(data, tweaks, ways, icvs, slots=[r.slot for r in requests])
        self.count(record.cycles, len(requests))
        return record

    def wrong(
        self, record: SectorRecord, requests: Sequence[Request], key: bytes, right: Iterable[bytes], first: int = 0
    ) -> str | None:
        """The first sector of a record of :meth:`run` that is not ``right``, explained.

        ``first``: numbers of sectors begin at the value
        """
        ends = record.script.ends - 1
        for n, (request, answer, sector) in enumerate(zip(requests, right, record.sectors, strict=True)):
            if (got := sector.tobytes() + record.out_icvs[ends[n]].tobytes()) != answer:
                values = self.pool.values(key, request)
                return explain(first + n, request, key, answer, got, int(record.first_out[n]), values)
        return None
