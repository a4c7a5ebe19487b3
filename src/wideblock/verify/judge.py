# SPDX-License-Identifier: Apache-2.0
"""The judge: the first way in which a record is not what a right core does, explained."""

from collections.abc import Sequence

import numpy as np

from wideblock.export.contract import Contract
from wideblock.verify.pool import SpecificationPool
from wideblock.verify.stimulus import Key, Outcome, Record, Reset, Stimulus, Zeroize
from wideblock.verify.subject import Request, beats_per_sector, units_of

__all__ = ["DIRECTION", "KEY", "LONG", "SHORT", "explain", "judge", "level"]

SHORT, LONG, DIRECTION, KEY = 1, 2, 4, 8  # causes on ``fault``


def judge(
    subject: Contract, pool: SpecificationPool, requests: Sequence[Request], stimulus: Stimulus, record: Record
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


def _cause(subject: Contract, request: Request) -> int:
    """What fault this request is for the core; 0: none."""
    units, size = units_of(subject), len(request.data)
    if units and request.decrypt not in units.directions:
        return DIRECTION
    least, most = (units.least, units.most) if units else (subject.behaviour.usual, subject.behaviour.usual)
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


def _keys(subject: Contract, stimulus: Stimulus, record: Record) -> str | None:
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
            if max(start, allowed) < cycle <= min(loaded, end) and cycle < record.cycles and level(ready, cycle):
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


def _setup(subject: Contract, ready: list[tuple[int, int]], loaded: int, end: int) -> str | None:
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


def level(changes: list[tuple[int, int]], cycle: int) -> int:
    return next((value for at, value in reversed(changes) if at <= cycle), 0)


def _epoch(stimulus: Stimulus, i: int) -> str:
    if i == 0:
        return "none was taken since the start"
    event = stimulus.events[i - 1]
    return f"{'reset' if isinstance(event, Reset) else 'zeroize'} came in cycle {event.cycle}"


def _faults(subject: Contract, requests: Sequence[Request], stimulus: Stimulus, record: Record) -> str | None:
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


def _computed(subject: Contract, requests: Sequence[Request], stimulus: Stimulus, record: Record) -> str | None:
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
    subject: Contract, pool: SpecificationPool, requests: Sequence[Request], stimulus: Stimulus, record: Record
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
        return explain(number, requests[number], keys[number], answer, left, cycle)
    if len(got) > len(right.beats):
        return (
            f"A beat leaves in cycle {int(record.out_cycle[these[len(right.beats)]])} that no sector accounts for: "
            f"{epoch}, {len(right.numbers)} whole sectors were taken since, and all of them have left."
        )
    return None


def _direction(request: Request) -> str:
    return "decrypted" if request.decrypt else "encrypted"


def explain(number: int, request: Request, key: bytes, right: bytes, got: bytes, cycle: int) -> str:
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
