# SPDX-License-Identifier: Apache-2.0
"""Plays of both buses, the stream, zeroize and reset at once, judged by the model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from wideblock.drive.core import ZEROIZE, zeroize_at
from wideblock.drive.sector.accesses import Answer, BusAccess, access_words, answers
from wideblock.drive.sector.traffic import Request, SectorScript, answered_in_error, results
from wideblock.rtl.bus.key_map import KEY_MAP
from wideblock.rtl.stream.behaviour import Cause, KeyRule
from wideblock.simulation.script import NEVER, Record, ScriptEvent
from wideblock.simulation.structures import PlayOutcome
from wideblock.verify.engine.check import EngineCheck
from wideblock.verify.engine.model import Bounds, Model, Unit, Wrong
from wideblock.verify.engine.register_model import Registers
from wideblock.verify.engine.replay import Seen, replay
from wideblock.verify.engine.state import State
from wideblock.verify.sector.judge import level

__all__ = ["Bench", "EnginePlay"]


@dataclass
class EnginePlay:
    """A script of an engine. Cycles count from its start.

    units:  (cycle, request, pause) of the stream: valid from ``cycle`` on, ``pause`` cycles before the last beat
    clears: (first cycle, cycles) of zeroize
    take:   chance that a result beat is accepted in a cycle; ``answer``: the same of responses of the buses
    soft:   zeroize is started by a register, too: a stalled beat may be withdrawn
    limit:  cycles; the play is cut there
    """

    accesses: list[BusAccess] = field(default_factory=list)
    units: list[tuple[int, Request, int]] = field(default_factory=list)
    clears: list[tuple[int, int]] = field(default_factory=list)
    take: float = 1.0
    answer: float = 1.0
    soft: bool = False
    limit: int = NEVER


class Bench:
    """An engine in simulation beside the model, with counts of judged events and of played steps."""

    def __init__(self, check: EngineCheck):
        self.check, self.core = check, check.simulation
        self.events = self.accesses = self.commands = self.units = 0
        self._answers: dict[tuple[bytes, bytes, bytes, bool], bytes] = {}
        differ = check.behaviour.keys is KeyRule.HALVES_DIFFER
        self.model = Model(
            *(check.behaviour, check.number_of_slots, check.shape.key_bytes, differ, self.answer),
            window_least=1 if check.shape.partial else check.behaviour.length.least,
            width=check.shape.beat_bytes // 16,
        )
        self.registers = Registers(self.model, self.core.maps)
        self.map = self.core.maps["ENGINE"]
        self.header_words = check.subject.interface.channel("i").header_words
        t = check.subject.timing
        self.quiet = t.zeroize + t.selftest + t.window + t.unload + t.load + 64
        self.reset()

    @property
    def tried(self) -> str:
        """Counts of what was played, in words."""
        return (
            f"{self.events} events, {self.accesses} accesses, {self.commands} commands, {self.units} units, "
            f"each as the model says"
        )

    def answer(self, key: bytes, tweak: bytes, data: bytes, decrypt: bool) -> bytes:
        """The right result of a unit."""
        known = (key, tweak, data, decrypt)
        if known not in self._answers:
            self._answers[known] = self.check.pool.answers(key, [Request(data, tweak, decrypt)])[0]
        return self._answers[known]

    def reset(self) -> None:
        """Resets the engine and the model."""
        self.core.reset()
        size = self.map.register("WINDOW_DATA_IN").bytes
        tweak = bytes(self.map.register("WINDOW_TWEAK").bytes)
        clear = self.check.subject.timing.zeroize - 2  # a cycle of the play of the reset is behind it
        self.model.states = {State(self.model.no_log(), clear, data=bytes(size), tweak=tweak)}
        self.model.held_until = self.model.ran_until = 0
        self.registers.reset(0)

    def play(self, play: EnginePlay) -> str | None:
        """The first difference of a play from the model, or None."""
        script = self._script(play)
        with self.check.timed():
            record = self.core.simulation.play(script, self.check.play_seed())
        self.check.count(record.cycles, len(play.units))
        if record.violation is not None:
            return f"{record.violation}, cycle {record.cycles}."
        if record.outcome not in (PlayOutcome.DONE, PlayOutcome.LIMIT):
            return f"The engine is stuck after {record.cycles} cycles."
        pace = min(play.take, play.answer)
        t = self.check.subject.timing
        bounds = Bounds(t.zeroize, int((t.unload + t.load) / pace) + 64)
        try:
            seen = self._seen(play, script, record)
            replay(self.model, self.registers, seen, bounds)
        except Wrong as wrong:
            return f"{wrong}."
        return None

    def _script(self, play: EnginePlay) -> SectorScript:
        """The words of a play by their channels."""
        requests = [request for _, request, _ in play.units]
        script = self.core.requests(requests, take=play.take, noise=True)
        words, wanted = access_words(self.core, play.accesses)
        stream = script.words["i"]
        for (cycle, _, pause), head, last in zip(
            play.units, script.heads.tolist(), script.places[script.ends - 1].tolist(), strict=True
        ):
            stream["earliest"][head] = cycle
            stream["earliest"][last] = max(stream["earliest"][last], cycle + pause)
        script.words = {**script.words, **words}
        script.wanted = wanted
        script.ready = {**script.ready, **dict.fromkeys(wanted, play.answer)}
        script.capacity = max([script.capacity, *wanted.values()]) + 1
        script.events = [zeroize_at(first, cycles) for first, cycles in play.clears]
        if play.soft and play.take < 1:
            script.events = _withdrawing(play)
        script.limit, script.quiet = play.limit, self.quiet
        script.patience = self.quiet + self.core.patience(1.0, min(play.take, play.answer))
        return script

    def _seen(self, play: EnginePlay, script: SectorScript, record: Record) -> Seen:
        """Accesses, units and levels of a record. Raises :class:`Wrong` for results and faults of no unit."""
        done = list(answers(self.core, play.accesses, record))
        ready = record.levels["ready"]
        first, last = self._accepted(script, record)
        stops = [end for n, (at, high) in enumerate(ready) if not high and n for end in (at - 1,)]
        stops += [first_ for first_, _ in play.clears]
        faults = _faults(first, record.pulses["fault"])
        _check_tags(script, record, faults)
        given = self._results(record, faults, first, last, sorted(set(stops)))
        _check_errors(record, first, faults, given)
        units, long = [], 1 << self.model.bit[Cause.LONG]
        for n, (_, request, _) in enumerate(play.units):
            cut = n not in faults and n not in given
            fault = faults[n][1] if n in faults else -1 if cut else 0
            about = (request.slot, request.decrypt, request.tweak, request.data)
            over = faults[n][0] - 1 if fault == long else last[n]
            units.append(Unit(n, *about, first[n], last[n], over, fault, given.get(n)))
        pulses = [(cycle, fault, play.units[n][1].slot) for n, (cycle, fault) in faults.items()]
        self.accesses += len(done)
        self.commands += sum(_executes(answer) for answer in done)
        self.units += sum(at >= 0 for at in first)
        self.events += len(done) + 3 * len(units) + len(ready) + len(record.levels["irq"]) + len(pulses)
        clears = [(at, at + cycles - 1) for at, cycles in play.clears]
        rests = record.outcome == PlayOutcome.DONE
        return Seen(done, units, clears, pulses, ready, record.levels["irq"], record.cycles, rests)

    def _accepted(self, script: SectorScript, record: Record) -> tuple[list[int], list[int]]:
        """Cycles of each unit's first and last beat; -1: not accepted, or dropped as a clear met the request before."""
        accepted = record.accepted["i"]
        firsts, lasts = script.heads + self.header_words, script.places[script.ends - 1]
        lows = [at for at, high in record.levels["ready"] if not high]
        asked, first, last = (accepted[places].tolist() for places in (script.heads, firsts, lasts))
        dropped = [any(before < low <= at for low in lows) for before, at in zip(asked, first, strict=True)]
        first, last = (
            [-1 if gone else at for gone, at in zip(dropped, cycles, strict=True)] for cycles in (first, last)
        )
        return first, last

    def _results(
        self,
        record: Record,
        faults: dict[int, tuple[int, int]],
        first: Sequence[int],
        last: Sequence[int],
        stops: Sequence[int],
    ) -> dict[int, bytes]:
        """The result of each unit that left whole: in order, between two clears. Raises :class:`Wrong`."""
        left = list(self._left(record))
        good = [n for n, at in enumerate(first) if at >= 0 and n not in faults]
        given: dict[int, bytes] = {}
        ends = [*stops, record.cycles]
        since = -1
        for end in ends:
            here = [n for n in good if since < first[n] <= end]
            out = [data for cycle, data in left if since < cycle <= end]
            if len(out) > len(here):
                raise Wrong(f"{len(out)} results leave of {len(here)} units between cycles {since} and {end}")
            given |= dict(zip(here, out, strict=False))
            whole = [n for n in here if 0 <= last[n] <= end]
            if end == record.cycles and len(out) < len(whole) and record.outcome == PlayOutcome.DONE:
                raise Wrong(f"Unit {whole[len(out)]}, accepted from cycle {first[whole[len(out)]]}, is lost")
            since = end
        return given

    def _left(self, record: Record):
        """(cycle, data) of each result that left whole; the start of a unit cut by a clear does not count."""
        words = results(record.words["o"])
        keep = words["keep"] if "keep" in (words.dtype.names or ()) else None
        data, start = b"", -1
        cuts = sorted(at for at, high in record.levels["ready"] if not high)
        for n, (cycle, beat, last) in enumerate(
            zip(words["cycle"].tolist(), words["data"], words["last"].tolist(), strict=True)
        ):
            if any(start < cut <= cycle for cut in cuts):
                data = b""
            size = len(beat) if keep is None else int(np.unpackbits(np.atleast_1d(keep[n])).sum())
            data, start = data + bytes(beat[:size]), cycle
            if last:
                yield cycle, data
                data = b""


def _executes(answer: Answer) -> bool:
    """Whether an access starts a command."""
    access = answer.access
    written = access.space == "KEY" and access.value is not None and access.offset == KEY_MAP.offset("CTRL")
    return written and answer.response == 0 and bool(access.strobe & 1) and (access.value or 0) & 3 == 1


def _faults(first: Sequence[int], pulses: Sequence[tuple[int, int]]) -> dict[int, tuple[int, int]]:
    """The fault of each unit: cycle of the last unit that began before the pulse. Raises :class:`Wrong`."""
    found: dict[int, tuple[int, int]] = {}
    for cycle, fault in pulses:
        n = max((n for n, at in enumerate(first) if 0 <= at < cycle), default=-1)
        if n < 0 or n in found:
            raise Wrong(f"fault is {fault:x}h in cycle {cycle}, of no unit or for a second time")
        found[n] = cycle, fault
    return found


def _check_errors(
    record: Record, first: Sequence[int], faults: Mapping[int, tuple[int, int]], given: Mapping[int, bytes]
) -> None:
    """Each unit leaves a packet, with an error flag unless the result is whole. Raises :class:`Wrong`."""
    seen = answered_in_error(record.words["o"])
    right = [n in faults or n not in given for n, at in enumerate(first) if at >= 0]
    if seen is not None and seen != (right if record.outcome == PlayOutcome.DONE else right[: len(seen)]):
        raise Wrong(f"packets leave with the error flags {seen}; right are {right}")


def _check_tags(script: SectorScript, record: Record, faults: dict[int, tuple[int, int]]) -> None:
    """The tag of a unit is beside the unit's fault; no tag in other cycles. Raises :class:`Wrong`."""
    changes = record.levels.get("fault_tag", [])
    tags = {cycle: int.from_bytes(script.tags[n].tobytes(), "little") for n, (cycle, _) in faults.items()}
    for cycle in sorted({*tags, *(at for at, _ in changes)}) if changes else ():
        if (seen := level(changes, cycle)) != tags.get(cycle, 0):
            raise Wrong(f"fault_tag is {seen:x}h in cycle {cycle}; right is {tags.get(cycle, 0):x}h")


def _withdrawing(play: EnginePlay) -> list[ScriptEvent]:
    """Zeroize of a play, and no rule of streams outside of it."""
    events, at = [], 0
    for first, cycles in [*play.clears, (1 << 16, 0)]:
        if first > at:
            events.append(ScriptEvent(ZEROIZE, at, first - at, 0, clears=True))
        if cycles:
            events.append(zeroize_at(first, cycles))
        at = first + cycles
    return events
