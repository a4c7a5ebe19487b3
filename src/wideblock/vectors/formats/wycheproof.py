# SPDX-License-Identifier: Apache-2.0
"""JSON files of Wycheproof: aes_gcm_test.json and aes_xts_test.json.

Source: C2SP/wycheproof, schemas aead_test_schema_v1.json and ind_cpa_test_schema_v1.json.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .case import Case, MessageCase, UnitCase, Unreadable, field, hexadecimal

__all__ = ["read", "recognised"]


def recognised(content: Any) -> bool:
    """Whether this is a file of Wycheproof."""
    return isinstance(content, dict) and {"algorithm", "testGroups", "numberOfTests"} <= content.keys()


def read(file: Path, content: Any) -> Iterator[Case]:
    """The cases of a file. Raises Unreadable."""
    readers = {"AES-GCM": _message, "AES-XTS": _unit}
    algorithm = field(content, "algorithm")
    if algorithm not in readers:
        raise Unreadable(f"algorithm must be one of {', '.join(readers)}, got {algorithm!r:.40}")
    for group in field(content, "testGroups", list):
        for test in field(group, "tests", list):
            place = f"case {field(test, 'tcId', int)}"
            try:
                yield readers[algorithm](file, place, test)
            except Unreadable as error:
                raise Unreadable(f"{place}: {error}") from None


def _valid(test: Mapping[str, Any]) -> bool:
    """Whether the result is valid; "acceptable" is, too."""
    if (result := field(test, "result")) not in ("valid", "acceptable", "invalid"):
        raise Unreadable(f"result must be valid, acceptable or invalid, got {result!r:.40}")
    return result != "invalid"


def _message(file: Path, place: str, test: Mapping[str, Any]) -> MessageCase:
    tag, valid = hexadecimal(test, "tag"), _valid(test)
    return MessageCase(
        file=file,
        place=place,
        preset="aes-gcm",
        key=hexadecimal(test, "key"),
        nonce=hexadecimal(test, "iv"),
        ad=hexadecimal(test, "aad"),
        tag_bytes=len(tag),
        plaintext=hexadecimal(test, "msg") if valid else None,
        ciphertext=hexadecimal(test, "ct") + tag,
        rejected=not valid,
    )


def _unit(file: Path, place: str, test: Mapping[str, Any]) -> UnitCase:
    """A unit whose tweak is the number ``iv``, little-endian."""
    plaintext = hexadecimal(test, "msg")
    return UnitCase(
        file=file,
        place=place,
        preset="xts-both",
        key=hexadecimal(test, "key"),
        tweak=hexadecimal(test, "iv").ljust(16, b"\0"),
        unit=max(1, len(plaintext)),
        plaintext=plaintext,
        ciphertext=hexadecimal(test, "ct"),
        unusable="" if _valid(test) else "an invalid case of a cipher that rejects nothing",
    )
