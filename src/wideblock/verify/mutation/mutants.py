# SPDX-License-Identifier: Apache-2.0
"""Mutants of a core's Verilog: many changes of a bit each, in a text with a number to choose the change.

A build of the model takes far longer than a run: a build carries all mutants of a score.
"""

import re
import tempfile
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import zip_longest
from pathlib import Path

from wideblock.errors import UserError
from wideblock.export.contract import Contract
from wideblock.synth import yosys

__all__ = ["FILE", "KINDS", "Instrumented", "Mutant", "instrument"]

KINDS = {
    "invert": "inv",
    "stuck-at-0": "const0",
    "stuck-at-1": "const1",
    "xnor": "cnot0",
    "xor": "cnot1",
}
"""Kinds of change, with Yosys' names for them. ``xor`` and ``xnor`` are with another bit of the same port: inversion of
a bit while another bit is 1, or while the bit is 0.
"""

FILE = "mutant.hex"
"""The file with the number of the mutant, in the directory in which the model is made; 0 is the core itself."""

_BITS = 16  # of the number
# No choice between a value and an undefined one, which no mutant is of; one choice for all bits of a write enable.
_DEFINED = ("opt_expr -mux_undef", "opt_reduce", "opt_clean")
_MUTANT = re.compile(
    r"mutate -mode (?P<mode>\w+) -module (?P<module>\S+) -cell (?P<cell>\S+) -port (?P<port>\S+) "
    r"-portbit (?P<bit>\d+)(?: -ctrlbit (?P<other>\d+))?(?: -wire (?P<wire>\S+) -wirebit (?P<wirebit>\d+))?"
)
_MODULE = re.compile(r"^module .*?^endmodule$", re.MULTILINE | re.DOTALL)
_RESET = re.compile(r"^  assign (\S+) = rst \? (\d+'h\w+) : ", re.MULTILINE)
_REGISTER = re.compile(r"^  always @\(posedge \w+\)\n    (\S+) +<= (\S+);$", re.MULTILINE)


@dataclass(frozen=True)
class Mutant:
    """A changed bit of a port of a cell.

    module: path of the module's first instance in the core, from below the top module; empty for the top module
    place:  the port and the bit; for a named signal its name and bit, too
    line:   number and text of the cell's line of Verilog
    """

    number: int
    kind: str
    module: str
    place: str
    line: int
    text: str

    def __str__(self) -> str:
        text = textwrap.shorten(self.text, 120, placeholder=" ..")
        return f"{self.number}: {self.kind} {self.place} in {self.module or 'top'}, line {self.line}: {text}"


@dataclass(frozen=True)
class Instrumented:
    """A core with all its mutants.

    verilog: texts of a model with the core's ports; the model reads :data:`FILE` when made
    rtlil:   the core with one more input, ``mutant``, the number; Yosys' own language. A register begins with the reset
             value.
    """

    mutants: tuple[Mutant, ...]
    verilog: tuple[str, str]
    rtlil: str


def instrument(
    core: Contract, count: int, *, seed: int = 0, kinds: Sequence[str] = tuple(KINDS), within: Sequence[str] = ()
) -> Instrumented:
    """Makes about ``count`` mutants of the core's Verilog; a module has mutants in proportion to its places.

    Each part counts equally, whatever the size: keys, hash, ciphers, control. ``within``: patterns of the paths
    of the modules that get any, with ``*`` as in the names of files; none: all do. Raises UserError for an unknown
    kind, for patterns of no module, and for a count below 1 or above 65,535.
    """
    for kind in kinds:
        if kind not in KINDS:
            raise UserError(f"no kind of mutation {kind!r}; there are {', '.join(KINDS)}")
    if not 1 <= count < 1 << _BITS:
        raise UserError(f"mutants must be from 1 to {(1 << _BITS) - 1}, got {count}")
    with tempfile.TemporaryDirectory() as name:
        where = Path(name)
        places = _places(core, where, count, seed, kinds, within)
        chosen = [place for place in _interleaved(places) if " -port CLK " not in place][:count]
        apply = [f"mutate -ctrl mutant {_BITS} {k} {place.split(' ', 1)[1]}" for k, place in enumerate(chosen, 1)]
        script = ["read_rtlil core.il", *apply, "write_rtlil mutated.il", f"rename {core.module} mutated"]
        script += ["setattr -unset init w:*", "write_verilog -noattr -noparallelcase mutated.v"]
        yosys.run(script, where, "mutate")
        lines = core.verilog.splitlines()
        return Instrumented(
            tuple(_mutant(core, lines, k, place) for k, place in enumerate(chosen, 1)),
            (where.joinpath("mutated.v").read_text(), _switch(core)),
            where.joinpath("mutated.il").read_text(),
        )


def _places(
    core: Contract, where: Path, count: int, seed: int, kinds: Sequence[str], within: Sequence[str]
) -> list[list[str]]:
    """Yosys' commands for mutants of each module, in the order of their choice; leaves the core in ``core.il``."""
    top = core.module
    paths = {name: _path(core, name) for name in re.findall(r"^module (\w+)\(", core.verilog, re.MULTILINE)}
    modules = [m for m, path in paths.items() if not within or any(fnmatch(path, pattern) for pattern in within)]
    if not modules:
        raise UserError(
            f"no module of {top} is {' or '.join(within)}; there are {', '.join(filter(None, paths.values()))}"
        )
    share = 2 * -(-count // len(modules)) + 8  # some modules have few places, some places are no mutants
    where.joinpath("core.v").write_text(_MODULE.sub(_from_reset, core.observed))
    script = ["read_verilog core.v", f"hierarchy -check -top {top}", "proc", *_DEFINED, "write_rtlil core.il"]
    for k, module in enumerate(modules):
        # memories and instances are changed where what they are connected to is
        cells = f"{module}/* {module}/t:$mem* {module}/t:{top}* %u %d"
        number = -(-share // len(kinds))
        script += [
            f"mutate -list {number} -mode {KINDS[kind]} -seed {seed * len(kinds) + j + 1} -o list{k}.{kind} {cells}"
            for j, kind in enumerate(kinds)
        ]
    yosys.run(script, where, "list")
    return [_interleaved([_lines(where / f"list{k}.{kind}") for kind in kinds]) for k in range(len(modules))]


def _from_reset(module: re.Match[str]) -> str:
    """The module with reset values of registers as initial values; the lines stay."""
    values = dict(_RESET.findall(module[0]))
    initial = {name: values[value] for name, value in _REGISTER.findall(module[0]) if value in values}

    def declared(register: re.Match[str]) -> str:
        return f"{register[1]}{register[2]} = {initial[register[2]]};" if register[2] in initial else register[0]

    return re.sub(r"^(  reg (?:\[\d+:0\] )?)(\S+?) ?;$", declared, module[0], flags=re.MULTILINE)


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


def _interleaved(lists: Sequence[Sequence[str]]) -> list[str]:
    """The first of every list, then the second of every list, and so on."""
    return [item for group in zip_longest(*lists) for item in group if item is not None]


def _mutant(core: Contract, lines: Sequence[str], number: int, command: str) -> Mutant:
    found = _MUTANT.match(command)
    if found is None:
        raise ValueError(f"Yosys lists mutants in a form that is not understood: {command}")
    kind = next(kind for kind, mode in KINDS.items() if mode == found["mode"])
    cell = re.match(r"\$?([a-z_0-9]+)\$", found["cell"].rsplit("\\", 1)[-1])
    place = f"{cell[1] if cell else found['cell']}.{found['port']}[{found['bit']}]"
    if found["wire"]:
        place += f" ({found['wire']}[{found['wirebit']}])"
    if found["other"]:
        place += f" with bit {found['other']}"
    line = int(re.findall(r"-src core\.v:(\d+)", command)[-1])
    parts = lines[line - 1 : line + 1 if "always" in lines[line - 1] else line]
    text = " ".join(part.strip() for part in parts)
    return Mutant(number, kind, _path(core, found["module"]), place, line, text)


def _path(core: Contract, module: str) -> str:
    """Path of a module's first instance from below the top module, by the module's name."""
    return module.removeprefix(core.module).lstrip("_").replace("__", ".")


def _switch(core: Contract) -> str:
    """Verilog of a module with the core's name and ports, around the mutated one."""
    ports = ", ".join(f"{port.direction} [{port.width - 1}:0] {port.name}" for port in core.ports)
    pins = ", ".join(f".{port.name}({port.name})" for port in core.ports)
    return f"""module {core.module}({ports});
  reg [{_BITS - 1}:0] chosen [0:0];
  initial $readmemh("{FILE}", chosen);
  mutated dut({pins}, .mutant(chosen[0]));
endmodule
"""
