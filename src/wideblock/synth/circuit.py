# SPDX-License-Identifier: Apache-2.0
"""A digest of a circuit: equal after a rename, a new comment or another order of the text, unequal after a real change.

Yosys reads the Verilog and flattens the design. Equal combinational cells become one cell. Each cell, memory and port
of the top module is a node with a colour. The first colour is made of type, parameters and constant inputs; each round
adds the colours of drivers and readers, until the number of colours no longer grows. Names of the top module's ports
are the only names. If every node has a colour of its own, two circuits with equal digests are isomorphic, apart from
collisions of the hash.

Not seen: operands of a commutative cell exchanged; a combinational cell built twice; a cell without an effect on an
output; an operation folded by Yosys, for example ``x & 1``; attributes of wires; borders of modules.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideblock.cache import remembered
from wideblock.synth import process, yosys
from wideblock.synth.yosys import Source

__all__ = ["METHOD", "Circuit", "circuit", "netlist"]

METHOD = "1"
"""Version of the method, in front of every digest. It changes with every change of digests."""

SCRIPT = ("proc", "flatten", "opt_expr -keepdc", "opt_clean -purge")
BUDGET = 64
"""Most nodes of equal colour that get a colour of their own in turn."""

COMMUTATIVE = frozenset(
    f"${name}" for name in ("add", "mul", "and", "or", "xor", "xnor", "eq", "ne", "eqx", "nex", "logic_and", "logic_or")
)
COMBINATIONAL = COMMUTATIVE | frozenset(
    f"${name}"
    for name in (
        *("not", "pos", "neg", "reduce_and", "reduce_or", "reduce_xor", "reduce_xnor", "reduce_bool", "logic_not"),
        *("sub", "shl", "shr", "sshl", "sshr", "shift", "shiftx", "lt", "le", "ge", "gt"),
        *("div", "mod", "divfloor", "modfloor", "pow"),
        *("mux", "pmux", "bmux", "demux", "bwmux", "bweqx"),
    )
)
"""Types of cells that are merged if their inputs are equal."""

_OPERANDS = {"A_WIDTH", "B_WIDTH", "A_SIGNED", "B_SIGNED"}  # labels of the operands of a commutative cell
_PLACES = {"PORTID", "PRIORITY", "MEMID"}  # names and numbers of memories and their ports
_MASKS = {"PRIORITY_MASK", "TRANSPARENCY_MASK", "COLLISION_X_MASK"}  # a bit for each write port
_HEEDED = re.compile(
    r"keep|.*ram.*|.*rom.*|.*dsp.*|.*encoding.*|.*max_?fan.*|.*mem.*|.*srl.*|.*extract.*|.*dont.*|no_rw_check", re.I
)
_GOLD = np.array([0x9E3779B97F4A7C15, 0xD1B54A32D192ED03], np.uint64)

Bit = int | str
Words = NDArray[np.uint64]


def circuit(source: Source) -> str:
    """The digest of the circuit of ``source``: version of the method, colon, 32 hexadecimal digits.

    Computed once for the same text, method and version of Yosys; seconds for a large core. Raises FlowError if Yosys
    cannot read the text.
    """
    made_of = source.top, source.verilog, METHOD, yosys.tool()
    return remembered("circuits", made_of, lambda: Circuit(netlist(source)).digest)


def netlist(source: Source) -> dict[str, Any]:
    """The flat module of ``source`` in Yosys' JSON."""
    with process.workspace(None) as where:
        (where / "source.v").write_text(source.verilog)
        script = ["read_verilog source.v", f"hierarchy -check -top {source.top}", *SCRIPT, "write_json flat.json"]
        yosys.run(script, where, "circuit")
        return json.loads((where / "flat.json").read_text())["modules"][source.top]


class Circuit:
    """The graph of a flat module: pins belong to nodes, edges go from a node to a pin.

    digest:  as :func:`circuit`
    nodes, colours: their numbers after the last round; equal if no symmetry is left
    """

    def __init__(self, module: Mapping[str, Any]):
        self._own: list[list[int]] = []
        self._pins: list[tuple[int, list[int]]] = []  # node, label
        self._edges: list[tuple[int, int, list[int]]] = []  # source node, pin, label
        self._driver: dict[Bit, tuple[int, str, int]] = {}  # node, port, place
        cells, same = merged(list(module["cells"].values()))
        self._build(module, cells, same)
        self._arrays()
        colour = self._refined(self._base)
        self.nodes, self.colours = len(colour), len(np.unique(colour[:, 0]))
        self._budget = BUDGET
        self.digest = f"{METHOD}:{self._named(colour)}"

    def _build(self, module: Mapping[str, Any], cells: Sequence[Mapping[str, Any]], same: Mapping[Bit, Bit]) -> None:
        """Makes nodes, pins and edges."""
        memories = {
            name: self._node("memory", each["width"], each["size"], each["start_offset"], _heeded(each))
            for name, each in module.get("memories", {}).items()
        }
        initial = _initial(module)
        outputs = []
        for name, port in module["ports"].items():
            node = self._node("port", port["direction"], name, len(port["bits"]))
            if port["direction"] == "input":
                self._drives(node, "", port["bits"])
            else:
                outputs.append((node, [same.get(bit, bit) for bit in port["bits"]]))
        nodes = [self._cell(cell, initial) for cell in cells]
        writers = {
            (cell["parameters"]["MEMID"], int(cell["parameters"]["PORTID"], 2)): node
            for node, cell in zip(nodes, cells, strict=True)
            if cell["type"] == "$memwr_v2"
        }
        for node, cell in zip(nodes, cells, strict=True):
            for label, bits in _inputs(cell):
                self._reads(node, label, bits)
            if "MEMID" in cell["parameters"]:
                self._joins(node, cell, memories, writers)
        for node, bits in outputs:
            self._reads(node, "", bits)

    def _cell(self, cell: Mapping[str, Any], initial: Mapping[Bit, str]) -> int:
        """The node of a cell, driver of the outputs."""
        outputs = [(port, bits) for port, bits in cell["connections"].items() if _drives(cell, port)]
        values = [(port, [initial.get(bit) for bit in bits]) for port, bits in outputs if initial.keys() & {*bits}]
        node = self._node(cell["type"], _parameters(cell), _heeded(cell), *values)
        for port, bits in outputs:
            self._drives(node, port, bits)
        return node

    def _joins(
        self,
        node: int,
        cell: Mapping[str, Any],
        memories: Mapping[str, int],
        writers: Mapping[tuple[str, int], int],
    ) -> None:
        """Edges between a port of a memory, the memory, and further ports named in the masks of the port."""
        parameters = cell["parameters"]
        memory = memories[parameters["MEMID"].removeprefix("\\")]
        if cell["type"] == "$memrd_v2":
            self._edge(memory, node, "memory")
        else:
            self._edge(node, memory, cell["type"])
            self._edge(memory, node, "of")
        for mask in _MASKS & parameters.keys():
            for place, bit in enumerate(reversed(parameters[mask])):
                if bit == "1":
                    self._edge(writers[parameters["MEMID"], place], node, mask)

    def _node(self, *values: Any) -> int:
        self._own.append(_word(repr(values)))
        return len(self._own) - 1

    def _drives(self, node: int, port: str, bits: Sequence[Bit]) -> None:
        for place, bit in enumerate(bits):
            self._driver[bit] = node, port, place

    def _edge(self, source: int, target: int, label: str) -> None:
        self._pins.append((target, _word(label)))
        self._edges.append((source, len(self._pins) - 1, _word(label)))

    def _reads(self, node: int, label: str, bits: Sequence[Bit]) -> None:
        """A pin, and an edge for each run of bits driven side by side by a port of a node."""
        runs: list[list[Any]] = []  # node, port, place there, place here, length
        fixed = []
        for place, bit in enumerate(bits):
            driver = None if isinstance(bit, str) else self._driver.get(bit)
            if driver is None:
                fixed.append((place, bit if isinstance(bit, str) else "undriven"))
                continue
            if runs and [*driver, place] == _after(runs[-1]):
                runs[-1][4] += 1
            else:
                runs.append([*driver, place, 1])
        self._pins.append((node, _word(f"{label} {len(bits)} {fixed}")))
        for source, port, there, here, length in runs:
            self._edges.append((source, len(self._pins) - 1, _word(f"{port} {there} {here} {length}")))

    def _arrays(self) -> None:
        self._base = np.array(self._own, np.uint64)
        node = np.array([n for n, _ in self._pins], np.int64)
        pin = np.array([p for _, p, _ in self._edges], np.int64)
        self._source = np.array([s for s, _, _ in self._edges], np.int64)
        self._target = node[pin]
        self._pin_label = np.array([label for _, label in self._pins], np.uint64)
        self._label = np.array([label for _, _, label in self._edges], np.uint64)
        self._back = _mixed(self._label + _mixed(self._pin_label[pin]) * _GOLD)
        self._by_pin, self._by_node = _Sum(pin, len(node)), _Sum(node, len(self._base))
        self._by_source = _Sum(self._source, len(self._base))

    def _refined(self, colour: Words) -> Words:
        """The stable colours that follow from ``colour``."""
        own, count = colour, 0
        while (found := len(np.unique(colour[:, 0]))) != count:
            count = found
            into = self._by_pin(_mixed(colour[self._source] * _GOLD + self._label))
            into = self._by_node(_mixed(into + self._pin_label * _GOLD))
            out = self._by_source(_mixed(colour[self._target] * _GOLD ^ self._back))
            colour = _mixed(own + _mixed(into + _GOLD) + _mixed(colour ^ _GOLD) + _mixed(out * _GOLD))
        return colour

    def _named(self, colour: Words) -> str:
        """Hash of stable colours. Each of the nodes of a shared colour, in turn, gets a colour of its own.

        The smallest group of nodes with a shared colour is chosen.
        """
        first, group, counts = np.unique(colour[:, 0], return_inverse=True, return_counts=True)
        if len(first) == len(colour) or self._budget <= 0:
            order = np.lexsort((colour[:, 1], colour[:, 0]))
            return _hash(np.ascontiguousarray(colour[order]).astype("<u8").tobytes()).hex()
        shared = np.flatnonzero(counts > 1)
        least = shared[np.lexsort((first[shared], counts[shared]))[0]]
        members = np.flatnonzero(group == least)
        self._budget -= len(members)
        found = []
        for member in members:
            alone = colour.copy()
            alone[member] = _mixed(alone[member] + np.uint64(1))
            found.append(self._named(self._refined(alone)))
        return _hash(repr(sorted(found)).encode()).hex()


class _Sum:
    """Sums of rows by group, modulo 2^64."""

    def __init__(self, group: NDArray[np.int64], number: int):
        self._order = np.argsort(group, kind="stable")
        self._present, self._start = np.unique(group[self._order], return_index=True)
        self._number = number

    def __call__(self, values: Words) -> Words:
        total = np.zeros((self._number, values.shape[1]), np.uint64)
        total[self._present] = np.add.reduceat(values[self._order], self._start, axis=0)
        return total


def merged(cells: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], dict[Bit, Bit]]:
    """``cells`` with a cell of each group of equal combinational cells, and the replacement of each bit of the dropped
    cells.

    A pass over all cells is repeated until it merges none. The result does not depend on the order of the cells.
    """
    same: dict[Bit, Bit] = {}
    while True:
        kept: dict[Any, dict[str, Any]] = {}
        left, new = [], {}
        for cell in cells:
            if cell["type"] in COMBINATIONAL:
                key = cell["type"], repr(_parameters(cell)), repr(_heeded(cell)), *sorted(_inputs(cell), key=repr)
                if (first := kept.setdefault(key, cell)) is not cell:
                    new |= zip(cell["connections"]["Y"], first["connections"]["Y"], strict=True)
                    continue
            left.append(cell)
        if not new:
            return cells, same
        same = {bit: new.get(by, by) for bit, by in same.items()} | new
        cells = [cell | {"connections": _replaced(cell["connections"], new)} for cell in left]


def _replaced(connections: Mapping[str, Sequence[Bit]], new: Mapping[Bit, Bit]) -> dict[str, list[Bit]]:
    return {port: [new.get(bit, bit) for bit in bits] for port, bits in connections.items()}


def _inputs(cell: Mapping[str, Any]) -> Iterable[tuple[str, tuple[Bit, ...]]]:
    """Label and bits of each input; A and B of a commutative cell have a common label."""
    for port, bits in cell["connections"].items():
        if cell["port_directions"][port] == "output":
            continue
        if cell["type"] in COMMUTATIVE:
            yield f"operand {len(bits)} {cell['parameters'][f'{port}_SIGNED']}", tuple(bits)
        else:
            yield port, tuple(bits)


def _drives(cell: Mapping[str, Any], port: str) -> bool:
    return cell["port_directions"][port] != "input"


def _parameters(cell: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Parameters without names, numbers, and parameters in the labels of inputs."""
    parameters = cell["parameters"]
    hidden = _PLACES | _MASKS if "MEMID" in parameters else _OPERANDS if cell["type"] in COMMUTATIVE else set()
    return sorted((name, value) for name, value in parameters.items() if name not in hidden)


def _initial(module: Mapping[str, Any]) -> dict[Bit, str]:
    """Values of bits at power-up, where the Verilog states them."""
    found: dict[Bit, str] = {}
    for wire in module["netnames"].values():
        if "init" in wire["attributes"]:
            value = wire["attributes"]["init"]
            found |= {bit: v for bit, v in zip(wire["bits"], reversed(value), strict=False) if v != "x"}
    return found


def _heeded(of: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Attributes that a synthesis tool may heed."""
    return sorted((name, value) for name, value in of.get("attributes", {}).items() if _HEEDED.fullmatch(name))


def _after(run: Sequence[Any]) -> list[Any]:
    """The bit that would go on with a run."""
    node, port, there, here, length = run
    return [node, port, there + length, here + length]


def _hash(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


@cache
def _word(value: str) -> list[int]:
    """Two words of 64 bits."""
    return np.frombuffer(_hash(value.encode()), "<u8").tolist()


def _mixed(x: Any) -> Any:
    """Finaliser of splitmix64: each bit of the result depends on all bits of ``x``."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
