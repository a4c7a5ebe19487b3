# SPDX-License-Identifier: Apache-2.0
"""Keys of an image: a key for each range of sector numbers, as ranges of a self-encrypting drive have keys."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from wideblock.errors import UserError
from wideblock.image.engines import Chunk, KeyedChunk

__all__ = ["KeyRange", "Keyring"]

END = 1 << 128
"""Number behind the last sector."""


@dataclass(frozen=True)
class KeyRange:
    """Sectors with numbers from ``start`` to ``end`` - 1 under key number ``slot``."""

    start: int
    end: int
    slot: int


@dataclass(frozen=True)
class Keyring:
    """Keys by their slots; ``ranges`` in the order of their numbers, none in another.

    other: slot of all further sectors; None: further sectors have no key
    """

    keys: tuple[bytes, ...] = field(repr=False)
    ranges: tuple[KeyRange, ...] = ()
    other: int | None = None
    name: str = "the key"

    @classmethod
    def single(cls, key: bytes) -> "Keyring":
        """One key for all sectors."""
        return cls((key,), other=0)

    @classmethod
    def parse(cls, name: str, content: bytes, key_of: Callable[[str], bytes]) -> "Keyring":
        """The keys of the file ``name``, TOML with a table ``range`` for each key; range n has slot n.

        start:   number of the range's first sector; without it, the range is all sectors of no other range
        sectors: count; without it, the range has no end
        key:     as ``key_of`` takes it
        Raises UserError for another form, and for ranges that overlap.
        """
        import tomllib

        try:
            tables = tomllib.loads(content.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:  # of the encoding, too; none says a value
            reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error
            raise UserError(f"{name} is not TOML: {reason}") from None
        given = tables.get("range")
        if set(tables) != {"range"} or not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
            raise UserError(f"{name} must have a table [[range]] for each key, and nothing else")
        keys: list[bytes] = []
        ranges: list[KeyRange] = []
        others: list[int] = []
        for slot, table in enumerate(given):
            where = f"range {slot} of {name}"
            keys.append(_key(where, table, key_of))
            if "start" not in table:
                others.append(slot)
                continue
            start = _number(where, table, "start", 0, END - 1)
            count = _number(where, table, "sectors", 1, END - start) if "sectors" in table else END - start
            ranges.append(KeyRange(start, start + count, slot))
        ranges.sort(key=lambda each: each.start)
        for low, high in pairwise(ranges):
            if high.start < low.end:
                raise UserError(f"ranges {low.slot} and {high.slot} of {name} overlap at sector {high.start}")
        if len(others) > 1:
            raise UserError(f"ranges {others[0]} and {others[1]} of {name} have no start; one may be without")
        return cls(tuple(keys), tuple(ranges), others[0] if others else None, name)

    def runs(self, first: int, count: int) -> Iterator[tuple[int, int]]:
        """Slot and count of sectors in a row under one key, of ``count`` sectors from number ``first`` on.

        Raises UserError for a sector without a key.
        """
        starts, end = [each.start for each in self.ranges], first + count
        while first < end:
            place = bisect_right(starts, first)
            inside = place > 0 and first < self.ranges[place - 1].end
            slot = self.ranges[place - 1].slot if inside else self.other
            if slot is None:
                raise UserError(
                    f"sector {first} is in no range of {self.name}; give a range with it, or one without start"
                )
            border = self.ranges[place - 1].end if inside else starts[place] if place < len(starts) else end
            yield slot, min(border, end) - first
            first = border

    def keyed(self, chunks: Iterable[Chunk], first: int) -> Iterator[KeyedChunk]:
        """The chunks of sectors from number ``first`` on, each divided into sectors under one key."""
        for sectors, tweaks in chunks:
            at = 0
            for slot, count in self.runs(first, len(sectors)):
                yield sectors[at : at + count], tweaks[at : at + count], slot
                at += count
            first += at


def _key(where: str, table: dict[str, Any], key_of: Callable[[str], bytes]) -> bytes:
    """The key of a range. Raises UserError for other fields, too; no message has the key."""
    if unknown := sorted(set(table) - {"start", "sectors", "key"}):
        raise UserError(f"{where} has a field {unknown[0]!r}; its fields are start, sectors and key")
    if "sectors" in table and "start" not in table:
        raise UserError(f"{where} has sectors, but no start")
    if not isinstance(table.get("key"), str):
        raise UserError(f'{where} must have a key, such as "@FILE" or hexadecimal in quotes')
    try:
        return key_of(table["key"])
    except ValueError as error:  # of a name that no file can have, too
        raise UserError(f"{where}: {error}") from None


def _number(where: str, table: dict[str, Any], field: str, least: int, most: int) -> int:
    value = table[field]
    if type(value) is not int or not least <= value <= most:
        long = type(value) is int and abs(value) >> 256  # Python writes no number of thousands of digits
        got = "a longer one" if long else repr(value)
        raise UserError(f"{field} of {where} must be a whole number from {least} to {most}, got {got}")
    return value
