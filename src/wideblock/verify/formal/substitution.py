# SPDX-License-Identifier: Apache-2.0
"""Values of the bits of a flat core under given signals: constants, or equal bits."""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from wideblock.export.enclosed import ROWS
from wideblock.verify.formal.flat import Flat
from wideblock.verify.formal.proof import NotProved

__all__ = ["Bit", "CellNetlist", "MemoryRead", "Values", "Write"]

Bit = int | str
"""A net of the netlist by its number, or the constant "0" or "1"."""

_DEPTH = 100_000
"""Cells in a row, at most; a frame of the interpreter each."""

_INTERNAL = re.compile(r"\$|_\d+_|^inserted\.")
"""Names that only a tool gave."""


@dataclass(frozen=True)
class MemoryRead:
    """A bit read from a memory in the same cycle: memory, number of the bit, and address."""

    memory: str
    bit: int
    address: tuple[Bit, ...]


@dataclass(frozen=True)
class Write:
    """A port that writes a memory at the end of a cycle: an enable for each bit."""

    memory: str
    address: tuple[Bit, ...]
    data: tuple[Bit, ...]
    enable: tuple[Bit, ...]


class CellNetlist:
    """The cells of a flat core by driven bits, registers and memories.

    A cell without a rule in :class:`Values`, such as a closed cipher or multiplier, may give anything at any time.
    Raises ValueError for a register other than a D flip-flop.
    """

    def __init__(self, flat: Flat):
        top = flat.netlist()
        self.names: dict[str, list[Bit]] = {name: net["bits"] for name, net in top["netnames"].items()}
        self.inputs = {b for port in top["ports"].values() if port["direction"] == "input" for b in port["bits"]}
        self.gates = len(top["cells"])
        self.drivers: dict[Bit, tuple[dict[str, Any], int]] = {}
        self.registers: dict[Bit, Bit] = {}
        self.reads: dict[Bit, MemoryRead] = {}
        self.writes: list[Write] = []
        for cell in top["cells"].values():
            self._add(cell)

    def _add(self, cell: dict[str, Any]) -> None:
        kind, pins = cell["type"], cell["connections"]
        if kind == "$dff":
            self.registers.update(zip(pins["Q"], pins["D"], strict=True))
        elif "dff" in kind or "latch" in kind or kind in ("$mem", "$mem_v2"):
            raise ValueError(f"no rule for the state of a cell of type {kind}")
        elif kind in ("$memrd", "$memrd_v2"):
            memory, address = _memory(cell), tuple(pins["ADDR"])
            self.reads.update({bit: MemoryRead(memory, k, address) for k, bit in enumerate(pins["DATA"])})
        elif kind == "$memwr_v2":
            self.writes.append(Write(_memory(cell), *(tuple(pins[pin]) for pin in ("ADDR", "DATA", "EN"))))
        elif kind in _RULES:
            self.drivers.update({bit: (cell, k) for k, bit in enumerate(pins["Y"])})

    def bits(self, name: str) -> list[Bit]:
        """The bits of a signal. Raises :class:`NotProved` for an unknown signal."""
        if name not in self.names:
            raise NotProved(f"there is no signal {name}, which the rule names")
        return self.names[name]

    @cached_property
    def _named(self) -> dict[Bit, str]:
        """The shortest name of each bit; bits outside of named signals are left out."""
        found: dict[Bit, str] = {}
        given = sorted(self.names, key=lambda name: (bool(_INTERNAL.search(name)), len(name), name))
        for name, bits in ((name, self.names[name]) for name in given):
            for k, bit in enumerate(bits):
                found.setdefault(bit, f"{name}[{k}]" if len(bits) > 1 else name)
        return found

    def name(self, bit: Bit) -> str:
        """A bit for a message."""
        return self._named.get(bit, f"bit {bit}")

    def sources(self, bits: Iterable[Bit], given: "Values | None" = None) -> Iterator[Bit]:
        """Bits of registers, inputs, memories and closed cells on which ``bits`` depend in the same cycle.

        Bits without influence under ``given`` are left out. A read bit counts; the address is not followed.
        """
        todo, seen = list(bits), set()
        while todo:
            bit = todo.pop()
            if given is not None:
                bit = given.of(bit)
            if isinstance(bit, str) or bit in seen:
                continue
            seen.add(bit)
            if bit in self.drivers:
                cell, place = self.drivers[bit]
                todo += _inputs(cell, place, given)
            else:
                yield bit


class Values:
    """Values under assumptions: :meth:`of` a bit is "0", "1", or an equal bit, maybe the bit itself.

    given: values of bits; all other bits of registers, inputs and memories are free, and so are closed cells
    """

    def __init__(self, netlist: CellNetlist, given: Mapping[Bit, Bit]):
        self._netlist, self._known = netlist, dict(given)
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _DEPTH))

    def of(self, bit: Bit) -> Bit:
        """The value of a bit; without a rule the bit itself, which is sound: a free bit may be anything."""
        if isinstance(bit, str):
            return bit if bit in ("0", "1") else "x"
        if bit not in self._known:
            self._known[bit] = bit  # for a loop, which only a word has
            if bit in self._netlist.drivers:
                cell, place = self._netlist.drivers[bit]
                value = _RULES[cell["type"]](self, cell, place)
                self._known[bit] = bit if value is None else value
        return self._known[bit]

    def all(self, bits: Iterable[Bit]) -> list[Bit]:
        """The values of bits."""
        return [self.of(bit) for bit in bits]


def _memory(cell: dict[str, Any]) -> str:
    """A memory's name: the name of the instance of the memory's module."""
    return cell["parameters"]["MEMID"].removeprefix("\\").removesuffix(f".{ROWS}")


def _number(cell: dict[str, Any], parameter: str) -> int:
    return int(cell["parameters"][parameter], 2)


def _operand(cell: dict[str, Any], pin: str, place: int) -> Bit:
    """A bit of an operand, which is extended to the width of the result."""
    bits = cell["connections"][pin]
    if place < len(bits):
        return bits[place]
    return bits[-1] if _number(cell, f"{pin}_SIGNED") else "0"


def _inputs(cell: dict[str, Any], place: int, given: Values | None) -> list[Bit]:
    """The bits on which a bit of a cell's result depends."""
    kind, pins = cell["type"], cell["connections"]
    if kind in ("$and", "$or", "$xor", "$xnor"):
        return [_operand(cell, "A", place), _operand(cell, "B", place)]
    if kind in ("$not", "$pos"):
        return [_operand(cell, "A", place)]
    if kind in ("$mux", "$pmux"):
        width = len(pins["Y"])
        chosen = [s for s in pins["S"] if given is None or given.of(s) != "0"]
        choices = [pins["B"][k * width + place] for k, s in enumerate(pins["S"]) if s in chosen]
        certain = given is not None and any(given.of(s) == "1" for s in chosen)
        return [*chosen, *choices, *([] if certain else [pins["A"][place]])]
    return [bit for pin in ("A", "B", "S") for bit in pins.get(pin, ())]


def _and(values: list[Bit]) -> Bit | None:
    if "0" in values:
        return "0"
    rest = {value for value in values if value != "1"}
    return "1" if not rest else rest.pop() if len(rest) == 1 and "x" not in rest else None


def _or(values: list[Bit]) -> Bit | None:
    if "1" in values:
        return "1"
    rest = {value for value in values if value != "0"}
    return "0" if not rest else rest.pop() if len(rest) == 1 and "x" not in rest else None


def _not(value: Bit | None) -> Bit | None:
    return {"0": "1", "1": "0"}.get(value) if isinstance(value, str) else None


def _both(values: Values, cell: dict[str, Any], place: int) -> list[Bit]:
    return [values.of(_operand(cell, pin, place)) for pin in ("A", "B")]


def _bitwise_xor(values: Values, cell: dict[str, Any], place: int) -> Bit | None:
    a, b = _both(values, cell, place)
    if a == b and a != "x":
        return "0"
    return b if a == "0" else a if b == "0" else None


def _sum(values: Values, cell: dict[str, Any], place: int) -> Bit | None:
    """A sum with 0 is the other number."""
    for pin, other in (("A", "B"), ("B", "A")):
        if set(values.all(cell["connections"][pin])) == {"0"}:
            return values.of(_operand(cell, other, place))
    return None


def _mux(values: Values, cell: dict[str, Any], place: int) -> Bit | None:
    """The common value of all possible choices; None if the choices differ."""
    pins, width = cell["connections"], len(cell["connections"]["Y"])
    selects = values.all(pins["S"])
    choices = {values.of(pins["B"][k * width + place]) for k, s in enumerate(selects) if s != "0"}
    if "1" not in selects:
        choices.add(values.of(pins["A"][place]))
    return choices.pop() if len(choices) == 1 and selects.count("1") <= 1 else None


def _flag(place: int, value: Bit | None) -> Bit | None:
    """A result of one bit, in bit 0."""
    return value if place == 0 else "0"


def _any(values: Values, cell: dict[str, Any], pin: str) -> Bit | None:
    return _or(values.all(cell["connections"][pin]))


def _equal(values: Values, cell: dict[str, Any], place: int) -> Bit | None:
    """Whether both operands are one number."""
    pins = cell["connections"]
    width = max(len(pins["A"]), len(pins["B"]))
    pairs = [_both(values, cell, k) for k in range(width)]
    if any({a, b} == {"0", "1"} for a, b in pairs):
        return "0"
    return "1" if all(a == b and a != "x" for a, b in pairs) else None


_RULES: dict[str, Any] = {
    "$pos": lambda v, c, k: v.of(_operand(c, "A", k)),
    "$not": lambda v, c, k: _not(v.of(_operand(c, "A", k))),
    "$and": lambda v, c, k: _and(_both(v, c, k)),
    "$or": lambda v, c, k: _or(_both(v, c, k)),
    "$xor": _bitwise_xor,
    "$add": _sum,
    "$mux": _mux,
    "$pmux": _mux,
    "$eq": lambda v, c, k: _flag(k, _equal(v, c, k)),
    "$ne": lambda v, c, k: _flag(k, _not(_equal(v, c, k))),
    "$reduce_or": lambda v, c, k: _flag(k, _any(v, c, "A")),
    "$reduce_bool": lambda v, c, k: _flag(k, _any(v, c, "A")),
    "$reduce_and": lambda v, c, k: _flag(k, _and(v.all(c["connections"]["A"]))),
    "$logic_not": lambda v, c, k: _flag(k, _not(_any(v, c, "A"))),
    "$logic_and": lambda v, c, k: _flag(k, _and([_any(v, c, p) or "x" for p in "AB"])),
    "$logic_or": lambda v, c, k: _flag(k, _or([_any(v, c, p) or "x" for p in "AB"])),
    **{kind: lambda v, c, k: None for kind in ("$xnor", "$sub", "$shl", "$shr", "$shift", "$shiftx", "$mul")},
    **{kind: lambda v, c, k: None for kind in ("$neg", "$lt", "$le", "$gt", "$ge", "$reduce_xor", "$eqx", "$nex")},
}
"""For each type of cell, a bit of the result from the values of the inputs; None: any value."""
