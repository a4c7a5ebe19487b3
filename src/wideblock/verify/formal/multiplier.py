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
from pyosys import libyosys  # pyright: ignore[reportAttributeAccessIssue]

from wideblock.rtl.gf128.field import Field
from wideblock.rtl.gf128.karatsuba import Multiplier

__all__ = ["Proof", "NotProved", "prove_bilinear", "prove_by_sat", "netlist", "check_netlist"]

CASE_BITS = 4
REGISTER, RESET = "$_DFF_P_", "$_MUX_"
TRANSPARENT_REGISTERS = """
module \\$dff (CLK, D, Q); parameter WIDTH = 1; parameter CLK_POLARITY = 1;
  input CLK; input [WIDTH-1:0] D; output [WIDTH-1:0] Q; assign Q = D; endmodule
module \\$sdff (CLK, SRST, D, Q); parameter WIDTH = 1; parameter CLK_POLARITY = 1; parameter SRST_POLARITY = 1;
  parameter SRST_VALUE = 0;
  input CLK, SRST; input [WIDTH-1:0] D; output [WIDTH-1:0] Q; assign Q = D; endmodule
"""


class NotProved(Exception):
    """What was to be proved does not hold, or not by this argument; the text says where."""


@dataclass(frozen=True)
class Proof:
    """A proof that went through: what was proved, by which argument, over how many gates and registers."""

    statement: str
    method: str
    gates: int
    registers: int
    seconds: float


@dataclass(frozen=True)
class _Net:
    """What is known of a net: its age in cycles, its kind and its value as a form.

    kind "a" or "b": bit i of ``form`` says whether bit i of that operand is in the sum;
    kind "ab": bit i * width + j says whether the product of bit i of a and bit j of b is.
    """

    age: int
    kind: str
    form: int


def netlist(multiplier: Multiplier) -> dict:
    """The multiplier as AND and XOR gates and flip-flops: the top module of Yosys' JSON, with the bits of its ports."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "netlist.json")
        design = _read(Path(folder), "top", multiplier, _ports(multiplier))
        _run(
            Path(folder),
            design,
            "hierarchy -top top",
            "proc",
            "flatten",
            "simplemap",
            "opt_clean",
            f"write_json {path}",
        )
        return json.loads(path.read_text())["modules"]["top"]


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


def check_netlist(top: dict, field: Field, latency: int) -> tuple[int, int]:
    """The composition argument on a netlist: its numbers of gates and registers, or :class:`NotProved`."""
    w = field.width
    ports = {name: port["bits"] for name, port in top["ports"].items()}
    known = {bit: _Net(0, "a" if i < w else "b", 1 << i % w) for i, bit in enumerate(ports["i__payload"])}
    known[ports["i__valid"][0]] = _Net(0, "valid", 1)
    drivers = {
        cell["connections"]["Q" if "Q" in cell["connections"] else "Y"][0]: (name, cell)
        for name, cell in top["cells"].items()
    }
    zero = "0"

    def combine(name, cell):
        kind, pins = cell["type"], cell["connections"]
        if kind == REGISTER:
            d = known[pins["D"][0]]
            return _Net(d.age + 1, d.kind, d.form)
        if kind == RESET and pins["S"] == ports["rst"] and pins["B"] == [zero]:
            return known[pins["A"][0]]
        if kind not in ("$_XOR_", "$_AND_"):
            raise NotProved(f"cell {name} is a {kind}; only AND, XOR and flip-flops are bilinear")
        if zero in (pins["A"][0], pins["B"][0]):
            raise NotProved(f"cell {name} has a constant input")
        x, y = known[pins["A"][0]], known[pins["B"][0]]
        if x.age != y.age:
            raise NotProved(f"cell {name} combines values of ages {x.age} and {y.age}")
        if kind == "$_XOR_":
            if x.kind != y.kind:
                raise NotProved(f"cell {name} adds a form in {x.kind} to one in {y.kind}")
            return _Net(x.age, x.kind, x.form ^ y.form)
        if {x.kind, y.kind} != {"a", "b"}:
            raise NotProved(f"cell {name} multiplies a form in {x.kind} by one in {y.kind}")
        a, b = (x, y) if x.kind == "a" else (y, x)
        return _Net(x.age, "ab", sum(b.form << i * w for i in range(w) if a.form >> i & 1))

    targets = [*ports["o__payload"], *ports["o__valid"]]
    stack, open_cells = list(targets), set()
    gates = registers = 0
    while stack:
        bit = stack[-1]
        if bit in known:
            stack.pop()
            continue
        if bit not in drivers:
            raise NotProved(f"bit {bit!r} has no driver")
        name, cell = drivers[bit]
        inputs = [cell["connections"][pin][0] for pin in "DAB" if pin in cell["connections"]]
        missing = [b for b in inputs if b != zero and b not in known]
        if not missing:
            known[bit] = combine(name, cell)
            registers += cell["type"] == REGISTER
            gates += cell["type"] in ("$_AND_", "$_XOR_")
            stack.pop()
        elif bit in open_cells:
            raise NotProved(f"cell {name} is in a loop")
        else:
            open_cells.add(bit)
            stack += missing

    powers = [_remainder(1 << k, w, field.modulus) for k in range(2 * w - 1)]
    for k, bit in enumerate(ports["o__payload"]):
        got = known[bit]
        if got.kind != "ab" or got.age != latency:
            raise NotProved(f"output {k} is a form in {got.kind} of age {got.age}, not in ab of age {latency}")
        column = sum((p >> k & 1) << n for n, p in enumerate(powers))
        want = sum((column >> i & (1 << w) - 1) << i * w for i in range(w))
        if got.form != want:
            i, j = divmod(((got.form ^ want) & -(got.form ^ want)).bit_length() - 1, w)
            raise NotProved(f"output {k} is wrong for x^{i} * x^{j}")
    valid = known[ports["o__valid"][0]]
    if valid != _Net(latency, "valid", 1):
        raise NotProved(f"o.valid is not i.valid of {latency} cycles before")
    return gates, registers


def prove_by_sat(multiplier: Multiplier, timeout: int = 600) -> Proof:
    """Proves by SAT that the multiplier without its registers is shift-and-add multiplication; for small fields."""
    start = time.monotonic()
    w = multiplier.field.width
    reference, ports = _shift_and_add(multiplier.field)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "registers.v").write_text(TRANSPARENT_REGISTERS)
        design = _read(folder, "gold", reference, ports)
        _read(folder, "gate", multiplier, _ports(multiplier), design)
        _run(
            folder,
            design,
            "setattr -mod -unset top *",
            "proc",
            "flatten",
            f"techmap -map {folder}/registers.v",
            "opt_clean",
            "miter -equiv -flatten -make_outputs gold gate miter",
        )
        for case in range(1 << CASE_BITS):  # by the top bits of b: several small problems are faster than one
            top = f"-set in_i__payload[{2 * w - 1}:{2 * w - CASE_BITS}] {CASE_BITS}'d{case}"
            if "SUCCESS!" not in _run(folder, design, f"sat -timeout {timeout} {top} -prove trigger 0 miter"):
                raise NotProved(
                    f"the multiplier of GF(2^{w}) differs from shift-and-add where b is in case {case} of "
                    f"its top {CASE_BITS} bits, or SAT ran out of {timeout} s"
                )
        count = _run(folder, design, "hierarchy -top gate", "simplemap", "opt_clean", "select -count t:$_AND_ t:$_XOR_")
        gates = int(next(line.split()[0] for line in count.splitlines() if line.endswith("objects.")))
    return Proof(
        f"o = i.a * i.b in GF(2^{w}), registers taken as wires",
        "SAT on all operands",
        gates,
        0,
        time.monotonic() - start,
    )


def _shift_and_add(field: Field):
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


def _read(folder, name, component, ports, design=None):
    """Adds a component to a Yosys design, a new one unless given, as module ``name``."""
    design = design or libyosys.Design()
    (folder / f"{name}.il").write_text(rtlil.convert(component, name=name, ports=ports, emit_src=False))
    _run(folder, design, f"read_rtlil {folder}/{name}.il")
    return design


def _run(folder, design, *passes):
    """What Yosys prints for these passes."""
    log = folder / "log"
    text = ""
    for command in passes:
        libyosys.run_pass(f"tee -q -o {log} {command}", design)
        text += log.read_text()
    return text
