# SPDX-License-Identifier: Apache-2.0
"""Writes an exported core to disk, whole or not at all."""

import json
from pathlib import Path

from wideblock.atomic import check_directory, write_directory
from wideblock.catalog.kinds import AEAD
from wideblock.export import aead, sector
from wideblock.export.contract import Contract
from wideblock.export.fusesoc import fusesoc
from wideblock.export.ipxact import ipxact
from wideblock.export.memories import memory_list
from wideblock.export.registers import register_files
from wideblock.export.render import render
from wideblock.export.simulators import waivers

__all__ = ["generate"]


def generate(
    core: Contract, directory: Path, *, force: bool = False, measured: str = "", accept_broken: bool = False
) -> list[Path]:
    """Writes the Verilog, its test bench and what else a user's tools read into ``directory``; returns their paths.

    The directory appears with all files or stays as it was. Raises FileExistsError when it exists, is not empty and
    ``force`` is off; with ``force`` the files are replaced, each whole; all other files are kept. ``measured`` is a
    Markdown table of the core's area and clock, for its datasheet. Raises UserError for a broken scheme unless
    ``accept_broken``.
    """
    core.preset.scheme.check_status(accept_broken=accept_broken)
    directory = directory.absolute()
    check_directory(directory, overwrite=force)
    texts = _texts(core, measured)
    write_directory(directory, texts)
    return [directory / name for name in texts]


def _texts(core: Contract, measured: str) -> dict[str, str]:
    """Every file by its name. The module of the core's kind makes the datasheet, and the files of the kind."""
    name, kind = core.module, aead if core.kind is AEAD else sector
    others = kind.others(core)
    constraints = render("constraints.sdc.jinja", core=core)  # commands of SDC, which Vivado's XDC contains
    return {
        f"{name}.v": core.verilog,
        f"{name}.vlt": waivers(core),
        f"{name}.core": fusesoc(core, bench=f"{name}_tb.v" in others),
        f"{name}.xdc": constraints,
        f"{name}.sdc": constraints,
        f"{name}_memories.json": json.dumps(memory_list(core.memories, core.verilog, name), indent=2) + "\n",
        f"{name}.md": kind.datasheet(core, measured),
        "component.xml": ipxact(core),
        **register_files(name, core.registers),
    } | others
