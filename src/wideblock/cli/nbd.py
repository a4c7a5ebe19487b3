# SPDX-License-Identifier: Apache-2.0
"""``wideblock nbd``."""

import os
import socket as sockets
from pathlib import Path
from typing import Annotated

import typer

from wideblock.cli.app import AcceptBroken, Preset, Set, stages
from wideblock.cli.crypt import STREAM, First, Key, Offset, Tweak
from wideblock.cli.served import Below, Icv, ReadOnly, Served
from wideblock.errors import UserError
from wideblock.image.numbering import DEFAULT
from wideblock.native.servers import nbdkit, plugin

EXAMPLE = "Example: [b]wideblock nbd hctr2-1 --key @disk.key --file disk.img --socket disk.sock[/b]"


def nbd(
    preset: Preset,
    key: Key,
    file: Below,
    socket: Annotated[Path, typer.Option(metavar="PATH", help="Unix socket on which to serve; - with nbdkit's --run.")],
    tweak: Tweak = DEFAULT,
    first_sector: First = 0,
    tweak_offset: Offset = 0,
    icv: Icv = None,
    read_only: ReadOnly = False,
    more: Annotated[
        list[str] | None, typer.Argument(metavar="[-- ARGUMENT..]", help="Further arguments of nbdkit and its filters.")
    ] = None,
    accept_broken: AcceptBroken = False,
    changes: Set = None,
) -> None:
    """Serve a file as a block device, with enciphered sectors in the file, by nbdkit.

    Reads, writes, flushes and forced unit access are those of the device; zeros are enciphered, and trim is refused.
    """
    served = Served(preset, changes, key, file, tweak, first_sector, tweak_offset, icv, read_only, accept_broken)
    words = served.words()
    if socket != STREAM:
        _free(socket)
    command = nbdkit()
    with stages("preparing the plugin of nbdkit"):
        built = plugin()
    # behind the plugin: nbdkit takes flags at any place, and parameters of filters only here
    os.execv(command, [command, "--foreground", "--unix", str(socket), str(built), *words, *(more or [])])


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
