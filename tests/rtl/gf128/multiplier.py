# SPDX-License-Identifier: Apache-2.0
"""Proofs that a pipelined multiplier is the multiplication of its field.

Two, which meet. A small field is proved outright by SAT. The full one is proved by composition: its netlist is shown
to be bilinear gate by gate, and a bilinear function is determined by its values on the pairs of unit vectors, which
are all computed.
"""

import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from amaranth import Module, Mux, Signal
from amaranth.back import rtlil

from wideblock.rtl.gf128.field import BinaryField
from wideblock.rtl.gf128.karatsuba import Multiplier
from wideblock.synth import yosys
from wideblock.verify.formal.proof import NotProved, Proof

__all__ = ["check_netlist", "netlist", "prove_bilinear", "prove_by_sat"]

CASE_BITS = 4
REGISTER, RESET, AND, XOR = "$_DFF_P_", "$_MUX_", "$_AND_", "$_XOR_"
ZERO = "0"
TRANSPARENT_REGISTERS = """
module \\$dff (CLK, D, Q); parameter WIDTH = 1; parameter CLK_POLARITY = 1;
  input CLK; input [WIDTH-1:0] D; output [WIDTH-1:0] Q; assign Q = D; endmodule
module \\$sdff (CLK, SRST, D, Q); parameter WIDTH = 1; parameter CLK_POLARITY = 1; parameter SRST_POLARITY = 1;
  parameter SRST_VALUE = 0;
  input CLK, SRST; input [WIDTH-1:0] D; output [WIDTH-1:0] Q; assign Q = D; endmodule
"""


@dataclass(frozen=True)
class _Net:
    """The age of a net in cycles, its kind and its value as a form.

    kind "a" or "b": bit i of ``form`` says whether bit i of that operand is in the sum;
    kind "ab": bit i * width + j says whether the product of bit i of a and bit j of b is.
    """

    age: int
    kind: str
    form: int


def netlist(multiplier: Multiplier) -> dict:
    """The multiplier as AND and XOR gates and flip-flops: the top module of Yosys' JSON, with the bits of its ports."""
    with tempfile.TemporaryDirectory() as name:
        where = Path(name)
        _write(where / "top.il", "top", multiplier, _ports(multiplier))
        script = ["read_rtlil top.il", "hierarchy -top top", "proc", "flatten", "simplemap", "opt_clean"]
        yosys.run([*script, "write_json netlist.json"], where, "netlist")
        return json.loads((where / "netlist.json").read_text())["modules"]["top"]


def prove_bilinear(multiplier: Multiplier) -> Proof:
    """Proves the whole multiplier, of any width: each output is its bit of a * b, ``timing.latency`` cycles before.

    Each net is given its age and, as an exact form in the bits of the operands, its value. The rules admit only the
    sum of two forms of one kind and age and the product of a form in a and one in b of one age; so what gets through
    is bilinear, and the forms of the outputs are their values on all pairs of unit vectors at once.
    """
    start = time.monotonic()
    gates, registers = check_netlist(netlist(multiplier), multiplier.field, multiplier.timing.latency)
    w = multiplier.field.width
    return Proof(
        f"o = i.a * i.b in GF(2^{w}), {multiplier.timing.latency} cycles later",
        f"bilinear, and equal on all {w} x {w} pairs of unit vectors",
        gates,
        registers,
        time.monotonic() - start,
    )


def check_netlist(top: dict, field: BinaryField, latency: int) -> tuple[int, int]:
    """The composition argument on a netlist: its numbers of gates and registers, or :class:`NotProved`."""
    w = field.width
    ports = {name: port["bits"] for name, port in top["ports"].items()}
    nets = _Nets(top, w)
    powers = [_remainder(1 << k, w, field.modulus) for k in range(2 * w - 1)]
    for k, bit in enumerate(ports["o__payload"]):
        got = nets.of(bit)
        if got.kind != "ab" or got.age != latency:
            raise NotProved(f"output {k} is a form in {got.kind} of age {got.age}, not in ab of age {latency}")
        column = sum((p >> k & 1) << n for n, p in enumerate(powers))
        want = sum((column >> i & (1 << w) - 1) << i * w for i in range(w))
        if got.form != want:
            i, j = divmod(((got.form ^ want) & -(got.form ^ want)).bit_length() - 1, w)
            raise NotProved(f"output {k} is wrong for x^{i} * x^{j}")
    if nets.of(ports["o__valid"][0]) != _Net(latency, "valid", 1):
        raise NotProved(f"o.valid is not i.valid of {latency} cycles before")
    return nets.gates, nets.registers


class _Nets:
    """The forms of a netlist's nets, found from the operands on; counts the gates and registers that it passes."""

    def __init__(self, top: dict, width: int):
        self._width = width
        self._ports = ports = {name: port["bits"] for name, port in top["ports"].items()}
        self._known = {
            bit: _Net(0, "a" if i < width else "b", 1 << i % width) for i, bit in enumerate(ports["i__payload"])
        }
        self._known[ports["i__valid"][0]] = _Net(0, "valid", 1)
        self._drivers = {
            cell["connections"]["Q" if "Q" in cell["connections"] else "Y"][0]: (name, cell)
            for name, cell in top["cells"].items()
        }
        self.gates = self.registers = 0

    def of(self, target) -> _Net:
        """The form of a net, after those of all nets that it depends on. Raises :class:`NotProved`."""
        stack, open_cells = [target], set()
        while stack:
            bit = stack[-1]
            if bit in self._known:
                stack.pop()
                continue
            if bit not in self._drivers:
                raise NotProved(f"bit {bit!r} has no driver")
            name, cell = self._drivers[bit]
            inputs = [cell["connections"][pin][0] for pin in "DAB" if pin in cell["connections"]]
            missing = [b for b in inputs if b != ZERO and b not in self._known]
            if not missing:
                self._known[bit] = self._combine(name, cell)
                self.registers += cell["type"] == REGISTER
                self.gates += cell["type"] in (AND, XOR)
                stack.pop()
            elif bit in open_cells:
                raise NotProved(f"cell {name} is in a loop")
            else:
                open_cells.add(bit)
                stack += missing
        return self._known[target]

    def _combine(self, name: str, cell: dict) -> _Net:
        """The form of a cell's output from those of its inputs."""
        kind, pins = cell["type"], cell["connections"]
        if kind == REGISTER:
            d = self._known[pins["D"][0]]
            return _Net(d.age + 1, d.kind, d.form)
        if kind == RESET and pins["S"] == self._ports["rst"] and pins["B"] == [ZERO]:
            return self._known[pins["A"][0]]
        if kind not in (AND, XOR):
            raise NotProved(f"cell {name} is a {kind}; only AND, XOR and flip-flops are bilinear")
        if ZERO in (pins["A"][0], pins["B"][0]):
            raise NotProved(f"cell {name} has a constant input")
        x, y = self._known[pins["A"][0]], self._known[pins["B"][0]]
        if x.age != y.age:
            raise NotProved(f"cell {name} combines values of ages {x.age} and {y.age}")
        if kind == XOR:
            if x.kind != y.kind:
                raise NotProved(f"cell {name} adds a form in {x.kind} to one in {y.kind}")
            return _Net(x.age, x.kind, x.form ^ y.form)
        if {x.kind, y.kind} != {"a", "b"}:
            raise NotProved(f"cell {name} multiplies a form in {x.kind} by one in {y.kind}")
        a, b = (x, y) if x.kind == "a" else (y, x)
        return _Net(x.age, "ab", sum(b.form << i * self._width for i in range(self._width) if a.form >> i & 1))


def prove_by_sat(multiplier: Multiplier, timeout: int = 600) -> Proof:
    """Proves by SAT that the multiplier without its registers is shift-and-add multiplication; for small fields."""
    start = time.monotonic()
    w = multiplier.field.width
    reference, ports = _shift_and_add(multiplier.field)
    # by the top bits of b: several small problems are faster than one
    cases = [f"{CASE_BITS}'d{case}" for case in range(1 << CASE_BITS)]
    top = f"in_i__payload[{2 * w - 1}:{2 * w - CASE_BITS}]"
    with tempfile.TemporaryDirectory() as name:
        where = Path(name)
        (where / "registers.v").write_text(TRANSPARENT_REGISTERS)
        _write(where / "gold.il", "gold", reference, ports)
        _write(where / "gate.il", "gate", multiplier, _ports(multiplier))
        script = [
            "read_rtlil gold.il",
            "read_rtlil gate.il",
            "setattr -mod -unset top *",
            "proc",
            "flatten",
            "techmap -map registers.v",
            "opt_clean",
            "miter -equiv -flatten -make_outputs gold gate miter",
            *(
                f"tee -q -o sat{k}.log sat -timeout {timeout} -set {top} {case} -prove trigger 0 miter"
                for k, case in enumerate(cases)
            ),
            "hierarchy -top gate",
            "simplemap",
            "opt_clean",
            "tee -q -o stat.json stat -json",
        ]
        yosys.run(script, where, "sat")
        for k in range(len(cases)):
            if "SUCCESS!" not in (where / f"sat{k}.log").read_text():
                raise NotProved(
                    f"the multiplier of GF(2^{w}) differs from shift-and-add where b is in case {k} of "
                    f"its top {CASE_BITS} bits, or SAT ran out of {timeout} s"
                )
        found = json.loads((where / "stat.json").read_text())["design"]["num_cells_by_type"]
    return Proof(
        f"o = i.a * i.b in GF(2^{w}), registers taken as wires",
        "SAT on all operands",
        sum(found.get(kind, 0) for kind in (AND, XOR)),
        0,
        time.monotonic() - start,
    )


def _shift_and_add(field: BinaryField):
    """The definition as a circuit without registers: Horner's rule over the bits of b. With its ports."""
    m = Module()
    w = field.width
    operands, product = Signal(2 * w, name="i__payload"), Signal(w, name="o__payload")
    a, b, r = (Signal(w, name=name) for name in "abr")
    m.d.comb += [a.eq(operands), b.eq(operands >> w)]
    for k in reversed(range(w)):
        step = Signal(w, name=f"r{k}")
        m.d.comb += step.eq((r << 1) ^ Mux(r[w - 1], field.modulus, 0) ^ Mux(b.bit_select(k, 1), a, 0))
        r = step
    clk, rst, i_valid, o_valid = (Signal(name=name) for name in ("clk", "rst", "i__valid", "o__valid"))
    m.d.comb += [product.eq(r), o_valid.eq(i_valid & ~rst)]
    return m, [clk, rst, operands, i_valid, product, o_valid]


def _remainder(value: int, width: int, modulus: int) -> int:
    """value mod x^width + modulus, by long division."""
    polynomial = 1 << width | modulus
    while value.bit_length() > width:
        value ^= polynomial << value.bit_length() - polynomial.bit_length()
    return value


def _ports(multiplier):
    i, o = multiplier.i, multiplier.o
    return [i.payload.as_value(), i.valid, o.payload, o.valid]


def _write(path: Path, name: str, component, ports) -> None:
    """Writes a component as module ``name`` in RTLIL."""
    path.write_text(rtlil.convert(component, name=name, ports=ports, emit_src=False))
