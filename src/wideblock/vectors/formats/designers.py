# SPDX-License-Identifier: Apache-2.0
"""JSON files of the designers of HCTR2: HCTR2_AES128.json, HCTR2_AES192.json, HCTR2_AES256.json.

Source: google/hctr2, test_vectors/ours/HCTR2.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .case import UnitCase, Unreadable, field, hexadecimal

__all__ = ["read", "recognised"]


def recognised(content: Any) -> bool:
    """Whether this is a file of the designers."""
    return isinstance(content, list) and bool(content) and all(isinstance(e, dict) and "cipher" in e for e in content)


def read(file: Path, content: Any) -> Iterator[UnitCase]:
    """The cases of a file. Raises Unreadable."""
    for number, entry in enumerate(content, 1):
        place = f"case {number}"
        try:
            cipher = field(field(entry, "cipher", dict), "cipher")
            if cipher != "HCTR2":
                raise Unreadable(f"cipher must be HCTR2, got {cipher!r:.40}")
            given, plaintext = field(entry, "input", dict), hexadecimal(entry, "plaintext_hex")
            yield UnitCase(
                file=file,
                place=place,
                preset="hctr2-any",
                key=hexadecimal(given, "key_hex"),
                tweak=hexadecimal(given, "tweak_hex"),
                unit=max(1, len(plaintext)),
                plaintext=plaintext,
                ciphertext=hexadecimal(entry, "ciphertext_hex"),
            )
        except Unreadable as error:
            raise Unreadable(f"{place}: {error}") from None
