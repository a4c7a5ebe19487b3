# SPDX-License-Identifier: Apache-2.0
"""Seals whole disk images, and unseals them: each sector has an integrity check value (ICV)."""

import os
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from wideblock.errors import UserError
from wideblock.export.contract import Contract
from wideblock.image.crypt import USUAL, Crypted, ImageJob, Progress
from wideblock.image.engines import Bytes, Chunk
from wideblock.image.files import REGULAR, kind_of
from wideblock.image.numbering import Numbering
from wideblock.image.sealers import Sealer, sealer
from wideblock.image.source import ImageSource, open_source
from wideblock.image.target import open_target
from wideblock.simulation.commands import processors

__all__ = ["Forgeries", "Layout", "seal_image"]


MOST_STRIDE = 1 << 24
"""Bytes from sector to sector, at most: a bound of memory."""


@dataclass(frozen=True)
class Layout:
    """Places of the ICVs of an image.

    icvs:   file of them; None: each stands behind its sector
    stride: bytes from sector to sector with ICVs behind sectors, zeros after; None: without any

    An ICV has 16 bytes; in its place an authenticated cipher has a tag and a nonce.
    Raises UserError for both.
    """

    icvs: Path | None = None
    stride: int | None = None

    def __post_init__(self):
        if self.icvs and self.stride is not None:
            raise UserError("ICVs in a file of their own need no stride; leave out one of them")

    def record(self, sector_bytes: int, icv: int) -> int:
        """Bytes from one enciphered sector to the next. Raises UserError for a stride that is too short or too long."""
        if self.icvs:
            return sector_bytes
        least = sector_bytes + icv
        if self.stride is not None and not least <= self.stride <= MOST_STRIDE:
            raise UserError(
                f"stride must be {least}, a sector and its ICV of {icv} bytes, to {MOST_STRIDE}, got {self.stride}"
            )
        return self.stride or least


@dataclass
class Forgeries:
    """Numbers of forged sectors, as runs."""

    runs: list[range] = field(default_factory=list)

    def add(self, numbers: Iterable[int]) -> None:
        """Adds numbers, which rise."""
        for number in numbers:
            if self.runs and self.runs[-1].stop == number:
                self.runs[-1] = range(self.runs[-1].start, number + 1)
            else:
                self.runs.append(range(number, number + 1))

    def __len__(self) -> int:
        return sum(map(len, self.runs))

    def __str__(self):
        """ "3, 5 to 9"."""
        return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in self.runs)


def seal_image(
    subject: Contract[Any, Any],
    key: bytes,
    source: Path | BinaryIO,
    target: Path | BinaryIO,
    layout: Layout,
    job: ImageJob = USUAL,
    progress: Progress | None = None,
) -> tuple[Crypted, Forgeries]:
    """Seals the sectors of ``source`` into ``target``, or unseals them: a forged one becomes zeros, and is named.

    A wide-block scheme by native code, whatever the engine of ``job``; an authenticated cipher by the engine of
    ``job``, core or specification. All further arguments, and errors, as in
    :func:`wideblock.image.crypt.crypt_image`; UserError also for a scheme without sealed sectors, and for ICVs that
    are no file, or of another number of sectors.
    """
    subject.preset.scheme.check_status(accept_broken=job.accept_broken)
    worker = sealer(subject, key, job.engine)
    plain, icv = worker.sector_bytes, worker.beside
    sealed = layout.record(plain, icv)
    read, written = (sealed, plain) if job.decrypt else (plain, sealed)
    numbering = Numbering(job.tweak, plain, worker.tweak_bytes, job.first_sector, job.tweak_offset)
    report, forgeries = progress or (lambda done, total: None), Forgeries()
    with ExitStack() as stack:
        image = stack.enter_context(open_source(source))
        total = image.sectors(read)
        for i in (0, (total or 1) - 1):
            numbering.number(i)  # raises UserError for a number out of range
        needed = None if total is None else icv * total
        icvs = stack.enter_context(_icvs(layout.icvs, (source, target), image, needed, job.decrypt, job.force))
        shown = replace(image, name=f"the result of {image.name}", size=total and total * written)
        fits = shown if written != read else image
        mode = 0o600 if job.decrypt else None
        output = stack.enter_context(open_target(target, fits, force=job.force, device=job.device, new_mode=mode))
        stack.enter_context(worker)
        thread = stack.enter_context(ThreadPoolExecutor(1))
        chunks = image.chunks(numbering, worker.chunk_bytes * read // max(read, written), record=read)
        results = _opened if job.decrypt else _closed
        done, started = 0, time.perf_counter()
        report(done, total)
        for sectors, beside in results(worker, thread, chunks, icvs, job.threads or processors()):
            if job.decrypt:
                forgeries.add(job.first_sector + done + int(i) for i in np.flatnonzero(~beside))
            elif layout.icvs:
                icvs.write(beside.data)
            else:
                sectors = np.concatenate([sectors, beside, np.zeros((len(sectors), sealed - plain - icv), np.uint8)], 1)
            output.write(sectors.data)
            done += len(sectors)
            report(done, total)
        if total is not None and done != total:
            raise UserError(f"{done} of {total} sectors came back: {image.name} changed while it was read")
        if job.decrypt and layout.icvs and icvs.file.read(1):
            raise UserError(f"{icvs.name} has more than the {icv * done} bytes of {done} sectors")
        if layout.icvs and not job.decrypt:
            icvs.settle()  # the image is renamed first
        return Crypted(done, worker.cycles, time.perf_counter() - started), forgeries


@contextmanager
def _icvs(
    path: Path | None, others: tuple[object, ...], image: ImageSource, needed: int | None, decrypt: bool, force: bool
) -> Iterator[Any]:
    """The file of ICVs, open for reading to decrypt, else for writing; None for none. Raises UserError; OSError.

    needed: bytes of those of the image; None: not known
    """
    if path is None:
        yield None
        return
    for other in others:
        if isinstance(other, Path) and os.path.realpath(other) == os.path.realpath(path):
            raise UserError(f"{path} cannot have both the image and its ICVs; give each a file of its own")
    if (kind := kind_of(path.stat()) if decrypt or path.exists() else REGULAR) != REGULAR:
        raise UserError(f"ICV file {path} is {kind}; give a regular file")
    if not decrypt:
        with open_target(path, image, force=force) as output:
            yield output
        return
    with open_source(path) as icvs:
        if needed is not None and icvs.size != needed:
            raise UserError(f"ICV file {path} has {icvs.size} bytes, the sectors of {image.name} need {needed}")
        yield replace(icvs, name=f"ICV file {path}")


def _closed(
    worker: Sealer, thread: ThreadPoolExecutor, chunks: Iterator[Chunk], _: Any, threads: int
) -> Iterator[tuple[Bytes, Any]]:
    """Sectors that are sealed, and their ICVs."""
    return _overlapped(thread.submit(worker.seal, sectors, tweaks, threads) for sectors, tweaks in chunks)


def _opened(
    worker: Sealer, thread: ThreadPoolExecutor, chunks: Iterator[Chunk], icvs: ImageSource | None, threads: int
) -> Iterator[tuple[Bytes, Any]]:
    """Sectors that are unsealed, and whether each is right."""
    plain, icv = worker.sector_bytes, worker.beside

    def started() -> Iterator[Future[tuple[Bytes, Any]]]:
        for records, tweaks in chunks:
            beside = records[:, plain : plain + icv] if icvs is None else icvs.rows(len(records), icv)
            yield thread.submit(worker.unseal, records[:, :plain], beside, tweaks, threads)

    return _overlapped(started())


def _overlapped(work: Iterator[Future[tuple[Bytes, Any]]]) -> Iterator[tuple[Bytes, Any]]:
    """The results, each while the next one is made."""
    waiting: deque[Future[tuple[Bytes, Any]]] = deque()
    for each in work:
        waiting.append(each)
        if len(waiting) > 1:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
