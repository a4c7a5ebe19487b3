# SPDX-License-Identifier: Apache-2.0
"""Synthesis of emitted Verilog by Yosys: area reports and netlists."""

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from wideblock.errors import UserError
from wideblock.synth import passes, process
from wideblock.synth.process import FlowError
from wideblock.synth.targets import Fpga

__all__ = [
    "AreaReport",
    "Netlist",
    "Source",
    "abc",
    "cell_models",
    "netlist",
    "ports",
    "run",
    "synthesise",
    "tool",
    "uncommented",
]

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def uncommented(verilog: str) -> str:
    """``verilog`` with a blank for each comment."""
    return _COMMENT.sub(" ", verilog)


@dataclass(frozen=True)
class Source:
    """Verilog text and the name of its top module."""

    verilog: str
    top: str

    def __post_init__(self):
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_$]*", self.top):
            raise ValueError(f"top must be a plain Verilog identifier, got {self.top!r}")
        if not re.search(rf"\bmodule\s+{re.escape(self.top)}(?![\w$])", self.verilog):
            raise ValueError(f"the Verilog has no module {self.top!r}")


@dataclass(frozen=True)
class AreaReport:
    """Cells that Yosys counts after mapping to a target's cells, before placement.

    lcs:            Yosys' "Estimated number of LCs" (Xilinx), else None
    kge:            area over that of a thousand NAND2 (ASIC), else None
    luts:           LUTs of all sizes; on Lattice families LUT4s, with those inside carry and wide-function cells
    wide_muxes:     MUXF7, MUXF8 and such: no LUTs
    lutram, shift_registers: cells with LUTs beside the counts of ``lcs`` and ``luts``
    block_rams:     in the family's largest block (36 kbit on Xilinx, 16 kbit on Lattice)
    memory_bits:    bits of memories that are outside ``kge`` (ASIC)
    cells:          every cell type with its number
    """

    target: str
    top: str
    cells: Mapping[str, int]
    tool: str
    command: str
    ffs: int
    lcs: int | None = None
    kge: float | None = None
    luts: int = 0
    wide_muxes: int = 0
    lutram: int = 0
    shift_registers: int = 0
    block_rams: float = 0
    dsps: int = 0
    memory_bits: int = 0

    @property
    def area(self) -> float:
        """The figure to compare within a target, in ``area_unit``."""
        return next(figure for figure in (self.kge, self.lcs, self.luts) if figure is not None)


@dataclass(frozen=True)
class Netlist:
    """Files of a synthesised netlist, and what a simulator needs beside them.

    verilog:    the netlist, of the target's cells only
    json:       the same for nextpnr
    models:     the family's simulation models, to be compiled with it
    includes:   directories that the models include from
    defines:    macros to be defined for them
    """

    verilog: Path
    json: Path
    models: tuple[Path, ...]
    includes: tuple[Path, ...]
    defines: tuple[str, ...]


def synthesise(
    source: Source,
    target: Fpga,
    *,
    options: Sequence[str] = (),
    directory: Path | None = None,
    timeout: float | None = None,
) -> AreaReport:
    """Area of ``source`` on ``target``.

    ``options`` are arguments of the target's synthesis pass, such as ``("-nowidelut",)``.
    ``directory`` keeps source, log, report and netlists; ``timeout`` is in seconds.
    """
    with process.workspace(directory) as where:
        return _flow(source, target, options, where, timeout, ())


def netlist(
    source: Source,
    target: Fpga,
    directory: Path,
    *,
    options: Sequence[str] = (),
    timeout: float | None = None,
) -> tuple[AreaReport, Netlist]:
    """Area and netlist of ``source`` on ``target``; files go to ``directory``."""
    with process.workspace(Path(directory)) as where:
        area = _flow(
            source,
            target,
            options,
            where,
            timeout,
            ("tee -q write_verilog -noattr netlist.v", "tee -q write_json netlist.json"),
        )
        models, includes = cell_models(target)
        return area, Netlist(
            where / "netlist.v",
            where / "netlist.json",
            models,
            includes,
            target.defines,
        )


def ports(source: Source, *, directory: Path | None = None) -> dict[str, tuple[str, int]]:
    """The top module's ports: name to ("input" or "output", width)."""
    with process.workspace(directory) as where:
        (where / "source.v").write_text(source.verilog)
        run([*_read(source.top), "ports ports.json"], where, "ports", None)
        return {name: (way, width) for name, (way, width) in json.loads((where / "ports.json").read_text()).items()}


def cell_models(target: Fpga) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Simulation models of ``target``'s cells, as they come with Yosys, and the directories they include from."""
    files = tuple(_share() / name for name in target.models)
    for file in files:
        if not file.is_file():
            raise FlowError(f"this pyosys has no cell models {file.name} for {target.name}")
    return files, tuple(dict.fromkeys(file.parent for file in files))


def tool() -> str:
    """Yosys with its version. Raises FlowError if it is missing."""
    _share()
    return f"Yosys {process.version('pyosys')}"


def _share() -> Path:
    spec = find_spec("pyosys")
    if spec is None or spec.origin is None:
        raise FlowError("Yosys is not installed; install it with: pip install pyosys")
    return Path(spec.origin).parent / "share"


def _read(top: str) -> list[str]:
    return ["read_verilog source.v", f"hierarchy -check -top {top}"]


def run(script: Iterable[str], where: Path, name: str, timeout: float | None = None) -> None:
    """Runs Yosys passes, one a line, in directory ``where`` and in a process of its own; ``NAME.log`` is its output.

    A separate process: Yosys numbers nameless objects from its start on, and ends the process at a failure.
    Raises :class:`FlowError`; ``timeout`` is in seconds.
    """
    _share()
    (where / f"{name}.ys").write_text("\n".join(script) + "\n")
    process.run(
        "Yosys",
        [sys.executable, str(Path(passes.__file__).resolve()), f"{name}.ys"],
        cwd=where,
        log=where / f"{name}.log",
        timeout=timeout,
    )


def abc(script: Iterable[str], where: Path, name: str) -> str:
    """Answer of Yosys' own ABC to these commands in directory ``where``; ``NAME.log`` has it, too."""
    tool, log = _share().parent / "yosys-abc", where / f"{name}.log"
    process.run("ABC", [str(tool), "-q", "; ".join(script)], cwd=where, log=log)
    return log.read_text()


def _flow(
    source: Source,
    target: Fpga,
    options: Sequence[str],
    where: Path,
    timeout: float | None,
    writers: Sequence[str],
) -> AreaReport:
    for option in options:
        if not re.fullmatch(r"-?\w[\w.]*", option):
            raise UserError(f"a synthesis option is one word such as '-nowidelut', got {option!r}")
    passes = [*target.prepare, " ".join((*target.command, *options, "-top", source.top))]
    stat = " ".join(filter(None, ("stat", target.stat, "-json")))
    (where / "source.v").write_text(source.verilog)
    # synth_* read their cell libraries before the design's top is known: hierarchy first gives the clear error.
    run([*_read(source.top), *passes, f"tee -q -o area.json {stat}", *writers], where, "synthesis", timeout)
    return _area(json.loads((where / "area.json").read_text()), source.top, target, "; ".join(passes))


def _area(report: dict, top: str, target: Fpga, command: str) -> AreaReport:
    design = report["design"]
    found = {cell.removeprefix("\\"): n for cell, n in sorted(design["num_cells_by_type"].items())}
    cells = target.cells
    return AreaReport(
        target=target.name,
        top=top,
        lcs=design.get("estimated_num_lc"),
        luts=cells.count(found, cells.lut) + sum(cells.count(found, e) * weight for e, weight in cells.lut_weight),
        ffs=cells.count(found, cells.ff),
        wide_muxes=cells.count(found, cells.wide_mux),
        lutram=cells.count(found, cells.lutram),
        shift_registers=cells.count(found, cells.shift_register),
        block_rams=sum(cells.count(found, e) * share for e, share in cells.block_ram),
        dsps=cells.count(found, cells.dsp),
        cells=found,
        tool=tool(),
        command=command,
    )
