# SPDX-License-Identifier: Apache-2.0
"""Proofs about the control of a sector core, on the Verilog that a user gets.

The control is proved as it is. What it does not depend on is left free, so that it may do anything at any time: the
ciphers, the multipliers and the memories of data. What holds then holds for the core.
"""

import json
import re
import tempfile
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pyosys import libyosys  # pyright: ignore[reportAttributeAccessIssue]

from wideblock.export.contract import Contract
from wideblock.verify.formal.multiplier import NotProved, Proof

__all__ = ["CLEAR", "DATAPATH", "Rule", "netlist", "prove"]

DATAPATH = ("lanes", "encryption", "decryption", "cipher", "inverse", r"multiplier\d+")
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
        yosys.read("rtlil", _flat(core.module, text))
        yosys.run(
            f"delete {core.module}/t:{core.module}.core.*",
            "expose " + " ".join(f"w:{signal}" for signal in rule.signals.values()),
            "opt_clean",
            "memory_collect",
            f"delete t:$mem_v2 {' '.join(f'c:*.{memory} %d' for memory in rule.kept)}",
        )
        top = yosys.top(core.module)
        missing = set(rule.signals.values()) - set(top["ports"])
        if missing:
            raise ValueError(f"{core.module} has no signal {', '.join(sorted(missing))} for the rule to speak of")
        yosys.read("verilog -formal", _checker(core.module, top["ports"], rule))
        yosys.run("hierarchy -top rule", "proc", "flatten", "chformal -lower", "memory_map", *SMALLER)
        count = yosys.run("stat")
        log = yosys.run("sat -tempinduct -prove-asserts -set-assumes -seq 0 -maxsteps 1 -timeout 600 rule")
    if "SUCCESS!" not in log:
        raise NotProved(f"{core.module}: not inductive: {rule.statement}")
    gates = int(re.findall(r"(\d+)(?: \S+)? cells", count)[-1])
    return Proof(rule.statement, "SAT, induction from one cycle to the next", gates, 0, time.monotonic() - start)


def netlist(core: Contract, text: str) -> dict:
    """Returns the core, flat, as Yosys' JSON has it; what is in :data:`DATAPATH` is a cell of its own each."""
    with tempfile.TemporaryDirectory() as name:
        yosys = _Yosys(Path(name))
        yosys.read("rtlil", _flat(core.module, text))
        yosys.run("opt_clean")
        return yosys.top(core.module)


@lru_cache(maxsize=16)
def _flat(module: str, text: str) -> str:
    """A core as one module, in Yosys' own language; what is in :data:`DATAPATH` is a cell each, of ports only."""

    def emptied(found: re.Match) -> str:
        return f"(* blackbox *)\n{found['head']}{''.join(PORTS.findall(found['body']))}endmodule\n"

    part = (
        rf"^(?P<head>module \\{module}\.core\.(?:\S+\.)?(?:{'|'.join(DATAPATH)}) \([^;]*;\n)(?P<body>.*?)^endmodule\n"
    )
    with tempfile.TemporaryDirectory() as name:
        yosys = _Yosys(Path(name))
        yosys.read("verilog", re.sub(part, emptied, text, flags=re.MULTILINE | re.DOTALL))
        yosys.run(f"hierarchy -top {module}", "proc", "flatten", f"write_rtlil {name}/flat.il")
        return Path(name, "flat.il").read_text()


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

    def read(self, language: str, text: str) -> None:
        (self._folder / "text").write_text(text)
        self.run(f"read_{language} {self._folder}/text")

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
