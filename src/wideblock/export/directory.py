# SPDX-License-Identifier: Apache-2.0
"""Writes an exported core to disk, whole or not at all."""

import os
import shutil
import tempfile
from pathlib import Path

from wideblock.export.constraints import constraints
from wideblock.export.contract import Contract
from wideblock.export.datasheet import datasheet
from wideblock.export.fusesoc import fusesoc
from wideblock.export.ipxact import ipxact
from wideblock.export.testbench import cases, testbench

__all__ = ["generate"]


def generate(core: Contract, directory: Path, *, force: bool = False, measured: str = "") -> list[Path]:
    """Writes the Verilog, its test bench and what else a user's tools read into ``directory``; returns their paths.

    The directory appears with all files or stays as it was. Raises FileExistsError when it exists, is not empty and
    ``force`` is off; with ``force`` the files are replaced, each whole, and others there are kept. ``measured`` is a
    Markdown table of the core's area and clock, for its datasheet.
    """
    directory = directory.absolute()
    if directory.exists() and not directory.is_dir():
        raise NotADirectoryError(f"{directory} is a file; -o needs a directory")
    occupied = directory.is_dir() and any(directory.iterdir())
    if occupied and not force:
        raise FileExistsError(f"{directory} is not empty; choose another directory or give --force")
    texts = _texts(core, measured)
    directory.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{directory.name}.", dir=directory.parent))
    try:
        for name, content in texts.items():
            (work / name).write_text(content)
        work.chmod(0o777 & ~_umask())
        if occupied:
            for name in texts:
                os.replace(work / name, directory / name)
        else:
            os.replace(work, directory)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return [directory / name for name in texts]


def _texts(core: Contract, measured: str) -> dict[str, str]:
    """Every file by its name; the test bench only where there is a known answer for it to play."""
    name = core.module
    plays = cases(core)
    texts = {
        f"{name}.v": core.verilog,
        f"{name}.core": fusesoc(core, bench=bool(plays)),
        f"{name}.xdc": constraints(core),
        f"{name}.md": datasheet(core, measured),
        "component.xml": ipxact(core),
    }
    return texts | ({f"{name}_tb.v": testbench(core, plays)} if plays else {})


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
