# SPDX-License-Identifier: Apache-2.0
"""Text files of a user."""

from pathlib import Path

from wideblock.errors import UserError

__all__ = ["text_of"]


def text_of(path: Path) -> str:
    """The text of a file in UTF-8, without a byte order mark, as written by editors of Windows.

    Raises UserError for bytes of another encoding, OSError.
    """
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is no text in UTF-8: wrong byte at {error.start}") from None
