# SPDX-License-Identifier: Apache-2.0
"""The nbdkit plugin: built at first use, on the native library, and kept between runs."""

import logging
import shutil
from pathlib import Path

from wideblock.cache import cache_directory, cached, name_of
from wideblock.errors import UserError
from wideblock.native.library import SOURCE, library
from wideblock.simulation.commands import BuildError, Commands, compiler

__all__ = ["nbdkit", "plugin"]

log = logging.getLogger(__name__)

PLUGIN = "nbdkit-wideblock-plugin.so"
FLAGS = ("-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-w", "-shared")


def nbdkit() -> str:
    """Path of nbdkit. Raises UserError if it is not there."""
    found = shutil.which("nbdkit")
    if found is None:
        raise UserError("nbdkit is not on PATH; install it, on Debian the packages nbdkit and nbdkit-plugin-dev")
    return found


def plugin() -> Path:
    """The plugin's file. Raises :class:`BuildError`."""
    path = SOURCE / "nbdkit" / "plugin.cpp"
    below = Path(library()._name).parent

    def make(made: Path) -> None:
        log.info("compiling the plugin of nbdkit, which is kept for later runs")
        linked = ["-L", below, "-lwideblock", f"-Wl,-rpath,{below}"]
        with Commands() as commands:
            commands.run(
                [compiler(), *FLAGS, "-I", SOURCE, path, "-o", made / PLUGIN, *linked],
                made.parent,
                "cannot compile the nbdkit plugin, which needs nbdkit-plugin.h, on Debian of nbdkit-plugin-dev",
            )

    made_of = [compiler(), str(below), path.read_text(), Path(__file__).read_text()]
    try:
        return cached(cache_directory() / "nbdkit" / name_of(made_of), make).resolve() / PLUGIN
    except OSError as error:
        raise BuildError(f"cannot build the nbdkit plugin: {' '.join(str(error).split())}") from error
