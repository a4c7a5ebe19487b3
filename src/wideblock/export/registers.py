# SPDX-License-Identifier: Apache-2.0
"""Tables of register maps for documents, and the files of a core that has registers."""

from collections.abc import Sequence
from pathlib import Path

from wideblock.export.header import c_header
from wideblock.export.markdown import table
from wideblock.export.systemrdl import systemrdl
from wideblock.rtl.bus.registers import REGISTER_BYTES, Register, RegisterField, RegisterMap

__all__ = ["DRIVER", "register_files", "register_tables"]

DRIVER = Path(__file__).with_name("driver")
"""Folder of the C driver, which serves every map."""


def register_files(name: str, maps: Sequence[RegisterMap]) -> dict[str, str]:
    """Returns C header, SystemRDL description and C driver of core ``name``, by their files; none without maps.

    The driver of a master goes with its map.
    """
    if not maps:
        return {}
    master = any(each.name == "DMA" for each in maps)
    paths = [path for path in sorted(DRIVER.iterdir()) if master or path.stem != "wideblock_dma"]
    driver = {path.name: path.read_text() for path in paths}
    return {f"{name}_regs.h": c_header(name, maps), f"{name}.rdl": systemrdl(name, maps), **driver}


def register_tables(maps: Sequence[RegisterMap], level: str = "###") -> str:
    """Returns the maps as Markdown: of each a heading of ``level``, a table of its registers, and their fields."""
    return "\n".join(_tables(each, level) for each in maps)


def _tables(registers: RegisterMap, level: str) -> str:
    rows = [
        (_place(each), f"`{each.name}`{f'[{each.count}]' if each.count > 1 else ''}", f"{each.reset:08x}h", each.text)
        for each in registers.registers
    ]
    fields = [
        (f"`{register.name}`", f"`{field.name}`", _bits(field), field.access.name, _meaning(field))
        for register in registers.registers
        for field in register.fields
    ]
    used = dict.fromkeys(field.access for register in registers.registers for field in register.fields)
    return "\n".join(
        [
            f"{level} Registers of map {registers.name}",
            "",
            f"{registers.text} The range has {registers.bytes} bytes.",
            "",
            table(("offset", "register", "reset", "meaning"), rows),
            table(("register", "field", "bits", "access", "meaning"), fields),
            "; ".join(f"{access.name}: {access.value}" for access in used) + ".",
            "",
        ]
    )


def _place(register: Register) -> str:
    last = register.end - REGISTER_BYTES
    return f"{register.offset:03x}h" if register.count == 1 else f"{register.offset:03x}h to {last:03x}h"


def _bits(field: RegisterField) -> str:
    return str(field.low) if field.bits == 1 else f"{field.low + field.bits - 1}..{field.low}"


def _meaning(field: RegisterField) -> str:
    values = "; ".join(f"{value.value} {value.name}: {value.text}" for value in field.values)
    constant = f"; the constant {field.reset:{'#x' if field.bits > 24 else 'd'}}" if field.constant else ""
    return f"{field.text}{constant}" + (f" ({values})" if values else "")
