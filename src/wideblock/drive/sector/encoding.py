# SPDX-License-Identifier: Apache-2.0
"""Sectors and keys as words of a sector core's channels."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wideblock.drive.sector.shape import Shape
from wideblock.drive.sector.traffic import Bytes, Cycles, Key, SectorScript
from wideblock.rtl.stream.interface import Read
from wideblock.simulation.ports import Ports
from wideblock.simulation.script import Words

__all__ = ["Encoding"]

_ODD = np.uint64(0x9E3779B97F4A7C15)
"""Step from a sector's tag to the next one's: near tags differ in every byte."""


class Encoding:
    """Translation of sectors and keys into the words of channels ``ports`` of a core of these sizes."""

    def __init__(self, shape: Shape, ports: Ports):
        self.shape = shape
        self._in, self._key = ports.inputs["i"], ports.inputs.get("key")

    def script(
        self,
        sectors: Sequence[bytes] | Bytes,
        tweaks: Sequence[bytes] | Bytes,
        decrypt: bool | Sequence[bool] | Bytes,
        icvs: Sequence[bytes] | Bytes = (),
        *,
        stated: Sequence[int | None] | None = None,
        keeps: Sequence[tuple[int, ...]] = (),
        slots: int | Sequence[int] = 0,
        keys: Sequence[Key] = (),
        offer: float = 1.0,
        take: float = 1.0,
        want: int = 0,
        noise: bool = False,
        **more: Any,
    ) -> SectorScript:
        """A script of sectors, some of them perhaps too short or too long; ``more`` are other fields of a script.

        sectors: rows of bytes, or an array (n, bytes); where the core has no ``keep``, whole beats
        tweaks:  one a sector, each of the core's ``tweak_bytes``, or of any stated size
        decrypt: a value for all sectors, or a value a sector
        icvs:    a value a sector, for a core that seals; others count as zeros
        stated:  stated bytes of each sector, or None for the true size
        keeps:   ``keep`` of each sector's beats, empty where it follows from the length
        slots:   slot of the key for all sectors, or a slot a sector, for a core with slots
        offer, take: chances in a cycle of a valid word, and of an accepted beat
        want:    output beats without which the call is not done
        noise:   random values on inputs that the core must not read
        Raises ValueError for sectors, tweaks and keys beyond the ports.
        """
        counts, tails = self._sizes([len(sector) for sector in sectors])
        starts = np.cumsum(counts) - counts
        words = self._words(sectors, counts, tails, keeps)
        words["chance"] = offer
        sizes = ((counts - 1) * self.shape.beat_bytes + tails).tolist()
        if stated:
            sizes = [n if given is None else given for n, given in zip(sizes, stated, strict=True)]
        request = self._request(tweaks, sizes, slots, decrypt)
        words, places = self._with_requests(words, request, counts, offer)
        if noise:
            words["noise"] = np.where(words["start"], 0, self._in.unread)
        if self.shape.icv_bytes:
            self._put_icvs(words, icvs, places[starts + counts - 1], noise=noise)
        heads = places[starts] - self._in.stream.channel.header_words
        of_keys, key_ends = self._keys(keys, offer, words, heads, places[starts])
        return SectorScript(
            words={"i": words, **of_keys},
            ready={"o": take},
            wanted={"o": want},
            noise=noise,
            counts=counts,
            tails=tails,
            places=places,
            heads=heads,
            tags=request["tag"],
            keys=keys,
            key_ends=key_ends,
            **{"capacity": 2 * len(words) + 4 * self.shape.beats + 64, "quiet": 16, **more},
        )

    def _words(
        self, sectors: Sequence[bytes] | Bytes, counts: Any, tails: Any, keeps: Sequence[tuple[int, ...]]
    ) -> Any:
        """The beats of the sectors, one after another, with their bounds and ``keep``."""
        ends = np.cumsum(counts)
        starts, size = ends - counts, self.shape.beat_bytes
        words = self._in.words(ends[-1] if len(ends) else 0)
        words["data"], words["start"] = self._beats(sectors), 0
        words["start"][starts] = words["last"][ends - 1] = 1
        if self.shape.partial:
            words["keep"] = 255
            words["keep"][ends - 1] = np.packbits(np.arange(size) < tails[:, None], axis=1, bitorder="little")
            for start, keep in zip(starts.tolist(), keeps, strict=False):
                packed = b"".join(each.to_bytes(size // 8, "little") for each in keep)
                words["keep"][start : start + len(keep)] = np.frombuffer(packed, np.uint8).reshape(-1, size // 8)
        return words

    def _put_icvs(self, words: Words, icvs: Sequence[bytes] | Bytes, ends: Cycles, *, noise: bool) -> None:
        """Puts ICVs beside the last beats. With noise, ICV and tweak have odd values in all beats without a meaning.

        Both share a port, on which the bench puts no noise: each beat has a meaning for either.
        """
        rows = [bytes(icv).ljust(self.shape.icv_bytes, b"\0") for icv in (icvs if len(icvs) else [b""] * len(ends))]
        if noise:
            odd = _bytes((np.arange(len(words), dtype=np.uint64) + 1) * _ODD, 8)
            words["icv"] = np.tile(odd, 2)
            if not self._in.stream.channel.header_words:
                behind = words["start"] == 0
                words["tweak"][behind] = np.tile(odd, self.shape.tweak_room // 8)[behind]
        words["icv"][ends] = np.frombuffer(b"".join(rows), np.uint8).reshape(-1, self.shape.icv_bytes)

    def _request(self, tweaks: Sequence[bytes] | Bytes, sizes: list[int], slots: Any, decrypt: Any) -> dict[str, Bytes]:
        """Fields of the sectors' requests, (sectors, bytes), with a tag for each; only requests of the core's form
        count.
        """
        if len(tweaks) != len(sizes):
            raise ValueError(f"every sector needs one tweak, got {len(sizes)} sectors and {len(tweaks)} tweaks")
        return {
            "tweak": self._tweaks(tweaks),
            "tweak_size": _bytes([len(tweak) for tweak in tweaks], 1),
            "size": _bytes(sizes, 2),
            "slot": _bytes(np.broadcast_to(slots, len(sizes)), 2),
            "decrypt": _bytes(np.broadcast_to(decrypt, len(sizes)), 1),
            "tag": _bytes((np.arange(len(sizes), dtype=np.uint64) + 1) * _ODD, self.shape.tag_bytes),
        }

    def _with_requests(
        self, words: Words, request: dict[str, Bytes], counts: Cycles, offer: float
    ) -> tuple[Words, Cycles]:
        """The words of the channel and the places of the beats ``words`` in it: each sector's request is beside the
        first beat, or in separate words before, with bits of 1 behind the last byte.
        """
        channel, starts = self._in.stream.channel, np.cumsum(counts) - counts
        if not (head := channel.header_words):
            for field in channel.fields:
                if field.read is Read.FIRST:
                    values = request[field.name]
                    words[field.name][starts] = values if values.shape[1] > 1 else values[:, 0]
            return words, np.arange(len(words))
        places = np.arange(len(words)) + head * (1 + np.repeat(np.arange(len(counts)), counts))
        size = self.shape.beat_bytes
        data = np.full((len(counts), head * size), 255, np.uint8)
        for name, (at, width) in channel.places.items():
            data[:, at : at + width] = request[name]
        whole = self._in.words(len(words) + head * len(counts))
        whole[places] = words
        rows = np.setdiff1d(np.arange(len(whole)), places)
        whole["data"][rows] = data.reshape(-1, size)
        if self.shape.partial:
            whole["keep"][rows] = 255
        whole["start"], whole["chance"] = 0, offer
        whole["start"][rows[::head]] = 1
        return whole, places

    def _tweaks(self, tweaks: Sequence[bytes] | Bytes) -> Bytes:
        """Tweaks as the ports have them, (tweaks, tweak_room).

        Where a sector states the size of the tweak, the bytes behind the tweak are all 1, and must not count.
        """
        room = self.shape.tweak_room
        wrong = [len(tweak) for tweak in tweaks if len(tweak) != room]
        if wrong and not self.shape.most_stated:
            raise ValueError(f"tweak must be {room} bytes, got {wrong[0]}")
        data = b"".join(bytes(tweak)[:room].ljust(room, b"\xff") for tweak in tweaks)
        return np.frombuffer(data, np.uint8).reshape(len(tweaks), room)

    def _sizes(self, sizes: Sequence[int]) -> tuple[Cycles, Cycles]:
        """Beats of each sector, and bytes of the last beat."""
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
        data = b"".join(bytes(sector) + bytes(-len(sector) % beat) for sector in sectors)
        return np.frombuffer(data, np.uint8).reshape(-1, beat)

    def _key_size(self, key: Key) -> int:
        """Words of a key. Raises ValueError."""
        size, words = self.shape.key_bytes, self.shape.key_words
        if words == 1 and len(key.key) != size:
            raise ValueError(f"key must be {size} bytes, got {len(key.key)}")
        if not key.key or len(key.key) % (size // words):
            raise ValueError(f"key must be whole words of {size // words} bytes, got {len(key.key)} bytes")
        return len(key.key) * words // size

    def _keys(
        self, keys: Sequence[Key], offer: float, beats: Words, heads: Cycles, firsts: Cycles
    ) -> tuple[dict[str, Words], Cycles]:
        """The words of all keys, and the number of the word after each; neither where keys come through registers.

        Words of a key after its first have gaps between, as the beats of sectors do. A key before a sector waits for
        the words before the sector's first word, of ``heads``; the first beat, of ``firsts``, waits for the key.
        """
        if (channel := self._key) is None:
            if keys:
                raise ValueError("keys of this core come through its registers")
            return {}, heads[:0]
        sizes = np.array([self._key_size(key) for key in keys], np.int64)
        ends = np.cumsum(sizes)
        starts, words = ends - sizes, channel.words(sizes.sum())
        data = np.frombuffer(b"".join(key.key for key in keys), np.uint8)
        words["key"] = data.reshape(len(words), self.shape.key_bytes // self.shape.key_words)
        words["chance"], words["start"] = offer, 0
        words["chance"][starts] = words["start"][starts] = 1
        words["earliest"][ends - 1] = [key.last for key in keys]
        words["earliest"][starts] = np.maximum(words["earliest"][starts], [key.cycle for key in keys])
        if self.shape.key_words > 1:
            words["last"][ends - 1] = 1
        if self.shape.slots:
            words["slot"] = _bytes(np.repeat([key.slot for key in keys], sizes), 2)
            words["evict"] = np.repeat([key.evict for key in keys], sizes)
        for key, start, end in zip(keys, starts.tolist(), ends.tolist(), strict=True):
            if key.before is not None:
                first = int(firsts[key.before])
                words["after_channel"][start], words["after_word"][start] = self._in.number, int(heads[key.before])
                beats["after_channel"][first], beats["after_word"][first] = channel.number, end
        return {"key": words}, ends


def _bytes(numbers: Any, size: int) -> Bytes:
    """Numbers as the ports have them, (numbers, size): their low bytes."""
    return np.asarray(numbers).astype("<u8").reshape(-1, 1).view(np.uint8)[:, :size]
