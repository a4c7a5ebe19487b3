# SPDX-License-Identifier: Apache-2.0
"""Encrypts and decrypts whole disk images, sector by sector."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from wideblock.errors import UserError
from wideblock.export.contract import Contract
from wideblock.image import engines
from wideblock.image.keyring import Keyring
from wideblock.image.numbering import DEFAULT, Numbering
from wideblock.image.source import open_source
from wideblock.image.target import open_target

__all__ = ["USUAL", "Crypted", "ImageJob", "Progress", "crypt_image"]

Progress = Callable[[int, int | None], None]
"""Called with (sectors done, sectors in all); the second is None for a stream."""


@dataclass(frozen=True)
class Crypted:
    """Account of one image.

    cycles:  clock cycles of the core from the loaded key to the last beat; None for an engine without a clock
    seconds: from the engine's start to the last sector, without the time to make the engine
    """

    sectors: int
    cycles: int | None
    seconds: float


@dataclass(frozen=True)
class ImageJob:
    """Work on one image.

    decrypt:       decrypts; else encrypts
    first_sector:  number of the first sector
    tweak:         a name in :data:`wideblock.image.numbering.CONVENTIONS`; ``tweak_offset`` is added to each number
    engine:        a name in :data:`wideblock.image.engines.ENGINES`
    threads:       the most that work, where the engine has several; None: one a processor
    force:         replaces an existing file
    device:        overwrites a block device in place; it must have the image's size
    accept_broken: takes a scheme that is broken
    """

    decrypt: bool = False
    first_sector: int = 0
    tweak: str = DEFAULT
    tweak_offset: int = 0
    engine: str = "rtl"
    threads: int | None = None
    force: bool = False
    device: bool = False
    accept_broken: bool = False


USUAL = ImageJob()


def crypt_image(
    subject: Contract,
    key: bytes | Keyring,
    source: Path | BinaryIO,
    target: Path | BinaryIO,
    job: ImageJob = USUAL,
    progress: Progress | None = None,
) -> Crypted:
    """Writes ``source``, encrypted or decrypted sector by sector, to ``target``.

    key:      of all sectors, or a key for each range of sectors
    source:   path of a regular file or block device, or a stream
    target:   path of a regular file, visible only when whole, or of a block device, or a stream with a file descriptor.
              A new file of decrypted data has mode 0600, of encrypted data 0666 less the umask.
    progress: is called first when the engine is ready, then as sectors are written
    Raises UserError for a broken scheme, a wrong key or image, or a target that is refused, before the engine is made;
    OSError; BuildError and SimulationError from the model. A file at ``target`` is then as it was before.
    """
    subject.preset.scheme.check_status(accept_broken=job.accept_broken)
    keyring = key if isinstance(key, Keyring) else Keyring.single(key)
    worker = engines.make(job.engine, subject, keyring.keys, decrypt=job.decrypt, threads=job.threads)
    if not worker.tweak_bytes:
        raise UserError(
            f"{subject.module} takes no tweak, so equal sectors would stay equal; choose a core with a tweak"
        )
    numbering = Numbering(job.tweak, worker.sector_bytes, worker.tweak_bytes, job.first_sector, job.tweak_offset)
    report = progress or (lambda done, total: None)
    new_mode = 0o600 if job.decrypt else None
    with open_source(source) as image:
        total = image.sectors(worker.sector_bytes)
        for i in (0, (total or 1) - 1):
            numbering.number(i)  # raises UserError for a number out of range
        for _ in keyring.runs(job.first_sector, total or 1):
            pass  # raises UserError for a sector without a key
        with (
            open_target(target, image, force=job.force, device=job.device, new_mode=new_mode) as output,
            worker,
        ):
            done, started = 0, time.perf_counter()
            report(done, total)
            chunks = image.chunks(numbering, worker.chunk_bytes)
            for sectors in worker.crypt(keyring.keyed(chunks, job.first_sector)):
                output.write(sectors.data)
                done += len(sectors)
                report(done, total)
            if total is not None and done != total:
                raise UserError(f"{done} of {total} sectors came back: {image.name} changed while it was read")
            return Crypted(done, worker.cycles, time.perf_counter() - started)
