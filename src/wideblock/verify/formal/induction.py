# SPDX-License-Identifier: Apache-2.0
"""Proofs about the control of a core by induction over time, on the Verilog that a user gets.

The control is proved as is. Ciphers, multipliers and memories of data are free: they may give any value at any time. A
rule proved under free values holds for the core.
"""

import json
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from wideblock.export.contract import Contract
from wideblock.export.enclosed import ROWS
from wideblock.synth import yosys
from wideblock.verify.formal.flat import Flat, flatten
from wideblock.verify.formal.proof import NotProved, Proof

__all__ = ["CLEAR", "Rule", "prove"]

CLEAR = "core.clear"
"""The signal that is high while a core forgets keys and sectors."""

# sums of flags as such, not as chains of adders; and nothing that takes what is free for what may be chosen
_SMALLER = ("opt_expr -fine", "opt_merge", "wreduce", "peepopt", "opt_expr -fine", "opt_merge", "alumacc", "opt_clean")
_ASSERTING = "always @* "  # before each assertion
_DECLARATION = re.compile(r"\b(?:input|wire|reg)\b *(?:\[[^;]*?:[^;]*?\] *)?([^;]*);")
_NESTED = re.compile(r"\([^()]*\)|\[[^][]*\]|\{[^{}]*\}")  # what may hold a comma of no list of declarations
_CONFLICT = re.compile(r"multiple conflicting drivers for (\S+)|(conflicting with a constant)")
_SAT = "sat -tempinduct -prove-asserts -set-assumes -seq 0 -maxsteps {cycles} -timeout 600 rule"


@dataclass(frozen=True)
class Rule:
    """Assertions that must hold in every cycle.

    signals: signals of the core in ``text``, by the names in ``text``
    text:    assertions, in Verilog, on the signals and on the ports of the core
    kept:    memories with contents; words read from other memories are free
    cycles:  length of induction: the rule held for as many cycles, and must hold in the next cycle
    parts:   further assertions, if a single proof is too large. ``text`` and each part have separate proofs. Given are
             all parts in earlier cycles, and the earlier parts in the present cycle. The assumptions of a part are not
             given to earlier parts in the present cycle, and may follow from earlier parts
    """

    statement: str
    signals: dict[str, str]
    text: str
    kept: tuple[str, ...] = ()
    cycles: int = 1
    parts: tuple[str, ...] = ()

    def beside_last(self, text: str) -> "Rule":
        """The rule with further assertions, in its last part."""
        if not self.parts:
            return replace(self, text=f"{self.text}{text}")
        return replace(self, parts=(*self.parts[:-1], f"{self.parts[-1]}{text}"))

    def proofs(self, clock: str) -> Iterator[str]:
        """The text of each proof, with a register ``first_cycle``."""
        parts = (self.text, *self.parts)
        for k, part in enumerate(parts):
            given = [before.replace("assert (", "assume (") for before in parts[:k]]
            later = [behind.replace("assert (", "assume (") for behind in parts[k + 1 :]]
            # what is assumed at an edge is of the cycle before
            later = [behind.replace(_ASSERTING, f"always @(posedge {clock}) if (!first_cycle) ") for behind in later]
            yield "\n".join([*given, part, *later])


def prove(core: Contract, rule: Rule, flat: Flat | None = None) -> Proof:
    """Proves the assertions of a rule by induction over time, from a reset, with resets at any time.

    In the first cycle, a reset, registers may hold anything, as after power-up; nothing is asserted or assumed. Every
    later cycle is proved. Written memories may hold anything, too.

    flat: the core; default: flattened from the exported Verilog
    Raises :class:`NotProved`, also for a rule about unknown signals, and for a rule that gives a name or a signal two
    meanings: Yosys would take both as equal, and prove anything that the two contradict.
    """
    start = time.monotonic()
    flat = flat or flatten(core)
    if missing := set(rule.signals.values()) - set(flat.widths):
        raise NotProved(f"{core.module}: there is no signal {', '.join(sorted(missing))}, which the rule names")
    with tempfile.TemporaryDirectory() as name:
        where = Path(name)
        where.joinpath("flat.il").write_text(flat.rtlil)
        for text in rule.proofs(core.shell.clock):
            checker = _checker(core, flat, rule, text)
            if twice := _declared_twice(checker):
                raise NotProved(f"{core.module}: the rule declares twice {', '.join(twice)}")
            where.joinpath("rule.v").write_text(checker)
            yosys.run(_script(flat.module, rule), where, "proof")
            if conflict := _CONFLICT.search(where.joinpath("check.log").read_text()):
                raise NotProved(f"{core.module}: a signal of the rule has two sources: {conflict[1] or conflict[2]}")
            if "SUCCESS!" not in where.joinpath("sat.log").read_text():
                raise NotProved(f"{core.module}: not inductive: {rule.statement}")
        gates = json.loads(where.joinpath("stat.json").read_text())["design"]["num_cells"]
    how = "from one cycle" if rule.cycles == 1 else f"from {rule.cycles} cycles"
    return Proof(rule.statement, f"SAT, induction {how} to the next", gates, 0, time.monotonic() - start)


def _script(module: str, rule: Rule) -> list[str]:
    """Yosys' passes: what is free is cut off, the rule's signals become ports, and the rule is proved over them."""
    signals = " ".join(f"{module}/w:{signal}" for signal in sorted(set(rule.signals.values())))
    return [
        "read_rtlil flat.il",
        f"delete {module}/t:{module}__core__*",
        *([f"expose {signals}"] if signals else []),
        "opt_clean",
        "memory_collect",
        f"delete t:$mem_v2 {' '.join(f'c:*.{memory} %d c:*.{memory}.{ROWS} %d' for memory in rule.kept)}",
        "read_verilog -formal rule.v",
        "hierarchy -top rule",
        "tee -q -o check.log check",  # before a pass may hide a source
        "proc",
        "flatten",
        "async2sync",  # assumptions at an edge
        "chformal -lower",
        "memory_map",
        *_SMALLER,
        "tee -q -o stat.json stat -json",
        f"tee -q -o sat.log {_SAT.format(cycles=rule.cycles)}",
    ]


def _declared_twice(text: str) -> list[str]:
    """Names that have more than one declaration in a module of Verilog. Yosys makes a single signal of such a name."""
    names: Counter[str] = Counter()
    for found in _DECLARATION.finditer(yosys.uncommented(text)):
        declared, nested = found[1], 1
        while nested:
            declared, nested = _NESTED.subn("", declared)
        names.update(each.partition("=")[0].strip() for each in declared.split(","))
    return sorted(name for name, times in names.items() if times > 1)


def _checker(core: Contract, flat: Flat, rule: Rule, text: str) -> str:
    """Verilog of module ``rule``: the core, its inputs free after a reset, and ``text`` over the rule's signals."""
    shell, names = core.shell, {signal: name for name, signal in rule.signals.items()}
    inputs = {port.name for port in core.ports if port.direction == "input"} - {shell.reset}
    lines, pins = [], []
    for signal in (*(port.name for port in core.ports), *names):
        name = names.get(signal, signal)
        lines.append(f"{'input' if signal in inputs else 'wire'} [{flat.widths[signal] - 1}:0] {name};")
        pins.append(f".\\{signal} ({name})")
    return "\n".join(
        [
            "`default_nettype none",
            f"module rule({', '.join(sorted(inputs))}, any_reset);",
            *lines,
            "input any_reset;",
            "reg first_cycle = 1;",
            f"always @(posedge {shell.clock}) first_cycle <= 0;",
            f"assign {shell.reset} = {'!' if shell.active_low else ''}(first_cycle || any_reset);",
            f"\\{flat.module} dut({', '.join(pins)});",
            re.sub(r"always @\* (?=if|begin)", "always @* if (!first_cycle) ", text),
            "endmodule",
            "",
        ]
    )
