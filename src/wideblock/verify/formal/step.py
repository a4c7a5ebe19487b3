# SPDX-License-Identifier: Apache-2.0
"""A cycle of a netlist as a combinational function, and proof that some inputs do not matter.

The function is taken from the graph of the netlist, between registers, memories and ports. SAT compares two copies of
the function, with different values of the inputs in question.
"""

import json
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wideblock.synth import yosys
from wideblock.verify.formal.cone import Graph, is_state

__all__ = ["NextState", "Unequal"]


@dataclass(frozen=True)
class Unequal(Exception):
    """A value of the inputs in question matters; ``end`` is a dependent bit."""

    end: int


class NextState:
    """The bits ``ends`` as a function of given ``inputs`` and of all other bits with an influence.

    ``ends`` and ``inputs`` are bits of ``graph``. ``others``: bits of registers, memories and ports.
    """

    def __init__(self, graph: Graph, ends: Iterable[int], inputs: Sequence[int]):
        self._graph, self.inputs = graph, list(inputs)
        given = set(inputs)
        reach: dict[int, bool] = {}
        self.ends = [end for end in dict.fromkeys(ends) if self._reaches(end, given, reach)]
        self._cells, self.others = self._logic(given)

    def _combinational(self, node: int) -> Iterable[int]:
        cell = self._graph.cells[-node - 1] if node < 0 else self._graph.driver(node)
        return () if cell is None or is_state(cell["type"]) else self._graph.sources(node)

    def _reaches(self, end: int, given: set[int], known: dict[int, bool]) -> bool:
        """Whether a bit of ``given`` reaches ``end`` in the same cycle."""
        todo = [end]
        while todo:
            node = todo[-1]
            if node in given:
                known[node] = True
            if node in known:
                todo.pop()
                continue
            sources = list(self._combinational(node))
            if new := [source for source in sources if source not in known]:
                todo += new
                continue
            known[node] = any(known[source] for source in sources)
        return known[end]

    def _logic(self, given: set[int]) -> tuple[list[dict[str, Any]], list[int]]:
        """The cells between, and the bits read but not driven by the cells, ``given`` apart."""
        seen, todo = set(self.ends), list(self.ends)
        cells: dict[int, dict[str, Any]] = {}
        while todo:
            node = todo.pop()
            cell = self._graph.driver(node) if node > 0 else None
            if cell and not is_state(cell["type"]) and node not in given:
                cells[id(cell)] = cell
            for source in () if node in given else self._combinational(node):
                if source not in seen:
                    seen.add(source)
                    todo.append(source)
        chosen = list(cells.values())
        read = {bit for cell in chosen for bit in self._graph.inputs(cell)} | set(self.ends)
        driven = {bit for cell in chosen for bit in _outputs(cell)}
        return chosen, sorted(read - driven - given)

    def given(self, end: int) -> list[int]:
        """The inputs on which ``end`` may depend."""
        seen, todo = {end}, [end]
        while todo:
            new = set(self._combinational(todo.pop())) - seen
            seen |= new
            todo += new
        return [bit for bit in self.inputs if bit in seen]

    def prove(self, premise: str, second: str, signals: Mapping[str, Sequence[int | str]], models: Sequence[Path] = ()):
        """Proves that ``ends`` are the same for the given bits ``first`` and for ``second``, where ``premise`` holds.

        ``second`` and ``premise`` are Verilog on ``first``, ``free`` (further values of the given bits) and
        ``signals``. ``models``: models of cells that are not Yosys' own. Raises :class:`Unequal`.
        """
        if not self.ends:
            return
        extra = sorted({bit for bits in signals.values() for bit in bits if isinstance(bit, int)} - set(self.others))
        others = [*self.others, *(bit for bit in extra if bit not in self.inputs)]
        with tempfile.TemporaryDirectory() as name:
            where = Path(name)
            where.joinpath("step.json").write_text(json.dumps(self._module(others)))
            where.joinpath("rule.v").write_text(self._rule(others, premise, second, signals))
            script = [
                *(f"read_verilog {model}" for model in models),
                "read_json step.json",
                "read_verilog -formal rule.v",
                "hierarchy -top rule",
                "proc",
                "flatten",
                "chformal -lower",
                "opt_clean",
                "tee -q -o sat.log sat -prove-asserts -show now,then -timeout 600 rule",
            ]
            yosys.run(script, where, "step")
            log = where.joinpath("sat.log").read_text()
        if "SUCCESS!" not in log:
            raise Unequal(self.ends[_differing(log)])

    def _module(self, others: list[int]) -> dict[str, Any]:
        ports = {"given": ("input", self.inputs), "others": ("input", others), "ends": ("output", self.ends)}
        cells = {f"c{k}": cell | {"hide_name": 0, "attributes": {}} for k, cell in enumerate(self._cells)}
        return {
            "creator": "wideblock",
            "modules": {
                "step": {
                    "attributes": {},
                    "ports": {name: {"direction": way, "bits": bits} for name, (way, bits) in ports.items()},
                    "cells": cells,
                    "netnames": {},
                }
            },
        }

    def _rule(self, others: list[int], premise: str, second: str, signals: Mapping[str, Sequence[int | str]]) -> str:
        place: dict[int | str, str] = {bit: f"others[{k}]" for k, bit in enumerate(others)}
        place |= {bit: f"first[{k}]" for k, bit in enumerate(self.inputs)}
        place |= {bit: f"1'b{bit}" for bit in "01x"}
        named = [
            f"wire [{len(bits) - 1}:0] {name} = {{{', '.join(place[bit] for bit in reversed(bits))}}};"
            for name, bits in signals.items()
        ]
        given, ends = len(self.inputs) - 1, len(self.ends) - 1
        return "\n".join(
            [
                f"module rule(input [{given}:0] first, free, input [{len(others) - 1}:0] others);",
                *named,
                f"wire [{ends}:0] now, then;",
                "step a(.given(first), .others(others), .ends(now));",
                f"step b(.given({second}), .others(others), .ends(then));",
                f"always @* if ({premise}) assert (now == then);",
                "endmodule",
                "",
            ]
        )


def _outputs(cell: dict[str, Any]) -> list[int]:
    return [
        bit
        for pin, bits in cell["connections"].items()
        if cell["port_directions"][pin] == "output"
        for bit in bits
        if isinstance(bit, int)
    ]


def _differing(log: str) -> int:
    """The place of a bit with different values in the two copies, by SAT's model; 0 after a timeout."""
    shown = dict(re.findall(r"^\s+\\(now|then) .* ([01x]+)\s*$", log, re.MULTILINE))
    if len(shown) < 2:
        return 0
    pairs = zip(reversed(shown["now"]), reversed(shown["then"]), strict=True)
    return next(k for k, (now, then) in enumerate(pairs) if now != then)
