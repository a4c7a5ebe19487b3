# SPDX-License-Identifier: Apache-2.0
"""Checks of a sector core against its specification, each named, each explaining the first difference it finds."""

import hashlib
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Protocol

import numpy as np

from wideblock.verify.driver import (
    Core,
    Event,
    Key,
    Outcome,
    Record,
    Reset,
    Result,
    Simulation,
    SimulationError,
    Stimulus,
    Units,
    Zeroize,
    beats_per_sector,
    directions_of,
    measure,
    units_of,
)

__all__ = [
    "CHECKS",
    "Check",
    "Checked",
    "KnownAnswer",
    "Report",
    "Request",
    "Specification",
    "Subject",
    "SpecificationPool",
    "judge",
    "verify",
]

SHORT, LONG, DIRECTION, KEY = 1, 2, 4, 8
Progress = Callable[[int, int], None]


class Specification(Protocol):
    """A scheme under one key."""

    def encrypt(self, tweak: bytes, sector: bytes) -> bytes: ...
    def decrypt(self, tweak: bytes, sector: bytes) -> bytes: ...


class Subject(Core, Protocol):
    """A core and what it must compute.

    ``specification(key)`` is called in other processes: it must be picklable, as classes, module-level functions and
    ``functools.partial`` of them are.
    """

    @property
    def specification(self) -> Callable[[bytes], Specification]: ...


@dataclass(frozen=True)
class KnownAnswer:
    """One published or independently computed answer; ``source`` says whose."""

    source: str
    key: bytes
    tweak: bytes
    plaintext: bytes
    ciphertext: bytes


@dataclass(frozen=True)
class Request:
    """A sector as it was offered, of any number of beats, or of bytes where the core takes that."""

    data: bytes
    tweak: bytes
    decrypt: bool


@dataclass(frozen=True)
class Checked:
    """One check's result: what was tried, how much, and the first difference, explained, if there was one."""

    name: str
    tried: str
    sectors: int
    cycles: int
    seconds: float
    difference: str | None = None

    @property
    def passed(self) -> bool:
        return self.difference is None


@dataclass
class Report:
    """The results of a suite, up to and with the first failure; all of it can be had again from ``seed``."""

    top: str
    seed: int
    checks: list[Checked] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.checks)

    @property
    def failure(self) -> Checked | None:
        """The first check that failed."""
        return next((check for check in self.checks if not check.passed), None)

    @property
    def sectors(self) -> int:
        return sum(check.sectors for check in self.checks)

    @property
    def cycles(self) -> int:
        return sum(check.cycles for check in self.checks)

    @property
    def cycles_per_second(self) -> float:
        """Of the simulation alone: the specification runs beside it."""
        return self.cycles / max(sum(check.seconds for check in self.checks), 1e-9)


class SpecificationPool:
    """Answers of the specification, computed by other processes while the simulation runs."""

    def __init__(self, subject: Subject, processes: int | None = None):
        self._specification = subject.specification
        methods = "fork" if hasattr(os, "fork") else None
        self._processes = processes or max(1, os.cpu_count() or 1)
        self._pool = ProcessPoolExecutor(self._processes, get_context(methods), _leave_interrupts)

    def __enter__(self) -> "SpecificationPool":
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def submit(self, key: bytes, requests: Sequence[Request], chunk: int = 32) -> list[Future[list[bytes]]]:
        """Promises of all answers, in order, in lists of ``chunk``."""
        return [
            self._pool.submit(_answers, self._specification, key, requests[i : i + chunk])
            for i in range(0, len(requests), chunk)
        ]

    def answers(self, key: bytes, requests: Sequence[Request]) -> list[bytes]:
        """All answers, in order."""
        return [answer for part in self.submit(key, requests) for answer in part.result()]


def _leave_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle


def _answers(specification: Callable[[bytes], Specification], key: bytes, requests: Sequence[Request]) -> list[bytes]:
    keyed = specification(key)
    return [(keyed.decrypt if r.decrypt else keyed.encrypt)(r.tweak, r.data) for r in requests]


class Check:
    """What the checks of one suite share: the core, its model, the specification, and the stream of random choices."""

    def __init__(
        self,
        subject: Subject,
        simulation: Simulation,
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
        self.beats = beats_per_sector(subject)
        self.rng = np.random.default_rng(seed)
        self.played = 0
        self.cycles = 0
        self.seconds = 0.0

    @property
    def quiet(self) -> int:
        """Cycles after which nothing can still come."""
        t = self.subject.timing
        return t.latency + 2 * t.interval + t.setup + t.zeroize + 64

    def random(self, n: int) -> bytes:
        return self.rng.bytes(n)

    def key(self) -> bytes:
        return self.random(self.subject.key_bits // 8)

    def request(self, size: int | None = None, *, decrypt: bool | None = None) -> Request:
        """A random sector, of a right size and direction unless ``size`` and ``decrypt`` say otherwise."""
        n = self.size() if size is None else size
        data, tweak = self.random(n), self.random(16)
        if decrypt is None:
            first, *other = directions_of(self.subject)
            decrypt = bool(self.rng.integers(2)) if other else first
        return Request(data, tweak, decrypt)

    def size(self) -> int:
        """A right size: the sector's, or where there are others that one, short ones and long ones, in equal parts."""
        right, units = self.subject.sector_bytes, units_of(self.subject)
        if not units:
            return right
        beat, kind = 16 * self.subject.width, self.rng.integers(3)
        most = (units.least, units.least + 4 * beat, units.least + max(right, 8 * beat))[kind]
        return int(self.rng.integers(units.least, most, endpoint=True)) if kind else right

    def play(
        self,
        requests: Sequence[Request],
        keys: Sequence[Key],
        events: Sequence[Event] = (),
        *,
        offer: float = 1.0,
        take: float = 1.0,
    ) -> str | None:
        """The first difference between the core and its specification over these requests after a reset, or None."""
        self.simulation.reset()
        stimulus = self.simulation.stimulus(
            [r.data for r in requests],
            [r.tweak for r in requests],
            [r.decrypt for r in requests],
            keys=keys,
            events=events,
            offer=offer,
            take=take,
            noise=True,
            tail=self.quiet,
            patience=self.simulation.patience(offer, take),
        )
        seed = int(self.rng.integers(1 << 62))
        started = time.perf_counter()
        record = self.simulation.play(stimulus, seed=seed)
        self.seconds += time.perf_counter() - started
        self.cycles += record.cycles
        self.played += len(requests)
        return judge(self.subject, self.pool, requests, stimulus, record)


# The judge.


def judge(
    subject: Subject, pool: SpecificationPool, requests: Sequence[Request], stimulus: Stimulus, record: Record
) -> str | None:
    """The first way in which ``record`` is not what a right core does with ``stimulus``, in a paragraph, or None.

    A core for units of any length begins to give one before it has taken it whole: of one that a cut ends, the start
    may have left.

    Time is cut at each zeroize and reset. Between cuts, the sectors whose every beat was taken in that time, under
    the key that was taken last before their first beat, leave in order and whole; at a cut what has not left is lost.
    """
    if record.violation is not None:
        return f"The output breaks AXI4-Stream in cycle {record.violation_cycle}: {record.violation}."
    if record.outcome == Outcome.RECORD_FULL:
        return f"More beats leave than were ever taken: {len(record.out)} by cycle {record.cycles}."
    difference = _keys(subject, stimulus, record) or _faults(subject, requests, stimulus, record)
    difference = difference or _computed(subject, requests, stimulus, record)
    difference = difference or _output(subject, pool, requests, stimulus, record)
    if difference is None and record.outcome != Outcome.DONE:
        taken = int(np.count_nonzero(record.last_in >= 0))
        difference = (
            f"The core is stuck: after {record.cycles} cycles {taken} of {len(requests)} sectors and "
            f"{int(np.count_nonzero(record.key_taken >= 0))} of {len(stimulus.keys)} keys were taken, "
            f"{len(record.out)} beats left, and nothing moves any more."
        )
    return difference


def _cause(subject: Subject, request: Request) -> int:
    """What fault this request is for the core; 0: none."""
    units, size = units_of(subject), len(request.data)
    if units and request.decrypt not in units.directions:
        return DIRECTION
    least, most = (units.least, units.most) if units else (subject.sector_bytes, subject.sector_bytes)
    return SHORT if size < least else LONG if size > most else 0


def _cuts(stimulus: Stimulus, record: Record) -> list[tuple[int, int]]:
    """(from, to) of each stretch between events: cycles after one event's last and before or in the next's first."""
    starts, ends = [], []
    after = 0
    for event in stimulus.events:
        starts.append(after)
        ends.append(event.cycle - isinstance(event, Reset))  # in a reset no transfer counts; with zeroize the last does
        after = event.cycle + event.length
    return list(zip([*starts, after], [*ends, record.cycles], strict=True))


def _key_at(stimulus: Stimulus, record: Record, cycle: int, since: int) -> Key | None:
    """The key in force for a sector whose first beat is taken in ``cycle``."""
    taken = [key for key, at in zip(stimulus.keys, record.key_taken.tolist(), strict=True) if since <= at < cycle]
    return taken[-1] if taken else None


def _keys(subject: Subject, stimulus: Stimulus, record: Record) -> str | None:
    """Ready only with a key; sectors taken only with a key; a zeroize ends both in time."""
    ready = sorted(record.ready)
    for i, (start, end) in enumerate(_cuts(stimulus, record)):
        keys = [at for at in record.key_taken.tolist() if start <= at <= end]
        # a key that is taken while zeroize is high is lost with the others
        keys = [
            at
            for at in keys
            if not any(isinstance(e, Zeroize) and e.cycle <= at < e.cycle + e.length for e in stimulus.events)
        ]
        loaded = keys[0] if keys else end
        allowed = start if i == 0 else start - 1 + subject.timing.zeroize
        for cycle in [max(start, allowed) + 1, *(at for at, _ in ready)]:
            if max(start, allowed) < cycle <= min(loaded, end) and cycle < record.cycles and _level(ready, cycle):
                return (
                    f"ready is high in cycle {cycle} without a key: {_epoch(stimulus, i)}, the next key was taken "
                    f"{f'in cycle {loaded}' if keys else 'never'}, and {subject.timing.zeroize} cycles are "
                    f"allowed to clear."
                )
        if keys and (difference := _setup(subject, ready, loaded, end)):
            return difference
        for n, first in enumerate(record.first_in.tolist()):
            if start <= first <= min(loaded, end) and not _during_zeroize(stimulus, first):
                return (
                    f"Sector {n} is taken in cycle {first} without a key: {_epoch(stimulus, i)} and the next key "
                    f"was taken {f'in cycle {loaded}' if keys else 'never'}."
                )
    return None


def _setup(subject: Subject, ready: list[tuple[int, int]], loaded: int, end: int) -> str | None:
    """Ready rises when the key has been set up, not before."""
    due = loaded + subject.timing.setup
    rise = next((at for at, value in ready if value and at > loaded), end + 1)
    if (rise < due and rise <= end) or (rise > due and due <= end):
        return (
            f"The key taken in cycle {loaded} is set up in {subject.timing.setup} cycles, but ready rises "
            f"{f'in cycle {rise}' if rise <= end else 'never'}, not in cycle {due}."
        )
    return None


def _during_zeroize(stimulus: Stimulus, cycle: int) -> bool:
    return any(isinstance(e, Zeroize) and e.cycle <= cycle < e.cycle + e.length for e in stimulus.events)


def _level(changes: list[tuple[int, int]], cycle: int) -> int:
    return next((value for at, value in reversed(changes) if at <= cycle), 0)


def _epoch(stimulus: Stimulus, i: int) -> str:
    if i == 0:
        return "none was taken since the start"
    event = stimulus.events[i - 1]
    return f"{'reset' if isinstance(event, Reset) else 'zeroize'} came in cycle {event.cycle}"


def _faults(subject: Subject, requests: Sequence[Request], stimulus: Stimulus, record: Record) -> str | None:
    """One pulse of the right cause for every sector of wrong length, in order, and no other."""
    beats = beats_per_sector(subject)
    names = {SHORT: "cut short", LONG: "too long", DIRECTION: "in a direction that the core does not have"}

    def said(n: int, right: int) -> str:
        if units_of(subject):
            return f"Sector {n} of {len(requests[n].data)} bytes is {names[right]}"
        return f"Sector {n} of {int(stimulus.counts[n])} beats is {names[right]} (right are {beats})"

    seen = list(record.faults)
    for start, end in _cuts(stimulus, record):
        here = [fault for fault in seen if start <= fault[0] <= end]
        expected = []
        optional = False  # a sector that a zeroize cut in two: its rest may look like a short one
        for n, (first, last, taken) in enumerate(
            zip(record.first_in.tolist(), record.last_in.tolist(), record.taken_in.tolist(), strict=True)
        ):
            size = int(stimulus.counts[n])
            cause = _cause(subject, requests[n])
            if first < start <= last and taken == size and not units_of(subject):
                optional = True
            elif start <= first <= last <= end and taken == size and cause:
                expected.append((n, cause))
            elif start <= first <= end and cause == DIRECTION:  # known from the first beat on, which may be the last
                expected.append((n, cause))
        if optional and here and len(here) == len(expected) + 1:
            here = here[1:]
        for (cycle, cause), (n, right) in zip(here, expected, strict=False):
            if cause != right:
                return f"{said(n, right)}, so fault must be {right}, but it is {cause} in cycle {cycle}."
            if cycle < record.first_in[n]:
                return f"fault is {cause} in cycle {cycle}, before sector {n}, the next of wrong length, was taken."
        if len(here) > len(expected):
            cycle, cause = here[len(expected)]
            return (
                f"fault is {cause} in cycle {cycle} with no sector of wrong length to cause it, or for a second cycle."
            )
        if len(here) < len(expected) and end == record.cycles and record.outcome == Outcome.DONE:
            n, right = expected[len(here)]
            return f"{said(n, right)}, and fault never pulsed for it."
    return None


def _computed(subject: Subject, requests: Sequence[Request], stimulus: Stimulus, record: Record) -> str | None:
    """One pulse of computed for every whole sector, after its last beat, and no other."""
    sound = np.array([not _cause(subject, request) for request in requests], bool)
    for i, (start, end) in enumerate(_cuts(stimulus, record)):
        pulses = record.computed[(record.computed >= start) & (record.computed <= end)].tolist()
        whole = (record.taken_in == stimulus.counts) & sound & (record.first_in >= start) & (record.last_in <= end)
        sectors = np.flatnonzero(whole).tolist()
        for pulse, n in zip(pulses, sectors, strict=False):
            if pulse <= record.last_in[n]:
                return (
                    f"computed pulses in cycle {pulse}, but the next sector that it can be for, {n}, is taken "
                    f"whole only in cycle {int(record.last_in[n])}: {_epoch(stimulus, i)}."
                )
        if len(pulses) > len(sectors):
            return (
                f"computed pulses in cycle {pulses[len(sectors)]} for no sector: {_epoch(stimulus, i)}, and "
                f"{len(sectors)} whole ones were taken since."
            )
        if len(pulses) < len(sectors) and end == record.cycles and record.outcome == Outcome.DONE:
            return f"computed never pulses for sector {sectors[len(pulses)]}."
    return None


def _output(
    subject: Subject, pool: SpecificationPool, requests: Sequence[Request], stimulus: Stimulus, record: Record
) -> str | None:
    """Every whole sector, once, in order, right in every byte, and nothing else."""
    streaming = units_of(subject) is not None
    cuts = _cuts(stimulus, record)
    leaving: list[list[int]] = []
    by_key: dict[bytes, list[int]] = {}
    for start, end in cuts:
        mine = []
        for n in np.flatnonzero((record.first_in >= start) & (record.first_in <= end)).tolist():
            complete = record.taken_in[n] == stimulus.counts[n] and record.last_in[n] <= end
            key = _key_at(stimulus, record, int(record.first_in[n]), start)
            if (complete or streaming) and key is not None and not _cause(subject, requests[n]):
                mine.append(n)
                by_key.setdefault(key.key, []).append(n)
        leaving.append(mine)
    answers: dict[int, bytes] = {}
    keys: dict[int, bytes] = {}
    for key, numbers in by_key.items():
        right = pool.answers(key, [requests[n] for n in numbers])
        answers |= zip(numbers, right, strict=True)
        keys |= dict.fromkeys(numbers, key)
    used = 0
    for i, ((start, end), numbers) in enumerate(zip(cuts, leaving, strict=True)):
        these = np.flatnonzero((record.out_cycle >= start) & (record.out_cycle <= end))
        if len(these) and these[0] != used:
            return f"A beat leaves in cycle {int(record.out_cycle[used])}, while a reset or zeroize is under way."
        used += len(these)
        right = _Right(numbers, answers, record.out.shape[1])
        difference = _compare(record, these, right, requests, keys, streaming, _epoch(stimulus, i))
        if difference:
            return difference
        if i == len(cuts) - 1 and record.outcome == Outcome.DONE and len(these) < len(right.beats):
            n = right.number(len(these))
            return (
                f"Sector {n} (tweak {requests[n].tweak.hex()}, {_direction(requests[n])}) never left, or not "
                f"whole: {len(these)} beats of {len(right.beats)} came by cycle {record.cycles}."
            )
    if used < len(record.out):
        return f"A beat leaves in cycle {int(record.out_cycle[used])}, while a reset or zeroize is under way."
    return None


class _Right:
    """What must leave: the answers of sectors ``numbers``, one after another, in beats of ``size`` bytes."""

    def __init__(self, numbers: list[int], answers: dict[int, bytes], size: int):
        self.numbers, self.answers = numbers, [answers[n] for n in numbers]
        counts = np.array([-(-len(answer) // size) for answer in self.answers], np.int64)
        self.ends = np.cumsum(counts)
        self.starts = self.ends - counts
        padded = b"".join(answer + bytes(-len(answer) % size) for answer in self.answers)
        self.beats = np.frombuffer(padded, np.uint8).reshape(-1, size)
        self.last = np.zeros(len(self.beats), bool)
        self.last[self.ends - 1] = True
        self.bytes = np.full(len(self.beats), size, np.int64)
        self.bytes[self.ends - 1] = [(len(answer) - 1) % size + 1 for answer in self.answers]

    def place(self, beat: int) -> int:
        """Which of the sectors this beat is of."""
        return int(np.searchsorted(self.ends, beat, side="right"))

    def number(self, beat: int) -> int:
        return self.numbers[self.place(beat)]


def _compare(
    record: Record,
    these: np.ndarray,
    right: _Right,
    requests: Sequence[Request],
    keys: dict[int, bytes],
    streaming: bool,
    epoch: str,
) -> str | None:
    size = record.out.shape[1]
    got = np.where(np.arange(size) < record.out_bytes[these][:, None], record.out[these], 0)
    n = min(len(got), len(right.beats))
    for place, start in enumerate(right.starts[right.starts < n].tolist()):
        number, cycle = right.numbers[place], int(record.out_cycle[these[start]])
        taken = record.first_in[number] if streaming else record.last_in[number]
        if cycle <= taken:
            return (
                f"A beat leaves in cycle {cycle}, but the next sector to leave, {number}, is "
                f"{'begun' if streaming else 'taken whole'} only in cycle {int(taken)}: {epoch}."
            )
    wrong = np.flatnonzero((got[:n] != right.beats[:n]).any(axis=1))
    lasts = np.flatnonzero(record.out_last[these[:n]] != right.last[:n])
    tails = np.flatnonzero(record.out_bytes[these[:n]] != right.bytes[:n])
    if len(lasts) and (not len(wrong) or lasts[0] < wrong[0]):
        place, cycle = right.place(lasts[0]), int(record.out_cycle[these[lasts[0]]])
        start, end = int(right.starts[place]), int(right.ends[place])
        return (
            f"m_axis_tlast is {'high' if record.out_last[these[lasts[0]]] else 'low'} on beat {lasts[0] - start} of "
            f"sector {right.numbers[place]}, which has {end - start} (cycle {cycle})."
        )
    if len(tails) and (not len(wrong) or tails[0] <= wrong[0]):
        beat, cycle = int(tails[0]), int(record.out_cycle[these[tails[0]]])
        return (
            f"m_axis_tkeep has {int(record.out_bytes[these[beat]])} bytes in the last beat of sector "
            f"{right.number(beat)}, right are {int(right.bytes[beat])} (cycle {cycle})."
        )
    if len(wrong):
        place, cycle = right.place(wrong[0]), int(record.out_cycle[these[wrong[0]]])
        number, answer = right.numbers[place], right.answers[place]
        left = got[right.starts[place] : right.ends[place]].tobytes()[: len(answer)]
        return _explain(number, requests[number], keys[number], answer, left, cycle)
    if len(got) > len(right.beats):
        return (
            f"A beat leaves in cycle {int(record.out_cycle[these[len(right.beats)]])} that no sector accounts for: "
            f"{epoch}, {len(right.numbers)} whole sectors were taken since, and all of them have left."
        )
    return None


def _direction(request: Request) -> str:
    return "decrypted" if request.decrypt else "encrypted"


def _explain(number: int, request: Request, key: bytes, right: bytes, got: bytes, cycle: int) -> str:
    """The first wrong byte with its surroundings."""
    pairs = [a != b for a, b in zip(right, got, strict=False)]
    offset = pairs.index(True)
    start = offset // 16 * 16
    span = slice(start, start + 16)
    return (
        f"Sector {number} (tweak {request.tweak.hex()}, {_direction(request)}, key {key.hex()}) differs from the "
        f"specification in {sum(pairs)} of {len(right)} bytes, first at byte {offset} (cycle {cycle}). "
        f"Bytes {start} to {start + 15}: expected {right[span].hex()}, got {got[span].hex()}, "
        f"from {request.data[span].hex()}."
    )


# The checks. Each returns what it tried and the first difference.

Outcomes = tuple[str, str | None]


def _ways(directions: Sequence[bool]) -> str:
    return "both ways" if len(directions) == 2 else "deciphering" if directions[0] else "enciphering"


def known_answers(check: Check) -> Outcomes:
    """Published vectors, in every direction that the core has."""
    directions = directions_of(check.subject)
    for vector in check.vectors:
        for decrypt in directions:
            given, right = (vector.plaintext, vector.ciphertext)[:: 1 - 2 * decrypt]
            check.simulation.reset()
            check.simulation.load_key(vector.key)
            started = time.perf_counter()
            result = check.simulation.run([given], [vector.tweak], decrypt)
            check.seconds += time.perf_counter() - started
            check.cycles += result.cycles
            check.played += 1
            got = result.sectors[0].tobytes()
            if got != right:
                request = Request(given, vector.tweak, decrypt)
                return "", f"{vector.source}: " + _explain(0, request, vector.key, right, got, int(result.first_out[0]))
    return f"{len(check.vectors)} known answers, {_ways(directions)}", None


def cycle_contract(check: Check) -> Outcomes:
    """Compute, latency, interval and setup, each equal to the contract, in every direction that the core has."""
    promised = check.subject.timing
    started = time.perf_counter()
    measured = measure(check.subject, seed=check.seed, simulation=check.simulation)
    check.seconds += time.perf_counter() - started
    names = ("compute", "latency", "interval", "setup")
    for direction, cycles in measured.items():
        for name in names:
            if (seen := getattr(cycles, name)) != (right := getattr(promised, name)):
                return "", f"To {direction}, {name} is {seen} cycles in simulation; the contract says {right}."
    ways = _ways(directions_of(check.subject))
    return ", ".join(f"{name} {getattr(promised, name)}" for name in names) + f" cycles, {ways}", None


def random_sectors(check: Check) -> Outcomes:
    """Back to back, directions mixed, under several keys."""
    total, done = check.sectors, 0
    waiting: list[tuple[Sequence[Request], bytes, Result, list[Future[list[bytes]]]]] = []

    def settle() -> str | None:
        requests, key, result, promises = waiting.pop(0)
        right = [answer for promise in promises for answer in promise.result()]
        for n, (request, answer) in enumerate(zip(requests, right, strict=True)):
            if (got := result.sectors[n].tobytes()) != answer:
                return _explain(done - pending + n, request, key, answer, got, int(result.first_out[n]))
        return None

    keys = 0
    pending = 0
    while done < total:
        n = min(256, total - done)
        key, requests = check.key(), [check.request() for _ in range(n)]
        keys += 1
        promises = check.pool.submit(key, requests)
        started = time.perf_counter()
        check.simulation.load_key(key)
        result = check.simulation.run(
            [r.data for r in requests], [r.tweak for r in requests], [r.decrypt for r in requests]
        )
        check.seconds += time.perf_counter() - started
        check.cycles += result.cycles
        check.played += n
        waiting.append((requests, key, result, promises))
        pending = sum(len(entry[0]) for entry in waiting)
        done += n
        if len(waiting) > 4:  # what the specification lags behind
            if difference := settle():
                return "", difference
        check.progress(done - sum(len(entry[0]) for entry in waiting), total)
    while waiting:
        pending = sum(len(entry[0]) for entry in waiting)
        if difference := settle():
            return "", difference
        check.progress(done - sum(len(entry[0]) for entry in waiting), total)
    what = "units of random lengths" if units_of(check.subject) else "random sectors"
    directions = directions_of(check.subject)
    how = "encrypted and decrypted in mixed order" if len(directions) == 2 else _ways(directions)
    return f"{total} {what} back to back, {how}, {keys} keys", None


def _few(check: Check, n: int) -> int:
    """Sectors of a check whose count matters less than its variety."""
    return min(n, max(4, check.sectors // 4))


def gaps_and_back_pressure(check: Check) -> Outcomes:
    """Pauses between beats of the input, and outputs that are not taken, from rare to nearly always."""
    chances = (1.0, 0.9, 0.5, 0.05)
    for offer in chances:
        for take in chances:
            requests = [check.request() for _ in range(_few(check, 12))]
            difference = check.play(requests, [Key(check.key(), before=0)], offer=offer, take=take)
            if difference:
                return "", f"{difference} Beats were offered with chance {offer} and taken with chance {take}."
    return f"beats offered and taken with every pair of chances {', '.join(map(str, chances))}", None


def key_changes(check: Check) -> Outcomes:
    """New keys between sectors, and offered at any moment."""
    rounds = 4
    t = check.subject.timing
    for offer, take in ((1.0, 1.0), (0.5, 0.5), (1.0, 0.2), (0.3, 1.0)):
        n = _few(check, 12)
        requests = [check.request() for _ in range(n)]
        places = sorted({0, *check.rng.choice(np.arange(1, n), size=min(4, n - 1), replace=False).tolist()})
        difference = check.play(requests, [Key(check.key(), before=place) for place in places], offer=offer, take=take)
        if difference:
            return "", f"{difference} Keys came before sectors {', '.join(map(str, places))}."
    for _ in range(rounds):
        n = _few(check, 12)
        moments = sorted(check.rng.integers(t.setup, t.setup + n * t.interval + t.latency, 4).tolist())
        keys = [Key(check.key(), before=0), *(Key(check.key(), cycle=moment) for moment in moments)]
        difference = check.play([check.request() for _ in range(n)], keys, offer=0.9, take=0.9)
        if difference:
            return "", f"{difference} Keys were offered from cycles {', '.join(map(str, moments))} on."
    return "new keys before chosen sectors and offered at any cycle, while sectors wait behind them", None


def data_before_key(check: Check) -> Outcomes:
    """Sectors are offered long before any key."""
    t = check.subject.timing
    late = 3 * t.latency + t.setup + 50
    difference = check.play([check.request() for _ in range(3)], [Key(check.key(), cycle=late)])
    if difference:
        return "", f"{difference} Sectors were offered from the start, the first key from cycle {late} on."
    return f"sectors offered {late} cycles before the first key", None


def _moments(check: Check, n: int) -> list[int]:
    """Cycles at which to strike: inside the key's set-up, the first sector's input, its work, its output, and later."""
    t, beats = check.subject.timing, check.beats
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
    return [*marks, *check.rng.integers(1, spread, max(0, n - len(marks))).tolist()][:n]


def zeroize(check: Check) -> Outcomes:
    """Zeroize at any moment, then a new key, while the source goes on."""
    moments = _moments(check, 11 + _few(check, 30))
    for moment in moments:
        n = 6
        gap = int(check.rng.integers(0, 2)) * int(check.rng.integers(0, 3 * check.quiet))
        events = [Zeroize(moment, int(check.rng.integers(1, 4)))]
        keys = [Key(check.key(), before=0), Key(check.key(), cycle=moment + events[0].length + gap)]
        offer, take = check.rng.choice([(1.0, 1.0), (0.6, 0.6), (1.0, 0.1)])
        difference = check.play([check.request() for _ in range(n)], keys, events, offer=offer, take=take)
        if difference:
            return "", (
                f"{difference} zeroize was high for {events[0].length} cycles from cycle {moment} on, the next "
                f"key was offered from cycle {keys[1].cycle} on."
            )
    return f"zeroize at {len(moments)} moments, among them the edges of set-up, input, work and output", None


def zeroize_without_key(check: Check) -> Outcomes:
    """After zeroize and no new key, nothing is taken and nothing leaves, however long it is waited."""
    t = check.subject.timing
    moments = _moments(check, 11)
    for moment in moments:
        requests = [check.request() for _ in range(3)]
        late = moment + 1 + 2 * check.quiet
        keys = [Key(check.key(), before=0), Key(check.key(), cycle=late)]
        difference = check.play(requests, keys, [Zeroize(moment)])
        if difference:
            return "", f"{difference} zeroize pulsed in cycle {moment}, the next key was offered from cycle {late} on."
    return f"zeroize at {len(moments)} moments, ready low within {t.zeroize} cycles, then long no key", None


def wrong_lengths(check: Check) -> Outcomes:
    """Sectors of every kind of wrong length, or in a direction that the core does not have, between right ones."""
    if units := units_of(check.subject):
        return _wrong_units(check, units)
    beats = check.beats
    short = sorted({1, 2, beats // 2, beats - 1} & set(range(1, beats)))
    long = [beats + 1, beats + 2, 2 * beats, 2 * beats + 1, 3 * beats]
    for offer, take in ((1.0, 1.0), (0.6, 0.4)):
        lengths: list[int | None] = [None]
        for wrong in [*short, *long]:
            lengths += [wrong, None]
        lengths += check.rng.permutation([*short, *long]).tolist() + [None, None]
        beat = 16 * check.subject.width
        requests = [check.request(length and beat * length) for length in lengths]
        difference = check.play(requests, [Key(check.key(), before=0)], offer=offer, take=take)
        if difference:
            return "", difference
    return f"sectors of {', '.join(map(str, [*short, *long]))} beats between right ones of {beats}", None


def _wrong_units(check: Check, units: Units) -> Outcomes:
    foreign = [decrypt for decrypt in (False, True) if decrypt not in units.directions]
    for offer, take in ((1.0, 1.0), (0.6, 0.4)):
        wrong = [check.request(size) for size in range(1, units.least)]
        wrong += [check.request(decrypt=decrypt) for decrypt in foreign for _ in range(8)]
        wrong += [check.request(size, decrypt=decrypt) for decrypt in foreign for size in (1, units.least)]
        requests = [check.request()]
        for request in wrong:
            requests += [request, check.request()]
        requests += [wrong[i] for i in check.rng.permutation(len(wrong)).tolist()] + [check.request()]
        difference = check.play(requests, [Key(check.key(), before=0)], offer=offer, take=take)
        if difference:
            return "", difference
    also = f", and to {'decrypt' if foreign[0] else 'encrypt'}," if foreign else ""
    return f"units of 1 to {units.least - 1} bytes{also} between right ones", None


def equal_halves(check: Check) -> Outcomes:
    """A key of two equal halves: refused by a core whose key is two that must differ, and one as any other else."""
    half = check.key()[: check.subject.key_bits // 16]
    if not units_of(check.subject):
        difference = check.play([check.request() for _ in range(3)], [Key(half * 2, before=0)])
        return "a key of equal halves is a key as any other", difference
    simulation = check.simulation
    for before in (False, True):  # with no key in place, and with one
        simulation.reset()
        if before:
            simulation.load_key(check.key())
        record = simulation.play(simulation.stimulus([], [], False, keys=[Key(half * 2)], tail=check.quiet))
        check.cycles += record.cycles
        if [cause for _, cause in record.faults] != [KEY]:
            causes = ", ".join(str(cause) for _, cause in record.faults) or "none"
            return "", f"A key of equal halves is fault {KEY}, once; seen: {causes}."
        if _level(sorted(record.ready), record.cycles):
            return "", "ready is high after a key of equal halves, which is no key."
        requests = [check.request() for _ in range(3)]
        keys = [Key(check.key(), cycle=2 * check.quiet)]
        stimulus = simulation.stimulus(
            [r.data for r in requests],
            [r.tweak for r in requests],
            [r.decrypt for r in requests],
            keys=keys,
            tail=check.quiet,
            patience=simulation.patience(1, 1),
        )
        record = simulation.play(stimulus)
        check.cycles += record.cycles
        check.played += len(requests)
        if difference := judge(check.subject, check.pool, requests, stimulus, record):
            return "", f"{difference} A key of equal halves was offered before."
    return "keys of equal halves are refused, before any key and after one; units wait for the next key", None


def resets(check: Check) -> Outcomes:
    """Reset at any moment, then a new key."""
    moments = _moments(check, 11 + _few(check, 20))
    for moment in moments:
        length = int(check.rng.integers(1, 5))
        keys = [Key(check.key(), before=0), Key(check.key(), cycle=moment + length + int(check.rng.integers(0, 40)))]
        offer, take = check.rng.choice([(1.0, 1.0), (0.6, 0.6), (1.0, 0.1)])
        difference = check.play(
            [check.request() for _ in range(6)], keys, [Reset(moment, length)], offer=offer, take=take
        )
        if difference:
            return "", f"{difference} aresetn was low for {length} cycles from cycle {moment} on."
    return f"reset at {len(moments)} moments, for 1 to 4 cycles", None


CHECKS: dict[str, Callable[[Check], Outcomes]] = {
    "known answers": known_answers,
    "cycle contract": cycle_contract,
    "random sectors": random_sectors,
    "gaps and back-pressure": gaps_and_back_pressure,
    "key changes": key_changes,
    "data before a key": data_before_key,
    "zeroize": zeroize,
    "zeroize without a key": zeroize_without_key,
    "wrong lengths": wrong_lengths,
    "equal key halves": equal_halves,
    "resets": resets,
}
"""Every check by its name; the first paragraph of its docstring says what it does to the core."""


def verify(
    subject: Subject,
    *,
    sectors: int = 256,
    seed: int = 0,
    vectors: Iterable[KnownAnswer] = (),
    checks: Iterable[str] | None = None,
    simulation: Simulation | None = None,
    processes: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Report:
    """The report of all checks, or of those named, up to the first that fails.

    sectors:    of the random check; the others are scaled down with it when it is small
    seed:       of every random choice: the same seed and checks give the same run
    simulation: an instance to use in the place of a new one
    progress:   is told (check, done, total) as work proceeds
    Raises :class:`~wideblock.verify.verilator.BuildError`; a core that fails is in the report, not an exception.
    """
    names = list(CHECKS if checks is None else checks)
    for name in names:
        if name not in CHECKS:
            raise ValueError(f"no check {name!r}, there are {', '.join(map(repr, CHECKS))}")
    if sectors < 1:
        raise ValueError(f"at least 1 random sector must be tried, got {sectors}")
    known = list(vectors)
    report = Report(subject.top, seed)
    started = time.perf_counter()
    with SpecificationPool(subject, processes) as pool:
        owned = simulation is None
        simulation = simulation or Simulation(subject)
        try:
            for checked in _each(names, subject, simulation, pool, seed, sectors, known, progress):
                report.checks.append(checked)
                report.seconds = time.perf_counter() - started
                if not checked.passed:
                    break
        finally:
            if owned:
                simulation.close()
    return report


def _seed_of(seed: int, name: str) -> int:
    """Each check has its own stream of choices, so that it can be run again alone."""
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:8], "little")


def _guarded(run: Callable[[Check], Outcomes], check: Check) -> Outcomes:
    try:
        return run(check)
    except SimulationError as error:
        return "", f"{error}."


def _each(
    names: Sequence[str],
    subject: Subject,
    simulation: Simulation,
    pool: SpecificationPool,
    seed: int,
    sectors: int,
    vectors: Sequence[KnownAnswer],
    progress: Callable[[str, int, int], None] | None,
) -> Iterator[Checked]:
    for name in names:

        def tell(done: int, total: int, name: str = name) -> None:
            if progress:
                progress(name, done, total)

        tell(0, 1)
        check = Check(subject, simulation, pool, _seed_of(seed, name), sectors, vectors, tell)
        tried, difference = _guarded(CHECKS[name], check)
        if difference is not None:
            difference = f"{difference} To see it again: check {name!r} with seed {seed} and {sectors} sectors."
        yield Checked(name, tried, check.played, check.cycles, check.seconds, difference)
        tell(1, 1)
