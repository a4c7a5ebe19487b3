# SPDX-License-Identifier: Apache-2.0
"""A pair of blocks of AEZ, cycle by cycle: steps of the program, carried out on names instead of values.

A value is a sum of names, as a set. Names: blocks M and M' of a pair, results E(j, i; operand), rows of the memory.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from wideblock.export.markdown import table
from wideblock.rtl.aead.aez.offsets import Tweak, Version
from wideblock.rtl.aead.aez.program import program
from wideblock.rtl.aead.aez.step import (
    Acc,
    AezKey,
    Count,
    Hold,
    MicroStep,
    Operand,
    OperandSource,
    Out,
    Row,
    Text,
    Wait,
)

__all__ = ["bodies", "passes"]

Sum = frozenset[str]
HEAD = ("cycle", "AES", "V", "T after", "H after", "memory", "sum, ports, offset")

PLACES = {Tweak.INNER: (0, None), Tweak.PAIR: (1, 1), Tweak.NEXT: (1, 2), Tweak.SECOND_LAYER: (2, 1)}
"""j of a tweak, and i, counted from the pairs done; None: i is 0."""
PAIR_ROWS = {Row.W: ("W", 1), Row.X: ("X", 1), Row.INCOMING: ("X", 2)}
"""Rows of a pair: name, and the pair counted from the pairs done."""


@dataclass
class _Machine:
    """Registers of the datapath; ``equations`` names sums, and ``cycles`` are the rows of the table."""

    T: Sum = frozenset()
    H: Sum = frozenset()
    state: Sum = frozenset()
    row: Sum = frozenset()
    offset: tuple[int, int] = (1, 1)
    done: int = 0
    accepted: int = 0
    rounds: int = 0
    rows: dict[str, Sum] = field(default_factory=dict)
    equations: dict[Sum, str] = field(default_factory=dict)

    def carry_out(self, step: MicroStep) -> list[str]:
        """Carries out a step; returns the cells of the table behind the cycle."""
        V = self.T ^ self.state if step.result else self.T
        written = {OperandSource.V: V, OperandSource.CLEAR: frozenset()}.get(step.source, frozenset())
        ports = []
        if step.wait is Wait.BLOCK:
            self.accepted += 1
            written, ports = frozenset({f"M{self.accepted}"}), [f"accepts M{self.accepted} and M'{self.accepted}"]
        if step.acc is Acc.ADD:
            ports.append(f"sum + {self._said(V)}")
        if step.out is Out.PAIR:
            ports.append(f"{self._said(V)} and {self._said(self.H)} leave")
        texts = {Text.ADD: self.T ^ self.row, Text.MEMORY: self.row, Text.AES: self.state, Text.H: self.H}
        T, H = texts.get(step.text), V if step.hold is Hold.V else None
        result = self._said(self.state)
        AES = self._aes(step, {Operand.V: V, Operand.MEMORY: self.row, Operand.H: self.H}[step.operand])
        if step.wait is Wait.BLOCK:
            H = frozenset({f"M'{self.accepted}"})
        memory = []
        if step.source is not OperandSource.NONE:
            cleared = step.source is OperandSource.CLEAR
            memory.append(f"{self._row(step.write)} {'is cleared' if cleared else f'takes {self._said(written)}'}")
        used = step.result or step.source is OperandSource.V or step.acc is Acc.ADD
        terms = f" = {self._said(self.T)} + {result}" if step.result else ""
        cells = [AES, f"{self._said(V)}{terms}" if used else "", "" if T is None else self._said(T)]
        cells.append("" if H is None else self._said(H))
        self.row = self.rows.get(self._row(step.read), frozenset({self._row(step.read)}))
        if step.source is not OperandSource.NONE:
            self.rows[self._row(step.write)] = written
        if step.read is not Row.ZERO:
            memory.append(f"{self._row(step.read)} is read")
        self.T, self.H = self.T if T is None else T, self.H if H is None else H
        if step.bit == 1:
            j, pair = PLACES[step.tweak]
            self.offset = (j, 0 if pair is None else self.done + pair)
            ports.append(f"offset {self.offset} is made")
        self.done += step.count is Count.NEXT
        return [*cells, ", ".join(memory), ", ".join(ports)]

    def _aes(self, step: MicroStep, operand: Sum) -> str:
        """The AES' part of a step, in words."""
        if step.aes is AezKey.LOAD:
            j, i = self.offset
            self.state, self.rounds = frozenset({f"E({j}, {i}; {self._said(operand)})"}), 0
            return f"loads {self._said(operand)} + offset ({j}, {i})"
        self.rounds += step.aes is not AezKey.KEEP
        return f"round {self.rounds}" if step.aes is not AezKey.KEEP else ""

    def _row(self, row: Row) -> str:
        if row not in PAIR_ROWS:
            return f"row {row.name}"
        name, pair = PAIR_ROWS[row]
        return f"row {name}{self.done + pair}"

    def _said(self, value: Sum) -> str:
        """The name of a sum, or its terms."""
        return self.equations.get(value) or " + ".join(sorted(value, key=lambda term: (len(term), term))) or "0"


def passes(steps: Sequence[MicroStep], pair: int = 2) -> dict[str, list[list[str]]]:
    """Rows of the table of each pass over a ``pair`` between two others, by the name of the pass."""
    begins = next(at for at, step in enumerate(steps) if step.wait is Wait.BLOCK and step.write is Row.X)
    again = next(step.target for step in steps[begins:] if step.wait is Wait.BLOCK and step.write is Row.INCOMING)
    out = next(step.target for step in steps if step.out is Out.PAIR and step.aes is AezKey.LOAD)
    return {"first": _first(steps, begins, again, pair), "second": _second(steps, out, pair)}


def _first(steps: Sequence[MicroStep], begins: int, again: int, pair: int) -> list[list[str]]:
    """From the load of M' to the storage of X, in the cycle of the next pair's first load."""
    machine = _Machine()
    for i in range(1, pair + 1):
        machine.equations[frozenset({f"M{i}", f"E(1, {i}; M'{i})"})] = f"W{i}"
        machine.equations[frozenset({f"M'{i}", f"E(0, 0; W{i})"})] = f"X{i}"
    end = next(at for at in range(again, len(steps)) if steps[at].wait is Wait.BLOCK) + 1
    for step in (*steps[begins : begins + 2], *steps[again + 1 : end], *(pair - 2) * list(steps[again:end])):
        machine.carry_out(step)
    return _numbered(map(machine.carry_out, (*steps[again:end], steps[again])))


def _second(steps: Sequence[MicroStep], out: int, pair: int) -> list[list[str]]:
    """From the cycle after the load of S to the exit of C and C'."""
    i, W, X = pair, f"W{pair}", f"X{pair}"
    e2, e0, e1 = f"E(2, {i}; S)", f"E(0, 0; Z{i})", f"E(1, {i}; C'{i})"
    machine = _Machine(done=i - 1, state=frozenset({e2}))
    machine.rows = {f"row {name}": frozenset({name}) for name in ("S", W, X)}
    named = {f"S'{i}": {e2}, f"Z{i}": {X, e2}, f"Y{i}": {W, e2}, f"C'{i}": {W, e2, e0}, f"C{i}": {X, e2, e1}}
    machine.equations = {frozenset(terms): name for name, terms in named.items()}
    end = next(at for at in range(out, len(steps)) if steps[at].out is Out.PAIR) + 1
    return _numbered(map(machine.carry_out, steps[out:end]))


def _numbered(cycles: Iterable[list[str]]) -> list[list[str]]:
    return [[str(number), *cells] for number, cells in enumerate(cycles)]


def bodies() -> dict[str, str]:
    """Markdown of both passes by marker."""
    return {f"aez-{name}": table(HEAD, rows) for name, rows in passes(program(Version.V5)).items()}
