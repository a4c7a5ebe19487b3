# SPDX-License-Identifier: Apache-2.0
"""The proof that nobody can read a key through registers: two engines that differ in keys alone look alike.

One step decides it. All registers of an engine are cut: their values are inputs, their next values are outputs. Two
such steps share all inputs but those that may hold words of a key. Where each output and each other register's next
value is the same in both, no sequence of steps can show a key: that is induction over time, from any state. The core
inside is closed: its outputs are shared, its inputs compared, but for the key that it is given. That its data and
handshakes show no key is what its own rules prove.
"""

import json
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wideblock.export.contract import Contract
from wideblock.export.enclosed import ROWS
from wideblock.rtl.bus.key_map import KEY_MAP
from wideblock.rtl.bus.registers import REGISTER_BYTES
from wideblock.synth import yosys
from wideblock.verify.formal.flat import Flat, flatten
from wideblock.verify.formal.proof import NotApplicable, NotProved, Proof
from wideblock.verify.formal.rules.engine import INSIDE

__all__ = ["prove_keys"]

_WORD, _KEY = "core.key_bus.word", "core.commands.key"
_COMPARED = ("core.commands.differs", "core.commands.differs_near")
_GO, _ADDRESS = "core.key_bus.write_go", "core.key_bus.write_held_address"
_GIVEN = "key__payload"
"""Input of the core that has the key and its slot."""

STATEMENT = (
    "no output and no register but those for words of a key depends on such a word, but by the comparison of its halves"
)


def prove_keys(core: Contract, flat: Flat | None = None) -> Proof:
    """Proves of an engine that no word of a key can be read, by its buses, its streams or its controls.

    A word that is written to another register than MEK is no word of a key. ``flat`` is proved in place of the core's
    own Verilog; the core inside must be closed in it. Raises :class:`NotApplicable` for a core without registers.
    """
    if not core.registers:
        raise NotApplicable("no registers: keys come through a stream, and nothing can be read")
    if core.headed:
        raise NotApplicable("the rule is about an engine alone: header=false")
    start = time.monotonic()
    flat = flat or flatten(core, INSIDE)
    with tempfile.TemporaryDirectory() as name:
        where = Path(name)
        where.joinpath("flat.il").write_text(flat.rtlil)
        passes = ("memory_collect", "memory_map", "opt_clean", "dffunmap", "opt_clean")
        yosys.run(["read_rtlil flat.il", "opt_clean", *passes, "write_json flat.json"], where, "flat")
        netlist = json.loads(where.joinpath("flat.json").read_text())
        step = _Step(netlist["modules"][flat.module], core)
        netlist["modules"] = {"step": step.module}
        where.joinpath("step.json").write_text(json.dumps(netlist))
        where.joinpath("rule.v").write_text(step.rule())
        passes = ("hierarchy -top rule", "proc", "flatten", "opt -full")
        sat = ("tee -q -o stat.json stat -json", "tee -q -o sat.log sat -prove good 1 -timeout 600 rule")
        yosys.run(["read_json step.json", "read_verilog rule.v", *passes, *sat], where, "proof")
        if "SUCCESS!" not in where.joinpath("sat.log").read_text():
            raise NotProved(f"{core.module}: a word of a key reaches more than its own registers")
        gates = json.loads(where.joinpath("stat.json").read_text())["design"]["num_cells"]
    return Proof(STATEMENT, "SAT, one step of two engines that differ in keys", gates, 0, time.monotonic() - start)


class _Step:
    """One step of an engine as a module: registers and the closed core are ports.

    secret: inputs that may differ
    free:   outputs that may differ with them
    """

    def __init__(self, module: dict[str, Any], core: Contract):
        self.module = module
        (data,) = (stream for stream in core.shell.streams if stream.channel.name == "key_w")
        self.secret = {next(port for port in data.payload if port.endswith("data"))}
        self.free: set[str] = set()
        names = _names(module["netnames"])
        rows = KEY_MAP.register("MEK").count
        secret = {_WORD, _KEY, *(f"core.commands.memory.words.{ROWS}[{row}]" for row in range(rows))}
        found = set[str]()
        for number, (cell, is_a) in enumerate(list(module["cells"].items())):
            pins = is_a["connections"]
            if is_a["type"] == "$dff":
                register = names[pins["Q"][0]]
                self._port(f"q{number}", "input", pins["Q"], register in secret)
                self._port(f"d{number}", "output", pins["D"], register in secret or register in _COMPARED)
                found.add(register)
            elif not is_a["type"].startswith("$"):
                for pin, bits in pins.items():
                    way = "input" if is_a["port_directions"][pin] == "output" else "output"
                    for part, (low, end) in (_fields(core) if pin == _GIVEN else {"": (0, len(bits))}).items():
                        self._port(f"{pin}_{part}{number}", way, bits[low:end], part == "key")
            else:
                continue
            del module["cells"][cell]
        if missing := {*secret, *_COMPARED} - found:
            raise ValueError(f"{core.module} has no register {', '.join(sorted(missing))}, which the rule is about")
        for port, signal in (("go", _GO), ("address", _ADDRESS)):
            self._port(port, "output", module["netnames"][signal]["bits"], False)

    def _port(self, name: str, way: str, bits: list[Any], secret: bool) -> None:
        self.module["ports"][name] = {"direction": way, "bits": bits}
        if secret:
            (self.secret if way == "input" else self.free).add(name)

    def rule(self) -> str:
        """Verilog of module ``rule``: ``good`` is 1 where both steps look alike, or no word of a key is written."""
        ports = self.module["ports"]
        declared, pins, same = [], {"a": list[str](), "b": list[str]()}, []
        for name, port in ports.items():
            width = f"[{len(port['bits']) - 1}:0]"
            own = port["direction"] == "output" or name in self.secret
            for copy, connected in pins.items():
                signal = f"\\{copy}.{name} " if own else f"\\{name} "
                connected.append(f".\\{name} ({signal})")
                if own or copy == "a":
                    declared.append(f"  {'wire' if port['direction'] == 'output' else 'input'} {width} {signal};")
            if port["direction"] == "output" and name not in self.free:
                same.append(name)
        inputs = [line.split("] ")[1].rstrip(" ;") for line in declared if line.startswith("  input")]
        word = next(f"q{n[1:]}" for n in self.secret if n.startswith("q") and self._is_word(n))
        end = KEY_MAP.register("MEK").end // REGISTER_BYTES
        bits = KEY_MAP.address_bits
        all_of = {copy: "{" + ", ".join(f"\\{copy}.{name} " for name in same) + "}" for copy in pins}
        return "\n".join(
            [
                f"module rule({' , '.join(inputs)} , good);",
                *declared,
                "  output good;",
                *(f"  step {copy}_({', '.join(connected)});" for copy, connected in pins.items()),
                f"  wire of_key = \\a.address [{bits - 1}:2] < {end};",
                f"  wire permitted = !\\a.go  || of_key || \\a.{word}  == \\b.{word} ;",
                f"  assign good = !permitted || {all_of['a']} == {all_of['b']};",
                "endmodule",
                "",
            ]
        )

    def _is_word(self, port: str) -> bool:
        return self.module["ports"][port]["bits"] == self.module["netnames"][_WORD]["bits"]


def _fields(core: Contract) -> dict[str, tuple[int, int]]:
    """Places of the fields of the core's key channel."""
    found: dict[str, tuple[int, int]] = {}
    low = 0
    for field in core.component.core.interface.channel("key").fields:
        found[field.name] = low, low + field.width
        low += field.width
    return found


def _names(netnames: Mapping[str, Any]) -> dict[Any, str]:
    """The shortest public name of the signal that each bit is a part of."""
    found: dict[Any, str] = {}
    for name, net in sorted(netnames.items(), key=lambda item: (item[1].get("hide_name", 0), len(item[0]), item[0])):
        for bit in net["bits"]:
            found.setdefault(bit, name)
    return found
