# SPDX-License-Identifier: Apache-2.0
"""RTLIL before Yosys and Verilog after it as text: equal modules once, names, and forms that linters accept."""

import re
from itertools import groupby

__all__ = ["driven", "named", "plain", "shared", "unescaped", "widened"]

_MANY = 3
"""Pieces of a value from which on a value is written once, with a name."""

_OPERATORS = "add|and|divfloor|eq|ge|gt|le|lt|modfloor|mul|ne|or|sub|xnor|xor"
_CELL = re.compile(
    rf"^  cell \$(?:{_OPERATORS}) .*\n"
    r"    parameter \\A_SIGNED 0\n    parameter \\B_SIGNED 0\n"
    r"    parameter \\A_WIDTH (?P<a>\d+)\n    parameter \\B_WIDTH (?P<b>\d+)\n",
    re.MULTILINE,
)
_ALWAYS = re.compile(
    r"^  process \$(?P<number>\d+)\n    assign .*\n    switch 1'1\n      case 1'1\n"
    r"        assign (?P<left>\S+ \[(?P<top>\d+)(?::0)?\]) (?P<right>.*)\n    end\n  end\n",
    re.MULTILINE,
)
_CONCATENATION = re.compile(r"\{ ([^{}]*) \}")
_WIDTH = 118
_TOO_LONG = re.compile(rf"^( *)(?=.{{{_WIDTH + 1}}})(.*, .*)$", re.MULTILINE)
_CHOICE = re.compile(r"^    casez \(s\)\n(.*?)^    endcase$", re.MULTILINE | re.DOTALL)
_ONE_HOT = re.compile(r"^      \d+'b(\?*)1(\?*):$", re.MULTILINE)
_RTLIL_MODULE = re.compile(r"^module \\(\S+)\n(.*?)^end$", re.MULTILINE | re.DOTALL)
_RTLIL_NAME = re.compile(r"^(module|  cell) \\(\S+)", re.MULTILINE)
_MODULE = re.compile(r"^module (\S+)\(.*?^endmodule$", re.MULTILINE | re.DOTALL)
_DECLARED = re.compile(r"^  (?:wire|reg|input|output) (\[\d+:0\] )?([^\s;]+)", re.MULTILINE)
_ASSIGN = re.compile(r"^  assign (.*) = (.*);$", re.MULTILINE)
_NAME = re.compile(r"\\\S+|(?<![\w'$])[A-Za-z_][\w$]*")


def shared(text: str) -> str:
    """The RTLIL with a common module for equal modules, for example the multipliers of two hash units."""
    first: dict[str, str] = {}
    same = {name: kept for name, body in _RTLIL_MODULE.findall(text) if (kept := first.setdefault(body, name)) != name}
    if not same:
        return text
    text = _RTLIL_MODULE.sub(lambda found: "" if found[1] in same else found[0], text)
    text = re.sub(r"(?:^attribute .*\n)+(?=\n|\Z)", "", text, flags=re.MULTILINE)  # of a module that went
    return shared(_RTLIL_NAME.sub(lambda found: f"{found[1]} \\{same.get(found[2], found[2])}", text))


def unescaped(text: str) -> str:
    """The RTLIL with names of modules that need no escape in Verilog and Tcl: ``core__exit`` for ``core.exit``."""
    return _RTLIL_NAME.sub(lambda found: f"{found[1]} \\{found[2].replace('.', '__')}", text)


def widened(rtlil: str) -> str:
    """The RTLIL with both operands of an unsigned operator of equal width, the narrower behind zeros."""
    parts, end = [], 0
    for cell in _CELL.finditer(rtlil):
        a, b = int(cell["a"]), int(cell["b"])
        if a == b:
            continue
        narrow, width, wide = ("A", a, b) if a < b else ("B", b, a)
        head = cell[0].replace(f"\\{narrow}_WIDTH {width}\n", f"\\{narrow}_WIDTH {wide}\n")
        operand = re.compile(rf"    connect \\{narrow} (.*)\n").search(rtlil, cell.end())
        assert operand, f"a cell without operand {narrow}"
        zeros = f"{wide - width}'{'0' * (wide - width)}"
        parts += [rtlil[end : cell.start()], head, rtlil[cell.end() : operand.start()]]
        parts.append(f"    connect \\{narrow} {{ {zeros} {operand[1]} }}\n")
        end = operand.end()
    return "".join([*parts, rtlil[end:]])


def driven(rtlil: str) -> str:
    """The RTLIL with a connection for an assignment that always holds, or a buffer where a long value has a name.

    Yosys keeps the buffer, an assignment in Verilog, and so writes the name wherever the value is used.
    """
    return _ALWAYS.sub(_driver, rtlil)


def _driver(always: re.Match[str]) -> str:
    left, right = always["left"], always["right"]
    if right.count(" \\") + right.count(" $") < _MANY:
        return f"  connect {left} {right}\n"
    return (
        f"  attribute \\keep 1\n  cell $buf $kept{always['number']}\n    parameter \\WIDTH {int(always['top']) + 1}\n"
        f"    connect \\A {right}\n    connect \\Y {left}\n  end\n"
    )


def plain(verilog: str) -> str:
    """The Verilog with forms that linters accept and people read.

    Reductions for negations of vectors, a choice by a bit for each pattern with a single 1, replications for repeated
    bits, and lines broken between values.
    """
    text = _CHOICE.sub(_by_bits, verilog.replace(" = ! ", " = ~| ").replace("\n, ", ", "))
    return _TOO_LONG.sub(_broken, _CONCATENATION.sub(_replicated, text))


def _replicated(concatenation: re.Match[str]) -> str:
    runs = [(value, len([*run])) for value, run in groupby(concatenation[1].split(", "))]
    parts = [f"{{{n}{{{value}}}}}" if n > 2 else ", ".join([value] * n) for value, n in runs]
    return parts[0] if len(runs) == 1 and runs[0][1] > 2 else f"{{ {', '.join(parts)} }}"


def _broken(line: re.Match[str]) -> str:
    lines = [line[1]]
    for value in line[2].split(", "):
        if len(lines[-1]) + len(value) > _WIDTH and lines[-1].strip():
            lines.append(f"{line[1]}    ")
        lines[-1] += f"{value}, "
    return "\n".join(each.rstrip(" ") for each in lines).removesuffix(",")


def _by_bits(choice: re.Match[str]) -> str:
    items = _ONE_HOT.sub(lambda pattern: f"      s[{len(pattern[2])}]:", choice[1])
    return f"    case (1'b1)\n{items}    endcase"


def named(verilog: str, wires: str) -> str:
    """``verilog`` with an unread wire for each further name of a signal: logic and lines stay.

    ``wires`` has equal modules with all names, and assignments between the names of a signal. The wires are at the end
    of the module's last line: line numbers hold.
    """
    more = {module[1]: module[0] for module in _MODULE.finditer(wires)}
    return _MODULE.sub(lambda module: _with_names(module[0], more[module[1]]), verilog)


def _with_names(module: str, wires: str) -> str:
    there = {name for _, name in _DECLARED.findall(module)}
    widths = {name: width for width, name in _DECLARED.findall(wires) if name not in there}
    found, new = [], set()
    for left, right in _ASSIGN.findall(wires):
        names = set(_NAME.findall(left))
        if names <= widths.keys() and there.issuperset(_NAME.findall(right)):
            found.append(f"assign {left} = {right};")
            new |= names
    text = " ".join([*(f"wire {widths[name]}{name} ;" for name in sorted(new)), *found])
    return f"{module.removesuffix('endmodule').rstrip()} {text}\nendmodule"
