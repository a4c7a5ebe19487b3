# SPDX-License-Identifier: Apache-2.0
"""The rule of slots for the families with two passes: copies are read by the products of both, and by calls."""

from collections.abc import Sequence
from dataclasses import dataclass

from amaranth.lib import data

from wideblock.export.contract import Contract
from wideblock.verify.formal.induction import Rule
from wideblock.verify.formal.proof import NotProved
from wideblock.verify.formal.rules.copies import Part, copied, number_bits
from wideblock.verify.formal.rules.parts import raising

__all__ = ["Reads", "hashed"]


@dataclass(frozen=True)
class Reads:
    """``signals`` of reads by their names, ``wires`` and registers, and ``rules``: assertions, all in Verilog."""

    signals: dict[str, str]
    wires: str
    rules: str

    @property
    def part(self) -> Part:
        """The signals, and a text of the rules."""
        return self.signals, f"{self.wires}\n      always @* if (!clear) begin{self.rules}\n      end"

    def __add__(self, other: "Reads") -> "Reads":
        return Reads(self.signals | other.signals, f"{self.wires}{other.wires}", f"{self.rules}{other.rules}")


def hashed(core: Contract, order: Rule, computed: str, events: Sequence[str], reads: Reads) -> Rule:
    """As :func:`wideblock.verify.formal.rules.copies.copied`, for a core with a front and a back hash.

    The front hash takes the beats that leave the gate, the reads of a step follow the step's number; later stages read
    when the copy is complete.

    computed: pointer of the first sector that is not computed, a signal of ``order``
    events:   last products of front and back pass, by the names of their events
    reads:    of keys and other words
    """
    made, bits = core.component, number_bits(core)
    front, lead = made.programs["front"], made.key_unit.context.lead
    complete = f"""
        assert (number_of == (front_step < {front.beats} ? front_step : 0));
        assert (reached == front_sector + (front_step >= {front.beats} ? {bits}'d1 : {bits}'d0));
        assert (!(live && front_sector == n && front_step != 0 && !a_bad) || since >= front_step + {lead + 2});
        assert (!(live && to_n < (front_sector - {computed}) % {1 << bits}) || since == {front.steps + lead + 2});"""
    counted = f"keys_oldest + core_computed == {computed}"
    reads = _reads_of_powers(core, events) + reads + Reads({"core_computed": "core.computed"}, "", "")
    controls = {name: made.units[name].control for name in ("front", "back")}
    powers = {name: (control.powers, control.constant) for name, control in controls.items()}
    return copied(core, order, computed, counted, complete, reads.part, front.steps, powers)


def _reads_of_powers(core: Contract, events: Sequence[str]) -> Reads:
    """Each power of a product is in the copy of the sector, at the place of the sector.

    The last products of a sector are issued behind the head of its program, while the next sector has the head.
    """
    never = "\n        assert (!back_go || back_sector != front_sector);"
    reads = Reads({"back_go": "core.back_hash.back_sequencer.go"}, "", never)
    for name, event in zip(("front", "back"), events, strict=True):
        reads += _tail(core, name, event) + _products(core, name) + _steps(core, name)
    return reads


def _tail(core: Contract, name: str, event: str) -> Reads:
    """The words behind the head of a program are of the sector before, and read in the bank of the sector before."""
    made, hash = core.component, f"core.{name}_hash"
    unit, program = made.units[name], made.programs[name]
    issued = [(i.step - program.steps, i.multiplier) for i in program.issues if i.step >= program.steps]
    last = raising(program)[event].step - program.steps
    depth = max((step for step, _ in issued), default=0) + 1
    if issued and last < depth - 1:
        raise NotProved(f"{core.module}: the argument needs {event} issued last")
    signals = {f"{name}_bank_before": f"{hash}.tail_bank", f"{name}_last": f"{hash}.{name}_sequencer.last"}
    rules = "".join(f"\n        assert ({name}_tail{k} == {name}_tokens[{k}]);" for k in range(last))
    for k in range(depth):
        before = f"{name}_bank_before == ({name}_sector - 1) % {made.slots}"
        rules += f"\n        assert (!{name}_tokens[{k}] || {name}_step <= {k} && {before});"
    for u in range(unit.multipliers):
        tokens = " || ".join(f"{name}_tokens[{k}]" for k, by in sorted(set(issued)) if by == u) or "0"
        signals[f"{name}_behind{u}"] = f"{hash}.{name}_sequencer.tail.issue{u}"
        rules += f"\n        assert ({name}_behind{u} == ({tokens}));"
    wires = f"""
      reg [{depth - 1}:0] {name}_tokens;
      always @(posedge {core.shell.clock}) {name}_tokens <= clear ? 0 : {{{name}_tokens, {name}_last}};"""
    return Reads(signals, wires, rules)


def _products(core: Contract, name: str) -> Reads:
    """The reads of the products of a pass: at the place of the sector, of a written word.

    The front pass drops the reads of a malformed sector.
    """
    made, hash, bits = core.component, f"core.{name}_hash", number_bits(core)
    unit, control = made.units[name], made.units[name].control
    numbers = {word.power: k for k, word in enumerate(made.key_unit.context.words)}
    low, ports = (len(control.powers) - 1).bit_length(), len(control.sides) - 1
    takers = [u for u in range(unit.multipliers) if control.takes_constant(u)]
    signals, rules = dict[str, str](), ""
    for u in range(unit.multipliers):
        several = ports * unit.multipliers > 1
        reads = [(f"powers.read{u * ports + port if several else ''}_addr", "1", low) for port in range(ports)]
        signals[f"{name}_issue{u}"] = f"{hash}.word.issue{u}"
        if u in takers:
            signals[f"{name}_constant{u}"] = f"{hash}.word.constant{u}"
            port = takers.index(u) if len(takers) > 1 else ""
            reads.append((f"constants.read{port}_addr", f"{name}_constant{u}", 0))
        sector = f"({name}_behind{u} ? {name}_sector - {bits}'d1 : {name}_sector)"
        kept = f" && !(a_bad && !{name}_behind{u})" if name == "front" else ""
        for k, (read, used, row_bits) in enumerate(reads):
            at = f"{name}_at{u}_{k}"
            signals[at] = f"{hash}.{read}"
            there = f"16'd{numbers[control.constant] + 2}" if not row_bits else "16'd0"
            for e, row in control.powers.items() if row_bits else ():
                there = f"{at}[{row_bits - 1}:0] == {row} ? 16'd{numbers[e] + 2} : {there}"
            rules += f"""
        if ({name}_issue{u} && {used}) begin
          assert ({at} >> {row_bits} == {sector} % {made.slots});
          if (live && {sector} == n{kept}) assert (since >= ({there}));
        end"""
    return Reads(signals, "", rules)


def _steps(core: Contract, name: str) -> Reads:
    """The fields for issues and powers have the values of the step, in each word of a program."""
    unit, reads = core.component.units[name], Reads({}, "", "")
    for field in unit.control.layout():
        if ("power" in field or field.startswith("issue")) and not field.endswith("_decrypt"):
            reads += _field(core, name, field)
    for u in range(unit.multipliers):
        if unit.control.takes_constant(u):
            reads += _field(core, name, f"constant{u}")
    return reads


def _field(core: Contract, name: str, field: str) -> Reads:
    """The ``field`` of a program's word has the value of the step, in the head and in the word behind."""
    made, path = core.component, f"core.{name}_hash.{name}_sequencer"
    control, steps = made.units[name].control, made.programs[name].steps
    words, layout = control.words(name), control.layout()
    signals = {f"{name}_row": f"{path}.row", f"{name}_row_behind": f"{path}.row_behind"}
    bits, tables, rules = layout[field], "", ""
    for each in (field, f"{field}_decrypt"):
        if each not in layout:
            continue
        at, table = data.StructLayout(layout)[each].offset, f"{name}_{each}_table"
        packed = sum(words.get(step, {}).get(each, 0) << step * bits for step in range(steps))
        tables += f"""
      wire [{steps * bits - 1}:0] {table} = {steps * bits}'h{packed:x};"""
        for row, step in (("row", "step"), ("row_behind", "behind")):
            rules += f"""
        assert ({name}_begins || {name}_{row}[{at} +: {bits}] == {table}[{name}_{step} * {bits} +: {bits}]);"""
    return Reads(signals, tables, rules)
