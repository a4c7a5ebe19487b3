# SPDX-License-Identifier: Apache-2.0
"""Sectors, keys and events as words of a sector core's channels, and a record of words as one of sectors."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wideblock.export.contract import Contract
from wideblock.simulation.ports import Ports
from wideblock.simulation.script import NEVER, RESET, Script, Words
from wideblock.simulation.script import Event as ControlEvent
from wideblock.simulation.script import Record as WordRecord
from wideblock.simulation.structures import Outcome
from wideblock.verify.sector.shape import shape
from wideblock.verify.sector.stimulus import Bytes, Cycles, Event, Key, Record, Reset, Stimulus

__all__ = ["Encoding"]


class Encoding:
    """Translation between sectors and the words of ``core``'s channels."""

    def __init__(self, core: Contract, ports: Ports):
        self.core, self.shape = core, shape(core)
        self._in, self._out, self._key = ports.inputs["i"], ports.outputs["o"], ports.inputs["key"]

    def stimulus(
        self,
        sectors: Sequence[bytes] | Bytes,
        tweaks: Sequence[bytes] | Bytes,
        decrypt: bool | Sequence[bool] | Bytes,
        *,
        stated: Sequence[int | None] | None = None,
        **more: Any,
    ) -> Stimulus:
        """A stimulus of sectors, some of them perhaps too short or too long; ``more`` are its other fields.

        sectors: rows of bytes, or an array (n, bytes); where the core has no ``keep``, whole beats
        tweaks:  as many, each of the core's ``tweak_bytes``, or of any number where a sector states it
        decrypt: one for all, or as many
        stated:  bytes that each sector states to have, or None for as many as it has
        """
        counts, tails = self._sizes([len(sector) for sector in sectors])
        if len(tweaks) != len(counts):
            raise ValueError(f"every sector needs one tweak, got {len(counts)} sectors and {len(tweaks)} tweaks")
        directions = np.broadcast_to(np.asarray(decrypt, np.uint8), len(counts))
        own = (counts - 1) * self.shape.beat_bytes + tails
        sizes = own if stated is None else np.array([a if b is None else b for a, b in zip(own, stated, strict=True)])
        room, tweak_sizes = self._tweaks(tweaks)
        return Stimulus(self._beats(sectors), counts, tails, room, directions, sizes, tweak_sizes, **more)

    def _tweaks(self, tweaks: Sequence[bytes] | Bytes) -> tuple[Bytes, Cycles]:
        """Tweaks as the ports have them, (tweaks, tweak_room), and the size of each.

        Where a sector states that size, the bytes behind it are ones, which must not count.
        """
        room, sized = self.shape.tweak_room, self.shape.most_stated
        sizes = np.array([len(tweak) for tweak in tweaks], np.int64)
        if not sized and len(wrong := sizes[sizes != room]):
            raise ValueError(f"a tweak must be {room} bytes, got {wrong[0]}")
        if isinstance(tweaks, np.ndarray) and tweaks.shape[1] == room:
            return tweaks, sizes
        data = b"".join(bytes(tweak)[:room].ljust(room, b"\xff") for tweak in tweaks)
        return np.frombuffer(data, np.uint8).reshape(len(tweaks), room), sizes

    def _sizes(self, sizes: Sequence[int]) -> tuple[Cycles, Cycles]:
        """Beats of each sector, and bytes of its last one."""
        beat = self.shape.beat_bytes
        for size in sizes:
            if self.shape.partial and not size:
                raise ValueError("a unit must have at least one byte, got none")
            if not self.shape.partial and (not size or size % beat):
                raise ValueError(f"a sector must be whole beats of {beat} bytes, got {size} bytes")
        lengths = np.array(sizes, np.int64)
        return -(-lengths // beat), (lengths - 1) % beat + 1

    def _beats(self, sectors: Sequence[bytes] | Bytes) -> Bytes:
        """All sectors, each padded to whole beats, (beats, beat_bytes)."""
        beat = self.shape.beat_bytes
        if isinstance(sectors, np.ndarray):
            padded = np.pad(sectors, ((0, 0), (0, -sectors.shape[1] % beat))) if sectors.shape[1] % beat else sectors
            return np.ascontiguousarray(padded, np.uint8).reshape(-1, beat)
        data = b"".join(bytes(sector) + bytes(-len(sector) % beat) for sector in sectors)
        return np.frombuffer(data, np.uint8).reshape(-1, beat)

    def script(self, stimulus: Stimulus, capacity: int) -> Script:
        """The stimulus in words. Raises ValueError for a key of a wrong length."""
        words, keys = self._sector_words(stimulus), self._key_words(stimulus)
        starts, (key_starts, key_ends) = stimulus.starts, self._key_places(stimulus)
        for n, key in enumerate(stimulus.keys):
            if key.before is None:
                continue
            first = int(starts[key.before])
            keys["after_channel"][key_starts[n]], keys["after_word"][key_starts[n]] = self._in.number, first
            words["after_channel"][first], words["after_word"][first] = self._key.number, key_ends[n]
        return Script(
            {"i": words, "key": keys},
            [_event(event) for event in stimulus.events],
            {"o": stimulus.take},
            {"o": stimulus.want},
            capacity,
            stimulus.noise,
            stimulus.quiet,
            stimulus.patience,
            NEVER if stimulus.limit is None else stimulus.limit,
            stimulus.consumed,
        )

    def _sector_words(self, stimulus: Stimulus) -> Words:
        starts, ends = stimulus.starts, stimulus.ends
        words = self._in.words(len(stimulus.beats))
        words["data"], words["chance"], words["start"] = stimulus.beats, stimulus.offer, 0
        words["start"][starts] = words["last"][ends - 1] = 1
        words["decrypt"][starts] = stimulus.decrypt
        if self.shape.tweak_room:
            words["tweak"][starts] = stimulus.tweaks
        if self.shape.most_stated:
            words["tweak_size"][starts] = stimulus.tweak_sizes
            words["size"][starts] = stimulus.sizes.astype("<u2").view(np.uint8).reshape(-1, 2)
        if self.shape.partial:
            whole = np.ones(self.shape.beat_bytes, bool)
            words["keep"] = np.packbits(whole, bitorder="little")
            kept = np.arange(self.shape.beat_bytes) < stimulus.tails[:, None]
            words["keep"][ends - 1] = np.packbits(kept, axis=1, bitorder="little")
            size = self.shape.beat_bytes // 8
            for start, keeps in zip(starts.tolist(), stimulus.keeps, strict=False):
                packed = b"".join(keep.to_bytes(size, "little") for keep in keeps)
                words["keep"][start : start + len(keeps)] = np.frombuffer(packed, np.uint8).reshape(-1, size)
        if stimulus.noise:
            words["noise"] = np.where(words["start"], 0, self._in.unread)
        return words

    def _key_places(self, stimulus: Stimulus) -> tuple[Cycles, Cycles]:
        """Number of each key's first word and of the word after its last, (keys,)."""
        ends = np.cumsum([self._key_size(key) for key in stimulus.keys], dtype=np.int64)
        return np.concatenate([np.zeros(1, np.int64), ends[:-1]])[: len(ends)], ends

    def _key_size(self, key: Key) -> int:
        """Words of a key. Raises ValueError."""
        size, words = self.shape.key_bytes, self.shape.key_words
        if words == 1 and len(key.key) != size:
            raise ValueError(f"key must be {size} bytes, got {len(key.key)}")
        if not key.key or len(key.key) % (size // words):
            raise ValueError(f"key must be whole words of {size // words} bytes, got {len(key.key)} bytes")
        return len(key.key) * words // size

    def _key_words(self, stimulus: Stimulus) -> Words:
        """The words of all keys. Those of a key after its first have gaps between, as the beats of sectors do."""
        starts, ends = self._key_places(stimulus)
        words = self._key.words(ends[-1] if len(ends) else 0)
        data = np.frombuffer(b"".join(key.key for key in stimulus.keys), np.uint8)
        words["key"] = data.reshape(len(words), self.shape.key_bytes // self.shape.key_words)
        words["chance"], words["start"] = stimulus.offer, 0
        words["chance"][starts] = words["start"][starts] = 1
        words["earliest"][ends - 1] = [key.last for key in stimulus.keys]
        words["earliest"][starts] = np.maximum(words["earliest"][starts], [key.cycle for key in stimulus.keys])
        if self.shape.key_words > 1:
            words["last"][ends - 1] = 1
        return words

    def record(self, stimulus: Stimulus, words: WordRecord) -> Record:
        """The record of words, of a stimulus, in sectors."""
        accepted, starts, out = words.accepted["i"], stimulus.starts, words.words["o"]
        none = np.zeros(0, np.int64)
        size, runs = self._output_bytes(out)
        key_first, key_taken = self._keys_accepted(stimulus, words.accepted["key"])
        record = Record(
            words.outcome,
            accepted,
            accepted[starts],
            np.maximum.reduceat(accepted, starts) if len(starts) else none,
            np.add.reduceat(accepted >= 0, starts, dtype=np.int64) if len(starts) else none,
            key_first,
            key_taken,
            np.ascontiguousarray(out["data"]),
            np.ascontiguousarray(out["last"]),
            size,
            np.ascontiguousarray(out["cycle"]),
            words.pulses["fault"],
            words.levels["ready"],
            np.array([cycle for cycle, _ in words.pulses["computed"]], np.int64),
            words.cycles,
        )
        if words.violation is not None:
            record.violation, record.violation_cycle = str(words.violation), words.cycles
        if len(broken := np.flatnonzero(~runs)):
            keep = self.core.shell.named("o").port("keep")
            record.outcome, record.violation_cycle = Outcome.VIOLATION, int(record.out_cycle[broken[0]])
            record.violation = f"{keep} is not a run from byte 0, or not full before the last beat"
        return record

    def _keys_accepted(self, stimulus: Stimulus, accepted: Cycles) -> tuple[Cycles, Cycles]:
        """Cycles in which the first and the last word of each key was accepted."""
        starts, ends = self._key_places(stimulus)
        first, last = accepted[starts], accepted[ends - 1].copy()
        for event in stimulus.events:
            last[(first <= event.cycle) & (event.cycle < last)] = -1
        return first, last

    def _output_bytes(self, out: Words) -> tuple[Cycles, np.ndarray]:
        """Bytes of each output beat that count, and whether its ``keep`` keeps the rules."""
        beat = self.shape.beat_bytes
        if not self.shape.partial:
            return np.full(len(out), beat, np.int64), np.ones(len(out), bool)
        bits = np.unpackbits(np.ascontiguousarray(out["keep"]), axis=1, bitorder="little")[:, :beat].astype(np.int8)
        size = bits.sum(axis=1, dtype=np.int64)
        run = (np.diff(bits, axis=1) <= 0).all(axis=1)
        return size, run & (size >= np.where(out["last"], 1, beat))


def _event(event: Event) -> ControlEvent:
    control = RESET if isinstance(event, Reset) else "zeroize"
    return ControlEvent(control, event.cycle, event.length, clears=True)
