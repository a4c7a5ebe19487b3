# SPDX-License-Identifier: Apache-2.0
"""A step of two engines with a shared part of state and inputs: the part still shared after the step, by SAT.

All registers of an engine are cut: values are inputs, next values are outputs. A memory is cut, too, or made of
registers; the core inside stays closed, with cut pins. A part shared before and after a step is shared for all times:
induction over time, from any state.
"""

import json
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wideblock.export.enclosed import ROWS
from wideblock.synth import yosys
from wideblock.verify.formal.flat import Flat

__all__ = ["ALWAYS", "NEVER", "Shared", "places", "prove_shared"]

ALWAYS, NEVER = "1", "0"

_MEMORY = "$mem_v2"
_REFERENCE = re.compile(r"\b[ab]\.[\w.]+")


@dataclass(frozen=True)
class Shared:
    """Conditions for sharing a part, in Verilog on engine ``a.``; the conditions are equal for engine ``b.``.

    before: the value, an input of the step, is shared
    after:  the next value, or the value, an output of the step, must be shared
    """

    before: str = ALWAYS
    after: str = ALWAYS


@dataclass(frozen=True)
class _Port:
    name: str
    way: str
    bits: Sequence[Any]
    shared: str


def prove_shared(
    flat: Flat,
    parts: Mapping[str, Shared],
    rest: Shared,
    *,
    fields: Mapping[str, Mapping[str, tuple[int, int]]],
    signals: Mapping[str, str],
    kept: Iterable[str] = (),
    given: Iterable[str] = (),
    goals: Iterable[str] = (),
    rows: bool = False,
) -> tuple[bool, int]:
    """Whether the shared parts of two engines are shared after a step, and the number of gates.

    parts:   sharing of ports, registers, words of memories and pins of the closed core, by name; behind a name, the
             name of a field, or ``.written`` for the words written to a memory
    rest:    sharing of all other parts
    fields:  fields of ports and pins, as low and end bits
    signals: further signals of one engine, by the names in conditions
    kept:    conditions on registers ``one.at.name`` in each cycle, in both engines: assumed of values, demanded of next
             values
    given:   assumed conditions on ``a.`` and ``b.``
    goals:   demanded conditions on ``one.``
    rows:    each row of a memory is a register, ``name.`` with :data:`~wideblock.export.enclosed.ROWS` and a number

    Raises ValueError for an unknown part.
    """
    with tempfile.TemporaryDirectory() as name:
        where = Path(name)
        where.joinpath("flat.il").write_text(flat.rtlil)
        mapped = ("memory_map",) if rows else ()
        passes = ("opt_clean", "memory_collect", *mapped, "opt_clean", "dffunmap", "opt_clean")
        yosys.run(["read_rtlil flat.il", *passes, "write_json flat.json"], where, "flat")
        netlist = json.loads(where.joinpath("flat.json").read_text())
        step = _Step(netlist["modules"][flat.module], parts, rest, fields)
        step.cut(signals)
        netlist["modules"] = {"step": step.module}
        where.joinpath("step.json").write_text(json.dumps(netlist))
        where.joinpath("rule.v").write_text(_rule(step, kept, given, goals))
        passes = ("hierarchy -top rule", "proc", "flatten", "opt -full")
        sat = ("tee -q -o stat.json stat -json", "tee -q -o sat.log sat -prove good 1 -timeout 600 rule")
        yosys.run(["read_json step.json", "read_verilog rule.v", *passes, *sat], where, "proof")
        gates = json.loads(where.joinpath("stat.json").read_text())["design"]["num_cells"]
        return "SUCCESS!" in where.joinpath("sat.log").read_text(), gates


def places(fields: Iterable[Any]) -> dict[str, tuple[int, int]]:
    """The bits of each of ``fields`` of a stream, the low one and the end."""
    found: dict[str, tuple[int, int]] = {}
    low = 0
    for each in fields:
        found[each.name] = low, low + each.width
        low += each.width
    return found


@dataclass
class _Step:
    """A step as a module, with registers, memories and closed parts as ports."""

    module: dict[str, Any]
    parts: Mapping[str, Shared]
    rest: Shared
    fields: Mapping[str, Mapping[str, tuple[int, int]]]
    ports: list[_Port] = field(default_factory=list)
    given: list[str] = field(default_factory=list)

    def cut(self, signals: Mapping[str, str]) -> None:
        """Cuts the module, and gives it the ``signals`` as outputs."""
        nets, next_ = self.module["netnames"], dict[Any, Any]()
        ports, self.module["ports"] = self.module["ports"], {}
        left = set(self.parts)
        for name, port in ports.items():
            left -= self._add_fields(name, port["direction"], port["bits"])
        for cell, is_a in list(self.module["cells"].items()):
            pins = is_a["connections"]
            if is_a["type"] == "$dff":
                next_ |= zip(pins["Q"], pins["D"], strict=True)
            elif is_a["type"] == _MEMORY:
                left -= self._cut_memory(cell.removesuffix(f".{ROWS}"), is_a)
            elif not is_a["type"].startswith("$"):
                for pin, bits in pins.items():
                    way = "input" if is_a["port_directions"][pin] == "output" else "output"
                    left -= self._add_fields(f"{cell}.{pin}", way, bits)
            else:
                continue
            del self.module["cells"][cell]
        registers = {name: nets[name]["bits"] for name in left if name in nets}
        if missing := left - set(registers) | {n for n, bits in registers.items() if not set(bits) <= set(next_)}:
            raise ValueError(f"there is no register, memory or port {', '.join(sorted(missing))}")
        for name, bits in registers.items():
            self._add_register(name, bits, [next_.pop(bit) for bit in bits])
        self._add_register("others", list(next_), list(next_.values()))
        for signal, of in signals.items():
            self._add(signal, "output", nets[of]["bits"], NEVER)

    def _of(self, name: str) -> Shared:
        return self.parts.get(name, self.rest)

    def _add(self, name: str, way: str, bits: Sequence[Any], shared: str) -> None:
        self.ports.append(_Port(name, way, bits, shared))
        self.module["ports"][name] = {"direction": way, "bits": list(bits)}

    def _add_register(self, name: str, bits: Sequence[Any], next_: Sequence[Any]) -> None:
        self._add(f"now.{name}", "input", bits, self._of(name).before)
        self._add(f"next.{name}", "output", next_, self._of(name).after)

    def _add_fields(self, name: str, way: str, bits: Sequence[Any]) -> set[str]:
        """A port for each field of ``bits``; returns their names."""
        fields = self.fields.get(name, {"": (0, len(bits))})
        names = {f"{name}.{part}" if part else name: place for part, place in fields.items()}
        for part, (low, end) in names.items():
            known = self._of(part)
            self._add(part, way, bits[low:end], known.before if way == "input" else known.after)
        return set(names)

    def _cut_memory(self, name: str, cell: dict[str, Any]) -> set[str]:
        """Ports of a memory; returns the names.

        With shared words, a word read in the cycle of the address is shared if the address is shared.
        """
        pins, parameters = cell["connections"], cell["parameters"]
        known, written = self._of(name), self._of(f"{name}.written")
        width, bits = (int(parameters[of], 2) for of in ("WIDTH", "ABITS"))
        clocked = int(parameters["RD_CLK_ENABLE"].replace("x", "0"), 2)
        self._add(f"{name}.addresses", "output", pins["WR_ADDR"], known.after)
        self._add(f"{name}.enables", "output", pins["WR_EN"], known.after)
        self._add(f"{name}.written", "output", pins["WR_DATA"], written.after)
        for port in range(int(parameters["RD_PORTS"], 2)):
            address, data, later = f"{name}.address{port}", f"{name}.data{port}", clocked >> port & 1
            asked, read = pins["RD_ADDR"][port * bits :][:bits], pins["RD_DATA"][port * width :][:width]
            self._add(address, "output", asked, known.after if later else NEVER)
            self._add(data, "input", read, known.before if later else NEVER)
            if later:
                self._add(f"{name}.enable{port}", "output", pins["RD_EN"][port : port + 1], known.after)
            elif known.before == ALWAYS:
                self.given.append(f"a.{address} != b.{address} || a.{data} == b.{data}")
        return {name, f"{name}.written"}


def _rule(step: _Step, kept: Iterable[str], given: Iterable[str], goals: Iterable[str]) -> str:
    """Verilog of module ``rule``: ``good`` is 1 where two steps share what they must."""
    declared, pins, premises, claims = list[str](), {"a": list[str](), "b": list[str]()}, list[str](), list[str]()
    ports = [port for port in step.ports if port.bits]

    def of(condition: str, *engines: str) -> list[str]:
        """A condition in Verilog, of each of ``engines`` in the place of ``one.``."""
        texts = [condition.replace("one.", f"{engine}.") for engine in engines] if engines else [condition]
        return [f"({_REFERENCE.sub(lambda found: f'{chr(92)}{found[0]} ', text)})" for text in texts]

    for port in ports:
        width, output = f"[{len(port.bits) - 1}:0]", port.way == "output"
        both = output or port.shared != ALWAYS
        for engine, connected in pins.items():
            signal = f"\\{engine}.{port.name} " if both else f"\\a.{port.name} "
            connected.append(f".\\{port.name} ({signal})")
            if both or engine == "a":
                declared.append(f"  {'wire' if output else 'input'} {width} {signal};")
            else:
                declared.append(f"  wire {width} \\b.{port.name} = {signal};")
        if port.shared != NEVER and both:
            condition = of(f"!({port.shared}) || a.{port.name} == b.{port.name}")
            (claims if output else premises).extend(condition)
    for condition in kept:
        premises += of(condition.replace("at.", "now."), "a", "b")
        claims += of(condition.replace("at.", "next."), "a", "b")
    for condition in (*step.given, *given):
        premises += of(condition)
    for condition in goals:
        claims += of(condition, "a")
    inputs = [line.split("] ", 1)[1].rstrip(" ;") for line in declared if line.startswith("  input")]
    return "\n".join(
        [
            f"module rule({' , '.join(inputs)} , good);",
            *declared,
            "  output good;",
            *(f"  step {engine}_({', '.join(connected)});" for engine, connected in pins.items()),
            f"  wire premise = {' && '.join(premises) or 1};",
            f"  wire claim = {' && '.join(claims)};",
            "  assign good = !premise || claim;",
            "endmodule",
            "",
        ]
    )
