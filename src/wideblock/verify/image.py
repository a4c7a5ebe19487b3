# SPDX-License-Identifier: Apache-2.0
"""Encrypts and decrypts whole disk images: by the simulated core, or by the specification."""

import errno
import os
import signal
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from io import FileIO
from multiprocessing import get_context
from pathlib import Path
from typing import BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray

from wideblock.export.contract import Contract
from wideblock.verify.sector.driver import SectorSimulation as Simulation
from wideblock.verify.sector.shape import shape
from wideblock.verify.sector.stimulus import Specification

__all__ = ["Crypted", "crypt_image", "tweak_of"]

Engine = Literal["rtl", "spec"]

_CHUNK = 1 << 20  # bytes worked on at a time
_SHARE = 16  # sectors that one process of the specification takes at a time


@dataclass(frozen=True)
class Crypted:
    """What was done: sectors, and the cycles that the simulated core took (0 for the specification)."""

    sectors: int
    cycles: int


def tweak_of(sector: int) -> bytes:
    """The tweak of a sector: its number as a 128-bit little-endian integer. Source: IEEE 1619-2018, 5.1."""
    if not 0 <= sector < 1 << 128:
        raise ValueError(f"a sector number must be from 0 to 2^128 - 1, got {sector}")
    return sector.to_bytes(16, "little")


def crypt_image(
    subject: Contract,
    key: bytes,
    source: Path | str,
    target: Path | str,
    *,
    decrypt: bool = False,
    first_sector: int = 0,
    engine: Engine = "rtl",
    simulation: Simulation | None = None,
    processes: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Crypted:
    """Writes ``source``, encrypted or decrypted sector by sector, to ``target``, which appears only when it is whole.

    engine:   "rtl" streams through the compiled model of the core, "spec" through its specification in processes
    progress: is told (sectors done, sectors in all)
    Raises ValueError for a wrong key or image, OSError where files cannot be read or written, BuildError and
    SimulationError from the model; whatever is raised, ``target`` is as it was before.
    """
    source, target = Path(source), Path(target)
    if engine not in ("rtl", "spec"):
        raise ValueError(f"engine must be 'rtl' or 'spec', got {engine!r}")
    if len(key) != shape(subject).key_bytes:
        raise ValueError(f"key must be {shape(subject).key_bytes} bytes, got {len(key)}")
    subject.specification(key)  # says what else may be wrong with the key
    if engine == "rtl" and decrypt not in subject.behaviour.directions:
        has, lacks = ("encrypts", "decrypt") if decrypt else ("decrypts", "encrypt")
        raise ValueError(
            f"{subject.module} only {has}; to {lacks}, choose the engine 'spec', its specification, or a core that does"
        )
    with source.open("rb") as image:
        total = _sectors(image, source, subject.behaviour.usual)
        tweak_of(first_sector)
        tweak_of(first_sector + total - 1)
        if target.exists() and os.path.samefile(source, target):
            raise ValueError(f"input and output are the same file: {source}")
        if target.is_dir():
            raise ValueError(f"output is a directory: {target}")
        chunks = _chunks(image, subject.behaviour.usual, first_sector)
        if engine == "spec":
            results = _by_specification(subject, key, chunks, decrypt, processes)
            _write(results, target, total, subject.behaviour.usual, progress)
            return Crypted(total, 0)
        model = simulation or Simulation(subject)
        try:
            model.reset()
            model.load_key(key)
            before = model.cycle
            results = (sectors.tobytes() for sectors in model.crypt_stream(chunks, decrypt))
            _write(results, target, total, subject.behaviour.usual, progress)
            return Crypted(total, model.cycle - before)
        finally:
            if simulation is None:
                model.close()


def _sectors(image: BinaryIO, path: Path, sector_bytes: int) -> int:
    size = image.seek(0, os.SEEK_END)
    image.seek(0)
    if size == 0:
        raise ValueError(f"image {path} is empty")
    if size % sector_bytes:
        raise ValueError(
            f"image {path} has {size} bytes, which is not a multiple of the sector's {sector_bytes}: "
            f"{sector_bytes - size % sector_bytes} bytes are missing to the next"
        )
    return size // sector_bytes


def _chunks(image: BinaryIO, sector_bytes: int, first: int) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.uint8]]]:
    n = max(1, _CHUNK // sector_bytes)
    while data := image.read(n * sector_bytes):
        if len(data) % sector_bytes:
            raise ValueError(f"image {image.name} became shorter while it was read")
        sectors = np.frombuffer(data, np.uint8).reshape(-1, sector_bytes)
        tweaks = b"".join(tweak_of(first + i) for i in range(len(sectors)))
        first += len(sectors)
        yield sectors, np.frombuffer(tweaks, np.uint8).reshape(-1, 16)


_keyed: Specification


def _load_key(factory: Callable[[bytes], Specification], key: bytes) -> None:
    global _keyed
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    _keyed = factory(key)


def _crypt_some(sectors: bytes, tweaks: bytes, decrypt: bool) -> bytes:
    function = _keyed.decrypt if decrypt else _keyed.encrypt
    n = len(tweaks) // 16
    size = len(sectors) // n
    return b"".join(function(tweaks[16 * i : 16 * i + 16], sectors[size * i : size * i + size]) for i in range(n))


def _by_specification(
    subject: Contract, key: bytes, chunks: Iterator, decrypt: bool, processes: int | None
) -> Iterator[bytes]:
    workers = processes or os.cpu_count() or 1
    context = get_context("fork" if hasattr(os, "fork") else None)
    pool = ProcessPoolExecutor(workers, context, _load_key, (subject.specification, key))
    waiting: deque[Future[bytes]] = deque()
    try:
        for sectors, tweaks in chunks:
            for i in range(0, len(sectors), _SHARE):
                waiting.append(
                    pool.submit(
                        _crypt_some, sectors[i : i + _SHARE].tobytes(), tweaks[i : i + _SHARE].tobytes(), decrypt
                    )
                )
                while len(waiting) > 4 * workers:
                    yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _write(
    results: Iterator[bytes], target: Path, total: int, sector_bytes: int, progress: Callable[[int, int], None] | None
) -> None:
    """All results to a new file beside ``target``, which it then replaces; on any failure nothing is left of it."""
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(target.parent))
    written = 0
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise _about(error, target) from error
    part = Path(name)
    try:
        with os.fdopen(handle, "wb", buffering=0) as file:
            if progress:
                progress(0, total)
            for data in results:
                _put(file, data, target)
                written += len(data) // sector_bytes
                if progress:
                    progress(written, total)
            _put(file, b"", target)
        if written != total:
            raise ValueError(f"{written} of {total} sectors came back: the image changed while it was read")
        part.chmod(0o666 & ~_umask())
        part.replace(target)
    except BaseException:  # Ctrl-C too
        part.unlink(missing_ok=True)
        raise


def _put(file: FileIO, data: bytes, target: Path) -> None:
    """Writes ``data``; no data means that these were the last, and sees to it that all of them are on the disk."""
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[file.write(rest) :]
        if not data:
            os.fsync(file.fileno())
    except OSError as error:
        raise _about(error, target) from error


def _about(error: OSError, target: Path) -> OSError:
    """The same error, about the file that the user named."""
    return type(error)(error.errno, error.strerror, str(target)) if error.errno else error


def _umask() -> int:
    """The process's file mode mask, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
