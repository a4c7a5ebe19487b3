# SPDX-License-Identifier: Apache-2.0
"""The store of evidence: a file with a result a line; lines are only ever added.

Any tool for JSON lines can query the file: ``duckdb -c "select core, result.area from 'evidence.jsonl'"``.
"""

import errno
import fcntl
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from wideblock.atomic import check_place
from wideblock.errors import UserError
from wideblock.evidence.record import Evidence, from_json

__all__ = ["COMMITTED", "add", "check", "load", "newest"]

COMMITTED = Path(__file__).parent / "results" / "evidence.jsonl"
"""The evidence of the package; documents show it."""


def load(path: Path | str, *, missing_ok: bool = False) -> list[Evidence]:
    """Every result of the store, in the order in which they were found.

    Raises UserError with file and line for a line that is no evidence, and for what is no regular file;
    FileNotFoundError unless ``missing_ok``.
    """
    file = Path(path)
    if missing_ok and not file.exists():
        return []
    if file.exists() and not file.is_file():  # a device may have no end
        raise UserError(f"{path} is no regular file; a store of evidence is one")
    found = []
    with open(file, "rb") as opened:
        with suppress(OSError):  # some network file systems have no locks
            fcntl.flock(opened, fcntl.LOCK_SH)  # another process may be writing a line
        lines = opened.read().splitlines()
    for number, line in enumerate(lines, 1):
        try:
            found.append(from_json(line.decode()))
        except (ValueError, RecursionError) as error:
            raise UserError(f"{path}, line {number} is no evidence of this version: {error}; mend the line") from None
    return found


def add(path: Path | str, evidence: Evidence) -> None:
    """Adds ``evidence`` at the end of the store, which is created if missing.

    The line is on the disk as a whole when this returns. If the write fails, the store stays and OSError is raised.
    Other processes may add at the same time: a lock on the file keeps their lines apart.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "ab+", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        size = file.seek(0, os.SEEK_END)
        line = f"{evidence.json()}\n".encode()
        if size:
            file.seek(size - 1)
            line = line if file.read(1) == b"\n" else b"\n" + line
        try:
            while line:
                line = line[file.write(line) :]
            os.fsync(file.fileno())
        except BaseException as error:  # Ctrl-C too
            os.ftruncate(file.fileno(), size)
            if isinstance(error, OSError):
                error.filename = str(path)
            raise


def check(path: Path) -> None:
    """Raises as :func:`load`, and OSError, if no result could be added to the store; for a check before the work."""
    load(path, missing_ok=True)
    if not path.exists():
        check_place(path)
    elif not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def newest(evidence: Iterable[Evidence]) -> dict[str, Evidence]:
    """The last result of each question, by key, in the order in which they were found."""
    found: dict[str, Evidence] = {}
    for each in evidence:
        found.pop(each.key, None)
        found[each.key] = each
    return found
