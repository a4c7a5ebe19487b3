# SPDX-License-Identifier: Apache-2.0
"""The image that goes in: a regular file or block device, whose size is known, or a stream."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from wideblock.errors import UserError
from wideblock.image.engines import Chunk
from wideblock.image.files import BLOCK_DEVICE, REGULAR, kind_of
from wideblock.image.numbering import Numbering

__all__ = ["ImageSource", "open_source", "status_of"]


@dataclass(frozen=True)
class ImageSource:
    """An open image.

    name:    as messages have it
    size:    in bytes; None for a stream, of unknown size before the end
    status:  of the open file; None for a stream without a file behind it
    """

    file: BinaryIO
    name: str
    size: int | None
    status: os.stat_result | None

    def sectors(self, sector_bytes: int) -> int | None:
        """Number of sectors; None for a stream. Raises UserError without a sector, and for part of a sector."""
        if self.size is None:
            return None
        if self.size == 0:
            raise UserError(f"{self.name} is empty; it must hold at least one sector of {sector_bytes} bytes")
        if self.size % sector_bytes:
            raise UserError(
                f"{self.name} has {self.size} bytes, which is not a multiple of the sector's {sector_bytes}: "
                f"{sector_bytes - self.size % sector_bytes} bytes are missing to the next"
            )
        return self.size // sector_bytes

    def chunks(self, numbering: Numbering, most_bytes: int, *, record: int | None = None) -> Iterator[Chunk]:
        """Sectors with their tweaks, in chunks of at most ``most_bytes`` of sectors.

        record: bytes of a sector with all bytes behind; None: of the sector alone
        A chunk has at least one sector. Raises UserError where the image ends inside a sector.
        """
        sector_bytes = record or numbering.sector_bytes
        wanted = max(1, most_bytes // sector_bytes) * sector_bytes
        done = 0
        while data := self._read(wanted):
            if left_over := len(data) % sector_bytes:
                raise UserError(
                    f"{self.name} ended inside a sector: {left_over} bytes are left over after "
                    f"{done + len(data) // sector_bytes} sectors of {sector_bytes} bytes"
                )
            sectors = np.frombuffer(data, np.uint8).reshape(-1, sector_bytes)
            yield sectors, numbering.tweaks(done, len(sectors))
            done += len(sectors)
        if not done:
            raise UserError(f"{self.name} is empty; it must hold at least one sector of {sector_bytes} bytes")

    def rows(self, count: int, size: int) -> NDArray[np.uint8]:
        """The next ``count`` rows of ``size`` bytes. Raises UserError if there are fewer."""
        data = self._read(count * size)
        if len(data) != count * size:
            raise UserError(f"{self.name} ended early: {len(data)} bytes are left for {count} sectors of {size} each")
        return np.frombuffer(data, np.uint8).reshape(count, size)

    def _read(self, n: int) -> bytes:
        """Next ``n`` bytes, fewer only at the end: a read from a pipe may return what is there.

        From a stream a read is one of the system's: Python's own for all bytes does not look for a signal in between,
        and waits for more.
        """
        parts = []
        read = getattr(self.file, "read1", self.file.read) if self.size is None else self.file.read
        try:
            while n and (data := read(n)):
                parts.append(data)
                n -= len(data)
        except OSError as error:
            raise type(error)(error.errno, error.strerror, self.name) from error
        return b"".join(parts)


@contextmanager
def open_source(image: Path | BinaryIO) -> Iterator[ImageSource]:
    """The image at a path, or in a stream that is left open.

    Raises UserError for a path that is neither a regular file nor a block device, OSError if the open fails.
    """
    if not isinstance(image, Path):
        yield ImageSource(image, "the input stream", None, status_of(image))
        return
    kind = kind_of(image.stat())  # before it is opened: to open a FIFO waits for its writer
    if kind not in (REGULAR, BLOCK_DEVICE):
        raise UserError(f"input {image} is {kind}; give a regular file, a block device, or - to read standard input")
    with image.open("rb") as file:
        size = file.seek(0, os.SEEK_END)  # stat has no size for a block device
        file.seek(0)
        yield ImageSource(file, f"image {image}", size, os.fstat(file.fileno()))


def status_of(stream: BinaryIO) -> os.stat_result | None:
    """Status of the file behind a stream; None if there is none."""
    try:
        return os.fstat(stream.fileno())
    except OSError:  # io.UnsupportedOperation is one
        return None
