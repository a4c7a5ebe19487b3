# SPDX-License-Identifier: Apache-2.0
"""The native library: built by the C++ compiler at first use, kept between runs; see ``wideblock.h`` for its terms."""

import ctypes
import logging
import platform
import shutil
import sys
from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path

from wideblock import __version__
from wideblock.cache import cache_directory, cached, name_of
from wideblock.simulation.commands import BuildError, Commands, compiler

__all__ = ["HEADER", "SOURCE", "compile_library", "install", "library", "library_file", "schemes", "widths"]

log = logging.getLogger(__name__)

SOURCE = Path(__file__).parent
"""Folder of the C++ sources and of ``wideblock.h``."""

HEADER, LIBRARY = SOURCE / "wideblock.h", "libwideblock.so"
SONAME = f"{LIBRARY}.0"
"""Name by which programs find the library; its number rises when the C interface changes what it had."""

log = logging.getLogger(__name__)

FLAGS = ("-std=c++17", "-O3", "-fPIC", "-fvisibility=hidden", "-w")

_VAES = ("-maes", "-mpclmul", "-mavx2", "-mbmi", "-mvaes", "-mvpclmulqdq")
LAYERS: dict[str, dict[str, tuple[int, tuple[str, ...]]]] = {
    "x86_64": {
        "vaes512": (4, (*_VAES, "-mavx512f", "-mavx512bw", "-mavx512vl")),
        "vaes256": (2, _VAES),
        "aesni": (1, ("-maes", "-mpclmul", "-mavx")),
    },
    "aarch64": {"neon": (1, ("-march=armv8-a+crypto",))},
}
"""Layers of a machine beside the portable one: blocks a vector, and the compiler's flags."""


def library_file() -> Path:
    """The shared library, built if it is not kept from an earlier run. Raises :class:`BuildError`."""
    sources = [path.read_text() for path in sorted(SOURCE.iterdir()) if path.suffix in (".h", ".cpp", ".py")]
    folder = cache_directory() / "native" / name_of([compiler(), sys.platform, platform.machine(), *sources])

    def make(made: Path) -> None:
        log.info("compiling the native library, which is kept for later runs")
        compile_library(made)

    try:
        return cached(folder, make).resolve() / LIBRARY
    except OSError as error:
        raise BuildError(f"cannot build the native library: {' '.join(str(error).split())}") from error


@cache
def library() -> ctypes.CDLL:
    """The library, loaded, its functions declared. Raises :class:`BuildError`."""
    loaded = ctypes.CDLL(str(library_file()))
    context, size, data = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p
    crypt = [context, ctypes.c_int, data, data, size, size, data, size, ctypes.c_uint]
    for name, result, arguments in (
        ("message", ctypes.c_char_p, [ctypes.c_int]),
        ("scheme", ctypes.c_char_p, [size]),
        ("width", ctypes.c_char_p, [size]),
        ("open", ctypes.c_int, [ctypes.POINTER(context), ctypes.c_char_p, data, size, ctypes.c_char_p]),
        ("close", None, [context]),
        ("check", ctypes.c_int, [context, size, size]),
        ("crypt", ctypes.c_int, crypt),
        ("crypt_numbered", ctypes.c_int, crypt),
    ):
        function = getattr(loaded, f"wideblock_{name}")
        function.restype, function.argtypes = result, arguments
    return loaded


def compile_library(
    made: Path, *, command: str | None = None, machine: str | None = None, flags: tuple[str, ...] = ()
) -> None:
    """Puts the library into folder ``made``; objects go beside it.

    command, machine: a cross compiler and its target; None: the compiler and the machine of this process
    flags:            more of the compiler's
    Raises :class:`BuildError`.
    """
    command, work, failure = command or compiler(), made.parent, "cannot compile the native library"
    units: dict[str, tuple[Path, tuple[str, ...]]] = {"wideblock": (SOURCE / "wideblock.cpp", ())}
    layers = {**LAYERS.get(machine or platform.machine(), {}), "plain": (0, ())}
    for name, (lanes, instructions) in layers.items():
        macros = (f"-DWIDEBLOCK_LAYER={name}", f"-DWIDEBLOCK_LANES={lanes}")
        units[name] = (SOURCE / "schemes.cpp", (*instructions, *macros))
    with Commands() as commands:
        started = [
            commands.start([command, *FLAGS, *flags, *own, "-c", path, "-o", f"{name}.o"], work, failure)
            for name, (path, own) in units.items()
        ]
        for each in started:
            commands.finish(each)
        objects = [f"{name}.o" for name in units]
        linked = ["-shared", f"-Wl,-soname,{SONAME}", *objects, "-o", made / SONAME, "-lpthread"]
        commands.run([command, *flags, *linked], work, failure)
    (made / LIBRARY).symlink_to(SONAME)


def install(prefix: Path) -> None:
    """Puts the library, its header and its ``wideblock.pc`` below ``prefix``. Raises :class:`BuildError`; OSError."""
    library, include = prefix / "lib", prefix / "include"
    for folder in (include, library / "pkgconfig"):
        folder.mkdir(parents=True, exist_ok=True)
    for name in (SONAME, LIBRARY):
        (library / name).unlink(missing_ok=True)  # programs that run keep the file that they have
    shutil.copy(HEADER, include)
    shutil.copy(library_file(), library / SONAME)
    (library / LIBRARY).symlink_to(SONAME)
    (library / "pkgconfig/wideblock.pc").write_text(
        f"prefix={prefix.absolute()}\n\n"
        f"Name: wideblock\nDescription: sector ciphers\nVersion: {__version__}\n"
        f"Cflags: -I${{prefix}}/include\nLibs: -L${{prefix}}/lib -lwideblock\n"
    )


def widths() -> list[str]:
    """Names of the widths that this processor has, the widest first."""
    return list(_names("width"))


def schemes() -> list[str]:
    """Names of the library's schemes."""
    return list(_names("scheme"))


def _names(kind: str) -> Iterator[str]:
    for i in count():
        if (name := getattr(library(), f"wideblock_{kind}")(i)) is None:
            return
        yield name.decode()


if __name__ == "__main__":
    try:
        install(Path(sys.argv[1]))
    except (BuildError, OSError) as error:
        sys.exit(f"wideblock: {error}")
