# SPDX-License-Identifier: Apache-2.0
"""``wideblock ublk``."""

import os

from wideblock.cli.app import AcceptBroken, Preset, Set, stages
from wideblock.cli.crypt import First, Key, Offset, Tweak
from wideblock.cli.served import Below, Icv, ReadOnly, Served
from wideblock.image.numbering import DEFAULT
from wideblock.native import servers

EXAMPLE = "Example: [b]wideblock ublk hctr2-1 --key @disk.key --file disk.img[/b]"


def ublk(
    preset: Preset,
    key: Key,
    file: Below,
    tweak: Tweak = DEFAULT,
    first_sector: First = 0,
    tweak_offset: Offset = 0,
    icv: Icv = None,
    read_only: ReadOnly = False,
    accept_broken: AcceptBroken = False,
    changes: Set = None,
) -> None:
    """Serve a file as a block device of Linux whose sectors are enciphered in it, by the kernel's driver ublk.

    Prints the device's name, such as /dev/ublkb0. SIGINT, SIGTERM or SIGHUP removes the device as soon as it is not in
    use. It needs root and the driver, of Linux 6.0 or newer.
    """
    served = Served(preset, changes, key, file, tweak, first_sector, tweak_offset, icv, read_only, accept_broken)
    words = served.words()
    with stages("preparing the server of ublk"):
        program = str(servers.ublk())
    os.execv(program, [program, *words])
