# SPDX-License-Identifier: Apache-2.0
"""The image that comes out: a file that appears whole, a block device written in place, or a stream."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO

from wideblock.atomic import TargetFile, replacing
from wideblock.errors import UserError
from wideblock.image.files import BLOCK_DEVICE, DIRECTORY, REGULAR, kind_of, same_storage
from wideblock.image.source import ImageSource, status_of

__all__ = ["open_target", "refuse_terminal"]


@contextmanager
def open_target(
    target: Path | BinaryIO,
    source: ImageSource,
    *,
    force: bool = False,
    device: bool = False,
    new_mode: int | None = None,
) -> Iterator[TargetFile]:
    """Target for the result of ``source``; it is complete, and on the disk, when the block has ended.

    A regular file or a new one: replaced when the block ends, untouched if it raises; ``force`` allows an existing
    file. A block device: written in place, only with ``device``, and only if it has exactly the size of the source.
    A stream with a file descriptor: written as results come, left open.

    new_mode: permission bits of a file that is new; None: 0666 less the umask
    Raises UserError for every further kind of file, a wrong size, and the source itself as target; OSError.
    """
    if not isinstance(target, Path):
        with _stream(target, source, device) as output:
            yield output
        return
    try:
        status = target.stat()
    except FileNotFoundError:
        status = None
    if status and source.status and same_storage(status, source.status):
        raise UserError(f"input and output are the same file: {target}; the result needs a file of its own")
    kind = kind_of(status) if status else REGULAR
    if kind == DIRECTORY:
        raise UserError(f"output {target} is a directory; give the name of a file")
    if kind not in (REGULAR, BLOCK_DEVICE):
        raise UserError(f"output {target} is {kind}; give - to write to standard output and redirect that")
    if kind == BLOCK_DEVICE and not device:
        raise UserError(f"output {target} is a block device; give --device to overwrite it in place")
    if kind == REGULAR and device:
        raise UserError(
            f"output {target} is {'a regular file' if status else 'missing'}, not a block device; leave out --device"
        )
    opened = _in_place(target, source) if device else replacing(target, overwrite=force, new_mode=new_mode)
    with opened as output:
        yield output


@contextmanager
def _in_place(path: Path, source: ImageSource) -> Iterator[TargetFile]:
    """A block device, overwritten from its beginning. What has been written stays when the block raises."""
    if source.size is None:
        raise UserError(f"output {path} is a block device, which needs an image of known size; read it from a file")
    # O_EXCL: refused by the kernel while the device is mounted or otherwise in use.
    descriptor = os.open(path, os.O_RDWR | os.O_EXCL | os.O_CLOEXEC)
    try:
        size = os.lseek(descriptor, 0, os.SEEK_END)
        os.lseek(descriptor, 0, os.SEEK_SET)
        if size != source.size:
            raise UserError(
                f"output {path} has {size} bytes, {source.name} has {source.size}; "
                "a block device must have exactly the size of the image"
            )
        output = TargetFile(descriptor, path)
        try:
            yield output
            output.sync()
        except BaseException as error:
            if written := os.lseek(descriptor, 0, os.SEEK_CUR):
                error.add_note(f"{path} is overwritten in part: the first {written} of {size} bytes")
            raise
    finally:
        os.close(descriptor)


def refuse_terminal(stream: IO[Any]) -> None:
    """Refuses a terminal for binary data."""
    if stream.isatty():
        raise UserError("output is a terminal, which cannot show binary data; redirect it to a file or a pipe")


@contextmanager
def _stream(stream: BinaryIO, source: ImageSource, device: bool) -> Iterator[TargetFile]:
    """The file descriptor of a stream."""
    if device:
        raise UserError("output is a stream, not a block device; leave out --device")
    refuse_terminal(stream)
    status = status_of(stream)
    if status and source.status and same_storage(status, source.status):
        raise UserError("input and output are the same file; the result needs a file of its own")
    stream.flush()
    yield TargetFile(stream.fileno(), Path("standard output"))  # unbuffered: after an error nothing is left to flush
