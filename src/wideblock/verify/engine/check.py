# SPDX-License-Identifier: Apache-2.0
"""The part that all checks of an engine share: expected slots, and plays under the slots."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wideblock.drive.sector.engine import EngineSimulation
from wideblock.drive.sector.pool import AnswerPool
from wideblock.drive.sector.traffic import Request, SectorRecord
from wideblock.export.contract import SectorContract
from wideblock.rtl.stream.behaviour import Cause
from wideblock.simulation.script import Words
from wideblock.verify.sector.check import SectorCheck
from wideblock.verify.sector.judge import level

__all__ = ["EngineCheck", "Slot"]

BATCH = 256
"""Sectors of a play, and of a run that is not small."""

NO_ENCRYPT, NO_DECRYPT, LOCKED = 1, 2, 4
"""Bits of AUX_MODE."""


@dataclass(frozen=True)
class Slot:
    """A key in a slot, and the limits, as in AUX_MODE."""

    key: bytes
    aux: int = 0
    kat: bool = False

    def refuses(self, request: Request) -> bool:
        """Whether a request of the stream must be dropped."""
        return self.kat or bool(self.aux & (NO_DECRYPT if request.decrypt else NO_ENCRYPT))


class EngineCheck(SectorCheck):
    """A check of an engine under way; ``slots_now`` are the expected keys."""

    simulation: EngineSimulation  # pyright: ignore[reportIncompatibleVariableOverride]

    def __init__(self, subject: SectorContract, simulation: Any, *rest: Any, pool: AnswerPool):
        super().__init__(subject, simulation, *rest, pool=pool)
        self.slots_now: dict[int, Slot] = {}
        self.number_of_slots = subject.parameters.slots

    def usual(self, size: int, decrypt: bool) -> Request:
        """A random sector under a tweak of the size for which the timing is stated."""
        return self.request(size, decrypt=decrypt, tweak_size=self.shape.tweak_bytes)

    def restart(self) -> None:
        """Resets the engine, and waits for its self-test."""
        self.simulation.reset()
        self.simulation.until("SELFTEST", "DONE", 1, self.subject.timing.selftest + 64)
        self.slots_now = {}

    def command(self, name: str, slot: int, key: bytes = b"", aux: int = 0) -> str:
        """A command; the name of its error. The slots are what they must be after it."""
        start = self.simulation.cycle
        error = self.simulation.command(name, slot, key, aux=aux)
        self.count(self.simulation.cycle - start, 0)
        if error == "OK":
            self.note(name, slot, key, aux)
        return error

    def note(self, name: str, slot: int, key: bytes, aux: int) -> None:
        """Changes the slots as a command does that ends without error."""
        if name == "LOAD":
            self.slots_now[slot] = Slot(key, aux)
        elif name == "UNLOAD":
            del self.slots_now[slot]
        elif name == "ZEROIZE":
            self.slots_now = {}

    def fill(self, n: int) -> list[int]:
        """Loads random keys until ``n`` slots have a key, or all except a slot: the first, the last, others. Returns
        them.
        """
        others = self.rng.permutation(range(1, self.number_of_slots - 1)).tolist()
        for slot in (0, self.number_of_slots - 1, *others):
            if slot not in self.slots_now and len(self.slots_now) < min(n, self.number_of_slots - 1):
                self.command("LOAD", slot, self.key())
        return sorted(self.slots_now)

    @property
    def fixed(self) -> bool:
        """Whether all messages have one length."""
        return self.behaviour.length.least == self.behaviour.length.most

    @property
    def least(self) -> int:
        """Bytes of the shortest message of whole blocks, or of every message where all have one length."""
        return self.behaviour.length.least if self.fixed else max(16, -(-self.behaviour.length.least // 16) * 16)

    @property
    def window_bytes(self) -> int:
        """Bytes of the longest data of the window."""
        return self.simulation.maps["ENGINE"].register("WINDOW_DATA_IN").bytes

    def set_limit(self, blocks: int) -> None:
        """Writes LIMIT."""
        for half, low in (("HI", 32), ("LO", 0)):
            self.simulation.set(f"LIMIT_{half}", blocks >> low & 0xFFFFFFFF)

    def start_word(self, cycle: int, start: int) -> dict[str, Words]:
        """The write of CTRL that starts a command, in a play, not before a cycle."""
        words = self.simulation.writes("KEY", self.simulation.place("CTRL")[1], start)
        for channel in words.values():
            channel["earliest"] = cycle
        return words

    def stream(
        self,
        requests: Sequence[Request],
        words: Mapping[str, Words] | None = None,
        *,
        offer: float = 1.0,
        take: float = 1.0,
    ) -> SectorRecord:
        """The record of sectors in the stream, beside ``words`` of the buses."""
        script = self.script(requests, [], offer=offer, take=take)
        script.words = {**script.words, **(words or {})}
        return self.record(script, seed=self.play_seed(), played=len(requests))

    def wrong(self, requests: Sequence[Request], record: SectorRecord, slots: Mapping[int, Slot]) -> str | None:
        """The first difference of a record from what requests under these slots must give, or None."""
        if record.violation is not None:
            return f"{record.violation}, cycle {record.violation_cycle}."
        faults = [self.fault_of(request, slots) for request in requests]
        expected = [self.behaviour.fault(cause) for cause in faults if cause]
        seen = [value for _, value in record.faults]
        if seen != expected:
            return f"Faults are {seen[:8]}, must be {expected[:8]}, the first of {len(seen)} and of {len(expected)}."
        if record.errors is not None and record.errors != [cause is not None for cause in faults]:
            return f"Packets with error flags are {record.errors[:8]} for the faults {faults[:8]}."
        changes = record.words.levels.get("fault_tag", [])
        tags = [record.script.tags[n].tobytes() for n, cause in enumerate(faults) if cause]
        for (cycle, _), tag in zip(record.faults, tags, strict=True):
            if (seen := level(changes, cycle)) != int.from_bytes(tag, "little"):
                return f"fault_tag is {seen:#x} in cycle {cycle}, must be {tag[::-1].hex()}."
        kept = [(n, request) for n, (request, cause) in enumerate(zip(requests, faults, strict=True)) if not cause]
        return self._output(kept, record, slots)

    def _output(
        self, kept: Sequence[tuple[int, Request]], record: SectorRecord, slots: Mapping[int, Slot]
    ) -> str | None:
        answers: dict[int, bytes] = {}
        for slot in {request.slot for _, request in kept}:
            numbers = [(n, request) for n, request in kept if request.slot == slot]
            right = self.pool.answers(slots[slot].key, [request for _, request in numbers])
            answers |= zip((n for n, _ in numbers), right, strict=True)
        left = list(self.left(record))
        if len(left) != len(kept):
            return f"{len(left)} sectors left, must be {len(kept)}."
        for (n, request), (sector, tags) in zip(kept, left, strict=True):
            if tags != {record.script.tags[n].tobytes()}:
                return f"Sector {n} leaves with another tag than its own."
            if sector != answers[n]:
                return (
                    f"Sector {n} of {len(request.data)} bytes, in slot {request.slot}, is wrong: {sector[:16].hex()} .."
                )
        return None

    @staticmethod
    def left(record: SectorRecord) -> Iterator[tuple[bytes, set[bytes]]]:
        """The sectors that left, by last beats, each with the tags of the beats."""
        sector, tags = b"", set[bytes]()
        beats = zip(record.out, record.out_tags, record.out_last.tolist(), record.out_bytes.tolist(), strict=True)
        for beat, tag, last, size in beats:
            sector += bytes(beat[:size])
            tags.add(tag.tobytes())
            if last:
                yield sector, tags
                sector, tags = b"", set[bytes]()

    def fault_of(self, request: Request, slots: Mapping[int, Slot]) -> Cause | None:
        """The cause for which a request of a right length is dropped, or None."""
        slot = slots.get(request.slot)
        return Cause.SLOT if slot is None else Cause.FORBIDDEN if slot.refuses(request) else None

    def in_slots(self, requests: Sequence[Request], slots: Sequence[int]) -> list[Request]:
        """The requests under random ``slots``."""
        return [replace(request, slot=int(self.rng.choice(slots))) for request in requests]
