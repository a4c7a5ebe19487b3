# SPDX-License-Identifier: Apache-2.0
"""Cases of test vectors, whatever the format of their file."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wideblock.errors import UserError

__all__ = ["LAST", "Case", "MessageCase", "UnitCase", "Unreadable", "field", "hexadecimal", "number", "objects"]

LAST = (1 << 128) - 1
"""The last number of a data unit of XTS."""


class Unreadable(UserError):
    """A file, or a place in a file, of another form than the format's; the message is a line."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A message and the result under a key.

    file, place: source; the place by the authors' numbers
    preset:      the core that takes the most cases of the cipher
    plaintext, ciphertext: None where the file has none; at least one is known
    unusable:    reason for which nothing can run the case, or empty
    """

    file: Path
    place: str
    preset: str
    key: bytes
    plaintext: bytes | None = None
    ciphertext: bytes | None = None
    unusable: str = ""


@dataclass(frozen=True, kw_only=True)
class UnitCase(Case):
    """Data units, each of the length of the result.

    tweak: of the first unit; each further one has the next number, little-endian
    unit:  bytes of a unit, the last one perhaps shorter
    """

    tweak: bytes
    unit: int

    def units(self, data: bytes) -> list[tuple[bytes, bytes]]:
        """(tweak, unit) of each unit of ``data``."""
        size, first = len(self.tweak), int.from_bytes(self.tweak, "little")
        numbers = (first + n for n in range(max(1, -(-len(data) // self.unit))))
        return [
            ((number % (1 << 8 * size)).to_bytes(size, "little"), data[n * self.unit : (n + 1) * self.unit])
            for n, number in enumerate(numbers)
        ]


@dataclass(frozen=True, kw_only=True)
class MessageCase(Case):
    """An authenticated message; the tag is the end of ``ciphertext``.

    rejected: the ciphertext must be rejected; None if the file does not say
    """

    nonce: bytes
    ad: bytes
    tag_bytes: int
    rejected: bool | None = False


def field(fields: Mapping[str, Any], name: str, kind: type = str) -> Any:
    """The value of a field. Raises Unreadable if it is missing or of another kind."""
    if not isinstance(fields, Mapping) or name not in fields:
        raise Unreadable(f"{name} is missing")
    if not isinstance(fields[name], kind) or kind is int and isinstance(fields[name], bool):
        raise Unreadable(f"{name} must be {kind.__name__}, got {fields[name]!r:.40}")
    return fields[name]


def number(fields: Mapping[str, Any], name: str, most: int = (1 << 32) - 1) -> int:
    """The value of a field from 0 to ``most``, a number or its decimal digits. Raises Unreadable."""
    value = field(fields, name, object)
    if isinstance(value, str) and re.fullmatch("[0-9]{1,100}", value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise Unreadable(f"{name} must be a number from 0 to {most}, got {value!r:.50}")
    return value


def hexadecimal(fields: Mapping[str, Any], name: str) -> bytes:
    """The bytes of a field in hexadecimal. Raises Unreadable."""
    text = field(fields, name)
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise Unreadable(f"{name} must be whole bytes in hexadecimal, got {text!r:.40}") from None


def objects(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """The fields of one object or case. Raises Unreadable for a name with two values, as a value would be lost."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        name, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise Unreadable(f"{name!r:.40} is there twice")
    return fields
