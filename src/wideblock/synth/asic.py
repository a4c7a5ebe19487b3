# SPDX-License-Identifier: Apache-2.0
"""Area and clock on standard cells before layout: Yosys and ABC with a Liberty file.

Nothing of a layout is in these figures: no wires, no clock tree, no scan chain. Memories of many rows stay memories, as
a memory compiler would make them: their bits are counted, not their area, and a path ends at them.
"""

import gzip
import importlib.metadata
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wideblock.errors import UserError
from wideblock.synth import process, sta, yosys
from wideblock.synth.liberty import Library
from wideblock.synth.process import FlowError
from wideblock.synth.sta import Opinion
from wideblock.synth.targets import Asic
from wideblock.synth.yosys import AreaReport, Source

__all__ = ["MEMORY_ROWS", "PreLayoutClock", "check_options", "synthesise", "tools"]

MEMORY_ROWS = 64
"""Memories of fewer rows become flip-flops."""

_PASSES = """\
read_verilog source.v
hierarchy -check -top {top}
synth -flatten -top {top} -run begin:fine
memory_map -rom-only
memory_map t:$mem_v2 r:SIZE<{rows} %i
opt -fast -full
opt -undriven -fine
techmap
opt -fast
dfflibmap {unused} -liberty cells.lib
opt
abc -liberty cells.lib {unused} -constr cells.constr -script cells.abc
opt_clean -purge
memories memories.json
tee -q -o area.json stat -liberty cells.lib -json
delete t:$mem*
setundef -zero
tee -q write_verilog -noattr -noexpr -simple-lhs netlist.v"""

_SIZES = ["topo", "buffer -c", "topo", "upsize -D {ps:.0f}", "dnsize -D {ps:.0f}", "stime -p"]
_CLEAN = ["strash", "&get -n", "&fraig -x", "&put", "scorr", "dc2", "strash"]
_MAPPINGS = {
    (): [*_CLEAN, "dch -f", "map -B 0.9 -D {ps:.0f}", *_SIZES],
    ("area",): [*_CLEAN, "&get -n", "&dch -f", "&nf", "&put", *_SIZES],
}
"""Passes of ABC by synthesis options: mapping for delay or for area, then buffers, then sizes for the period."""


@dataclass(frozen=True)
class PreLayoutClock:
    """The slowest path from register to register through cells without wires.

    mhz:          1 / (clock to output + path + setup)
    checked:      OpenSTA's clock of the same netlist; None where it is not installed
    logic_ns:     the path, with ``registers_ns``
    registers_ns: clock to output and setup
    """

    mhz: float
    start: str
    end: str
    logic_ns: float
    registers_ns: float
    levels: int
    checked: Opinion | None = None


def tools(target: Asic) -> tuple[str, ...]:
    """The tools and where the library comes from, with their versions. Raises FlowError if one is missing."""
    package = target.liberty.distribution
    version = process.version(package, wanted=f"--no-deps {package}")  # its other files and their needs are not used
    return yosys.tool(), f"{package} {version}"


def synthesise(
    source: Source,
    target: Asic,
    *,
    mhz: float,
    clock: str,
    options: Sequence[str] = (),
    directory: Path | None = None,
    timeout: float | None = None,
) -> tuple[AreaReport, PreLayoutClock]:
    """Area of ``source`` in thousand NAND2 of the library, and its clock.

    ``mhz`` is the clock that ABC maps and sizes the cells for; it may miss it. ``options`` are () to map for delay or
    ``("area",)``. ``clock`` is the clock port. ``directory`` keeps all files, ``timeout`` is in seconds.
    """
    check_options(target, options)
    if mhz <= 0:
        raise UserError(f"mhz must be positive, got {mhz!r}")
    tools(target)
    text = _read(target).decode(errors="replace")
    library = Library(text)
    plain = library.flip_flop(target.flip_flop)
    if plain is None:
        raise FlowError(f"the library has no flip-flop {target.flip_flop}")
    with process.workspace(directory) as where:
        (where / "cells.lib").write_text(text)
        (where / "cells.constr").write_text(f"set_driving_cell {target.driver}\nset_load {plain.load}\n")
        mapping = "\n".join(_MAPPINGS[tuple(options)]).format(ps=1e6 / mhz - plain.overhead)
        (where / "cells.abc").write_text(mapping + "\n")
        (where / "source.v").write_text(source.verilog)
        unused = " ".join(f"-dont_use {pattern}" for pattern in target.dont_use)
        passes = _PASSES.format(top=source.top, rows=MEMORY_ROWS, unused=unused)
        yosys.run(passes.splitlines(), where, "synthesis", timeout)
        report = json.loads((where / "area.json").read_text())["design"]
        bits = json.loads((where / "memories.json").read_text())
        path = (where / "synthesis.log").read_text(errors="replace")
        checked = sta.opinion(where, source.top, clock, mhz)
    cells = {cell.removeprefix("\\"): n for cell, n in sorted(report["num_cells_by_type"].items())}
    registers = {cell: timing for cell in cells if cell[0] != "$" and (timing := library.flip_flop(cell))}
    area = AreaReport(
        target=target.name,
        top=source.top,
        kge=round(report["area"] / library.area(target.nand2) / 1000, 2),
        ffs=sum(cells[cell] for cell in registers),
        memory_bits=sum(bits),
        cells=cells,
        tool=yosys.tool(),
        command=f"synth -flatten; dfflibmap; abc: {'; '.join(mapping.splitlines())}",
    )
    found = _clock(path, max((timing.overhead for timing in registers.values()), default=plain.overhead))
    return area, replace(found, checked=checked)


def check_options(target: Asic, options: Sequence[str]) -> None:
    """Raises UserError for synthesis options that ``target`` does not have."""
    if tuple(options) not in _MAPPINGS:
        raise UserError(f"target {target.name!r} has one synthesis option, area; got {' '.join(options)}")


def _read(target: Asic) -> bytes:
    """The Liberty file of ``target``, unpacked."""
    liberty = target.liberty
    file = importlib.metadata.distribution(liberty.distribution).locate_file(liberty.file)
    try:
        return gzip.decompress(Path(str(file)).read_bytes())
    except OSError as error:
        raise FlowError(f"this {liberty.distribution} has no library {liberty.file}: {error.strerror}") from None


def _clock(log: str, overhead: float) -> PreLayoutClock:
    """The clock from ABC's timing of the paths between registers, ``overhead`` ps included."""
    delay = re.findall(r"ABC:.* Delay = +([\d.]+) ps", log)
    ends = re.findall(r"ABC: Start-point = \S+ \((.*?)\)\.  End-point = \S+ \((.*?)\)\.", log)
    if not delay or not ends:
        raise FlowError("ABC reports no path between registers")
    start, end = (name.replace("\\", "").replace(" ", "") for name in ends[-1])
    steps = re.findall(r"ABC: Path +\d+ --", log[log.rindex("Delay =") :])
    period = float(delay[-1]) + overhead
    return PreLayoutClock(
        mhz=round(1e6 / period, 1),
        start=start,
        end=end,
        logic_ns=round(period / 1000, 3),
        registers_ns=round(overhead / 1000, 3),
        levels=len(steps) - 1,
    )
