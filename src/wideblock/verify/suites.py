# SPDX-License-Identifier: Apache-2.0
"""The suite of checks for a core, by kind, on the Verilog or on a netlist."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from wideblock.catalog.kinds import AEAD, SECTOR
from wideblock.drive.aead.simulation import AeadSimulation
from wideblock.errors import UserError
from wideblock.export.contract import Contract
from wideblock.synth.targets import fpga
from wideblock.synth.yosys import Source
from wideblock.synth.yosys import netlist as synthesise
from wideblock.verify.aead.files import verify_files
from wideblock.verify.aead.suite import MESSAGES
from wideblock.verify.core.report import Report
from wideblock.verify.core.suite import Suite
from wideblock.verify.engine.suite import ENGINES, ENGINES_JUDGED_NATIVELY
from wideblock.verify.netlist import cells
from wideblock.verify.sector.native import JUDGED_NATIVELY
from wideblock.verify.sector.suite import SECTORS

__all__ = ["JUDGES", "MeasuredCycles", "checked", "cycles", "judged_by", "played", "suite_of"]

SUITES: dict[str, Suite[Any]] = {SECTOR.name: SECTORS, AEAD.name: MESSAGES}
"""By the name of the kind."""


def suite_of(core: Contract) -> Suite[Any]:
    """The suite for cores of a kind, or for an engine. Raises UserError for a core with a master or two clocks."""
    core.expect_streams()
    return ENGINES if core.registers else SUITES[core.kind.name]


JUDGES = ("spec", "native")
"""Sources of right answers: the specification, or the native library."""


def judged_by(judge: str, core: Contract) -> Suite[Any]:
    """The suite for this kind with a source of right answers. Raises UserError if the kind does not have that."""
    if judge not in JUDGES:
        raise UserError(f"judge must be one of {', '.join(JUDGES)}, got {judge!r}")
    if judge == "native" and core.kind is not SECTOR:
        raise UserError(f"{core.name} takes {core.kind.noun}s; the native library judges cores that take sectors")
    core.expect_streams()
    if judge == "spec":
        return suite_of(core)
    return ENGINES_JUDGED_NATIVELY if core.registers else JUDGED_NATIVELY


def checked(
    core: Contract,
    judge: str,
    device: str | None,
    checks: list[str] | None,
    wave: Path | None,
    options: dict[str, Any],
) -> tuple[Report, str | None]:
    """The report on a core, and the check with the run in file ``wave``.

    judge:   one of JUDGES
    device:  of a netlist to check in the place of the Verilog      checks: their names; None: all
    options: as for :meth:`~wideblock.verify.core.suite.Suite.verify`
    """
    suite = judged_by(judge, core)
    with _texts(core, device) as verilog:
        with suite.simulation(core, verilog=verilog) as simulation:
            names = checks or (suite.netlist if device else None)
            found = suite.verify(core, checks=names, simulation=simulation, **options)
        traced = found.failure.name if found.failure else checks[0] if checks and len(checks) == 1 else None
        if wave and traced:
            again = suite.trace(core, traced, wave, verilog=verilog, **options)
            if again.passed != found.passed:
                raise UserError(f"{traced!r} has another outcome when it runs alone; the waveform shows that run")
    return found, traced


@dataclass(frozen=True)
class MeasuredCycles:
    """Figures of a cycle contract by name: stated, and measured in each direction; ``equal`` if each one is kept."""

    stated: dict[str, int]
    measured: dict[str, dict[str, int]]
    equal: bool


def cycles(core: Contract) -> MeasuredCycles:
    """The cycles of a core in simulation, beside the stated ones."""
    found = suite_of(core).measure(core)
    figures = [figure for figure in core.timing.figures() if hasattr(next(iter(found.values())), figure.name)]
    seen = {way: {figure.name: getattr(each, figure.name) for figure in figures} for way, each in found.items()}
    equal = all(figure.keeps(each[figure.name]) for each in seen.values() for figure in figures)
    return MeasuredCycles({figure.name: figure.cycles for figure in figures}, seen, equal)


def played(core: Contract, device: str | None, files: Path, seed: int) -> Report:
    """The report on an authenticated cipher's files pdi.txt, sdi.txt and do.txt of a directory."""
    with _texts(core, device) as verilog, AeadSimulation(core, verilog=verilog) as simulation:
        return verify_files(core, files, simulation, seed=seed)


@contextmanager
def _texts(core: Contract, device: str | None) -> Iterator[list[str]]:
    """The Verilog to simulate: the exported file, or the netlist of synthesis for ``device``."""
    if device is None:
        yield [core.verilog]
        return
    with TemporaryDirectory() as directory:
        _, files = synthesise(Source(core.verilog, core.module), fpga(device), Path(directory))
        text = files.verilog.read_text()
        yield [text, cells(text, files.models, files.includes)]
