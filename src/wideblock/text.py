# SPDX-License-Identifier: Apache-2.0
"""Text files of a user."""

from pathlib import Path

from wideblock.errors import UserError

__all__ = ["text_of"]

MOST = 1 << 28
"""Bytes of the longest text; a device has no end."""


def text_of(path: Path) -> str:
    """The text of a file in UTF-8, without a byte order mark, as written by editors of Windows.

    Raises UserError for bytes of another encoding, and for more than :data:`MOST` bytes; OSError.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MOST + 1)
        if len(content) > MOST:
            raise UserError(f"{path} must be at most {MOST} bytes")
        return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is no text in UTF-8: wrong byte at {error.start}") from None
