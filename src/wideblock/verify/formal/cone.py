# SPDX-License-Identifier: Apache-2.0
"""The dependences between bits of a netlist as a graph, and the cone of a bit.

The netlist is a module in Yosys' JSON, of Yosys' cells or of a family's cells. A bit depends on every bit read by its
cell, also in an earlier cycle. The graph may have an edge without a dependence; every dependence has an edge.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from wideblock.verify.formal.proof import NotProved

__all__ = ["Cone", "Graph"]

_BITWISE = frozenset(("$not", "$and", "$or", "$xor", "$xnor", "$pos", "$buf", "$bwmux"))
_CARRIED = frozenset(("$add", "$sub", "$neg"))
_COMBINATIONAL = frozenset(
    ("$mux", "$pmux", "$eq", "$ne", "$eqx", "$nex", "$lt", "$le", "$gt", "$ge", "$mul", "$div", "$mod", "$shl", "$shr")
    + ("$sshl", "$sshr", "$shift", "$shiftx", "$logic_not", "$logic_and", "$logic_or", "$reduce_and", "$reduce_or")
    + ("$reduce_xor", "$reduce_xnor", "$reduce_bool", *_BITWISE, *_CARRIED)
)
_REGISTERS = frozenset(("$ff", "$dff", "$dffe", "$sdff", "$sdffe", "$sdffce", "$adff", "$adffe"))
_MEMORY = "$mem_v2"
_GATES = ("LUT", "MUXF", "CARRY", "INV", "BUFG", "IBUF", "OBUF")
"""Beginnings of the names of Xilinx's cells that are combinational."""

_Bits = list[int | str]


class Graph:
    """The bits of ``module`` and the cells that drive them.

    A node is a bit, numbered as in the JSON, or a cell with outputs that depend on all inputs: minus the place in the
    list of cells, minus 1.
    """

    def __init__(self, module: dict[str, Any]):
        self.ports: dict[str, _Bits] = {name: port["bits"] for name, port in module["ports"].items()}
        self.cells: list[dict[str, Any]] = [c for c in module["cells"].values() if c["type"] != "$scopeinfo"]
        self._nets: dict[str, _Bits] = {name: net["bits"] for name, net in module["netnames"].items()}
        self._drivers: dict[int, tuple[int, str, int]] = {}
        self._names: dict[int, str] = {}
        for number, cell in enumerate(self.cells):
            for pin, bits in cell["connections"].items():
                if cell["port_directions"][pin] == "output":
                    for place, bit in enumerate(bits):
                        if isinstance(bit, int):
                            self._drivers[bit] = (number, pin, place)

    @property
    def registers(self) -> int:
        """Bits in registers."""
        return sum(len(c["connections"].get("Q", ())) for c in self.cells if is_state(c["type"]))

    def signal(self, name: str) -> _Bits:
        """The bits of a signal, low bit first. Raises :class:`NotProved` for an unknown signal."""
        if name not in self._nets:
            raise NotProved(f"there is no signal {name}, which the rule names")
        return self._nets[name]

    def driver(self, bit: int) -> dict[str, Any] | None:
        """The cell that drives a bit, or None."""
        return self.cells[self._drivers[bit][0]] if bit in self._drivers else None

    def named(self, bit: int) -> str:
        """The name of a bit's signal with the place of the bit; nothing if only tools named the bit."""
        if not self._names:
            for name, bits in sorted(self._nets.items(), key=self._plainness):
                if "$" not in name and not name.rpartition(".")[2].startswith("_"):
                    places = (f"{name}[{k}]" if len(bits) > 1 else name for k in range(len(bits)))
                    self._names |= {bit: at for bit, at in zip(bits, places, strict=True) if isinstance(bit, int)}
        return self._names.get(bit, "")

    def _plainness(self, net: tuple[str, _Bits]) -> tuple[bool, bool, int, int]:
        """Orders the names of a bit: ports are the best, then registers and signals by the module that is deepest."""
        name = net[0]
        return name in self.ports, "__" not in name, min(name.count("."), 2), -len(name)

    def sources(self, node: int) -> Iterable[int]:
        """The nodes on which a node depends directly."""
        if node < 0:
            return _numbers(self._inputs(self.cells[-node - 1]))
        if node not in self._drivers:
            return ()
        number, pin, place = self._drivers[node]
        cell = self.cells[number]
        several = _sources(cell, pin, place)
        return (-number - 1,) if several is None else _numbers(several)

    @staticmethod
    def _inputs(cell: dict[str, Any]) -> Iterator[int | str]:
        for pin, bits in cell["connections"].items():
            if cell["port_directions"][pin] != "output":
                yield from bits

    def inputs(self, cell: dict[str, Any]) -> set[int]:
        """The bits that a cell reads."""
        return set(_numbers(self._inputs(cell)))


class Cone:
    """Every node on which ``ends`` depend, now or in any earlier cycle. The search stops at the bits of ``cut``."""

    def __init__(self, graph: Graph, ends: Iterable[int], cut: Collection[int] = ()):
        self.graph = graph
        self._towards: dict[int, int | None] = dict.fromkeys(ends)
        todo = deque(self._towards)
        while todo:
            node = todo.popleft()  # the nearest first: paths are short
            if node in cut:
                continue
            for source in graph.sources(node):
                if source not in self._towards:
                    self._towards[source] = node
                    todo.append(source)

    def __contains__(self, node: int) -> bool:
        return node in self._towards

    def __iter__(self) -> Iterator[int]:
        return iter(self._towards)

    def path(self, bit: int) -> list[str]:
        """The names on a path from a bit of the cone to an end of the cone."""
        names, node = [], bit
        while node is not None:
            name = self.graph.named(node) if node > 0 else ""
            if name and name.partition("[")[0] not in {before.partition("[")[0] for before in names[-1:]}:
                names.append(name)
            node = self._towards[node]
        return names


def is_state(type: str) -> bool:
    """Whether a cell counts as a register: every cell that is not known to be combinational."""
    return not (type in _COMBINATIONAL or type.startswith(_GATES))


def _numbers(bits: Iterable[int | str]) -> list[int]:
    return [bit for bit in bits if isinstance(bit, int)]


def _sources(cell: dict[str, Any], pin: str, place: int) -> Iterable[int | str] | None:
    """The bits on which an output bit of a cell depends; None: on all inputs of the cell."""
    type = cell["type"]
    if type in _BITWISE:
        return _bits_at(cell, place, ("A", "B", "S"))
    if type in _CARRIED:
        return [bit for k in range(place + 1) for bit in _bits_at(cell, k, ("A", "B"))]
    if type in _REGISTERS:
        shared = [p for p in cell["connections"] if p != "D" and cell["port_directions"][p] == "input"]
        return [*_bits_at(cell, place, ("D",)), *_whole(cell, shared)]
    own_kind = _CELLS.get(type)
    return own_kind(cell, pin, place) if own_kind else None


def _bits_at(cell: dict[str, Any], place: int, pins: Iterable[str]) -> list[int | str]:
    """The bit at a place of each existing pin; of a shorter signed operand the sign."""
    found = []
    for pin in pins:
        bits = cell["connections"].get(pin)
        if bits and place < len(bits):
            found.append(bits[place])
        elif bits and _parameter(cell, f"{pin}_SIGNED"):
            found.append(bits[-1])
    return found


def _whole(cell: dict[str, Any], pins: Iterable[str]) -> list[int | str]:
    return [bit for pin in pins for bit in cell["connections"].get(pin, ())]


def _parameter(cell: dict[str, Any], name: str) -> int:
    value = cell["parameters"].get(name, 0)
    return value if isinstance(value, int) else int(value.replace("x", "0") or "0", 2)


def _mux(cell: dict[str, Any], pin: str, place: int) -> list[int | str]:
    A, B = _bits_at(cell, place, ("A", "B"))
    return [A] if A == B else [A, B, *_whole(cell, ("S",))]


def _pmux(cell: dict[str, Any], pin: str, place: int) -> list[int | str]:
    width = _parameter(cell, "WIDTH")
    return [*_bits_at(cell, place, ("A",)), *cell["connections"]["B"][place::width], *_whole(cell, ("S",))]


def _memory(cell: dict[str, Any], pin: str, place: int) -> list[int | str]:
    """Inputs of a read bit: address and controls of the read port; bit, enable and address of each write port."""
    width, abits = _parameter(cell, "WIDTH"), _parameter(cell, "ABITS")
    port, bit = divmod(place, width)
    found = [*cell["connections"]["RD_ADDR"][port * abits : (port + 1) * abits]]
    found += [cell["connections"][pin][port] for pin in ("RD_CLK", "RD_EN", "RD_ARST", "RD_SRST")]
    for pin in ("WR_DATA", "WR_EN"):
        found += cell["connections"][pin][bit::width]
    return [*found, *_whole(cell, ("WR_ADDR", "WR_CLK"))]


def _lut(cell: dict[str, Any], pin: str, place: int) -> list[int | str]:
    """The inputs on which the table depends; all inputs if the table has undefined places."""
    pins = sorted(p for p in cell["connections"] if p.startswith("I"))
    if set(str(cell["parameters"]["INIT"])) - {"0", "1"}:
        return _whole(cell, pins)
    init = _parameter(cell, "INIT")
    rows = range(1 << len(pins))
    reads = (any((init >> row ^ init >> (row ^ 1 << k)) & 1 for row in rows) for k in range(len(pins)))
    return _whole(cell, [p for p, read in zip(pins, reads, strict=True) if read])


def _carry(cell: dict[str, Any], pin: str, place: int) -> list[int | str]:
    found = _whole(cell, ("CI", "CYINIT"))
    for k in range(place + 1):
        found += _bits_at(cell, k, ("S", "DI"))
    return found


def _distributed(cell: dict[str, Any], pin: str, place: int) -> list[int | str]:
    """A bit read from RAM32M or RAM64M: the same bit written, and every address and enable."""
    data = {p for p in cell["connections"] if p.startswith("DI")}
    shared = [p for p in cell["connections"] if p not in data and cell["port_directions"][p] == "input"]
    return [*_bits_at(cell, place, (pin.replace("DO", "DI"),)), *_whole(cell, shared)]


_CELLS: dict[str, Callable[[dict[str, Any], str, int], Iterable[int | str]]] = {
    "$mux": _mux,
    "$pmux": _pmux,
    _MEMORY: _memory,
    **{f"LUT{n}": _lut for n in range(1, 7)},
    "CARRY4": _carry,
    "RAM32M": _distributed,
    "RAM64M": _distributed,
}
