# SPDX-License-Identifier: Apache-2.0
"""Servers of a block device: built at first use, on the native library, and kept between runs.

``plugin`` is for nbdkit, ``ublk`` a program for the kernel's driver ublk. Both take parameters ``name=value``.
"""

import logging
import shutil
from pathlib import Path

from wideblock.cache import cache_directory, cached, name_of
from wideblock.errors import UserError
from wideblock.native.library import ARCHIVE, SOURCE, library_file
from wideblock.simulation.commands import BuildError, Commands, compiler

__all__ = ["nbdkit", "plugin", "ublk"]

log = logging.getLogger(__name__)

DEVICE = SOURCE / "device"
FLAGS = ("-std=c++17", "-O2", "-fvisibility=hidden", "-w")


def nbdkit() -> str:
    """Path of nbdkit. Raises UserError without nbdkit."""
    found = shutil.which("nbdkit")
    if found is None:
        raise UserError("nbdkit is not on PATH; install it, on Debian the packages nbdkit and nbdkit-plugin-dev")
    return found


def plugin() -> Path:
    """The plugin's file. Raises :class:`BuildError`."""
    below = library_file().parent
    linked = ("-fPIC", "-shared", "-L", below, "-lwideblock", f"-Wl,-rpath,{below}")
    wanted = "nbdkit-plugin.h, on Debian of nbdkit-plugin-dev"
    return _built("the nbdkit plugin", "nbdkit.cpp", "nbdkit-wideblock-plugin.so", linked, wanted)


def ublk() -> Path:
    """The program's file, with the library inside. Raises :class:`BuildError`."""
    linked = (library_file().parent / ARCHIVE, "-pthread")
    wanted = "linux/ublk_cmd.h of Linux 6.0 or newer, on Debian of linux-libc-dev"
    return _built("the server of ublk", "ublk.cpp", "wideblock-ublk", linked, wanted)


def _built(what: str, source: str, target: str, linked: tuple[str | Path, ...], wanted: str) -> Path:
    def make(made: Path) -> None:
        log.info("compiling %s, which is kept for later runs", what)
        words = [compiler(), *FLAGS, "-I", SOURCE, DEVICE / source, "-o", made / target, *linked]
        with Commands() as commands:
            commands.run(words, made.parent, f"cannot compile {what}, which needs {wanted}")

    texts = [path.read_text() for path in (DEVICE / "device.h", DEVICE / source, Path(__file__))]
    name = name_of([compiler(), *map(str, linked), *texts])
    try:
        return cached(cache_directory() / source.removesuffix(".cpp") / name, make).resolve() / target
    except OSError as error:
        raise BuildError(f"cannot build {what}: {' '.join(str(error).split())}") from error
