# SPDX-License-Identifier: Apache-2.0
"""Memories as separate modules, a module a shape; macros of a target can replace the modules."""

import re
import textwrap
from collections.abc import Mapping
from itertools import count

from amaranth.hdl import Fragment, MemoryInstance
from amaranth.hdl._ir import Design  # no public name
from amaranth.lib.memory import Memory

from wideblock.export.memories import MemoryBlock, block

__all__ = ["ROWS", "blocks", "enclose", "kept_last", "shaped"]

ROWS = "content"
"""Name of a memory in its module; that of the instance is the memory's own."""

_FIELDS = ("addr", "en", "data")
_FIELD = re.compile(rf"(read|write)(\d*)_({'|'.join(_FIELDS)})")
_INIT = re.compile(r"^  cell \$meminit_v2 .*\n(?:    .*\n)*  end\n", re.MULTILINE)
_MODULE = re.compile(r"^module \\(\S+)\n.*?^end$", re.MULTILINE | re.DOTALL)
_PORT = re.compile(r"^  wire width (\d+) (input|output) \d+ +\\(\S+)$", re.MULTILINE)
_CELL = re.compile(r"^  cell \\(\S+)", re.MULTILINE)
_VERILOG_MODULE = re.compile(r"^module (\w+)\(.*?^endmodule\n", re.MULTILINE | re.DOTALL)
_OUTPUT_REGISTER = re.compile(r"\b_(\d+)_\b")


def enclose(fragment: Fragment) -> None:
    """Puts each written memory below ``fragment`` in a separate module. Tables stay where they are read."""
    for place, (part, name, source) in enumerate(fragment.subfragments):
        if not isinstance(part, MemoryInstance):
            enclose(part)
        elif part._write_ports and part._read_ports:
            module = Fragment(src_loc=part.src_loc)
            module.origins, part.origins = part.origins, None
            module.add_subfragment(part, ROWS)
            fragment.subfragments[place] = (module, name, source)


def blocks(design: Design) -> dict[str, MemoryBlock]:
    """The memories with a module, by the module's name, ``top__core__exit__beats``."""
    return {
        "__".join(info.name): block(origin, info.name[-1])
        for fragment, info in design.fragments.items()
        for origin in fragment.origins or ()
        if isinstance(origin, Memory) and origin.write_ports and origin.read_ports
    }


def shaped(rtlil: str, top: str, memories: Mapping[str, MemoryBlock]) -> tuple[str, dict[str, MemoryBlock]]:
    """The RTLIL with a module for all ``memories`` of a shape, named after the shape; and those modules by their names.

    A memory has no contents at power-up: a core writes zero to each row after reset, before it takes a key. Unused
    ports of an instance are left out; memories of an equal shape with different ports have a number behind the name.
    """
    names: dict[str, str] = {}
    ports: dict[str, dict[str, int]] = {}
    shapes: dict[str, MemoryBlock] = {}
    for found in _MODULE.finditer(rtlil):
        if memory := memories.get(found[1]):
            own = {name: int(width) for width, _, name in _PORT.findall(found[0])}
            name, number = f"{top}__{_shape(memory, own)}", 1
            while ports.setdefault(unique := name if number == 1 else f"{name}_{number}", own) != own:
                number += 1
            names[found[1]], shapes[unique] = unique, memory
    made = set[str]()

    def written(found: re.Match[str]) -> str:
        if found[1] not in names:
            return _CELL.sub(lambda cell: f"  cell \\{names.get(cell[1], cell[1])}", found[0])
        name = names[found[1]]
        if name in made:
            return ""
        made.add(name)
        return _in_order(_INIT.sub("", found[0])).replace(f"module \\{found[1]}\n", f"module \\{name}\n", 1)

    return _MODULE.sub(written, rtlil), shapes


def _in_order(module: str) -> str:
    """The module of a memory with its ports in the order of :func:`_place`."""
    ports, numbers = iter(sorted((port.groups() for port in _PORT.finditer(module)), key=_place)), count(1)

    def next_port(_: re.Match[str]) -> str:
        width, way, name = next(ports)
        return f"  wire width {width} {way} {next(numbers)} \\{name}"

    return _PORT.sub(next_port, module)


def _place(port: tuple[str, ...]) -> tuple[bool, int, int]:
    """Place of a port: the clock, then writes, then reads by their numbers, each with address, enable, data."""
    found = _FIELD.fullmatch(port[2])
    if not found:
        return False, -1, 0
    way, number, field = found.groups()
    return way == "read", int(number or 0), _FIELDS.index(field)


def _shape(memory: MemoryBlock, ports: Mapping[str, int]) -> str:
    enabled = any(re.fullmatch(r"read\d*_en", port) for port in ports)
    read = ("registered_enabled" if enabled else "registered") if memory.latency else "direct"
    shape = f"memory_{memory.depth}x{memory.width}_{memory.writes}w{memory.reads}r"
    parts = max((width for port, width in ports.items() if re.fullmatch(r"write\d*_en", port)), default=1)
    written = [f"by{memory.width // parts}"] if parts > 1 else []
    return "_".join([shape, read, *written, *(["block"] if memory.style == "block" else [])])


def kept_last(verilog: str, shapes: Mapping[str, MemoryBlock]) -> str:
    """The Verilog with the modules of memories, :func:`shaped`, behind all others, each under a comment."""
    last = [
        "\n" + _comment(shapes[found[1]]) + _OUTPUT_REGISTER.sub(r"row\1", found[0])
        for found in _VERILOG_MODULE.finditer(verilog)
        if found[1] in shapes
    ]
    others = _VERILOG_MODULE.sub(lambda found: "" if found[1] in shapes else found[0], verilog)
    return re.sub(r"\n{3,}", "\n\n", others).rstrip() + "\n" + "".join(last)


def _comment(memory: MemoryBlock) -> str:
    read = "one cycle after its address" if memory.latency else "in the cycle of its address"
    text = (
        f"Memory: rows {memory.depth}, bits {memory.width}, write ports {memory.writes}, read ports {memory.reads}. "
        f"A row is read {read}. Read and written in one cycle: {memory.read_under_write}. Contents at power-up: any, "
        "as the core clears every row after reset. A macro with these ports can take the place of this module."
    )
    return "".join(f"// {line}\n" for line in textwrap.wrap(text, 117))
