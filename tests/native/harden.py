# SPDX-License-Identifier: Apache-2.0
"""The native library under sanitizers, a fuzzer and valgrind: ``python -m tests.native.harden [SECONDS [FOLDER]]``.

The fuzzer, libFuzzer of clang with AddressSanitizer and UndefinedBehaviorSanitizer, calls the C interface for SECONDS,
600 unless given; FOLDER keeps its inputs, and a failing one, for later runs. Keys, tweaks and data are marked as
undefined for two others, and a branch or an address that depends on one is an error: valgrind's memcheck runs the
portable width and the widest that it knows, as g++ makes them; MemorySanitizer of clang runs every width of the
processor. Needs clang++, also as clang++-19 to clang++-15, with its runtime libraries, on Debian libclang-rt-dev, and
valgrind with its headers.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from wideblock.native.library import SOURCE, compile_library, widths

__all__ = ["build_fuzzer", "build_poisoned", "build_secrets", "clang", "fuzz", "main", "memcheck", "memory_sanitizer"]

HERE = Path(__file__).parent
SANITIZERS = ("-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
"""Of :func:`build_fuzzer`. With these checks, clang takes many minutes for a width at the library's -O3."""

MEMORY = ("-g", "-fsanitize=memory", "-fsanitize-recover=memory", "-fno-sanitize-memory-param-retval")
"""MemorySanitizer that goes on after a report; values may be passed and returned undefined, but not decide."""

WIDTHS = ("portable", "aesni")
"""Widths that valgrind can run; it has no VAES."""


def clang() -> str:
    """The command of clang++ that is on PATH, the newest if it has a number there. Raises FileNotFoundError."""
    names = ("clang++", *(f"clang++-{version}" for version in range(19, 14, -1)))
    found = next(filter(shutil.which, names), None)
    if found is None:
        raise FileNotFoundError("no clang++ on PATH; install it, on Debian clang-16 and libclang-rt-16-dev")
    return found


def build_fuzzer(folder: Path) -> Path:
    """The fuzzer, built in ``folder``. Raises BuildError or CalledProcessError."""
    return _program(folder, clang(), "fuzz", (*SANITIZERS, "-fsanitize=fuzzer-no-link"), "-fsanitize=fuzzer")


def build_secrets(folder: Path) -> Path:
    """The program of :func:`memcheck`, built in ``folder``, optimised as the library is."""
    return _program(folder, "g++", "secrets", ("-g",))


def build_poisoned(folder: Path) -> Path:
    """The same program for :func:`memory_sanitizer`."""
    return _program(folder, clang(), "secrets", MEMORY)


def _program(folder: Path, command: str, name: str, flags: tuple[str, ...], *linked: str) -> Path:
    made = folder / f"{name}-{command}"
    program = made / name
    (made / "library").mkdir(parents=True)
    compile_library(made / "library", command=command, flags=flags)
    words = [command, "-std=c++17", "-O1", *flags, *linked, f"-I{SOURCE}", HERE / f"{name}.cpp", *made.glob("*.o")]
    subprocess.run([str(word) for word in (*words, "-o", program, "-lpthread")], check=True)
    return program


def fuzz(program: Path, corpus: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """A run of the fuzzer on the inputs in ``corpus``, which gets those that reach new code; a failing one, too."""
    corpus.mkdir(parents=True, exist_ok=True)
    limits = ("-max_len=12288", "-len_control=0", f"-artifact_prefix={corpus}/failed-")
    return subprocess.run([program, *limits, *options, corpus], capture_output=True, text=True)


def memcheck(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run of the program under memcheck; its status is 9 if a branch or an address depends on a secret."""
    exact = ("--error-exitcode=9", "--quiet", "--expensive-definedness-checks=yes")
    return subprocess.run(["valgrind", *exact, program, *arguments], capture_output=True, text=True)


def memory_sanitizer(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run of the program under MemorySanitizer, to its end; its status is 9 if there was a report on stderr."""
    environment = {**os.environ, "MSAN_OPTIONS": "halt_on_error=0:exit_code=9"}
    return subprocess.run([program, *arguments], env=environment, capture_output=True, text=True)


def main(seconds: int, corpus: Path | None) -> None:
    with tempfile.TemporaryDirectory() as made:
        tools = (
            ("valgrind", build_secrets, memcheck, WIDTHS),
            ("MemorySanitizer", build_poisoned, memory_sanitizer, widths()),
        )
        for name, build, judge, those in tools:
            program = build(Path(made))
            for width in those:
                done = judge(program, width)
                if done.returncode:
                    sys.exit(f"{name}, width {width}:\n{done.stdout}{done.stderr}")
                print(f"{name}, width {width}: {done.stdout.strip()}, no branch and no address on a secret", flush=True)
        done = fuzz(build_fuzzer(Path(made)), corpus or Path(made) / "corpus", f"-max_total_time={seconds}")
        last = done.stderr.strip().splitlines()[-1:]
        if done.returncode:
            sys.exit(f"fuzzer:\n{done.stderr}")
        print(f"fuzzer, ASan and UBSan: no finding. {''.join(last)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 600, Path(sys.argv[2]) if len(sys.argv) > 2 else None)
