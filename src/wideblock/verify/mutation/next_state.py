# SPDX-License-Identifier: Apache-2.0
"""Mutants that make the same outputs and the same next state as the core, in every state that it can be in."""

import json
import re
import tempfile
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from wideblock.synth import yosys
from wideblock.verify.formal.flat import DATAPATH
from wideblock.verify.mutation.mutants import Instrumented, Mutant

__all__ = ["unchanged"]

_CLOSED = re.compile("|".join(DATAPATH))
_PROOF = ("proc", "flatten", "opt_expr -keepdc", "opt_merge", "opt_clean", "chformal -lower")
_SAT = "sat -tempinduct -prove-asserts -seq 0 -maxsteps 3 -timeout 30 check"


def unchanged(instrumented: Instrumented, top: str, numbers: Collection[int]) -> set[int]:
    """Those of the numbered mutants that are proved to change no output and no next state.

    The mutant is given the inputs and the state of the core, cycle by cycle; that it makes the same of them is proved
    by induction from power-up. What is read from memories is free, and so is what comes out of ciphers and multipliers.
    A mutant inside one of these is compared in that module alone, its inputs free.
    """
    scopes: dict[str, list[int]] = {}
    for mutant in instrumented.mutants:
        if mutant.number in numbers:
            scopes.setdefault(_scope(top, mutant), []).append(mutant.number)
    return {number for scope, group in scopes.items() for number in _proved(instrumented, scope, group)}


def _scope(top: str, mutant: Mutant) -> str:
    """The cipher or multiplier that a mutant is in, or else the whole core."""
    parts = mutant.module.split(".")
    closed = next((k for k, part in enumerate(parts) if _CLOSED.fullmatch(part)), None)
    return top if closed is None else ".".join([top, *parts[: closed + 1]])


def _proved(instrumented: Instrumented, scope: str, numbers: Iterable[int]) -> list[int]:
    modules = re.findall(r"^module \\(\S+)$", instrumented.rtlil, re.MULTILINE)
    boxes = [module for module in modules if module != scope and _CLOSED.fullmatch(module.rsplit(".", 1)[-1])]
    with tempfile.TemporaryDirectory() as name:
        where = Path(name)
        where.joinpath("mutated.il").write_text(instrumented.rtlil)
        flat = ["read_rtlil mutated.il", f"hierarchy -top {scope}", *(f"blackbox {module}" for module in boxes)]
        flat += ["flatten", "memory_collect", "memory_map -rom-only", "opt_clean", "write_json flat.json"]
        yosys.run(flat, where, "flat")
        design = json.loads(where.joinpath("flat.json").read_text())
        step = _step(design["modules"][scope])
        where.joinpath("step.json").write_text(json.dumps(design | {"modules": {"step": step.module}}))
        script = ["read_json step.json", "design -save step"]
        for number in numbers:
            where.joinpath(f"{number}.v").write_text(step.check(number))
            script += ["design -load step", f"read_verilog -formal {number}.v", "hierarchy -top check", *_PROOF]
            script.append(f"tee -q -o {number}.log {_SAT}")
        yosys.run(script, where, "unchanged")
        return [number for number in numbers if "SUCCESS!" in where.joinpath(f"{number}.log").read_text()]


@dataclass
class _Step:
    """The logic of one cycle: from inputs and state to outputs and next state.

    registers: width and initial value of each; register k is port ``q<k>``, its next value ``d<k>``
    """

    module: dict
    inputs: dict[str, int] = field(default_factory=dict)
    outputs: dict[str, int] = field(default_factory=dict)
    registers: list[tuple[int, str]] = field(default_factory=list)

    def port(self, direction: str, bits: list) -> None:
        """Adds an input or output, with a name of its own."""
        group = self.inputs if direction == "input" else self.outputs
        name = f"{direction[0]}{len(group)}"
        group[name] = len(bits)
        self.module["ports"][name] = {"direction": direction, "bits": bits}

    def register(self, d: list, q: list, init: str) -> None:
        """Adds a register's value as an input and its next value as an output."""
        k = len(self.registers)
        self.registers.append((len(q), init))
        self.module["ports"] |= {
            f"q{k}": {"direction": "input", "bits": q},
            f"d{k}": {"direction": "output", "bits": d},
        }

    def check(self, number: int) -> str:
        """Verilog of module ``check``: the registers, and the claim that the mutant makes the same of them."""
        pins = [f".{name}({name})" for name in self.inputs]
        pins += [f".q{k}(q{k})" for k in range(len(self.registers))]
        made = self.outputs | {f"d{k}": width for k, (width, _) in enumerate(self.registers)}
        lines = [f"input [{width - 1}:0] {name};" for name, width in self.inputs.items()]
        lines += [f"reg [{width - 1}:0] q{k} = {width}'b{init};" for k, (width, init) in enumerate(self.registers)]
        lines += [f"wire [{width - 1}:0] {name}, {name}_mutant;" for name, width in made.items()]
        for kind, mutant in (("", 0), ("_mutant", number)):
            results = [f".{name}({name}{kind})" for name in made]
            lines.append(f"step step{kind}({', '.join([*pins, *results])}, .mutant(16'd{mutant}));")
        lines += [f"always @(posedge clk) q{k} <= d{k};" for k in range(len(self.registers))]
        lines += [f"always @* assert ({name} == {name}_mutant);" for name in made]
        return "\n".join([f"module check(clk, {', '.join(self.inputs)});", "input clk;", *lines, "endmodule", ""])


def _step(module: dict) -> _Step:
    """A flat module of Yosys' JSON without its registers, memories and instances, which become ports."""
    step = _Step({"attributes": {}, "ports": {}, "cells": {}, "netnames": {}})
    values: dict = {}
    for net in module["netnames"].values():
        values |= dict(zip(net["bits"], reversed(net["attributes"].get("init", "")), strict=False))
    for name, port in module["ports"].items():
        if name == "mutant":
            step.module["ports"][name] = port
        else:
            step.port(port["direction"], port["bits"])
    for name, cell in module["cells"].items():
        kind, pins = cell["type"], cell["connections"]
        if kind == "$dff":
            step.register(pins["D"], pins["Q"], "".join(values.get(bit, "x") for bit in reversed(pins["Q"])))
        elif kind.startswith("$mem") or not kind.startswith("$"):
            for pin, bits in pins.items():
                if bits and pin != "mutant":
                    step.port("input" if cell["port_directions"][pin] == "output" else "output", bits)
        elif kind != "$scopeinfo":
            step.module["cells"][name] = cell
    return step
