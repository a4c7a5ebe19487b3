# SPDX-License-Identifier: Apache-2.0
"""Proof, by a search of the netlist, that no combinational path connects two streams of a core."""

import time
from collections.abc import Iterable

from wideblock.export.contract import Contract
from wideblock.verify.formal.flat import Flat, flatten
from wideblock.verify.formal.proof import NotProved, Proof

__all__ = ["prove_no_paths"]

_REGISTERS = ("$dff", "$sdff", "$dffe", "$sdffe", "$adff")


def prove_no_paths(core: Contract, flat: Flat | None = None) -> Proof:
    """Proves that no input of a stream reaches an output of a stream without passing a register.

    Every cell counts as a connection of each input to each output, also a cipher, a multiplier and a memory from
    address to data. The search may find a path that does not exist, and misses none. Raises :class:`NotProved`.
    """
    start = time.monotonic()
    top = (flat or flatten(core)).netlist()
    readers, registers = _readers(top)
    streams = {port for stream in core.shell.streams for port in (*stream.payload, stream.valid, stream.ready)}
    ports = {port: p for port, p in top["ports"].items() if port in streams}
    outputs = {bit: port for port, p in ports.items() if p["direction"] == "output" for bit in p["bits"]}
    for port, p in ports.items():
        if p["direction"] == "input":
            for bit in _reached(p["bits"], readers):
                if bit in outputs:
                    raise NotProved(f"{core.module}: a combinational path leads from {port} to {outputs[bit]}")
    return Proof(
        "no combinational path connects an input of a stream to an output of a stream",
        "search of the netlist",
        len(top["cells"]),
        registers,
        time.monotonic() - start,
    )


def _readers(top: dict) -> tuple[dict[int, list[dict]], int]:
    """The combinational cells that read each bit, and the number of bits in registers."""
    readers: dict[int, list[dict]] = {}
    registers = 0
    for cell in top["cells"].values():
        if cell["type"] in _REGISTERS:
            registers += len(cell["connections"]["Q"])
            continue
        for bit in _bits(cell, "input"):
            readers.setdefault(bit, []).append(cell)
    return readers, registers


def _reached(start: Iterable[int | str], readers: dict[int, list[dict]]) -> set[int]:
    """The bits ``start``, and all bits reached by a change of any start bit within the cycle."""
    todo = [bit for bit in start if isinstance(bit, int)]
    reached = set(todo)
    while todo:
        for cell in readers.get(todo.pop(), ()):
            new = set(_bits(cell, "output")) - reached
            reached |= new
            todo += new
    return reached


def _bits(cell: dict, direction: str) -> list[int]:
    """The bits at a cell's inputs or outputs, without constants."""
    return [
        bit
        for pin, bits in cell["connections"].items()
        if cell["port_directions"][pin] == direction
        for bit in bits
        if isinstance(bit, int)
    ]
