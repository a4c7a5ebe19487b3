# SPDX-License-Identifier: Apache-2.0
"""Operators and choices in the form that linters of Verilog accept, before and after Yosys."""

import re

__all__ = ["plain", "widened"]

_OPERATORS = "add|and|divfloor|eq|ge|gt|le|lt|modfloor|mul|ne|or|sub|xnor|xor"
_CELL = re.compile(
    rf"^  cell \$(?:{_OPERATORS}) .*\n"
    r"    parameter \\A_SIGNED 0\n    parameter \\B_SIGNED 0\n"
    r"    parameter \\A_WIDTH (?P<a>\d+)\n    parameter \\B_WIDTH (?P<b>\d+)\n",
    re.MULTILINE,
)
_CHOICE = re.compile(r"^    casez \(s\)\n(.*?)^    endcase$", re.MULTILINE | re.DOTALL)
_ONE_HOT = re.compile(r"^      \d+'b(\?*)1(\?*):$", re.MULTILINE)


def widened(rtlil: str) -> str:
    """The RTLIL with both operands of an unsigned operator of one width, the narrower one behind zeros."""
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


def plain(verilog: str) -> str:
    """The Verilog with reductions for negations of vectors, and a choice by one bit each for patterns of one 1."""
    return _CHOICE.sub(_by_bits, verilog.replace(" = ! ", " = ~| "))


def _by_bits(choice: re.Match[str]) -> str:
    items = _ONE_HOT.sub(lambda pattern: f"      s[{len(pattern[2])}]:", choice[1])
    return f"    case (1'b1)\n{items}    endcase"
