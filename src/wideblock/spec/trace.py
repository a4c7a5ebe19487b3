# SPDX-License-Identifier: Apache-2.0
"""Intermediate values of a specification, by the names in the lines of the specification, which are the paper's."""

import sys
from types import FrameType
from typing import Any

from wideblock.spec.gf128 import Reading
from wideblock.spec.values import Values

__all__ = ["trace"]

BLOCK = 16


def trace(scheme: Any, decrypt: bool, tweak: bytes, sector: bytes) -> Values:
    """Each value of a block that ``encrypt`` or ``decrypt`` of ``scheme`` names, in order.

    Values of the method, and of called functions in the same file. Field elements are blocks as the
    scheme's ``reading`` has them, or its file's.
    """
    method, found = scheme.decrypt if decrypt else scheme.encrypt, {}
    code = method.__func__.__code__
    reading = getattr(scheme, "reading", method.__func__.__globals__.get("READING", Reading.LE))

    def watch(frame: FrameType, event: str, _: Any) -> None:
        called = frame.f_back is not None and frame.f_back.f_code is code
        here = frame.f_code.co_filename == code.co_filename
        if event == "return" and here and (called or frame.f_code is code):
            named = list(frame.f_locals.items())[frame.f_code.co_argcount + frame.f_code.co_kwonlyargcount :]
            found.update((name, block) for name, value in named if (block := _block(reading, value)))

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        method(tweak, sector)
    finally:
        sys.setprofile(before)
    return iter(found.items())


def _block(reading: Reading, value: Any) -> bytes | None:
    """The value as a block, or None if it is none: bytes of another number, or a number that is a count."""
    if isinstance(value, bytes | bytearray) and len(value) == BLOCK:
        return bytes(value)
    if isinstance(value, int) and value >> 32 and value < 1 << 8 * BLOCK:
        return reading.block(value)
    return None
