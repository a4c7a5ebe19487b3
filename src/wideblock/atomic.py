# SPDX-License-Identifier: Apache-2.0
"""Files and directories, written whole or not at all.

New content goes to a part file beside the target, ``.NAME.RANDOM.wideblock.part``, mode 0600; the part file is renamed
when all content is on the disk. A part file is locked as long as the writer lives: a part file without a lock was left
by a killed run; the next write to the target removes the file.
"""

import errno
import fcntl
import hashlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Lock

__all__ = ["TargetFile", "check_directory", "check_place", "replacing", "write_directory", "write_text"]

_MASK = Lock()
_SUFFIX = ".wideblock.part"
_LONGEST_STEM = 200  # bytes of the target's name in a part file's name; a file name has at most 255


class TargetFile:
    """An unbuffered file open for writing; errors name ``path``, the file of the user."""

    def __init__(self, descriptor: int, path: Path, settle: Callable[[], None] | None = None):
        self._descriptor = descriptor
        self._path = path
        self.settle = settle or self.sync
        """Does what can fail before the renaming, for a file of several that belong together. Raises OSError."""

    def write(self, data: bytes | memoryview) -> None:
        """Writes all of ``data``, a contiguous buffer. Raises OSError."""
        rest = memoryview(data).cast("B")
        with _errors_about(self._path):
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]

    def sync(self) -> None:
        """Waits until everything written is on the disk. Raises OSError."""
        with _errors_about(self._path):
            os.fsync(self._descriptor)


@contextmanager
def replacing(
    path: Path, *, overwrite: bool = True, new_mode: int | None = None, follow: bool = True
) -> Iterator[TargetFile]:
    """File, renamed to ``path`` when the block ends; if the block raises, ``path`` stays unchanged.

    follow:    a symbolic link stays, and the link's target is replaced; if False, the link itself is replaced
    overwrite: if False, raises FileExistsError where ``path`` exists when the block begins or ends; what is no regular
               file, such as a device, is never replaced
    new_mode:  permission bits where ``path`` is new; None: 0666 less the umask. A replaced file passes on owner, group
               and permission bits.
    Raises OSError about ``path`` or its directory.
    """
    target = Path(os.path.realpath(path if follow else path.parent)) / ("" if follow else path.name)
    _refuse_existing(path, overwrite)
    os.stat(target.parent)  # a missing directory is named, not the file
    _sweep(target)
    part = target.with_name(f"{_prefix(target)}{os.urandom(8).hex()}{_SUFFIX}")
    descriptor = -1
    try:
        with _errors_about(path):
            descriptor = _create(part)

        def settle() -> None:
            with _errors_about(path):
                _set_permissions(descriptor, target, new_mode)
                os.fsync(descriptor)
                os.stat(part)  # a directory that was moved meanwhile
            _refuse_existing(path, overwrite)

        yield TargetFile(descriptor, path, settle)
        settle()
        with _errors_about(path):
            os.replace(part, target)
    except BaseException:  # Ctrl-C too
        part.unlink(missing_ok=True)
        raise
    finally:
        if descriptor >= 0:
            os.close(descriptor)  # the lock ends here, after the renaming


def check_place(path: Path, *, overwrite: bool = True) -> None:
    """Raises OSError if no file could be written at ``path``, present or not; nothing is left behind.

    For a check before the work for the result. Missing directories above could be created.
    overwrite: if False, raises FileExistsError for a file that exists
    """
    with _errors_about(path):
        with suppress(FileNotFoundError):
            if stat.S_ISDIR(path.stat().st_mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        _refuse_existing(path, overwrite)
        above = next(each for each in Path(os.path.realpath(path)).parents if each.exists())
        with tempfile.NamedTemporaryFile(dir=above, prefix=".", suffix=_SUFFIX):
            pass


def check_directory(directory: Path, *, overwrite: bool) -> None:
    """Raises OSError if no files could be written into ``directory``, present or not, as :func:`check_place`.

    overwrite: if False, raises FileExistsError for a directory that is not empty
    """
    with suppress(FileNotFoundError):
        if not stat.S_ISDIR(directory.stat().st_mode):
            raise NotADirectoryError(f"{directory} is a file; -o needs a directory")
        if not overwrite and any(directory.iterdir()):
            raise FileExistsError(f"{directory} is not empty; choose another directory or give --force")
    with _errors_about(directory):
        check_place(directory / "file")


def write_text(path: Path, text: str, *, overwrite: bool = True) -> None:
    """Writes ``text`` to ``path`` in UTF-8, as :func:`replacing` does; parents are created."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path, overwrite=overwrite) as output:
        output.write(text.encode())


def write_directory(directory: Path, texts: Mapping[str, str]) -> None:
    """Writes ``texts``, file name to content, into ``directory``; parents are created.

    A directory that is absent appears with all files. In a directory that is there, each file or link is replaced as a
    whole, after all files have been written; files of other names are kept. Raises OSError.
    """
    directory = Path(os.path.realpath(directory))
    if directory.is_dir():
        with ExitStack() as files:
            outputs = [files.enter_context(replacing(directory / name, follow=False)) for name in texts]
            for output, text in zip(outputs, texts.values(), strict=True):
                output.write(text.encode())
            for output in outputs:
                output.settle()
        return
    with _errors_about(directory):
        directory.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=_prefix(directory), dir=directory.parent))
    try:
        with _errors_about(directory):
            for name, text in texts.items():
                (work / name).write_text(text, encoding="utf-8")
            work.chmod(0o777 & ~_umask())
            os.replace(work, directory)
    finally:
        shutil.rmtree(work, ignore_errors=True)


@contextmanager
def _errors_about(path: Path) -> Iterator[None]:
    """Makes an OSError of the block name ``path``, not the part file or no file at all."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise type(error)(error.errno, error.strerror, str(path)) from error


def _refuse_existing(path: Path, overwrite: bool) -> None:
    if path.exists() and not path.is_file():
        raise FileExistsError(f"{path} is no regular file, and is not replaced; give the name of a file")
    if not overwrite and path.exists():
        raise FileExistsError(f"{path} exists; choose another file or give --force to replace it")


def _prefix(target: Path) -> str:
    """Beginning of the names of all part files of ``target``."""
    stem = target.name
    if len(os.fsencode(stem)) > _LONGEST_STEM:
        stem = hashlib.sha256(os.fsencode(stem)).hexdigest()
    return f".{stem}."


def _create(part: Path) -> int:
    """Descriptor of ``part``, created with mode 0600 and locked.

    A sweeping run may lock and remove the file first: the file is then created again.
    """
    while True:
        descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with suppress(OSError):  # some network file systems have no locks: nothing is swept there either
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return descriptor
        os.close(descriptor)


def _sweep(target: Path) -> None:
    """Removes unlocked part files of ``target``."""
    ours = re.compile(re.escape(_prefix(target)) + "[0-9a-f]{16}" + re.escape(_SUFFIX))
    with suppress(OSError):
        for entry in list(os.scandir(target.parent)):
            if ours.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                _remove_if_stale(entry.path)


def _remove_if_stale(part: str) -> None:
    with suppress(OSError):  # locked, another user's, or gone in the meantime
        descriptor = os.open(part, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(descriptor), os.lstat(part)):
                os.unlink(part)
        finally:
            os.close(descriptor)


def _set_permissions(descriptor: int, target: Path, new_mode: int | None) -> None:
    """Makes the part file no more readable than the replaced file."""
    try:
        old = os.lstat(target)
        if stat.S_ISLNK(old.st_mode):
            raise FileNotFoundError
    except FileNotFoundError:
        os.fchmod(descriptor, 0o666 & ~_umask() if new_mode is None else new_mode)
        return
    mode = stat.S_IMODE(old.st_mode) & 0o777
    for owner in (old.st_uid, -1):  # only root may give a file away; its group often can be kept
        with suppress(PermissionError):
            os.fchown(descriptor, owner, old.st_gid)
            break
    if os.fstat(descriptor).st_gid != old.st_gid:
        mode &= 0o707  # the bits were meant for the members of another group
    os.fchmod(descriptor, mode)


def _umask() -> int:
    """The process's file mode mask; a read needs a write of the mask, and threads would read each other's."""
    with _MASK:
        mask = os.umask(0o077)
        os.umask(mask)
    return mask
