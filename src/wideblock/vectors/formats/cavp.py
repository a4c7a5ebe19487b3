# SPDX-License-Identifier: Apache-2.0
"""Response files of NIST's CAVP: XTSGenAES*.rsp and gcm*.rsp.

Lines ``name = value`` of a case, with the count first. ``FAIL`` stands for the plaintext of a ciphertext to
reject. Sections, for example ``[ENCRYPT]`` and ``[Keylen = 128]``, repeat facts of the cases. Lengths are in bits.
Source: NIST, "The XTS-AES Validation System" and "The Galois/Counter Mode (GCM) Validation System".
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .case import LAST, Case, MessageCase, UnitCase, Unreadable, hexadecimal, number, objects

__all__ = ["recognised", "read"]


def recognised(text: str) -> bool:
    """Whether the first line that is neither empty nor a comment begins a section or a case."""
    lines = (line.strip() for line in text.splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")
    if first.startswith("["):
        return first.endswith("]") and "{" not in text
    return first.lower().partition("=")[0].strip() == "count"


def read(file: Path, text: str) -> Iterator[Case]:
    """The cases of a file. Raises Unreadable."""
    for start, pairs in _blocks(text):
        place = f"line {start}"
        try:
            yield _case(file, place, objects(pairs))
        except Unreadable as error:
            raise Unreadable(f"case in {place}: {error}") from None


def _blocks(text: str) -> Iterator[tuple[int, list[tuple[str, Any]]]]:
    """First line and fields of each case; names in small letters, None for the plaintext where the file has FAIL."""
    start: int = 0
    pairs: list[tuple[str, Any]] = []
    for at, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        name, equals, value = (part.strip() for part in line.partition("="))
        name = name.lower()
        if name == "count" or line.startswith("["):
            if pairs:
                yield start, pairs
            start, pairs = at, []
        if line.startswith("["):
            continue
        if name == "fail" and pairs:
            pairs.append(("pt", None))
        elif equals and (pairs or name == "count"):
            pairs.append((name, value))
        else:
            raise Unreadable(f"line {at} must be a section or name = value of a case, got {line!r:.40}")
    if pairs:
        yield start, pairs


def _case(file: Path, place: str, fields: dict[str, Any]) -> Case:
    if "dataunitlen" in fields:
        return _units(file, place, fields)
    tag, rejected = hexadecimal(fields, "tag"), fields.get("pt", "") is None
    return MessageCase(
        file=file,
        place=place,
        preset="aes-gcm",
        key=hexadecimal(fields, "key"),
        nonce=hexadecimal(fields, "iv"),
        ad=hexadecimal(fields, "aad"),
        tag_bytes=len(tag),
        plaintext=None if rejected else hexadecimal(fields, "pt"),
        ciphertext=hexadecimal(fields, "ct") + tag,
        rejected=rejected,
    )


def _units(file: Path, place: str, fields: dict[str, Any]) -> UnitCase:
    bits = number(fields, "dataunitlen")
    tweaks = [name for name in ("i", "dataunitseqno", "dataunitseqnumber") if name in fields]
    if len(tweaks) > 1:
        raise Unreadable(f"{' and '.join(tweaks)} exclude each other")
    counted = tweaks and tweaks != ["i"]
    return UnitCase(
        file=file,
        place=place,
        preset="xts-both",
        key=hexadecimal(fields, "key"),
        tweak=number(fields, tweaks[0], LAST).to_bytes(16, "little") if counted else hexadecimal(fields, "i"),
        unit=max(1, bits // 8),
        plaintext=hexadecimal(fields, "pt"),
        ciphertext=hexadecimal(fields, "ct"),
        unusable=f"a data unit of {bits} bits is not whole bytes" if bits % 8 else "",
    )
