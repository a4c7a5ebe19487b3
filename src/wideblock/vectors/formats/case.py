# SPDX-License-Identifier: Apache-2.0
"""Cases of test vectors, whatever the format of their file."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wideblock.errors import UserError

__all__ = ["Case", "MessageCase", "UnitCase", "Unreadable", "field", "hexadecimal"]


class Unreadable(UserError):
    """A file, or a place in it, that has not the form of its format; the message is one line."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One case: a message and its result under a key.

    file, place: where it is from; the place as its authors number it
    preset:      the core that takes the most cases of the cipher
    plaintext, ciphertext: None where the file has none; one of both is known
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
    """Data units, each of the length of its result.

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
    if not isinstance(fields[name], kind):
        raise Unreadable(f"{name} must be {kind.__name__}, got {fields[name]!r:.40}")
    return fields[name]


def hexadecimal(fields: Mapping[str, Any], name: str) -> bytes:
    """The bytes of a field in hexadecimal. Raises Unreadable."""
    text = field(fields, name)
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise Unreadable(f"{name} must be whole bytes in hexadecimal, got {text!r:.40}") from None
