# SPDX-License-Identifier: Apache-2.0
"""The judge: the first difference of a record from a right core's record, explained."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from wideblock.drive.core import ZEROIZE
from wideblock.drive.sector.pool import AnswerPool
from wideblock.drive.sector.shape import SectorCore, shape
from wideblock.drive.sector.traffic import Key, Request, SectorRecord
from wideblock.rtl.stream.behaviour import Cause, Output
from wideblock.simulation.script import RESET
from wideblock.simulation.structures import PlayOutcome
from wideblock.verify.sector.ending import cause_of_keep, kept
from wideblock.verify.sector.explain import Answers, compare, direction, explain
from wideblock.verify.sector.slot_log import SlotLog

__all__ = ["explain", "judge", "level"]


def judge(subject: SectorCore, pool: AnswerPool, requests: Sequence[Request], record: SectorRecord) -> str | None:
    """The first difference of ``record`` from a right core's record of the script, in a paragraph, or None.

    Time is cut at each zeroize and reset. Between cuts, sectors with all beats accepted leave in order and whole, under
    the last key accepted before the first beat; at a cut everything inside is lost. The start of a sector ended by a
    cut may have left if the core gives output before the whole input.
    """
    if record.violation is not None:
        return f"The output breaks AXI4-Stream in cycle {record.violation_cycle}: {record.violation}."
    if record.outcome == PlayOutcome.RECORD_FULL:
        return f"More beats leave than were ever taken: {len(record.out)} by cycle {record.cycles}."
    judged = _Judged(subject, requests, record)
    steps = (judged.keys, judged.key_faults, judged.faults, judged.fault_tags, judged.computed)
    difference = next((found for step in steps if (found := step())), None)
    difference = difference or judged.output(pool) or judged.forged_tags()
    if difference is None and record.outcome != PlayOutcome.DONE:
        taken = int(np.count_nonzero(record.last_in >= 0))
        difference = (
            f"The core is stuck: after {record.cycles} cycles {taken} of {len(requests)} sectors and "
            f"{int(np.count_nonzero(record.key_taken >= 0))} of {len(record.script.keys)} keys were taken, "
            f"{len(record.out)} beats left, and nothing moves any more."
        )
    return difference


def cause_of(subject: SectorCore, request: Request) -> Cause | None:
    """Cause of the request's fault, or None for a right request."""
    behaviour = subject.behaviour
    if request.decrypt not in behaviour.directions:
        return Cause.DIRECTION
    if request.keep:
        return cause_of_keep(subject, request)
    return behaviour.length.fault(len(request.data), request.stated, len(request.tweak))


def level(changes: list[tuple[int, int]], cycle: int) -> int:
    """The value of a level in a cycle."""
    return next((value for at, value in reversed(changes) if at <= cycle), 0)


class _Judged:
    """A record beside the requests of the script."""

    def __init__(self, subject: SectorCore, requests: Sequence[Request], record: SectorRecord):
        self.subject, self.requests, self.record, self.script = subject, requests, record, record.script
        self.cut_through = subject.behaviour.output is Output.CUT_THROUGH
        self.whole = record.taken_in == record.script.counts
        self.fault_of: dict[int, int] = {}  # from the cycle of a fault to the sector that it is about
        self.forged_of: dict[int, int] = {}  # the same of forged

    @cached_property
    def cuts(self) -> list[tuple[int, int]]:
        """(from, to) of each stretch between events: cycles after one's last, and before or in the next one's first."""
        starts, ends = [0], []
        for event in self.script.events:
            ends.append(event.cycle - (event.control == RESET))  # in a reset no transfer counts; with zeroize one does
            starts.append(event.cycle + event.length)
        return list(zip(starts, [*ends, self.record.cycles], strict=True))

    def ended(self, end: int) -> bool:
        """Whether nothing more can come in the stretch to ``end``: the last stretch, of a done call."""
        return end == self.record.cycles and self.record.outcome == PlayOutcome.DONE

    def pulses_from(self, i: int, start: int) -> int:
        """The first cycle of stretch ``i`` whose pulses count: clearing begins in the cycle after zeroize and ends all
        sectors; in the cycle of zeroize ``fault`` and ``computed`` may still pulse.
        """
        event = self.script.events[i - 1] if i else None
        return max(start, event.cycle + 2) if event and event.control == ZEROIZE else start

    def epoch(self, i: int) -> str:
        """The event before stretch ``i``, in words."""
        if i == 0:
            return "none was taken since the start"
        event = self.script.events[i - 1]
        return f"{event.control} came in cycle {event.cycle}"

    def cleared(self, cycle: int) -> bool:
        """Whether zeroize is high in a cycle."""
        events = (e for e in self.script.events if e.control == ZEROIZE)
        return any(e.cycle <= cycle < e.cycle + e.length for e in events)

    @cached_property
    def causes(self) -> list[Cause | None]:
        """Cause of each request's fault, or None. Slots have keys or not as first beats are taken."""
        found = [cause_of(self.subject, request) for request in self.requests]
        if self.slots:
            for n, (request, first) in enumerate(zip(self.requests, self.record.first_in.tolist(), strict=True)):
                if first >= 0 and found[n] is not Cause.DIRECTION and self.key_of(request.slot, first) is None:
                    found[n] = Cause.SLOT
        return found

    def leaves(self, n: int) -> bool:
        """Whether a result leaves: of a right sector, or of the start of a sector that ended after the begin of
        output.
        """
        request, cause = self.requests[n], self.causes[n]
        if not self.cut_through or not request.keep or cause is Cause.SLOT:
            return cause is None
        beat = len(request.data) // len(request.keep)
        first = kept(replace(request, data=request.data[:beat], keep=request.keep[:1]))
        behaviour = self.subject.behaviour
        return request.decrypt in behaviour.directions and len(first.data) >= behaviour.length.least

    def key_at(self, cycle: int, since: int) -> Key | None:
        """The key in force for a sector whose first beat is taken in ``cycle``."""
        places = zip(self.script.keys, self.record.key_taken.tolist(), strict=True)
        return next((key for key, at in reversed([*places]) if since <= at < cycle), None)

    @cached_property
    def slots(self) -> "SlotLog | None":
        """The keys of a core with slots; None of a core with one key."""
        if not (slots := self.subject.timing.slots):
            return None
        pairs = zip(self.script.keys, self.record.key_taken.tolist(), strict=True)
        taken = sorted(((at, key) for key, at in pairs if at >= 0), key=lambda pair: pair[0])
        cleared = [(event.cycle, event.cycle + event.length) for event in self.script.events]
        return SlotLog(slots, taken, cleared, shape(self.subject).key_bytes, self.subject.behaviour.keys)

    def key_of(self, slot: int, cycle: int) -> bytes | None:
        """The key of a slot for a sector whose first beat is taken in ``cycle``."""
        return self.slots.key(slot, cycle) if self.slots else None

    def keys(self) -> str | None:
        """Ready only with a key; sectors taken only with a key; a zeroize ends both in time."""
        if self.slots:
            return self.cleared_in_time()
        ready, zeroize = self.record.ready, self.subject.timing.zeroize
        for i, (start, end) in enumerate(self.cuts):
            # a key that is taken while zeroize is high is lost with the others
            keys = [at for at in self.record.key_taken.tolist() if start <= at <= end and not self.cleared(at)]
            loaded = keys[0] if keys else end
            taken = f"the next key was taken {f'in cycle {loaded}' if keys else 'never'}"
            allowed = max(start, start if i == 0 else start - 1 + zeroize)
            for cycle in [allowed + 1, *(at for at, _ in ready)]:
                if allowed < cycle <= min(loaded, end) and cycle < self.record.cycles and level(ready, cycle):
                    return (
                        f"ready is high in cycle {cycle} without a key: {self.epoch(i)}, {taken}, and {zeroize} cycles "
                        f"are allowed to clear."
                    )
            if keys and (difference := self.setup(loaded, end)):
                return difference
            for n, first in enumerate(self.record.first_in.tolist()):
                if start <= first <= min(loaded, end) and not self.cleared(first):
                    return f"Sector {n} is taken in cycle {first} without a key: {self.epoch(i)} and {taken}."
        return None

    def cleared_in_time(self) -> str | None:
        """Of a core with slots: ready from the stated end of clearing on, and sectors and keys taken only then."""
        record, zeroize = self.record, self.subject.timing.zeroize
        for i, (start, end) in enumerate(self.cuts):
            due = start - 1 + zeroize
            if i == 0:  # the reset before is no part of the record
                due = min(due, next((at for at, high in record.ready if high), due))
            for cycle in sorted({due - 1, due, *(at for at, _ in record.ready)}):
                inside = start < cycle <= end and cycle < record.cycles
                if inside and level(record.ready, cycle) != (cycle >= due):
                    is_now = "high" if cycle < due else "low"
                    return f"ready is {is_now} in cycle {cycle}, and clearing ends in cycle {due}: {self.epoch(i)}."
            for what, taken in (("Sector", record.first_in.tolist()), ("Key", record.key_taken.tolist())):
                for n, first in enumerate(taken):
                    if start < first < min(due, end + 1):
                        return (
                            f"{what} {n} is taken in cycle {first}, and clearing ends in cycle {due}: {self.epoch(i)}."
                        )
        return None

    def setup(self, loaded: int, end: int) -> str | None:
        """Ready rises when the key has been set up, not before."""
        preparation = self.subject.timing.preparation
        due = loaded + preparation
        rise = next((at for at, value in self.record.ready if value and at > loaded), end + 1)
        if (rise < due and rise <= end) or (rise > due and due <= end):
            return (
                f"The key taken in cycle {loaded} is set up in {preparation} cycles, but ready rises "
                f"{f'in cycle {rise}' if rise <= end else 'never'}, not in cycle {due}."
            )
        return None

    def faults(self) -> str | None:
        """Exactly a pulse of the right cause for every malformed sector, in order."""
        for i, (start, end) in enumerate(self.cuts):
            mask = ~self.of_keys if self.slots else -1
            pulses = [(cycle, value & mask) for cycle, value in self.record.faults if value & mask]
            here = [fault for fault in pulses if self.pulses_from(i, start) <= fault[0] <= end]
            expected = self.expected_faults(start, end)
            for (cycle, value), (n, right) in zip(here, expected, strict=False):
                if value != right:
                    return f"{self.malformed(n)}, so fault must be {right}, but it is {value} in cycle {cycle}."
                if cycle < self.record.first_in[n]:
                    return f"fault is {value} in cycle {cycle}, before sector {n}, the next malformed one, was taken."
                self.fault_of[cycle] = n
            if len(here) > len(expected):
                cycle, value = here[len(expected)]
                return f"fault is {value} in cycle {cycle} with no malformed sector to cause it, or for a second cycle."
            if len(here) < len(expected) and self.ended(end):
                n, right = expected[len(here)]
                return f"{self.malformed(n)}, so fault must be {right}, and fault never pulsed for it."
        return None

    def fault_tags(self) -> str | None:
        """The tag of the sector beside the fault; no tag in other cycles."""
        return self._tags_beside("fault", self.fault_of, {cycle for cycle, _ in self.record.faults})

    def _tags_beside(self, pulse: str, about: dict[int, int], pulses: set[int]) -> str | None:
        """The tag of the sector beside each ``pulse``, else no tag; ``about`` has sectors by cycle."""
        if not (changes := self.record.words.levels.get(f"{pulse}_tag")):
            return None
        for cycle in sorted({*pulses, *(cycle + 1 for cycle in pulses), *(at for at, _ in changes)}):
            n, tag = about.get(cycle), level(changes, cycle)
            right = 0 if n is None else int.from_bytes(self.script.tags[n].tobytes(), "little")
            if tag != right and (n is not None or cycle not in pulses):
                beside = f"without {pulse}" if n is None else f"beside {pulse} of sector {n}"
                return f"{pulse}_tag is {tag:#x} in cycle {cycle}, {beside}; right is {right:#x}."
        return None

    def expected_faults(self, start: int, end: int) -> list[tuple[int, int]]:
        """(sector, fault) for each malformed sector of a stretch; the rest of a sector ended by a cut is no sector."""
        expected = []
        places = zip(self.record.first_in.tolist(), self.record.last_in.tolist(), self.whole.tolist(), strict=True)
        for n, (first, last, whole) in enumerate(places):
            cause = self.causes[n]
            # a wrong direction or slot is known from the first beat on, any other fault with the last
            early = cause in (Cause.DIRECTION, Cause.SLOT)
            if cause and start <= first <= end and (early or (first <= last <= end and whole)):
                expected.append((n, self.subject.behaviour.fault(cause)))
        return expected

    def key_faults(self) -> str | None:
        """Of a core with slots: a pulse of the right cause in the cycle after each refused key, and no other."""
        if not self.slots:
            return None
        behaviour = self.subject.behaviour
        expected = {at + 1: behaviour.fault(cause) for at, cause in self.slots.refused if at + 1 < self.record.cycles}
        seen = {cycle: bits for cycle, value in self.record.faults if (bits := value & self.of_keys)}
        for cycle in sorted({*expected, *seen}):
            right, got = expected.get(cycle, 0), seen.get(cycle, 0)
            if right != got and not (got == 0 and self.cleared(cycle - 1)):
                return f"fault shows {got} of its bits for keys in cycle {cycle}, right is {right}."
        return None

    @cached_property
    def of_keys(self) -> int:
        """Bits of ``fault`` that are about keys in a core with slots; 0 in all further cores: all keys are right."""
        causes = (Cause.KEY, Cause.KEY_SLOT, Cause.DAMAGE)
        return sum(1 << bit for bit, fault in enumerate(self.subject.behaviour.faults) if fault.cause in causes)

    def malformed(self, n: int) -> str:
        """ "Sector 3 of 5 beats is too long (right are 4)" """
        request, sizes = self.requests[n], shape(self.subject)
        cause = self.causes[n]
        named = {
            None: "right",
            Cause.SHORT: "cut short",
            Cause.LONG: "too long",
            Cause.DIRECTION: "in a direction that the core lacks",
            Cause.KEEP: "of beats whose bytes are no run from byte 0 or do not fill those before the last",
            Cause.SLOT: f"for slot {request.slot}, which has no key",
            Cause.TWEAK: f"under a tweak of {len(request.tweak)} bytes, which is too long",
        }[cause]
        if sizes.partial:
            stated = "" if request.stated is None else f", which states {request.stated},"
            return f"Sector {n} of {len(request.data)} bytes{stated} is {named}"
        return f"Sector {n} of {int(self.script.counts[n])} beats is {named} (right are {sizes.beats})"

    def computed(self) -> str | None:
        """Exactly a pulse of computed for every whole sector, after the last beat."""
        record = self.record
        sound = self.whole & np.array([self.leaves(n) for n in range(len(self.requests))], bool)
        for i, (start, end) in enumerate(self.cuts):
            since = self.pulses_from(i, start)
            pulses = record.computed[(record.computed >= since) & (record.computed <= end)].tolist()
            sectors = np.flatnonzero(sound & (record.first_in >= start) & (record.last_in <= end)).tolist()
            for pulse, n in zip(pulses, sectors, strict=False):
                # an empty last beat may come late, and so may a wrong one
                ended_early = self.cut_through and self.requests[n].keep
                if pulse <= (record.first_in if ended_early else record.last_in)[n]:
                    return (
                        f"computed pulses in cycle {pulse}, but the next sector that it can be for, {n}, is taken "
                        f"whole only in cycle {int(record.last_in[n])}: {self.epoch(i)}."
                    )
            if len(pulses) > len(sectors):
                return (
                    f"computed pulses in cycle {pulses[len(sectors)]} for no sector: {self.epoch(i)}, and "
                    f"{len(sectors)} whole ones were taken since."
                )
            if len(pulses) < len(sectors) and self.ended(end):
                return f"computed never pulses for sector {sectors[len(pulses)]}."
        return None

    def leaving(self, start: int, end: int) -> list[tuple[int, bytes]]:
        """(sector, key) of the sectors of a stretch that leave, or may have begun to."""
        record, found = self.record, []
        for n in np.flatnonzero((record.first_in >= start) & (record.first_in <= end)).tolist():
            complete = self.whole[n] and record.last_in[n] <= end
            first = int(record.first_in[n])
            if self.slots:
                key = self.key_of(self.requests[n].slot, first)
            else:
                key = at.key if (at := self.key_at(first, start)) else None
            if (complete or self.cut_through) and key is not None and self.leaves(n):
                found.append((n, key))
        return found

    def verdicts(self, i: int, start: int, end: int, answers: dict[int, bytes]) -> str | None:
        """``forged`` pulses with the ``computed`` of exactly the forged sectors, in stretch ``i``."""
        record = self.record
        sound = self.whole & np.array([self.leaves(n) for n in range(len(self.requests))], bool)
        pulses = record.computed[(record.computed >= self.pulses_from(i, start)) & (record.computed <= end)].tolist()
        sectors = np.flatnonzero(sound & (record.first_in >= start) & (record.last_in <= end)).tolist()
        judged = dict(zip(pulses, sectors, strict=False))
        right = {cycle for cycle, n in judged.items() if n in answers and not answers[n]}
        seen = set(record.forged[(record.forged >= self.pulses_from(i, start)) & (record.forged <= end)].tolist())
        if wrong := min(right ^ seen, default=None):
            which = f"sector {judged[wrong]}" if wrong in judged else "no sector"
            return f"forged is {int(wrong in seen)} in cycle {wrong} for {which}, right is {int(wrong in right)}."
        self.forged_of |= {cycle: judged[cycle] for cycle in seen}
        return None

    def forged_tags(self) -> str | None:
        """The tag of the sector beside ``forged``, and none in other cycles."""
        return self._tags_beside("forged", self.forged_of, set(self.forged_of))

    def output(self, pool: AnswerPool) -> str | None:
        """Every whole sector, once, in order, right in every byte, and nothing else."""
        record, requests = self.record, self.requests
        leaving = [self.leaving(*cut) for cut in self.cuts]
        keys = dict(pair for pairs in leaving for pair in pairs)
        answers: dict[int, bytes] = {}
        for key in dict.fromkeys(keys.values()):
            numbers = [n for n in keys if keys[n] == key]
            answers |= zip(numbers, pool.answers(key, [kept(requests[n]) for n in numbers]), strict=True)
        used = 0
        for i, ((start, end), pairs) in enumerate(zip(self.cuts, leaving, strict=True)):
            these = np.flatnonzero((record.out_cycle >= start) & (record.out_cycle <= end))
            if len(these) and these[0] != used:
                return f"A beat leaves in cycle {int(record.out_cycle[used])}, while a reset or zeroize is under way."
            used += len(these)
            if difference := self.verdicts(i, start, end, answers):
                return difference
            numbers, icv_bytes = [n for n, _ in pairs], record.out_icvs.shape[1]
            right = Answers(numbers, answers, record.out.shape[1], pool.values, icv_bytes)
            if difference := compare(self.subject, record, these, right, requests, keys, self.epoch(i)):
                return difference
            if i == len(leaving) - 1 and record.outcome == PlayOutcome.DONE and len(these) < len(right.beats):
                n = right.number(len(these))
                return (
                    f"Sector {n} (tweak {requests[n].tweak.hex() or 'none'}, {direction(requests[n])}) never left, or "
                    f"not whole: {len(these)} beats of {len(right.beats)} came by cycle {record.cycles}."
                )
        if used < len(record.out):
            return f"A beat leaves in cycle {int(record.out_cycle[used])}, while a reset or zeroize is under way."
        return None
