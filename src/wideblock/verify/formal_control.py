# SPDX-License-Identifier: Apache-2.0
"""Proofs about the control of a sector core, on the Verilog that a user gets.

The control is proved as it is. What it does not depend on is left free, so that it may do anything at any time: the
ciphers, the multipliers, the key expansion and the memories of data. What holds then holds for the core.
"""

import json
import re
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pyosys import libyosys  # pyright: ignore[reportAttributeAccessIssue]

from wideblock.export.contract import Contract
from wideblock.verify.formal_multiplier import NotProved, Proof

__all__ = ["CLEAR", "DATAPATH", "Rule", "netlist", "prove"]

DATAPATH = ("lanes", "encryption", "decryption", "cipher", "inverse", r"multiplier\d+")
KEYS = (r"key_unit\.expansion",)
CLEAR = "core.clear"
# sums of flags as such, not as chains of adders; and nothing that takes what is free for what may be chosen
SMALLER = ("opt_expr -fine", "opt_merge", "wreduce", "peepopt", "opt_expr -fine", "opt_merge", "alumacc", "opt_clean")
PORTS = re.compile(r"^  (?:input|output) .*\n", re.MULTILINE)


@dataclass(frozen=True)
class Rule:
    """What is to hold in every cycle.

    signals: those of the core that ``text`` speaks of, by the names that it has for them
    text:    assertions, in Verilog, on these and on the ports of the core
    kept:    memories that count; what is read from all others is free
    """

    statement: str
    signals: dict[str, str]
    text: str
    kept: tuple[str, ...] = ()


def prove(core: Contract, text: str, rule: Rule) -> Proof:
    """Proves the assertions of a rule by induction over time, from power-up, with resets at any time."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        yosys = _Yosys(Path(name))
        free = yosys.read_without(text, [*DATAPATH, *KEYS])
        yosys.run(
            *(f"delete */t:{module}" for module in free),
            f"hierarchy -top {core.module}",
            "proc",
            "flatten",
            "expose " + " ".join(f"w:{signal}" for signal in rule.signals.values()),
            "opt_clean",
            "memory_collect",
            f"delete t:$mem_v2 {' '.join(f'c:*.{memory} %d' for memory in rule.kept)}",
        )
        top = yosys.top(core.module)
        missing = set(rule.signals.values()) - set(top["ports"])
        if missing:
            raise ValueError(f"{core.module} has no signal {', '.join(sorted(missing))} for the rule to speak of")
        yosys.read(_checker(core.module, top["ports"], rule))
        yosys.run("hierarchy -top rule", "proc", "flatten", "chformal -lower", "memory_map", *SMALLER)
        count = yosys.run("stat")
        log = yosys.run("sat -tempinduct -prove-asserts -set-assumes -seq 0 -maxsteps 1 -timeout 120 rule")
    if "SUCCESS!" not in log:
        raise NotProved(f"{core.module}: not inductive: {rule.statement}")
    gates = int(re.findall(r"(\d+)(?: \S+)? cells", count)[-1])
    return Proof(rule.statement, "SAT, induction from one cycle to the next", gates, 0, time.monotonic() - start)


def netlist(core: Contract, text: str) -> dict:
    """Returns the core, flat, as Yosys' JSON has it; what is in :data:`DATAPATH` is a cell of its own each."""
    with tempfile.TemporaryDirectory() as name:
        yosys = _Yosys(Path(name))
        yosys.read_without(text, DATAPATH)
        yosys.run(f"hierarchy -top {core.module}", "proc", "flatten", "opt_clean")
        return yosys.top(core.module)


def _checker(module: str, ports: dict, rule: Rule) -> str:
    """Verilog of module ``rule``: the core, its inputs free, and the rule over its outputs and exposed signals."""
    names = {signal: name for name, signal in rule.signals.items()}
    lines, pins = [], []
    for port, p in ports.items():
        name = names.get(port, port)
        kind = "input" if p["direction"] == "input" else "wire"
        lines.append(f"{kind} [{len(p['bits']) - 1}:0] {name};")
        pins.append(f".\\{port} ({name})")
    inputs = [port for port, p in ports.items() if p["direction"] == "input"]
    return "\n".join(
        [
            "`default_nettype none",
            f"module rule({', '.join(inputs)});",
            *lines,
            f"\\{module} dut({', '.join(pins)});",
            rule.text,
            "endmodule",
            "",
        ]
    )


class _Yosys:
    """A design in Yosys, and what it prints."""

    def __init__(self, folder: Path):
        self._folder, self._design = folder, libyosys.Design()

    def read(self, text: str) -> None:
        (self._folder / "text.v").write_text(text)
        self.run(f"read_verilog -formal {self._folder}/text.v")

    def read_without(self, text: str, parts: Sequence[str]) -> list[str]:
        """Reads a core without what is inside its ``parts``, and returns their modules."""
        hollow = []

        def emptied(found: re.Match) -> str:
            hollow.append(found["name"])
            return f"(* blackbox *)\n{found['head']}{''.join(PORTS.findall(found['body']))}endmodule\n"

        part = rf"\\\S+\.core\.(?:\S+\.)?(?:{'|'.join(parts)})"
        module = rf"^(?P<head>module (?P<name>{part}) \([^;]*;\n)(?P<body>.*?)^endmodule\n"
        self.read(re.sub(module, emptied, text, flags=re.MULTILINE | re.DOTALL))
        return hollow

    def run(self, *passes: str) -> str:
        log, text = self._folder / "log", ""
        for command in passes:
            libyosys.run_pass(f"tee -q -o {log} {command}", self._design)
            text += log.read_text()
        return text

    def top(self, module: str) -> dict:
        """The module of that name as Yosys' JSON has it."""
        self.run(f"write_json {self._folder}/design.json")
        return json.loads((self._folder / "design.json").read_text())["modules"][module]
