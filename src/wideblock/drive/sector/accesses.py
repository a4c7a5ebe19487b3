# SPDX-License-Identifier: Apache-2.0
"""Reads and writes of an engine's buses in a script, each at a cycle of its own, and their results."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wideblock.drive.sector.engine import EngineSimulation
from wideblock.simulation.script import Record, Words

__all__ = ["BusAccess", "Answer", "access_words", "answers"]


@dataclass(frozen=True)
class BusAccess:
    """A write of ``value``, or a read where ``value`` is None, from cycle ``cycle`` on.

    space:  name of the register map
    offset: byte address
    strobe: byte lanes of a write
    word:   cycles from the address to the word of a write
    """

    cycle: int
    space: str
    offset: int
    value: int | None = None
    strobe: int = 15
    word: int = 0


@dataclass(frozen=True)
class Answer:
    """Result of an access: the cycle in which a write takes effect or a read samples, the response, the word read."""

    access: BusAccess
    cycle: int
    response: int
    word: int


def access_words(core: EngineSimulation, accesses: Sequence[BusAccess]) -> tuple[dict[str, Words], dict[str, int]]:
    """Words of the accesses by channel, and the number of responses by channel. Accesses of a channel keep order."""
    words: dict[str, Words] = {}
    wanted: dict[str, int] = {}
    for space in core.maps:
        aw, w, b, ar, r = core.channels(space, "aw", "w", "b", "ar", "r")
        writes, reads = _split(accesses, space)
        words[aw], words[w], words[ar] = (
            core.simulation.words(n, len(a)) for n, a in ((aw, writes), (w, writes), (ar, reads))
        )
        _fill(words[aw], "addr", [a.offset for a in writes], [a.cycle for a in writes])
        _fill(words[w], "data", [a.value or 0 for a in writes], [a.cycle + a.word for a in writes])
        words[w]["strb"] = [a.strobe for a in writes]
        _fill(words[ar], "addr", [a.offset for a in reads], [a.cycle for a in reads])
        wanted[b], wanted[r] = len(writes), len(reads)
    return words, wanted


def answers(core: EngineSimulation, accesses: Sequence[BusAccess], record: Record) -> Iterator[Answer]:
    """Results of the accesses of a record.

    A write takes effect in the cycle after both address and word were accepted, and after the response before was
    accepted. A read samples in the cycle after the address was accepted, and after the response before was accepted.
    """
    for space in core.maps:
        aw, w, b, ar, r = core.channels(space, "aw", "w", "b", "ar", "r")
        writes, reads = _split(accesses, space)
        start = np.maximum(record.accepted[aw], record.accepted[w])
        yield from _answered(writes, start.tolist(), record.words[b])
        yield from _answered(reads, record.accepted[ar].tolist(), record.words[r])


def _answered(accesses: Sequence[BusAccess], starts: Sequence[int], responses: Words) -> Iterator[Answer]:
    before = -1
    words = [0] * len(responses)
    if "data" in (responses.dtype.names or ()) and words:
        words = np.ascontiguousarray(responses["data"]).view("<u4").reshape(-1).tolist()
    for n, (access, start, response) in enumerate(zip(accesses, starts, responses, strict=False)):
        cycle = max(start, before) + 1
        before = int(response["cycle"])
        yield Answer(access, cycle, int(response["resp"]), words[n])


def _split(accesses: Sequence[BusAccess], space: str) -> tuple[list[BusAccess], list[BusAccess]]:
    """Writes and reads of a map."""
    here = [access for access in accesses if access.space == space]
    return [a for a in here if a.value is not None], [a for a in here if a.value is None]


def _fill(words: Any, field: str, values: Sequence[int], cycles: Sequence[int]) -> None:
    """Gives each word a value and the first cycle of a possible valid."""
    room = words[field]
    size = 1 if room.ndim == 1 else room.shape[1]
    data = np.array(values, "<u8").reshape(-1, 1).view(np.uint8)[:, :size]
    words[field] = data if room.ndim > 1 else data[:, 0]
    words["earliest"] = cycles
