# SPDX-License-Identifier: Apache-2.0
"""Folders of expensive files, found again by the hash of all sources.

A folder is whole or absent, whatever interrupts the making. A digest of every file is beside the folder: a folder with
a truncated or changed file counts as absent and is made again. Of several processes in need of a folder, the first
makes the folder; the rest wait.
"""

import fcntl
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import platformdirs

__all__ = ["cache_directory", "cached", "installed", "name_of", "remembered"]

BUILDING = "building-"
DIGESTS = "sha256"
VALUE = "value"


def name_of(made_of: Iterable[str]) -> str:
    """A folder name for a result of texts."""
    return hashlib.sha256("\0".join(made_of).encode(errors="surrogateescape")).hexdigest()[:32]


def installed() -> str:
    """A name for the installed package: the name changes with path, size or time of change of any file."""
    package = Path(__file__).parent
    folders = (Path(folder) for folder, _, _ in os.walk(package) if not folder.endswith("__pycache__"))
    files = sorted((file.path, file.stat()) for folder in folders for file in os.scandir(folder) if file.is_file())
    return name_of(f"{path} {seen.st_size} {seen.st_mtime_ns}" for path, seen in files)


def cache_directory() -> Path:
    """``$WIDEBLOCK_CACHE``, or the user's cache directory, or a temporary directory if the user's cannot be written."""
    if chosen := os.environ.get("WIDEBLOCK_CACHE"):
        return Path(chosen).absolute()
    usual = Path(platformdirs.user_cache_dir("wideblock"))
    return usual if _writable(usual) else _temporary()


def cached(folder: Path, make: Callable[[Path], None]) -> Path:
    """``folder``, present and sound, or else filled by ``make``, a function of an empty folder.

    Raises OSError if the folder cannot be made.
    """
    if _sound(folder):
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    _collect(folder.parent)
    with _turn(folder) as work:
        if not _sound(folder):  # nobody made it in the meantime
            if folder.exists():
                shutil.rmtree(folder)
            made = work / "made"
            made.mkdir()
            make(made)
            (made / DIGESTS).write_text(_digests(made))
            made.rename(folder)
    return folder


def remembered(kind: str, made_of: Iterable[str], compute: Callable[[], str]) -> str:
    """The text of ``compute``, from a file of the cache if computed before of equal texts.

    Computed anew where the cache cannot be written.
    """
    folder = cache_directory() / kind / name_of(made_of)
    try:
        return (cached(folder, lambda made: _written(made / VALUE, compute())) / VALUE).read_text()
    except OSError:  # no room for files: nothing else depends on them
        return compute()


def _written(file: Path, text: str) -> None:
    file.write_text(text)


def _digests(folder: Path) -> str:
    """A line a file: SHA-256 and name."""
    files = sorted(path for path in folder.iterdir() if path.name != DIGESTS)
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)


def _sound(folder: Path) -> bool:
    try:
        return (folder / DIGESTS).read_text() == _digests(folder)
    except (OSError, UnicodeDecodeError):
        return False


@contextmanager
def _turn(folder: Path) -> Iterator[Path]:
    """An empty folder in which ``folder`` is made; all other processes wait until the folder is removed or the calling
    process ends.
    """
    work = folder.with_name(BUILDING + folder.name)
    handle = _locked(work)
    try:
        for left in work.iterdir():
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)
        os.close(handle)


def _locked(work: Path) -> int:
    """The descriptor of folder ``work``, made if need be and locked."""
    while True:
        work.mkdir(mode=0o700, exist_ok=True)
        with suppress(FileNotFoundError):  # whoever had it may have removed it, now or while this process waited
            handle = os.open(work, os.O_RDONLY)
            fcntl.flock(handle, fcntl.LOCK_EX)
            if _is_at(handle, work):
                return handle
            os.close(handle)


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _collect(parent: Path) -> None:
    """Removes folders left half made by ended processes."""
    for folder in parent.glob(f"{BUILDING}*"):
        with suppress(OSError):  # another process makes it, or collects it, too
            handle = os.open(folder, os.O_RDONLY)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder)
            finally:
                os.close(handle)


def _writable(folder: Path) -> bool:
    """Whether files can be made in ``folder``, of the user and with no other writers; a missing folder is made."""
    if not folder.is_absolute():  # a user without a home
        return False
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        seen = folder.stat()
        if seen.st_uid != os.getuid():  # whose files would be loaded
            return False
        if seen.st_mode & 0o022:
            folder.chmod(seen.st_mode & 0o755)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


@cache
def _temporary() -> Path:
    """The user's own folder for temporary files; a folder of the process alone if another user took the name."""
    folder = Path(tempfile.gettempdir()) / f"wideblock-{os.getuid()}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    seen = folder.lstat()
    if stat.S_ISDIR(seen.st_mode) and seen.st_uid == os.getuid() and not seen.st_mode & 0o077:
        return folder
    return Path(tempfile.mkdtemp(prefix="wideblock-"))
