# SPDX-License-Identifier: Apache-2.0
"""The memories of a core's elaborated hardware."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, astuple, dataclass, replace
from typing import Any

from amaranth.hdl import Fragment, Shape
from amaranth.lib import wiring
from amaranth.lib.memory import Memory

from wideblock.export.markdown import table

__all__ = ["MemoryBlock", "block", "memories", "memory_list", "memory_table"]

_MODULE = re.compile(r"^module (\w+)\(.*?^endmodule$", re.MULTILINE | re.DOTALL)
_INSTANCE = re.compile(r"^  (\w+) (\w+) \($", re.MULTILINE)

_HEAD = (
    *("number", "depth", "width, bits", "read ports", "write ports", "read latency, cycles"),
    *("read under write", "contents", "for", "names"),
)


@dataclass(frozen=True)
class MemoryBlock:
    """A memory of one clock: ``name`` is the path of instances from the top module to the memory, the memory's name
    last.

    depth:            rows
    width:            bits of a row; a write stores all of them
    reads, writes:    ports, each with an address of its own
    latency:          cycles from an address to the row: 0 is an asynchronous read
    read_under_write: row read by a port in the cycle of a write to the row
    contents:         "constant", a table that is never written; or "written", anything until the core clears it
    style:            attribute for synthesis: "block" memory, "logic" of a table, or "any"
    """

    name: str
    depth: int
    width: int
    reads: int
    writes: int
    latency: int
    read_under_write: str
    contents: str
    style: str


def memories(component: wiring.Component) -> tuple[MemoryBlock, ...]:
    """Every memory of a component and of its parts, in the order of the hierarchy. It elaborates the component."""
    return tuple(_inside(Fragment.get(component, None), ""))


def memory_list(blocks: tuple[MemoryBlock, ...], verilog: str, top: str) -> list[dict[str, Any]]:
    """The memories as plain values, with the ``module`` that has the rows.

    A written memory has a separate module; the last word of the path is the instance; a table is in the reading module.
    """
    inside = {
        each[1]: {name: module for module, name in _INSTANCE.findall(each[0])} for each in _MODULE.finditer(verilog)
    }
    listed = []
    for block in blocks:
        module = top
        for part in block.name.split("."):
            module = inside[module].get(part, module)
        listed.append({**asdict(block), "module": module})
    return listed


def memory_table(blocks: tuple[MemoryBlock, ...]) -> str:
    """The memories as a Markdown table with a row a shape, the largest first."""
    names = defaultdict[MemoryBlock, list[str]](list)
    for block in blocks:
        names[replace(block, name="")].append(f"`{block.name}`")
    shapes = sorted(names, key=lambda shape: -shape.depth * shape.width * len(names[shape]))
    return table(_HEAD, [(*_row(shape, len(names[shape])), ", ".join(names[shape])) for shape in shapes])


def _row(shape: MemoryBlock, number: int) -> list[str]:
    return [str(number), *map(str, astuple(shape)[1:])]


def _inside(fragment: Fragment, path: str) -> Iterator[MemoryBlock]:
    for part, name, _ in fragment.subfragments:
        found = [each for each in part.origins or () if isinstance(each, Memory)]
        if found and found[0].read_ports:  # one that is never read is not in the Verilog
            yield block(found[0], f"{path}{name}")
        yield from _inside(part, f"{path}{name}.")


def block(memory: Memory, name: str) -> MemoryBlock:
    """The memory by its shape. Raises ValueError for a memory with ports that differ in value or time of a read."""
    reads, writes = memory.read_ports, memory.write_ports
    latencies = {int(port.domain != "comb") for port in reads}
    if len(latencies) != 1 or any(port.transparent_for for port in reads):
        raise ValueError(f"memory {name} has reads of two latencies, or reads of a row that is being written")
    under_write = "left open, never used" if "no_rw_check" in memory.attrs else "row before the write"
    return MemoryBlock(
        name,
        memory.depth,
        Shape.cast(memory.shape).width,
        len(reads),
        len(writes),
        latencies.pop(),
        under_write if writes else "-",
        "written" if writes else "constant",
        str(memory.attrs.get("ram_style" if writes else "rom_style", "any")),
    )
