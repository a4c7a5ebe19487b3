# SPDX-License-Identifier: Apache-2.0
"""Output beats beside the right ones, and the first difference in words."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from wideblock.drive.sector.shape import SectorCore
from wideblock.drive.sector.traffic import Cycles, Request, SectorRecord
from wideblock.rtl.stream.behaviour import Output
from wideblock.spec.values import Values

__all__ = ["Answers", "compare", "direction", "explain"]


class Answers:
    """The answers of sectors ``numbers``, one after another, in beats of ``size`` bytes; ``icv_bytes`` are behind each.

    values: from a key and a request, the specification's intermediate values
    """

    def __init__(
        self,
        numbers: list[int],
        answers: dict[int, bytes],
        size: int,
        values: Callable[[bytes, Request], Values] = lambda key, request: iter(()),
        icv_bytes: int = 0,
    ):
        self.values = values
        self.numbers = numbers = [n for n in numbers if answers[n]]  # a forged sector has none
        self.icvs = [answers[n][len(answers[n]) - icv_bytes :] for n in numbers]
        self.answers = [answers[n][: len(answers[n]) - icv_bytes] for n in numbers]
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
        """Place of the sector that the beat belongs to."""
        return int(np.searchsorted(self.ends, beat, side="right"))

    def number(self, beat: int) -> int:
        return self.numbers[self.place(beat)]


def compare(
    subject: SectorCore,
    record: SectorRecord,
    these: Cycles,
    right: Answers,
    requests: Sequence[Request],
    keys: dict[int, bytes],
    epoch: str,
) -> str | None:
    """The first difference of output beats ``these`` from the right ones, or None; some may be missing in the end.

    keys:  of each sector      epoch: the event before, in words
    """
    size = record.out.shape[1]
    got = np.where(np.arange(size) < record.out_bytes[these][:, None], record.out[these], 0)
    n = min(len(got), len(right.beats))
    if early := _early(subject, record, these[:n], right, epoch):
        return early
    wrong = np.flatnonzero((got[:n] != right.beats[:n]).any(axis=1))
    first_wrong = int(wrong[0]) if len(wrong) else n
    if framing := _framing(subject, record, these[:n], right, first_wrong):
        return framing
    numbers = np.array(right.numbers, np.int64)[np.searchsorted(right.ends, np.arange(n), side="right")]
    tags, asked = record.out_tags[these[:n]], record.script.tags[numbers]
    if len(other := np.flatnonzero((tags != asked).any(axis=1))) and other[0] <= first_wrong:
        beat = int(other[0])
        return (
            f"The tag of a beat of sector {numbers[beat]} is {tags[beat][::-1].tobytes().hex()}, right is "
            f"{asked[beat][::-1].tobytes().hex()} (cycle {int(record.out_cycle[these[beat]])})."
        )
    icvs = np.frombuffer(b"".join(right.icvs), np.uint8).reshape(len(right.icvs), record.out_icvs.shape[1])
    icvs = icvs[np.searchsorted(right.ends, np.arange(n), side="right")]
    shown = record.out_icvs[these[:n]]
    if len(other := np.flatnonzero((shown != icvs).any(axis=1))) and other[0] <= first_wrong:
        beat = int(other[0])
        return (
            f"The integrity check value beside a beat of sector {numbers[beat]} is {shown[beat].tobytes().hex()}, "
            f"right is {icvs[beat].tobytes().hex()} (cycle {int(record.out_cycle[these[beat]])})."
        )
    if first_wrong < n:
        place, cycle = right.place(first_wrong), int(record.out_cycle[these[first_wrong]])
        number, answer = right.numbers[place], right.answers[place]
        left = got[right.starts[place] : right.ends[place]].tobytes()[: len(answer)]
        values = right.values(keys[number], requests[number])
        return explain(number, requests[number], keys[number], answer, left, cycle, values)
    if len(got) > len(right.beats):
        return (
            f"A beat leaves in cycle {int(record.out_cycle[these[len(right.beats)]])} that no sector accounts for: "
            f"{epoch}, {len(right.numbers)} whole sectors were taken since, and all of them have left."
        )
    return None


def _early(subject: SectorCore, record: SectorRecord, these: Cycles, right: Answers, epoch: str) -> str | None:
    """A sector that leaves before the core has the needed input."""
    cut_through = subject.behaviour.output is Output.CUT_THROUGH
    for place, start in enumerate(right.starts[right.starts < len(these)].tolist()):
        number, cycle = right.numbers[place], int(record.out_cycle[these[start]])
        taken = int((record.first_in if cut_through else record.last_in)[number])
        if cycle <= taken:
            return (
                f"A beat leaves in cycle {cycle}, but the next sector to leave, {number}, is "
                f"{'begun' if cut_through else 'taken whole'} only in cycle {taken}: {epoch}."
            )
    return None


def _framing(subject: SectorCore, record: SectorRecord, these: Cycles, right: Answers, wrong: int) -> str | None:
    """A wrong end of a sector, if it comes before beat ``wrong``, the first of wrong data."""
    n = len(these)
    lasts = np.flatnonzero(record.out_last[these] != right.last[:n])
    tails = np.flatnonzero(record.out_bytes[these] != right.bytes[:n])
    if len(lasts) and lasts[0] < wrong:
        place, cycle = right.place(lasts[0]), int(record.out_cycle[these[lasts[0]]])
        start, end = int(right.starts[place]), int(right.ends[place])
        level = "high" if record.out_last[these[lasts[0]]] else "low"
        return (
            f"{subject.shell.named('o').port('last')} is {level} on beat {lasts[0] - start} of "
            f"sector {right.numbers[place]}, which has {end - start} (cycle {cycle})."
        )
    if len(tails) and tails[0] <= wrong:
        beat, cycle = int(tails[0]), int(record.out_cycle[these[tails[0]]])
        keep = subject.shell.named("o").port("keep")
        return (
            f"{keep} has {int(record.out_bytes[these[beat]])} bytes in the last beat of sector "
            f"{right.number(beat)}, right are {int(right.bytes[beat])} (cycle {cycle})."
        )
    return None


def direction(request: Request) -> str:
    """ "encrypted" or "decrypted" """
    return "decrypted" if request.decrypt else "encrypted"


def explain(
    number: int,
    request: Request,
    key: bytes,
    right: bytes,
    got: bytes,
    cycle: int,
    values: Iterable[tuple[str, bytes]] = (),
) -> str:
    """The first wrong byte with its surroundings, and the specification's ``values`` on the way."""
    named = ", ".join(f"{name} {value.hex()}" for name, value in values)
    pairs = [a != b for a, b in zip(right, got, strict=False)]
    offset = pairs.index(True)
    start = offset // 16 * 16
    span = slice(start, start + 16)
    return (
        f"Sector {number} (tweak {request.tweak.hex() or 'none'}, {direction(request)}, key {key.hex()}) differs from "
        f"the specification in {sum(pairs)} of {len(right)} bytes, first at byte {offset} (cycle {cycle}). "
        f"Bytes {start} to {start + 15}: expected {right[span].hex()}, got {got[span].hex()}, "
        f"from {request.data[span].hex()}.{f' Right values on the way: {named}.' if named else ''}"
    )
