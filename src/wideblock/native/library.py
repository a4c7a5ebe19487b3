# SPDX-License-Identifier: Apache-2.0
"""The native library: built by the C++ compiler at first use, kept between runs; see ``wideblock.h`` for its terms."""

import ctypes
import logging
import platform
import re
import sys
from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path

from wideblock import __version__
from wideblock.atomic import replacing
from wideblock.cache import cache_directory, cached, name_of
from wideblock.simulation.commands import BuildError, Commands, compiler

__all__ = ["HEADER", "SOURCE", "compile_library", "install", "library", "library_file", "schemes", "widths"]

log = logging.getLogger(__name__)

SOURCE = Path(__file__).parent
"""Folder of the C++ sources and of ``wideblock.h``."""

HEADER = SOURCE / "wideblock.h"
MAJOR = __version__.partition(".")[0]
LIBRARY, ARCHIVE = "libwideblock.so", "libwideblock.a"
SONAME = f"{LIBRARY}.{MAJOR}"
"""Name by which programs find the library; ``wideblock.h`` has the rule of the number."""

FLAGS = ("-std=c++17", "-O3", "-fPIC", "-fvisibility=hidden", "-w")


def layers(machine: str) -> dict[str, tuple[str, list[str]]]:
    """Layers for a machine: blocks of a vector, and the compiler's flags, by their names."""
    lines = [line.split() for line in (SOURCE / "layers.txt").read_text().splitlines()]
    return {name: (lanes, flags) for where, name, lanes, *flags in filter(None, lines) if where in (machine, "any")}


def library_file() -> Path:
    """The shared library, built unless kept from an earlier run. Raises :class:`BuildError`."""
    files = [path for path in sorted(SOURCE.iterdir()) if path.suffix in (".h", ".cpp", ".txt", ".map")]
    made_of = [compiler(), sys.platform, platform.machine(), *(path.read_text() for path in (*files, Path(__file__)))]
    folder = cache_directory() / "native" / name_of(made_of)

    def make(made: Path) -> None:
        log.info("compiling the native library, which is kept for later runs")
        compile_library(made)

    try:
        return cached(folder, make).resolve() / LIBRARY
    except OSError as error:
        raise BuildError(f"cannot build the native library: {' '.join(str(error).split())}") from error


@cache
def library() -> ctypes.CDLL:
    """The library, loaded, with declared functions. Raises :class:`BuildError`."""
    loaded = ctypes.CDLL(str(library_file()))
    context, size, data = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p
    crypt = [context, ctypes.c_int, data, data, size, size, data, size, ctypes.c_uint]
    for name, result, arguments in (
        ("message", ctypes.c_char_p, [ctypes.c_int]),
        ("scheme", ctypes.c_char_p, [size]),
        ("tweak", ctypes.c_char_p, [size]),
        ("width", ctypes.c_char_p, [size]),
        ("open", ctypes.c_int, [ctypes.POINTER(context), ctypes.c_char_p, data, size, ctypes.c_char_p]),
        ("open2", ctypes.c_int, [ctypes.POINTER(context), ctypes.c_char_p, data, size, data]),
        ("close", None, [context]),
        ("check", ctypes.c_int, [context, size, size]),
        ("crypt", ctypes.c_int, crypt),
        ("crypt_numbered", ctypes.c_int, crypt),
        ("crypt_segments", ctypes.c_int, [context, ctypes.c_int, data, size, data, size, size, data]),
        ("tweaks", ctypes.c_int, [context, size, data, size, data]),
        ("seal", ctypes.c_int, [context, data, data, data, size, size, data, size, ctypes.c_uint]),
        ("unseal", ctypes.c_int, [context, data, data, data, data, size, size, data, size, ctypes.c_uint]),
    ):
        function = getattr(loaded, f"wideblock_{name}")
        function.restype, function.argtypes = result, arguments
    return loaded


def compile_library(
    made: Path, *, command: str | None = None, machine: str | None = None, flags: tuple[str, ...] = ()
) -> None:
    """Puts the library into folder ``made``; objects go beside the folder.

    command, machine: a cross compiler and the target; None: compiler and machine of the process
    flags:            more of the compiler's
    Raises :class:`BuildError`.
    """
    command, work, failure = command or compiler(), made.parent, "cannot compile the native library"
    units: dict[str, list[str | Path]] = {"wideblock": [SOURCE / "wideblock.cpp"]}
    for name, (lanes, instructions) in layers(machine or platform.machine()).items():
        macros = (f"-DWIDEBLOCK_LAYER={name}", f"-DWIDEBLOCK_LANES={lanes}")
        units[name] = [*instructions, *macros, SOURCE / "schemes.cpp"]
    with Commands() as commands:
        started = [
            commands.start([command, *FLAGS, *flags, "-c", *own, "-o", f"{name}.o"], work, failure)
            for name, own in units.items()
        ]
        for each in started:
            commands.finish(each)
        objects = [f"{name}.o" for name in units]
        named = (f"-Wl,-soname,{SONAME}", f"-Wl,--version-script={SOURCE / 'wideblock.map'}")
        commands.run([command, *flags, "-shared", *named, *objects, "-o", made / SONAME, "-lpthread"], work, failure)
        commands.run(["ar", "rcs", made / ARCHIVE, *objects], work, failure)
    (made / LIBRARY).symlink_to(SONAME)


def install(prefix: Path) -> None:
    """Puts library, header, manual page and files for pkg-config and CMake below ``prefix``.

    The CMake project in :data:`SOURCE` installs the same files. Raises :class:`BuildError`; OSError.
    """
    built, library = library_file().parent, prefix / "lib"
    files = {
        library / SONAME: built / SONAME,
        library / ARCHIVE: built / ARCHIVE,
        prefix / "include" / HEADER.name: HEADER,
        prefix / "share/man/man3/wideblock.3": SOURCE / "wideblock.3",
        library / "pkgconfig/wideblock.pc": SOURCE / "package/wideblock.pc.in",
        library / "cmake/wideblock/wideblock-config.cmake": SOURCE / "package/wideblock-config.cmake.in",
        library / "cmake/wideblock/wideblock-config-version.cmake": SOURCE
        / "package/wideblock-config-version.cmake.in",
    }
    values = {"version": __version__, "major": MAJOR, "include": "../include"}
    for path, source in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        content = source.read_bytes()
        if source.suffix == ".in":
            content = re.sub(r"@(\w+)@", lambda found: values[found[1]], content.decode()).encode()
        with replacing(path, new_mode=0o644) as file:  # programs that run keep the library that they have
            file.write(content)
    link = library / LIBRARY
    link.unlink(missing_ok=True)
    link.symlink_to(SONAME)


def widths() -> list[str]:
    """Names of the processor's widths, the widest first."""
    return list(_names("width"))


def schemes() -> list[str]:
    """Names of the library's schemes."""
    return list(_names("scheme"))


def _names(kind: str) -> Iterator[str]:
    for i in count():
        if (name := getattr(library(), f"wideblock_{kind}")(i)) is None:
            return
        yield name.decode()
