# SPDX-License-Identifier: Apache-2.0
"""Folders of files that take long to make, found again by the hash of all that they are made of.

A folder is whole or absent, whatever interrupts its making. A digest of every file stands beside it: a folder with a
file that is truncated or changed counts as absent and is made again.
"""

import fcntl
import hashlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import platformdirs

__all__ = ["cache_directory", "cached", "name_of"]

BUILDING = "building-"
DIGESTS = "sha256"
YOUNG = 60
"""Seconds for which a folder that is being made is left alone, locked or not."""


def name_of(made_of: Iterable[str]) -> str:
    """A folder name for what is made of these texts."""
    return hashlib.sha256("\0".join(made_of).encode()).hexdigest()[:32]


def cache_directory() -> Path:
    """``$WIDEBLOCK_CACHE``, or the user's cache directory, or where that cannot be written a temporary one."""
    if chosen := os.environ.get("WIDEBLOCK_CACHE"):
        return Path(chosen)
    usual = Path(platformdirs.user_cache_dir("wideblock"))
    return usual if _writable(usual) else _temporary()


def cached(folder: Path, make: Callable[[Path], None]) -> Path:
    """``folder``, filled by ``make``, which is given an empty folder to fill, unless it is there already and sound.

    Raises OSError if the folder cannot be made.
    """
    if folder.exists() and not _sound(folder):
        shutil.rmtree(folder)
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        _collect(folder.parent)
        with _locked_folder(folder.parent) as work:
            made = work / "made"
            made.mkdir()
            make(made)
            (made / DIGESTS).write_text(_digests(made))
            try:
                made.rename(folder)
            except OSError:
                if not folder.exists():  # if it does, another process made the same first
                    raise
    return folder


def _digests(folder: Path) -> str:
    """A line a file: its SHA-256 and its name."""
    files = sorted(path for path in folder.iterdir() if path.name != DIGESTS)
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)


def _sound(folder: Path) -> bool:
    try:
        return (folder / DIGESTS).read_text() == _digests(folder)
    except (OSError, UnicodeDecodeError):
        return False


@contextmanager
def _locked_folder(parent: Path) -> Iterator[Path]:
    """A new folder, removed in the end. Its lock ends with this process, however that ends."""
    with tempfile.TemporaryDirectory(dir=parent, prefix=BUILDING, ignore_cleanup_errors=True) as name:
        handle = os.open(name, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield Path(name)
        finally:
            os.close(handle)


def _collect(parent: Path) -> None:
    """Removes folders that ended processes left half made."""
    for folder in parent.glob(f"{BUILDING}*"):
        with suppress(OSError):  # another process may collect it, too
            if time.time() - folder.stat().st_mtime < YOUNG:
                continue
            handle = os.open(folder, os.O_RDONLY)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder)
            finally:
                os.close(handle)


def _writable(folder: Path) -> bool:
    """Whether files can be made in ``folder``, which is made if it does not exist."""
    if not folder.is_absolute():  # a user without a home
        return False
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


@cache
def _temporary() -> Path:
    """The user's own folder for temporary files; one of this process alone if another user took its name."""
    folder = Path(tempfile.gettempdir()) / f"wideblock-{os.getuid()}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    seen = folder.lstat()
    if stat.S_ISDIR(seen.st_mode) and seen.st_uid == os.getuid() and not seen.st_mode & 0o077:
        return folder
    return Path(tempfile.mkdtemp(prefix="wideblock-"))
