# SPDX-License-Identifier: Apache-2.0
"""Further names of signals: fields of structures and ports of instances, which the exported file does not declare."""

import re

__all__ = ["named"]

_MODULE = re.compile(r"^module (\S+)\(.*?^endmodule$", re.MULTILINE | re.DOTALL)
_DECLARED = re.compile(r"^  (?:wire|reg|input|output) (\[\d+:0\] )?([^\s;]+)", re.MULTILINE)
_ASSIGN = re.compile(r"^  assign (.*) = (.*);$", re.MULTILINE)
_NAME = re.compile(r"\\\S+|(?<![\w'$])[A-Za-z_][\w$]*")


def named(verilog: str, wires: str) -> str:
    """``verilog`` with a wire for each other name of a signal, which nothing reads: its logic and lines are the same.

    ``wires`` has the same modules with all names, and assignments for those of one signal. They stand at the end of
    the module's last line, so that line numbers hold.
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
