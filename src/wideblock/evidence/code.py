# SPDX-License-Identifier: Apache-2.0
"""The code of evidence: version, commit, and a digest of modules that ignores comments and docstrings."""

import ast
import hashlib
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import wideblock
from wideblock.cache import name_of

__all__ = ["code", "digest_of", "modules_of"]

ROOT = Path(wideblock.__file__).parent
SOURCES = (".cpp", ".h", ".jinja")
"""Endings of further files of the code, beside the modules."""

DUMP: Any = {"show_empty": True} if sys.version_info >= (3, 13) else {}
"""Options by which a tree is written as Python 3.11 writes it."""


def code() -> tuple[str, str | None]:
    """Version and commit of the running code, as in :class:`~wideblock.evidence.record.Evidence`."""
    return wideblock.__version__, _commit()


@cache
def _commit() -> str | None:
    """The commit of the running code, with "-dirty" after a change of a Python file; None outside a repository."""

    def git(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)

    try:
        if git("ls-files", "--error-unmatch", "__init__.py").returncode:
            return None
        head = git("rev-parse", "--short=12", "HEAD").stdout.strip()
        return head + ("-dirty" if git("diff", "--quiet", "HEAD", "--", "*.py").returncode else "")
    except FileNotFoundError:
        return None


def digest_of(modules: Iterable[str], rooms: Collection[str], stated: Collection[str] = ()) -> str:
    """Digest of modules and packages and of all imports from ``rooms``, direct or not.

    modules: names below the package, with dots, such as "verify.formal"; a package stands for all of its modules
    rooms:   packages, by names of the same form
    stated:  packages whose ``__init__`` is left out with all imports, as statements on a core have a separate digest
    A module outside of ``rooms`` is not part of the digest; the module's imports are followed once.
    """
    files = modules_of(modules, rooms, stated)
    beside = {path for file in files for path in file.parent.iterdir() if path.suffix in SOURCES}
    parts = sorted((path.relative_to(ROOT).as_posix(), _digest(path)) for path in {*files, *beside})
    return name_of(f"{name} {digest}" for name, digest in parts)


def modules_of(modules: Iterable[str], rooms: Collection[str], stated: Collection[str] = ()) -> list[Path]:
    """The modules among the files of :func:`digest_of`."""
    open_files = [path for name in modules for path in _files(name)]
    left_out = {ROOT.joinpath(*name.split("."), "__init__.py") for name in stated}
    seen = {*open_files, *left_out}
    while open_files:
        for path in _imported(open_files.pop()):
            if path not in seen and _within(path, rooms):
                seen.add(path)
                open_files.append(path)
    return sorted(path for path in seen - left_out if _within(path, rooms))


def _within(path: Path, rooms: Collection[str]) -> bool:
    return any(path.is_relative_to(ROOT.joinpath(*room.split("."))) for room in rooms)


def _files(name: str) -> list[Path]:
    """Files of a module or a package. Raises ValueError for an unknown module."""
    path = ROOT.joinpath(*name.split("."))
    found = sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]
    if not found or not found[0].is_file():
        raise ValueError(f"wideblock has no module {name!r}")
    return found


@cache
def _imported(path: Path) -> frozenset[Path]:
    """Files of the package imported by a module."""
    return frozenset(file for name in _names(ast.parse(path.read_text())) for file in _file(name))


def _names(tree: ast.AST) -> Iterator[str]:
    """Names of modules, and possible names of modules, in the imports of a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _file(name: str) -> Iterator[Path]:
    """The file of a module of the package; none for another name."""
    package, *rest = name.split(".")
    if package == "wideblock" and rest:
        path = ROOT.joinpath(*rest)
        yield from (file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file())


@cache
def _digest(path: Path) -> str:
    """Digest of a file: of a module without comments, docstrings and layout, equal in every version of Python."""
    if path.suffix != ".py":
        return hashlib.sha256(path.read_bytes()).hexdigest()
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):  # a string that stands alone is a docstring, of a variable, too
            node.body = [each for each in body if not _is_text(each)]  # pyright: ignore[reportAttributeAccessIssue]
        if not getattr(node, "type_params", True):  # Python 3.12 notes their absence
            del node.type_params  # pyright: ignore[reportAttributeAccessIssue]
        if isinstance(node, ast.JoinedStr):  # Python 3.12.1 ends a width from a variable with an empty text
            node.values = [each for each in node.values if getattr(each, "value", None) != ""]
    return hashlib.sha256(ast.dump(tree, **DUMP).encode()).hexdigest()


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
