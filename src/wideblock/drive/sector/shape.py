# SPDX-License-Identifier: Apache-2.0
"""Sector cores, as far as traffic needs them, and the sizes of the interface."""

from dataclasses import dataclass
from typing import Protocol

from wideblock.drive.core import Core
from wideblock.rtl.stream.behaviour import Behaviour, SectorTiming
from wideblock.rtl.stream.interface import Interface

__all__ = ["SectorCore", "Shape", "check_sector", "check_tweak", "shape"]


class SectorCore(Core, Protocol):
    """A sector core."""

    @property
    def behaviour(self) -> Behaviour: ...
    @property
    def timing(self) -> SectorTiming: ...
    @property
    def streaming(self) -> Interface: ...
    def expect_streams(self) -> None: ...


@dataclass(frozen=True)
class Shape:
    """Sizes in bytes, numbers of beats and words.

    beat_bytes: of a beat in and out
    key_bytes:  of a key
    key_words:  words of the key channel that make a key
    beats:      of a message of the length for which the timing is stated; the last one may have room left
    partial:    whether the last beat of a message may have bytes that are not the message's, told by ``keep``
    tweak_bytes: of a tweak, of the size for which the timing is stated; 0 if there is none
    tweak_room:  that the ports have for a tweak
    most_stated: that a message can state to have; 0 where none states its size
    slots:       number of key slots; a message names a slot; 0: the core has one key
    tag_bytes:   of a message's tag; 0: it has none
    icv_bytes:   of a sector's integrity check value; 0: it has none
    """

    beat_bytes: int
    key_bytes: int
    key_words: int
    beats: int
    partial: bool
    tweak_bytes: int
    tweak_room: int
    most_stated: int
    slots: int
    tag_bytes: int
    icv_bytes: int

    def beats_of(self, size: int) -> int:
        """Beats of a message of ``size`` bytes."""
        return -(-size // self.beat_bytes)


def check_sector(core: SectorCore, size: int) -> None:
    """Raises ValueError if the core does not take sectors of ``size`` bytes."""
    if size not in core.behaviour.length:
        raise ValueError(f"sector must be {core.behaviour.length} bytes, got {size}")


def check_tweak(core: SectorCore, size: int) -> None:
    """Raises ValueError if the core does not take tweaks of ``size`` bytes."""
    stated, room = core.behaviour.length.tweaks, shape(core).tweak_room
    if size not in stated if stated else size != room:
        raise ValueError(f"tweak must be {stated or room} bytes, got {size}")


def shape(core: SectorCore) -> Shape:
    """The sizes of a sector core."""
    channel = core.streaming.channel("i")
    widths = {field.name: field.width for field in (*channel.fields, *channel.header)}
    beat_bytes = widths["data"] // 8
    beats = -(-core.behaviour.usual // beat_bytes)
    key_words = core.timing.key_words
    key_bytes = core.behaviour.loaded
    if not key_bytes:
        key = core.streaming.channel("key")
        key_bytes = next(field.width for field in key.fields if field.name == "key") // 8 * key_words
    room = widths.get("tweak", 0) // 8
    tweak_bytes = core.behaviour.length.usual_tweak_of(room)
    most_stated = (1 << widths.get("size", 0)) - 1
    slots = core.timing.slots
    partial, tag, icv = "keep" in widths, widths.get("tag", 0) // 8, widths.get("icv", 0) // 8
    return Shape(beat_bytes, key_bytes, key_words, beats, partial, tweak_bytes, room, most_stated, slots, tag, icv)
