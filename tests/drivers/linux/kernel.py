# SPDX-License-Identifier: Apache-2.0
"""Linux in user mode, built from Debian's sources into the cache: the kernel, and a kit that builds modules for it."""

import os
import shutil
import subprocess
import tarfile
from pathlib import Path

from wideblock.cache import cache_directory, cached, name_of
from wideblock.simulation.commands import processors

__all__ = ["ToolError", "headers", "kernel", "missing", "module", "run"]

HERE = Path(__file__).parent
CONFIG = HERE / "kernel.config"
DRIVER = HERE.parents[2] / "drivers" / "linux"
SOURCES = Path("/usr/src/linux-source-6.12.tar.xz")
PROGRAMS = {
    "gcc": "gcc",
    "make": "make",
    "flex": "flex",
    "bison": "bison",
    "bc": "bc",
    "xz": "xz-utils",
    "perl": "perl",
}
LEFT_OUT = (
    *("*/Documentation/*/*", "*/tools/testing/*", "*/arch/*/boot/dts/*", "*/sound/*.[ch]"),
    *("*/drivers/gpu/*.[ch]", "*/drivers/media/*.[ch]", "*/drivers/net/*/*.[ch]"),
)
KIT = ("Makefile", ".config", "Module.symvers", "include", "scripts", "arch/um", "arch/x86")
"""Parts of the built tree that a module needs."""


class ToolError(Exception):
    """A tool that is missing or has failed; the text is for the user."""


def missing() -> list[str]:
    """Names of what the machine lacks, each with its package of Debian."""
    lacking = [f"{name} ({package})" for name, package in PROGRAMS.items() if not shutil.which(name)]
    if not SOURCES.exists():
        lacking.append(f"{SOURCES} (linux-source-6.12)")
    if shutil.which("gcc"):
        found = subprocess.run(["gcc", "-print-file-name=libc.a"], capture_output=True, text=True).stdout.strip()
        lacking += [] if os.path.isabs(found) else ["libc.a (libc6-dev)"]
    return lacking


def headers() -> Path | None:
    """Headers of a kernel that are installed, against which a module compiles."""
    return next(
        (path for path in sorted(Path("/usr/src").glob("linux-headers-*-amd64")) if (path / "Makefile").exists()), None
    )


def run(*words: object, where: Path | None = None) -> str:
    """Runs a tool. Raises ToolError with the end of what it says."""
    command = [str(word) for word in words]
    result = subprocess.run(command, cwd=where, capture_output=True, text=True, errors="replace")
    if result.returncode:
        raise ToolError(f"{' '.join(command[:3])} has failed:\n{(result.stdout + result.stderr)[-2000:]}")
    return result.stdout + result.stderr


def kernel() -> Path:
    """Folder with ``linux``, the kernel as a program, and ``kit.tar``. Raises OSError, ToolError."""
    made_of = [CONFIG.read_text(), Path(__file__).read_text(), str(SOURCES.stat().st_size), run("gcc", "--version")]
    return cached(cache_directory() / "linux" / name_of(made_of), _build)


def _build(made: Path) -> None:
    tree = made.parent / "tree"
    tree.mkdir()
    excluded = [f"--exclude={pattern}" for pattern in LEFT_OUT]
    run("tar", "-xJf", SOURCES, "--strip-components=1", *excluded, where=tree)
    make = ("make", "-s", "ARCH=um", f"-j{processors()}")
    run(*make, "tinyconfig", where=tree)
    run("env", "ARCH=um", "scripts/kconfig/merge_config.sh", "-m", ".config", CONFIG, where=tree)
    run(*make, "olddefconfig", where=tree)
    run(*make, "linux", "modules", where=tree)
    shutil.copy(tree / "linux", made / "linux")
    with tarfile.open(made / "kit.tar", "w") as kit:
        for part in KIT:
            kit.add(tree / part, part, filter=_needed)


def _needed(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if entry.name.endswith((".c", ".o", ".a", ".cmd")) and not entry.name.startswith("scripts") else entry


def module(folder: Path, sources: dict[str, str]) -> tuple[Path, str]:
    """The module of ``sources``, texts by their files, built in ``folder``, and the compiler's warnings."""
    kit, own = folder / "kit", folder / "module"
    if not kit.exists():
        kit.mkdir(parents=True)
        run("tar", "-xf", kernel() / "kit.tar", where=kit)
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir()
    for name, text in sources.items():
        (own / name).write_text(text)
    said = run("make", "-s", "-C", kit, "ARCH=um", f"M={own}", "W=1", "modules")
    return own / "wideblock.ko", said
