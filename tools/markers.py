# SPDX-License-Identifier: Apache-2.0
"""Text of a document between two lines that mark it."""

from collections.abc import Mapping
from pathlib import Path

from wideblock.atomic import write_text
from wideblock.errors import UserError

__all__ = ["insert", "insert_all", "inserted"]


def insert_all(document: Path, bodies: Mapping[str, str]) -> bool:
    """:func:`insert` for each of ``bodies``, by the names of their marks; True if that changed ``document``."""
    return any([insert(document, name, body) for name, body in bodies.items()])


def insert(document: Path, name: str, body: str) -> bool:
    """Puts ``body`` between the two lines of ``document`` that mark ``name``; True if that changed it.

    Raises UserError as :func:`inserted`.
    """
    new = inserted(document, name, body)
    if new == document.read_text():
        return False
    write_text(document, new)
    return True


def inserted(document: Path, name: str, body: str) -> str:
    """The text of ``document`` with ``body`` between the two lines that mark ``name``.

    Raises UserError if the document does not have them.
    """
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    text = document.read_text()
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise UserError(f"{document} must have {begin} and {end} once each, in this order")
    return text[: text.index(begin) + len(begin)] + "\n" + body + text[text.index(end) :]
