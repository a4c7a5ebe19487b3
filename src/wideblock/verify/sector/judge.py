# SPDX-License-Identifier: Apache-2.0
"""The judge: the first way in which a record differs from that of a right core, explained."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from wideblock.export.contract import Contract
from wideblock.rtl.stream.behaviour import Cause, Output
from wideblock.simulation.structures import Outcome
from wideblock.verify.sector.ending import cause_of_keep, kept
from wideblock.verify.sector.explain import Answers, compare, direction, explain
from wideblock.verify.sector.pool import SpecificationPool
from wideblock.verify.sector.shape import shape
from wideblock.verify.sector.stimulus import Key, Record, Request, Reset, Stimulus, Zeroize

__all__ = ["explain", "fault_of", "judge", "level"]


def judge(
    subject: Contract, pool: SpecificationPool, requests: Sequence[Request], stimulus: Stimulus, record: Record
) -> str | None:
    """The first way in which ``record`` differs from a right core's of ``stimulus``, in a paragraph, or None.

    Time is cut at each zeroize and reset. Between cuts, the sectors whose every beat was accepted in that time, under
    the key that was accepted last before their first beat, leave in order and whole; at a cut everything inside is
    lost. Of a sector that a cut ends, the start may have left if the core gives output before it has the whole input.
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


def cause_of(subject: Contract, request: Request) -> Cause | None:
    """Cause of the fault that this request is for the core, if it is one."""
    behaviour, size = subject.behaviour, len(request.data)
    if request.decrypt not in behaviour.directions:
        return Cause.DIRECTION
    if request.keep:
        return cause_of_keep(subject, request)
    if request.size not in behaviour.length:
        return Cause.SHORT if request.size < behaviour.length.least else Cause.LONG
    if behaviour.stated and len(request.tweak) not in behaviour.stated.tweak:
        return Cause.TWEAK
    if size == request.size:
        return None
    return Cause.SHORT if size < request.size else Cause.LONG


def fault_of(subject: Contract, request: Request) -> int:
    """Value of ``fault`` for this request; 0: none."""
    cause = cause_of(subject, request)
    return subject.behaviour.fault(cause) if cause else 0


def _leaves(subject: Contract, request: Request) -> bool:
    """Whether a result leaves: of a right sector, or of the start of one that a core ended as its output had begun."""
    if subject.behaviour.output is not Output.CUT_THROUGH or not request.keep:
        return not fault_of(subject, request)
    first = kept(replace(request, data=request.data[: len(request.data) // len(request.keep)], keep=request.keep[:1]))
    return request.decrypt in subject.behaviour.directions and len(first.data) >= subject.behaviour.length.least


def _cuts(stimulus: Stimulus, record: Record) -> list[tuple[int, int]]:
    """(from, to) of each stretch between events: cycles after one event's last and before or in the next's first."""
    starts, ends = [], []
    after = 0
    for event in stimulus.events:
        starts.append(after)
        ends.append(event.cycle - isinstance(event, Reset))  # in a reset no transfer counts; with zeroize the last does
        after = event.cycle + event.length
    return list(zip([*starts, after], [*ends, record.cycles], strict=True))


def _pulses_from(stimulus: Stimulus, i: int, start: int) -> int:
    """The first cycle of stretch ``i`` whose pulses count: clearing begins in the cycle after zeroize, which ends what
    was under way, so in that cycle ``fault`` and ``computed`` may still pulse for it.
    """
    event = stimulus.events[i - 1] if i else None
    return max(start, event.cycle + 2) if isinstance(event, Zeroize) else start


def _key_at(stimulus: Stimulus, record: Record, cycle: int, since: int) -> Key | None:
    """The key in force for a sector whose first beat is taken in ``cycle``."""
    taken = [key for key, at in zip(stimulus.keys, record.key_taken.tolist(), strict=True) if since <= at < cycle]
    return taken[-1] if taken else None


def _keys(subject: Contract, stimulus: Stimulus, record: Record) -> str | None:
    """Ready only with a key; sectors taken only with a key; a zeroize ends both in time."""
    ready = record.ready
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
    due = loaded + subject.timing.preparation
    rise = next((at for at, value in ready if value and at > loaded), end + 1)
    if (rise < due and rise <= end) or (rise > due and due <= end):
        return (
            f"The key taken in cycle {loaded} is set up in {subject.timing.preparation} cycles, but ready rises "
            f"{f'in cycle {rise}' if rise <= end else 'never'}, not in cycle {due}."
        )
    return None


def _during_zeroize(stimulus: Stimulus, cycle: int) -> bool:
    return any(isinstance(e, Zeroize) and e.cycle <= cycle < e.cycle + e.length for e in stimulus.events)


def level(changes: list[tuple[int, int]], cycle: int) -> int:
    """The value of a level in a cycle."""
    return next((value for at, value in reversed(changes) if at <= cycle), 0)


def _epoch(stimulus: Stimulus, i: int) -> str:
    if i == 0:
        return "none was taken since the start"
    event = stimulus.events[i - 1]
    return f"{'reset' if isinstance(event, Reset) else 'zeroize'} came in cycle {event.cycle}"


def _faults(subject: Contract, requests: Sequence[Request], stimulus: Stimulus, record: Record) -> str | None:
    """One pulse of the right cause for every malformed sector, in order, and no other."""
    for i, (start, end) in enumerate(_cuts(stimulus, record)):
        here = [fault for fault in record.faults if _pulses_from(stimulus, i, start) <= fault[0] <= end]
        expected = _expected_faults(subject, requests, stimulus, record, start, end)
        for (cycle, value), (n, right) in zip(here, expected, strict=False):
            if value != right:
                said = _malformed(subject, requests, stimulus, n)
                return f"{said}, so fault must be {right}, but it is {value} in cycle {cycle}."
            if cycle < record.first_in[n]:
                return f"fault is {value} in cycle {cycle}, before sector {n}, the next malformed one, was taken."
        if len(here) > len(expected):
            cycle, value = here[len(expected)]
            return f"fault is {value} in cycle {cycle} with no malformed sector to cause it, or for a second cycle."
        if len(here) < len(expected) and end == record.cycles and record.outcome == Outcome.DONE:
            said = _malformed(subject, requests, stimulus, expected[len(here)][0])
            return f"{said}, so fault must be {expected[len(here)][1]}, and fault never pulsed for it."
    return None


def _expected_faults(
    subject: Contract, requests: Sequence[Request], stimulus: Stimulus, record: Record, start: int, end: int
) -> list[tuple[int, int]]:
    """(sector, fault) for each malformed sector from ``start`` to ``end``; the rest of one that a cut ended is none."""
    expected = []
    taken_whole = record.taken_in == stimulus.counts
    for n, (first, last) in enumerate(zip(record.first_in.tolist(), record.last_in.tolist(), strict=True)):
        cause, whole = cause_of(subject, requests[n]), bool(taken_whole[n])
        if start <= first <= end and cause:
            # a wrong direction is known from the first beat on, any other fault with the last
            if cause is Cause.DIRECTION or (first <= last <= end and whole):
                expected.append((n, subject.behaviour.fault(cause)))
    return expected


def _malformed(subject: Contract, requests: Sequence[Request], stimulus: Stimulus, n: int) -> str:
    """ "Sector 3 of 5 beats is too long (right are 4)" """
    names = {Cause.SHORT: "cut short", Cause.LONG: "too long", Cause.DIRECTION: "in a direction that the core lacks"}
    names[Cause.KEEP] = "of beats whose bytes are no run from byte 0 or do not fill those before the last"
    names[Cause.TWEAK] = f"under a tweak of {len(requests[n].tweak)} bytes, which is too long"
    cause, sizes = cause_of(subject, requests[n]), shape(subject)
    named = names[cause] if cause else "right"
    if sizes.partial:
        stated = "" if requests[n].stated is None else f", which states {requests[n].stated},"
        return f"Sector {n} of {len(requests[n].data)} bytes{stated} is {named}"
    return f"Sector {n} of {int(stimulus.counts[n])} beats is {named} (right are {sizes.beats})"


def _computed(subject: Contract, requests: Sequence[Request], stimulus: Stimulus, record: Record) -> str | None:
    """One pulse of computed for every whole sector, after its last beat, and no other."""
    sound = np.array([_leaves(subject, request) for request in requests], bool)
    cut_through = subject.behaviour.output is Output.CUT_THROUGH
    for i, (start, end) in enumerate(_cuts(stimulus, record)):
        since = _pulses_from(stimulus, i, start)
        pulses = record.computed[(record.computed >= since) & (record.computed <= end)].tolist()
        whole = (record.taken_in == stimulus.counts) & sound & (record.first_in >= start) & (record.last_in <= end)
        sectors = np.flatnonzero(whole).tolist()
        for pulse, n in zip(pulses, sectors, strict=False):
            ended_early = cut_through and requests[n].keep  # an empty last beat may come late, and so may a wrong one
            if pulse <= (record.first_in if ended_early else record.last_in)[n]:
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
    cut_through = subject.behaviour.output is Output.CUT_THROUGH
    cuts = _cuts(stimulus, record)
    leaving: list[list[int]] = []
    by_key: dict[bytes, list[int]] = {}
    for start, end in cuts:
        mine = []
        for n in np.flatnonzero((record.first_in >= start) & (record.first_in <= end)).tolist():
            complete = record.taken_in[n] == stimulus.counts[n] and record.last_in[n] <= end
            key = _key_at(stimulus, record, int(record.first_in[n]), start)
            if (complete or cut_through) and key is not None and _leaves(subject, requests[n]):
                mine.append(n)
                by_key.setdefault(key.key, []).append(n)
        leaving.append(mine)
    answers: dict[int, bytes] = {}
    keys: dict[int, bytes] = {}
    for key, numbers in by_key.items():
        right = pool.answers(key, [kept(requests[n]) for n in numbers])
        answers |= zip(numbers, right, strict=True)
        keys |= dict.fromkeys(numbers, key)
    used = 0
    for i, ((start, end), numbers) in enumerate(zip(cuts, leaving, strict=True)):
        these = np.flatnonzero((record.out_cycle >= start) & (record.out_cycle <= end))
        if len(these) and these[0] != used:
            return f"A beat leaves in cycle {int(record.out_cycle[used])}, while a reset or zeroize is under way."
        used += len(these)
        right = Answers(numbers, answers, record.out.shape[1])
        difference = compare(subject, record, these, right, requests, keys, _epoch(stimulus, i))
        if difference:
            return difference
        if i == len(cuts) - 1 and record.outcome == Outcome.DONE and len(these) < len(right.beats):
            n = right.number(len(these))
            return (
                f"Sector {n} (tweak {requests[n].tweak.hex() or 'none'}, {direction(requests[n])}) never left, or not "
                f"whole: {len(these)} beats of {len(right.beats)} came by cycle {record.cycles}."
            )
    if used < len(record.out):
        return f"A beat leaves in cycle {int(record.out_cycle[used])}, while a reset or zeroize is under way."
    return None
