# SPDX-License-Identifier: Apache-2.0
"""Writes an exported core to disk, whole or not at all."""

from pathlib import Path

from wideblock.atomic import write_directory
from wideblock.export.contract import Contract
from wideblock.export.datasheet import datasheet
from wideblock.export.fusesoc import fusesoc

__all__ = ["generate"]


def generate(core: Contract, directory: Path, *, force: bool = False, measured: str = "") -> list[Path]:
    """Writes ``MODULE.v``, ``MODULE.core`` and ``MODULE.md`` into ``directory`` and returns their paths.

    The directory appears with all three or stays as it was. Raises FileExistsError when it exists, is not empty and
    ``force`` is off; with ``force`` the files are replaced, each whole, and others there are kept. ``measured`` is a
    Markdown table of the core's area and clock, for its datasheet.
    """
    directory = directory.absolute()
    if directory.exists() and not directory.is_dir():
        raise NotADirectoryError(f"{directory} is a file; -o needs a directory")
    if not force and directory.is_dir() and any(directory.iterdir()):
        raise FileExistsError(f"{directory} is not empty; choose another directory or give --force")
    texts = {
        f"{core.module}.v": core.verilog,
        f"{core.module}.core": fusesoc(core),
        f"{core.module}.md": datasheet(core, measured),
    }
    write_directory(directory, texts)
    return [directory / name for name in texts]
