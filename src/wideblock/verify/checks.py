# SPDX-License-Identifier: Apache-2.0
"""Checks of a sector core against its specification, each named, each explaining the first difference it finds."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future

import numpy as np

from wideblock.catalog import KnownAnswer
from wideblock.export.contract import Contract
from wideblock.verify.driver import Simulation
from wideblock.verify.judge import KEY, explain, judge, level
from wideblock.verify.measure import measure
from wideblock.verify.pool import SpecificationPool
from wideblock.verify.stimulus import Event, Key, Reset, Result, Zeroize
from wideblock.verify.subject import Request, Units, beats_per_sector, directions_of, key_bits_of, units_of

__all__ = ["CHECKS", "Check", "Outcomes", "Progress"]

Progress = Callable[[int, int], None]


class Check:
    """What the checks of one suite share: the core, its model, the specification, and the stream of random choices."""

    def __init__(
        self,
        subject: Contract,
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
        return self.random(key_bits_of(self.subject) // 8)

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
        right, units = self.subject.behaviour.usual, units_of(self.subject)
        if not units:
            return right
        beat, kind = 16 * self.subject.parameters.width, self.rng.integers(3)
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


# Each check returns what it tried and the first difference.

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
                return "", f"{vector.source}: " + explain(0, request, vector.key, right, got, int(result.first_out[0]))
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
                return explain(done - pending + n, request, key, answer, got, int(result.first_out[n]))
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
        beat = 16 * check.subject.parameters.width
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
    half = check.key()[: key_bits_of(check.subject) // 16]
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
        if level(sorted(record.ready), record.cycles):
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
