# SPDX-License-Identifier: Apache-2.0
"""The suite: every check of a sector core against its specification."""

from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from wideblock.catalog import KnownAnswer
from wideblock.drive.sector.pool import SpecificationPool
from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.errors import UserError
from wideblock.export.contract import Contract
from wideblock.simulation.bench import trace_format
from wideblock.simulation.verilator import Options
from wideblock.verify.report import Report
from wideblock.verify.runner import Progress, Tell, chosen, run_all
from wideblock.verify.sector.check import Check
from wideblock.verify.sector.checks import CHECKS
from wideblock.verify.sector.measure import measure

__all__ = ["ALONE", "CHECKS", "NETLIST_CHECKS", "Simulation", "measure", "trace", "verify"]

NETLIST_CHECKS = ("known answers", "cycle contract", "random sectors", "gaps and back-pressure", "wrong lengths")
"""What a netlist is tried with unless told otherwise: synthesis can break the data path, rarely the protocol."""

ALONE = {"processes": 1}
"""Options of :func:`verify` with which it starts no other process."""

Simulation = SectorSimulation


def verify(
    subject: Contract,
    *,
    sectors: int = 256,
    seed: int = 0,
    vectors: Iterable[KnownAnswer] = (),
    checks: Iterable[str] | None = None,
    simulation: SectorSimulation | None = None,
    processes: int | None = None,
    progress: Tell | None = None,
) -> Report:
    """The report of all checks, or of those named, up to the first that fails.

    sectors:    of the random check; the others are scaled down with it when it is small
    seed:       of every random choice: the same seed and checks give the same run
    simulation: an instance to use in the place of a new one
    progress:   is called with (check, done, total) as work proceeds
    Raises :class:`~wideblock.simulation.commands.BuildError`; a core that fails is in the report, not an exception.
    """
    names = chosen(checks, CHECKS)
    if sectors < 1:
        raise UserError(f"at least 1 random sector must be tried, got {sectors}")
    known, report = list(vectors), Report(subject.module, seed)
    with (
        SpecificationPool(subject.specification, processes) as pool,
        nullcontext(simulation) if simulation else SectorSimulation(subject) as model,
    ):

        def under_way(seeded: int, told: Progress) -> Check:
            return Check(subject, model, pool, seeded, sectors, known, told)

        run_all(report, names, CHECKS, under_way, f"{sectors} sectors", progress)
    return report


def trace(subject: Contract, check: str, path: Path, *, verilog: Iterable[str] | None = None, **options: Any) -> Report:
    """The report of one check, whose last run is written to ``path`` as a waveform: where it fails, that run.

    A cycle takes 10 units of time, so that times are 10 times the cycles that a difference speaks of. The ending of
    the file's name chooses the format. ``verilog`` as for the simulation, ``options`` as for :func:`verify`.
    """
    model = Options(optimise=0, trace=trace_format(path))
    with SectorSimulation(subject, verilog=verilog, options=model) as simulation:
        simulation.trace(path)
        return verify(subject, checks=[check], simulation=simulation, **options)
