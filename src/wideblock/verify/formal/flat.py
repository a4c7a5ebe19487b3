# SPDX-License-Identifier: Apache-2.0
"""A core as one module, made from the exported Verilog, with every signal by name."""

import json
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from wideblock.export.contract import Contract
from wideblock.synth import yosys

__all__ = ["DATAPATH", "Flat", "closed_memories", "flatten"]

DATAPATH = ("lanes", "encryption", "decryption", "cipher", "inverse", r"multiplier\d+")
"""Names of closed submodules: ciphers and multipliers; no rule of the control depends on their values."""

_PORTS = re.compile(r"^  (?:input|output) .*\n", re.MULTILINE)
_WIRE = re.compile(r"^  wire (?:.*?\bwidth (\d+) )?.*?\\(\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class Flat:
    """A module in RTLIL, Yosys' own language. Each closed part is a cell with ports only.

    A signal of a submodule begins with the path of instances, with dots: ``core.exit.valid``. The fields of a structure
    are signals, too: ``core.tag0.step``.
    """

    module: str
    rtlil: str

    @cached_property
    def widths(self) -> dict[str, int]:
        """Bits of every named signal, ports among them."""
        return {name: int(width or 1) for width, name in _WIRE.findall(self.rtlil)}

    def netlist(self, *passes: str) -> dict:
        """The module as Yosys' JSON has it, after some ``passes`` of Yosys."""
        with tempfile.TemporaryDirectory() as name:
            where = Path(name)
            where.joinpath("flat.il").write_text(self.rtlil)
            yosys.run(["read_rtlil flat.il", "opt_clean", *passes, "write_json flat.json"], where, "netlist")
            return json.loads(where.joinpath("flat.json").read_text())["modules"][self.module]


def flatten(core: Contract, closed: tuple[str, ...] = DATAPATH) -> Flat:
    """The flat module of a core's Verilog, but for the submodules ``closed``; made once for the same text."""
    return _flatten(core.module, core.observed, closed)


@lru_cache(maxsize=16)
def _flatten(module: str, verilog: str, closed: tuple[str, ...]) -> Flat:
    with tempfile.TemporaryDirectory() as name:
        where = Path(name)
        where.joinpath("core.v").write_text(_closed(module, verilog, closed) if closed else verilog)
        script = ["read_verilog core.v", f"hierarchy -top {module}", "proc", "flatten", "write_rtlil flat.il"]
        yosys.run(script, where, "flatten")
        return Flat(module, where.joinpath("flat.il").read_text())


def _closed(module: str, verilog: str, parts: Sequence[str]) -> str:
    """The text with nothing but ports in the modules of ``parts``."""

    def emptied(found: re.Match[str]) -> str:
        return f"(* blackbox *)\n{found['head']}{''.join(_PORTS.findall(found['body']))}endmodule\n"

    return _parts(module, parts).sub(emptied, verilog)


def closed_memories(core: Contract, closed: Sequence[str]) -> list[str]:
    """Names of written memories inside of the submodules ``closed``, at any depth."""
    inside = [f"(?:{'|'.join(closed)})(?:__\\w+)?"]
    instance = re.compile(rf"^  {core.module}__memory_\w+ (\S+) \($", re.MULTILINE)
    return [
        name for part in _parts(core.module, inside).finditer(core.verilog) for name in instance.findall(part["body"])
    ]


def _parts(module: str, parts: Sequence[str]) -> re.Pattern[str]:
    """Finds each module of ``parts``, with ``head`` and ``body``."""
    part = rf"^(?P<head>module {module}__core__(?:\w+__)?(?:{'|'.join(parts)})\([^;]*;\n)(?P<body>.*?)^endmodule\n"
    return re.compile(part, re.MULTILINE | re.DOTALL)
