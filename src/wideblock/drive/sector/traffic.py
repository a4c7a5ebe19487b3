# SPDX-License-Identifier: Apache-2.0
"""Sectors and keys of a sector core, scripts, and records in equal terms."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from wideblock.simulation.script import Cycles, Record, Script, Words
from wideblock.simulation.structures import PlayOutcome
from wideblock.spec.values import Values

__all__ = ["Bytes", "KeyedCipher", "Cycles", "Key", "Request", "SectorRecord", "SectorScript", "Specification"]
__all__ += ["answered_in_error", "results"]

Bytes = NDArray[np.uint8]


class KeyedCipher(Protocol):
    """Both directions of a scheme under one key."""

    def encrypt(self, tweak: bytes, sector: bytes) -> bytes: ...
    def decrypt(self, tweak: bytes, sector: bytes) -> bytes: ...


class Specification(KeyedCipher, Protocol):
    """A scheme under one key.

    key_values:   secret values that the key alone determines, for sectors of ``blocks`` blocks; with each word of the
                  key port and each derived word, in blocks of 16 bytes
    tweak_values: values determined by key and tweak, of 16 bytes each
    """

    def key_values(self, blocks: int) -> Values: ...
    def tweak_values(self, tweak: bytes, blocks: int) -> Values: ...


@dataclass(frozen=True)
class Request:
    """A sector as sent, of any length that the ports can carry.

    stated: stated bytes, where the sector states any; None: the true size
    keep:   of each beat, where that does not follow from the length; ``data`` are then the whole beats
    slot:   of its key, for a core with slots
    icv:    integrity check value, for a core that seals; to encrypt, it does not matter
    """

    data: bytes
    tweak: bytes
    decrypt: bool
    stated: int | None = None
    keep: tuple[int, ...] = ()
    slot: int = 0
    icv: bytes = b""

    @property
    def given(self) -> bytes:
        """The sector as a specification takes it: to decrypt, with the ICV behind."""
        return self.data + self.icv if self.decrypt else self.data

    @property
    def size(self) -> int:
        """Bytes that the core must take as the size."""
        return len(self.data) if self.stated is None else self.stated


@dataclass(frozen=True)
class Key:
    """A key, valid from ``cycle`` on; sector ``before``, if given, is not sent until the key is accepted.

    Where a key has several words, ``key`` may have too few or too many. ``last``: the last one is valid from then on.
    ``slot`` is that of the key, for a core with slots; ``evict``: the key there ends, and ``key`` does not matter.
    """

    key: bytes
    before: int | None = None
    cycle: int = 0
    last: int = 0
    slot: int = 0
    evict: bool = False


@dataclass(kw_only=True)
class SectorScript(Script):
    """A script of sectors and keys, in the words of their channels.

    counts:   (sectors,) beats of each sector
    tails:    (sectors,) bytes of each sector's last beat
    places:   (beats,) number of each beat among the words of ``i``, where words with requests may come between
    heads:    (sectors,) number of the first word of a request, or of the first beat without such words
    tags:     (sectors, tag_bytes) tag of each sector
    keys:     in order
    key_ends: (keys,) number of the word after each key's last
    """

    counts: Cycles
    tails: Cycles
    places: Cycles
    heads: Cycles
    tags: Bytes
    keys: Sequence[Key]
    key_ends: Cycles

    @property
    def ends(self) -> Cycles:
        """(sectors,) number of the beat after each sector's last."""
        return np.cumsum(self.counts)

    @property
    def starts(self) -> Cycles:
        """(sectors,) number of each sector's first beat."""
        return self.ends - self.counts

    @property
    def key_starts(self) -> Cycles:
        """(keys,) number of each key's first word."""
        return np.concatenate([np.zeros(1, np.int64), self.key_ends])[:-1]

    @property
    def beats(self) -> int:
        """Beats of all sectors."""
        return len(self.places)


def results(out: Words) -> Words:
    """The words of ``o`` that are of a result, without the words with an error flag."""
    return out[out["error"] == 0] if "error" in (out.dtype.names or ()) else out


def answered_in_error(out: Words) -> list[bool] | None:
    """Whether each packet of ``o`` has the error flag in the last word; None for a core without error beats."""
    return (out["error"][out["last"] == 1] == 1).tolist() if "error" in (out.dtype.names or ()) else None


class SectorRecord:
    """Record of a script in sectors; cycles count from its start, -1 where nothing happened.

    words: source of the record
    beats_in: (beats,) each input beat
    first_in, last_in, taken_in: (sectors,) first and last beat accepted of each sector, and how many; an event between
                                 request and first beat ends the sector; the sector then began with the request
    within: part of a sector in which the source is at the end: 0 none, 1 the request, 2 the beats
    key_first, key_taken: (keys,) first and last word accepted of each key; no last beat if an event cut the sector off
    out, out_last, out_bytes, out_cycle: each output beat, and how many bytes of it count
    out_tags: (output beats, tag_bytes)
    out_icvs: (output beats, icv_bytes)
    errors:  of each packet that left, whether it has an error flag; its last beat is then no output beat here
    forged:  cycle of each pulse, for a core that seals
    faults, ready: (cycle, cause) of each pulse, (cycle, value) in the first cycle and at each change
    computed: each pulse
    violation, violation_cycle: the first broken rule of the output stream, if one was
    """

    def __init__(self, script: SectorScript, words: Record, keep: str = ""):
        """``keep``: name of the port that has the byte qualifiers of output beats; empty where there is none."""
        self.script, self.words, self.outcome, self.cycles = script, words, words.outcome, words.cycles
        self.beats_in = accepted = words.accepted["i"][script.places]
        starts = script.starts
        self.first_in, begun = accepted[starts], words.accepted["i"][script.heads]
        waits = (begun >= 0) & (self.first_in < 0)
        for event in script.events:
            ended = (begun >= 0) & (begun <= event.cycle) & (event.cycle < self.first_in)
            self.first_in[ended] = begun[ended]
        self.last_in = np.maximum.reduceat(accepted, starts) if len(starts) else starts
        self.taken_in = np.add.reduceat(accepted >= 0, starts, dtype=np.int64) if len(starts) else starts
        self.within = 2 if (self.taken_in % script.counts).any() else int(waits.any())
        self.key_first, self.key_taken = self._keys_accepted()
        out, self.errors = results(words.words["o"]), answered_in_error(words.words["o"])
        size = script.tags.shape[1]
        self.out_tags = np.ascontiguousarray(out["tag"] if size else out["data"][:, :0]).reshape(len(out), size)
        self.out_icvs = np.ascontiguousarray(out["icv"]) if "icv" in (out.dtype.names or ()) else out["data"][:, :0]
        self.forged = np.array([cycle for cycle, _ in words.pulses.get("forged", ())], np.int64)
        self.out, self.out_last, self.out_cycle = map(np.ascontiguousarray, (out["data"], out["last"], out["cycle"]))
        self.faults, self.ready = words.pulses["fault"], words.levels["ready"]
        self.computed = np.array([cycle for cycle, _ in words.pulses["computed"]], np.int64)
        self.violation, self.violation_cycle = None, -1
        if words.violation is not None:
            self.violation, self.violation_cycle = str(words.violation), words.cycles
        beat = self.out.shape[1]
        self.out_bytes = np.full(len(out), beat, np.int64)
        if keep:
            bits = np.unpackbits(np.ascontiguousarray(out["keep"]), axis=1, bitorder="little")[:, :beat].astype(np.int8)
            self.out_bytes = bits.sum(axis=1, dtype=np.int64)
            run = (np.diff(bits, axis=1) <= 0).all(axis=1) & (self.out_bytes >= np.where(self.out_last, 1, beat))
            if len(broken := np.flatnonzero(~run)):
                self.outcome, self.violation_cycle = PlayOutcome.VIOLATION, int(self.out_cycle[broken[0]])
                self.violation = f"{keep} is not a run from byte 0, or not full before the last beat"

    def _keys_accepted(self) -> tuple[Cycles, Cycles]:
        """Cycles in which the first and the last word of each key was accepted."""
        accepted = self.words.accepted.get("key", np.zeros(0, np.int64))
        first, last = accepted[self.script.key_starts], accepted[self.script.key_ends - 1].copy()
        for event in self.script.events:
            last[(first <= event.cycle) & (event.cycle < last)] = -1
        return first, last

    @property
    def sectors(self) -> list[Bytes]:
        """A row of bytes for each sector; valid, as are the next two, if all sectors left, each whole."""
        out, script, beat = self.out.reshape(-1), self.script, self.out.shape[1]
        places = zip(script.starts.tolist(), script.ends.tolist(), script.tails.tolist(), strict=True)
        return [out[beat * start : beat * end - beat + tail] for start, end, tail in places]

    @property
    def first_out(self) -> Cycles:
        """(sectors,) first beat out of each."""
        return self.out_cycle[self.script.starts]

    @property
    def last_out(self) -> Cycles:
        """(sectors,) last beat out of each."""
        return self.out_cycle[self.script.ends - 1]
