# SPDX-License-Identifier: Apache-2.0
"""``wideblock nbd``."""

import os
from pathlib import Path
from typing import Annotated

import typer

from wideblock.catalog.kinds import SECTOR
from wideblock.cli.app import AcceptBroken, Preset, Set, settings
from wideblock.cli.crypt import Key, Tweak, key_of, sector_number
from wideblock.drive.sector.shape import shape
from wideblock.errors import UserError
from wideblock.export.contract import contract
from wideblock.native.plugin import nbdkit, plugin

EXAMPLE = "Example: [b]wideblock nbd hctr2-1 --key @disk.key --file disk.img --socket disk.sock[/b]"


def nbd(
    preset: Preset,
    key: Key,
    file: Annotated[Path, typer.Option(metavar="FILE", help="File or block device below, of whole sectors.")],
    socket: Annotated[Path, typer.Option(metavar="PATH", help="Unix socket on which to serve; - with nbdkit's --run.")],
    tweak: Tweak = "le128",
    first_sector: Annotated[
        int, typer.Option(metavar="N", parser=sector_number, help="Number of the first sector, such as 16 or 0x10.")
    ] = 0,
    tweak_offset: Annotated[
        int, typer.Option(metavar="N", parser=sector_number, help="Number that is added to that in the tweak.")
    ] = 0,
    read_only: Annotated[bool, typer.Option("--read-only", help="Device that cannot be written.")] = False,
    more: Annotated[
        list[str] | None, typer.Argument(metavar="[-- ARGUMENT..]", help="Further arguments of nbdkit.")
    ] = None,
    accept_broken: AcceptBroken = False,
    changes: Set = None,
) -> None:
    """Serve a file as a block device whose sectors are enciphered in it, by nbdkit.

    Reads, writes, flushes and forced unit access are those of the device; zeros are enciphered, and trim is refused.
    """
    core = contract(preset, settings(changes)).expect(SECTOR)
    scheme, sizes = core.preset.scheme, shape(core)
    scheme.check_status(accept_broken=accept_broken)
    if scheme.native is None or not sizes.tweak_bytes:
        raise UserError(f"{core.module} is no device's: its scheme needs a tweak, and a place in the native library")
    command, secret = nbdkit(), key_of(key, sizes.key_bytes)
    core.specification(secret)  # raises UserError for a key that the scheme does not take
    arguments = [
        *("--foreground", "--unix", str(socket)),
        *(["--readonly"] if read_only else []),
        *(more or []),
        str(plugin()),
        f"file={file.absolute()}",
        f"scheme={scheme.native(core.parameters)}",
        f"key-file=/dev/fd/{_readable(secret)}",
        f"sector={core.behaviour.usual}",
        f"tweak-bytes={sizes.tweak_bytes}",
        *(f"{name}={value}" for name, value in (("tweak", tweak), ("first", first_sector), ("offset", tweak_offset))),
    ]
    os.execv(command, [command, *arguments])


def _readable(secret: bytes) -> int:
    """A descriptor from which the next program reads ``secret``: no command line and no file has it."""
    reading, writing = os.pipe()
    os.write(writing, secret)
    os.close(writing)
    os.set_inheritable(reading, True)
    return reading
