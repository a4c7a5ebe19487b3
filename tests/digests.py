# SPDX-License-Identifier: Apache-2.0
"""Digests of the files that a test ran on."""

import hashlib
from functools import cache
from pathlib import Path

__all__ = ["of_file", "tree"]

ROOT = Path(__file__).parents[1]


def of_file(path: str | Path) -> str | None:
    """The digest of a file, by its path from the root of the checkout; None if it is not there."""
    file = ROOT / path
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16] if file.is_file() else None


@cache
def tree() -> str:
    """The digest of all files of ``src`` and ``tests`` with their paths, but measured results and compiled Python."""
    files = sorted(path for name in ("src", "tests") for path in (ROOT / name).rglob("*") if path.is_file())
    names = [path.relative_to(ROOT).as_posix() for path in files if not {"__pycache__", "results"} & {*path.parts}]
    return hashlib.sha256("".join(f"{of_file(name)} {name}\n" for name in names).encode()).hexdigest()[:16]
