# SPDX-License-Identifier: Apache-2.0
"""``wideblock nbd``."""

import os
import socket as sockets
from pathlib import Path
from typing import Annotated

import typer

from wideblock.catalog.kinds import SECTOR
from wideblock.cli.app import AcceptBroken, Preset, Set, settings, stages
from wideblock.cli.crypt import STREAM, Key, Tweak, key_of, sector_number
from wideblock.errors import UserError
from wideblock.export.contract import configured
from wideblock.image.numbering import DEFAULT
from wideblock.native.plugin import nbdkit, plugin

EXAMPLE = "Example: [b]wideblock nbd hctr2-1 --key @disk.key --file disk.img --socket disk.sock[/b]"


def nbd(
    preset: Preset,
    key: Key,
    file: Annotated[Path, typer.Option(metavar="FILE", help="File or block device below, of whole sectors.")],
    socket: Annotated[Path, typer.Option(metavar="PATH", help="Unix socket on which to serve; - with nbdkit's --run.")],
    tweak: Tweak = DEFAULT,
    first_sector: Annotated[
        int, typer.Option(metavar="N", parser=sector_number, help="Number of the first sector, such as 16 or 0x10.")
    ] = 0,
    tweak_offset: Annotated[
        int, typer.Option(metavar="N", parser=sector_number, help="Number that is added to that in the tweak.")
    ] = 0,
    icv: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Integrity check values, 16 bytes a sector; a forged sector is an error."),
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Device that cannot be written.")] = False,
    more: Annotated[
        list[str] | None, typer.Argument(metavar="[-- ARGUMENT..]", help="Further arguments of nbdkit and its filters.")
    ] = None,
    accept_broken: AcceptBroken = False,
    changes: Set = None,
) -> None:
    """Serve a file as a block device whose sectors are enciphered in it, by nbdkit.

    Reads, writes, flushes and forced unit access are those of the device; zeros are enciphered, and trim is refused.
    """
    core = configured(preset, settings(changes)).expect(SECTOR)
    scheme, parameters = core.preset.scheme, core.parameters
    scheme.check_status(accept_broken=accept_broken)
    if scheme.native is None or not parameters.tweak_bytes:
        raise UserError(f"{core.module} is no device's: its scheme needs a tweak, and a place in the native library")
    secret = key_of(key, core.key_bytes)
    core.specification(secret)  # raises UserError for a key that the scheme does not take
    if socket != STREAM:
        _free(socket)
    command = nbdkit()
    with stages("preparing the plugin of nbdkit"):
        built = plugin()
    arguments = [
        *("--foreground", "--unix", str(socket), str(built)),
        f"file={file.absolute()}",
        f"scheme={core.native}",
        f"key-file=/dev/fd/{_readable(secret)}",
        f"sector={parameters.sector_bytes}",
        f"tweak-bytes={parameters.tweak_bytes}",
        f"tweak={tweak}",
        f"first={first_sector}",
        f"tweak-offset={tweak_offset}",
        f"read-only={str(read_only).lower()}",
        *([f"icv={icv.absolute()}"] if icv else []),
        *(more or []),  # behind the plugin: nbdkit takes flags at any place, and parameters of filters only here
    ]
    os.execv(command, [command, *arguments])


def _free(path: Path) -> None:
    """Removes the socket of a server that has ended. Raises UserError if a server answers, or for another file."""
    if not path.is_socket():
        if path.exists():
            raise UserError(f"{path} is not a socket; give --socket a path where nothing is")
        return
    with sockets.socket(sockets.AF_UNIX) as trial:
        trial.settimeout(5)
        try:
            trial.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
        else:
            raise UserError(f"a server answers at {path}; end it, or give --socket another path")


def _readable(secret: bytes) -> int:
    """A descriptor from which the next program reads ``secret``: no command line and no file has it."""
    reading, writing = os.pipe()
    os.write(writing, secret)
    os.close(writing)
    os.set_inheritable(reading, True)
    return reading
