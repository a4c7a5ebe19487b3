# SPDX-License-Identifier: Apache-2.0
"""Sectors and keys as words of a sector core's channels."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wideblock.drive.sector.shape import Shape
from wideblock.drive.sector.traffic import Bytes, Cycles, Key, SectorScript
from wideblock.simulation.ports import ChannelPorts, Ports
from wideblock.simulation.script import Words

__all__ = ["Encoding"]


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
        tweaks:  one a sector, each of the core's ``tweak_bytes``, or of any number where a sector states it
        decrypt: one for all, or one a sector
        stated:  bytes that each sector states to have, or None for those that it has
        keeps:   ``keep`` of each sector's beats, empty where it follows from the length
        slots:   of their keys, one for all or one a sector, for a core with slots
        offer, take: chance that a word becomes valid, and that a beat is accepted, in a cycle
        want:    output beats without which the call is not done
        noise:   random values on inputs that no rule lets the core read
        Raises ValueError for sectors, tweaks and keys that the ports cannot carry.
        """
        counts, tails = self._sizes([len(sector) for sector in sectors])
        if len(tweaks) != len(counts):
            raise ValueError(f"every sector needs one tweak, got {len(counts)} sectors and {len(tweaks)} tweaks")
        ends = np.cumsum(counts)
        starts, size = ends - counts, self.shape.beat_bytes
        words = self._in.words(ends[-1] if len(ends) else 0)
        words["data"], words["chance"], words["start"] = self._beats(sectors), offer, 0
        words["start"][starts] = words["last"][ends - 1] = 1
        words["decrypt"][starts] = np.broadcast_to(np.asarray(decrypt, np.uint8), len(counts))
        if (room := self._tweaks(tweaks)).size:
            words["tweak"][starts] = room
        if self.shape.most_stated:
            own = ((counts - 1) * size + tails).tolist()
            sizes = [n if given is None else given for n, given in zip(own, stated or [None] * len(own), strict=True)]
            words["tweak_size"][starts] = [len(tweak) for tweak in tweaks]
            words["size"][starts] = np.array(sizes, np.int64).astype("<u2").view(np.uint8).reshape(-1, 2)
        if self.shape.slots:
            words["slot"][starts] = _slots(np.broadcast_to(np.asarray(slots), len(counts)))
        if self.shape.partial:
            words["keep"] = 255
            words["keep"][ends - 1] = np.packbits(np.arange(size) < tails[:, None], axis=1, bitorder="little")
            for start, keep in zip(starts.tolist(), keeps, strict=False):
                packed = b"".join(each.to_bytes(size // 8, "little") for each in keep)
                words["keep"][start : start + len(keep)] = np.frombuffer(packed, np.uint8).reshape(-1, size // 8)
        if noise:
            words["noise"] = np.where(words["start"], 0, self._in.unread)
        if self._key is None and keys:
            raise ValueError("keys of this core come through its registers")
        of_keys, key_ends = self._keys(self._key, keys, offer, words, starts) if self._key else ({}, starts[:0])
        return SectorScript(
            words={"i": words, **of_keys},
            ready={"o": take},
            wanted={"o": want},
            noise=noise,
            counts=counts,
            tails=tails,
            keys=keys,
            key_ends=key_ends,
            **{"capacity": 2 * len(words) + 4 * self.shape.beats + 64, "quiet": 16, **more},
        )

    def _tweaks(self, tweaks: Sequence[bytes] | Bytes) -> Bytes:
        """Tweaks as the ports have them, (tweaks, tweak_room).

        Where a sector states the size of its own, the bytes behind it are ones, which must not count.
        """
        room = self.shape.tweak_room
        wrong = [len(tweak) for tweak in tweaks if len(tweak) != room]
        if wrong and not self.shape.most_stated:
            raise ValueError(f"a tweak must be {room} bytes, got {wrong[0]}")
        data = b"".join(bytes(tweak)[:room].ljust(room, b"\xff") for tweak in tweaks)
        return np.frombuffer(data, np.uint8).reshape(len(tweaks), room)

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
        self, channel: ChannelPorts, keys: Sequence[Key], offer: float, beats: Words, firsts: Cycles
    ) -> tuple[dict[str, Words], Cycles]:
        """The words of all keys, and the number of the word after each.

        Words of a key after its first have gaps between, as the beats of sectors do. ``firsts`` are the sectors' first
        ``beats``, of which those wait that a key comes before.
        """
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
            words["slot"] = _slots(np.repeat([key.slot for key in keys], sizes))
            words["evict"] = np.repeat([key.evict for key in keys], sizes)
        for key, start, end in zip(keys, starts.tolist(), ends.tolist(), strict=True):
            if key.before is not None:
                first = int(firsts[key.before])
                words["after_channel"][start], words["after_word"][start] = self._in.number, first
                beats["after_channel"][first], beats["after_word"][first] = channel.number, end
        return {"key": words}, ends


def _slots(numbers: Any) -> Bytes:
    """Numbers of slots as the ports have them, (numbers, 2)."""
    return np.asarray(numbers).astype("<u2").reshape(-1, 1).view(np.uint8)
