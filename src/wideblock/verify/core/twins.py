# SPDX-License-Identifier: Apache-2.0
"""Plays in pairs, of one stimulus under two sets of secrets: what the outputs show of them, valid or not.

A secret is on a port if both plays show their values of the secret at an equal place: four bytes of it, from any byte
of the port on. A chance hit is one of 2^64. Every output without data must be equal in both plays.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideblock.simulation.ports import Ports
from wideblock.simulation.script import NEVER, RESET, Record, ScriptEvent, Words

__all__ = ["Play", "Secret", "Twins"]

Bytes = NDArray[np.uint8]

BESIDE = ("icv",)
"""Fields of an output channel with contents beside its data."""

WORD = 4
"""Bytes of a secret that are searched for."""

_PLAY = 1 << 40  # cycles of a play at most: time goes on from play to play
_NAMED = 6  # names of secrets in a report
_BITS_REVERSED = np.packbits(np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little"), axis=1)
_ORDERS = ("", " in the opposite order of bytes", " with the bits of each byte reversed", " with its bits reversed")


@dataclass(frozen=True)
class Secret:
    """A value that no port may show; ``until``: the cycle of the play from which on the value may be a result."""

    name: str
    value: bytes
    until: int = NEVER


@dataclass(frozen=True)
class Play:
    """One of the two plays: the record, and the secrets, with names and lengths as in the twin."""

    record: Record
    secrets: Sequence[Secret]


class Twins:
    """Pairs of plays of a core whose output channels have their data in field ``data``."""

    def __init__(self, ports: Ports, data: str):
        self._ports, self._data = ports, data
        self._names: list[str] = []
        self._until: list[int] = []
        self._values: tuple[list[bytes], list[bytes]] = [], []
        self._about: list[tuple[str, Sequence[ScriptEvent]]] = []
        self._states: dict[str, list[_States]] = {name: [] for name in ports.outputs}
        self.failing = 0  # number of the pair with the first difference

    @property
    def plays(self) -> int:
        """Pairs so far."""
        return len(self._about)

    def add(self, plays: tuple[Play, Play], about: str, events: Sequence[ScriptEvent] = ()) -> str | None:
        """Adds a pair. Returns the first difference of outputs that carry no data, in a sentence, or None.

        about: the play, in words      events: in order, for reports
        """
        one, other = (play.record for play in plays)
        start, number = ScriptEvent("the start", 0), len(self._about)
        self._about.append((about, [start, *events]))
        self._names += [secret.name for secret in plays[0].secrets]
        self._until += [number * _PLAY + secret.until if secret.until < NEVER else NEVER for secret in plays[0].secrets]
        for values, play in zip(self._values, plays, strict=True):
            values += [secret.value for secret in play.secrets]
        for name in self._ports.outputs:
            self._states[name].append(_States.of(one.shown[name], other.shown[name], self._data, number))
        if difference := self._control(one, other):
            self.failing = number
            return f"{difference}: it depends on secrets. {about}."
        return None

    def _control(self, one: Record, other: Record) -> str | None:
        """The first difference of outputs that carry no data."""
        for name, channel in self._ports.outputs.items():
            a, b, cycles = _aligned(one.shown[name], other.shown[name])
            for field in channel.shown.names or ():
                if field in ("cycle", self._data, *BESIDE):
                    continue
                differs = (a[field] != b[field]).reshape(len(cycles), -1).any(axis=1)
                if differs.any():
                    port = channel.stream.valid if field == "valid" else channel.stream.port(field)
                    return f"{port} differs under other secrets in cycle {cycles[differs][0]}"
        for kind in ("levels", "pulses"):
            for name, log in getattr(one, kind).items():
                for change in sorted({*log} ^ {*getattr(other, kind)[name]})[:1]:
                    return f"{name} differs under other secrets in cycle {change[0]}"
        for name, cycles in one.accepted.items():
            differs = cycles != other.accepted[name]
            if differs.any():
                ready = self._ports.inputs[name].stream.ready
                return f"{ready} differs under other secrets, at word {np.flatnonzero(differs)[0]}"
        return None

    def found(self) -> str | None:
        """The first secret on a port, in a paragraph, or None."""
        table = _Table(*self._values)
        until = np.array(self._until, np.int64)
        for name, channel in self._ports.outputs.items():
            states = _States.joined(self._states[name])
            hits = [
                np.column_stack([states.time[rows], np.full(len(rows), at), rows, found])
                for at, rows, found in table.search(states)
            ]
            every = np.concatenate([np.zeros((0, 4), np.int64), *hits])
            every = every[every[:, 0] < until[table.owner[every[:, 3]]]]
            if len(every):
                every = every[np.lexsort((every[:, 1], every[:, 0]))]
                return self._explain(channel.stream, states, table, every)
        return None

    def _explain(self, stream: Any, states: "_States", table: "_Table", hits: NDArray[np.int64]) -> str:
        """A paragraph on ``hits``: time, byte of the port, row of ``states``, row of ``table``."""
        time, at, row, found = map(int, hits[0])
        self.failing, cycle = divmod(time, _PLAY)
        about, events = self._about[self.failing]
        event = [event for event in events if event.cycle <= cycle][-1]
        valid = f"{stream.valid} {'high' if states.valid[row] else 'low'}"
        owners = table.owner[hits[:, 3]]
        names = list(dict.fromkeys(self._names[owner] for owner in owners.tolist()))
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        plays = len(np.unique(hits[:, 0] // _PLAY))
        late = cycle - event.cycle
        name = "a reset" if event.control == RESET else event.control
        since = f"{late} {'cycle' if late == 1 else 'cycles'} after {name}"
        return (
            f"{stream.port(self._data)} shows {self._names[owners[0]]}{_ORDERS[table.order[found]]} in cycle {cycle}, "
            f"{since}, {valid}: bytes {at} to {at + WORD - 1} are "
            f"{states.data[0][row, at : at + WORD].tobytes().hex()}, and under other secrets theirs. {about}. "
            f"In {plays} of {self.plays} pairs of plays a secret is shown: {', '.join(names[:_NAMED])}{more}."
        )

    def __str__(self) -> str:
        states = sum(len(each.time) for each in sum(self._states.values(), []))
        return f"{len(self._names)} secrets, on none of {states} states of outputs"


@dataclass(frozen=True)
class _States:
    """States of an output channel in both plays: the time of each, whether valid, and the data (states, bytes)."""

    time: NDArray[np.int64]
    valid: Bytes
    data: tuple[Bytes, Bytes]

    @classmethod
    def of(cls, one: Words, other: Words, field: str, play: int) -> "_States":
        a, b, cycles = _aligned(one, other)
        fields = [field, *(name for name in BESIDE if name in (a.dtype.names or ()))]
        one_, other_ = (np.hstack([_bytes(each[name]) for name in fields]) for each in (a, b))
        return cls(cycles + play * _PLAY, a["valid"], (one_, other_))

    @classmethod
    def joined(cls, parts: "Sequence[_States]") -> "_States":
        one, other = (np.concatenate([part.data[n] for part in parts]) for n in range(2))
        return cls(
            np.concatenate([part.time for part in parts]), np.concatenate([part.valid for part in parts]), (one, other)
        )


class _Table:
    """Words of secrets in both plays, in four orders of bits. The four readings of a block are among them.

    owner, order: of each row, the number of its secret, and of :data:`_ORDERS`
    """

    def __init__(self, one: list[bytes], other: list[bytes]):
        (a, owner), (b, _) = _words(one), _words(other)
        differs = (a != b).any(axis=1)  # what is the same under all secrets is none
        a, b, owner = a[differs], b[differs], owner[differs]
        pairs = np.concatenate([_pairs(x, y) for x, y in zip(_orders(a), _orders(b), strict=True)])
        self._pairs, first = np.unique(pairs, return_index=True)
        self.owner, self.order = np.tile(owner, len(_ORDERS))[first], (first // max(1, len(owner)))

    def search(self, states: _States) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int64]]]:
        """For each byte of the port, the states with a word that begins at the byte, and the rows of the words."""
        if not len(self._pairs):
            return
        one, other = states.data
        for at in range(one.shape[1] - WORD + 1):
            shown = _pairs(one[:, at : at + WORD], other[:, at : at + WORD])
            place = np.minimum(np.searchsorted(self._pairs, shown), len(self._pairs) - 1)
            rows = np.flatnonzero(self._pairs[place] == shown)
            yield at, rows, place[rows]


def _words(values: list[bytes]) -> tuple[Bytes, NDArray[np.int64]]:
    """The words of all long enough values, and the number of each word's value, in order.

    Words begin at each fourth byte; the last word ends with the value.
    """
    sizes = np.array([len(value) for value in values], np.int64)
    words, owners = [np.zeros((0, WORD), np.uint8)], [np.zeros(0, np.int64)]
    for size in np.unique(sizes[sizes >= WORD]).tolist():
        mine = np.flatnonzero(sizes == size)
        data = np.frombuffer(b"".join(values[n] for n in mine.tolist()), np.uint8).reshape(len(mine), size)
        for at in sorted({*range(0, size - WORD + 1, WORD), size - WORD}):
            words.append(data[:, at : at + WORD])
            owners.append(mine)
    owner = np.concatenate(owners)
    order = np.argsort(owner, kind="stable")
    return np.concatenate(words)[order], owner[order]


def _orders(words: Bytes) -> Iterator[Bytes]:
    """The words in each of the orders."""
    reversed_bits = _BITS_REVERSED[words, 0]
    return iter((words, words[:, ::-1], reversed_bits, reversed_bits[:, ::-1]))


def _pairs(one: Bytes, other: Bytes) -> NDArray[np.uint64]:
    """The words of both plays, as one number a pair."""
    pairs = np.concatenate([one, other], axis=1)
    return np.ascontiguousarray(pairs).view(np.uint64)[:, 0]


def _aligned(one: Words, other: Words) -> tuple[Words, Words, NDArray[np.int64]]:
    """The states of two plays in each cycle with a change of either state."""
    cycles = np.union1d(one["cycle"], other["cycle"])
    a, b = (each[np.searchsorted(each["cycle"], cycles, "right") - 1] for each in (one, other))
    return a, b, cycles


def _bytes(field: Any) -> Bytes:
    """A field of states, (states, bytes)."""
    return np.ascontiguousarray(field).reshape(len(field), -1)
