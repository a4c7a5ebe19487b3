# SPDX-License-Identifier: Apache-2.0
"""Response files of NIST's CAVP: XTSGenAES*.rsp and gcm*.rsp.

Lines ``name = value`` of a case, which begins with its count. ``FAIL`` stands for the plaintext of a ciphertext to
reject. Sections such as ``[ENCRYPT]`` and ``[Keylen = 128]`` say nothing that a case does not. Lengths are in bits.
Source: NIST, "The XTS-AES Validation System" and "The Galois/Counter Mode (GCM) Validation System".
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .case import Case, MessageCase, UnitCase, Unreadable, field, hexadecimal

__all__ = ["recognised", "read"]


def recognised(text: str) -> bool:
    """Whether the first line that is neither empty nor a comment begins a section or a case."""
    lines = (line.strip() for line in text.splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return first.startswith("[") and first.endswith("]") and "{" not in text or first.lower().startswith("count =")


def read(file: Path, text: str) -> Iterator[Case]:
    """The cases of a file. Raises Unreadable."""
    for number, fields in _blocks(text):
        place = f"line {number}"
        try:
            yield _case(file, place, fields)
        except Unreadable as error:
            raise Unreadable(f"case in {place}: {error}") from None


def _blocks(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """First line and fields of each case; names of fields in small letters."""
    start: int = 0
    fields: dict[str, Any] = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        name, equals, value = (part.strip() for part in line.partition("="))
        name = name.lower()
        if fields and (name == "count" or line.startswith("[")):
            yield start, fields
            fields = {}
        if name == "count":
            start = number
            fields[name] = value
        elif name == "fail" and fields:
            fields[name] = True
        elif equals and fields:
            fields[name] = value
        elif line and not line.startswith(("#", "[")):
            raise Unreadable(f"line {number} must be a section or name = value of a case, got {line!r:.40}")
    if fields:
        yield start, fields


def _case(file: Path, place: str, fields: dict[str, Any]) -> Case:
    if "dataunitlen" in fields:
        return _units(file, place, fields)
    sealed = hexadecimal(fields, "ct") + hexadecimal(fields, "tag")
    rejected = "fail" in fields
    return MessageCase(
        file=file,
        place=place,
        preset="aes-gcm",
        key=hexadecimal(fields, "key"),
        nonce=hexadecimal(fields, "iv"),
        ad=hexadecimal(fields, "aad"),
        tag_bytes=len(fields["tag"]) // 2,
        plaintext=None if rejected else hexadecimal(fields, "pt"),
        ciphertext=sealed,
        rejected=rejected,
    )


def _units(file: Path, place: str, fields: dict[str, Any]) -> UnitCase:
    bits, number = field(fields, "dataunitlen"), fields.get("dataunitseqno", fields.get("dataunitseqnumber"))
    try:
        size, odd = divmod(int(bits), 8)
        counted = b"" if number is None else int(number).to_bytes(16, "little")
    except (ValueError, OverflowError):
        raise Unreadable(f"a number is none: {bits!r:.20}, {number!r:.20}") from None
    return UnitCase(
        file=file,
        place=place,
        preset="xts-both",
        key=hexadecimal(fields, "key"),
        tweak=counted or hexadecimal(fields, "i"),
        unit=max(1, size),
        plaintext=hexadecimal(fields, "pt"),
        ciphertext=hexadecimal(fields, "ct"),
        unusable=f"a data unit of {bits} bits is not whole bytes" if odd else "",
    )
