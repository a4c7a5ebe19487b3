# SPDX-License-Identifier: Apache-2.0
"""The suite: every check of a sector core against its specification."""

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from wideblock.catalog import KnownAnswer
from wideblock.errors import UserError
from wideblock.export.contract import Contract
from wideblock.simulation.bench import trace_format
from wideblock.simulation.verilator import Options
from wideblock.verify.report import Checked, Report
from wideblock.verify.runner import Tell, chosen, run, seed_of
from wideblock.verify.sector.check import Check
from wideblock.verify.sector.checks import CHECKS
from wideblock.verify.sector.driver import SectorSimulation
from wideblock.verify.sector.measure import measure
from wideblock.verify.sector.pool import SpecificationPool

__all__ = ["NETLIST_CHECKS", "Simulation", "measure", "trace", "verify"]

NETLIST_CHECKS = ("known answers", "cycle contract", "random sectors", "gaps and back-pressure", "wrong lengths")
"""What a netlist is tried with unless told otherwise: synthesis can break the data path, rarely the protocol."""

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
    known = list(vectors)
    report = Report(subject.module, seed)
    started = time.perf_counter()
    with SpecificationPool(subject, processes) as pool:
        owned = simulation is None
        simulation = simulation or SectorSimulation(subject)
        try:
            for name in names:
                report.checks.append(_run(name, subject, simulation, pool, seed, sectors, known, progress))
                report.seconds = time.perf_counter() - started
                if report.failure:
                    break
        finally:
            if owned:
                simulation.close()
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


def _run(
    name: str,
    subject: Contract,
    simulation: SectorSimulation,
    pool: SpecificationPool,
    seed: int,
    sectors: int,
    vectors: list[KnownAnswer],
    progress: Tell | None,
) -> Checked:
    """The result of one check."""
    tell = progress or (lambda name, done, total: None)
    seeded = seed_of(seed, name)
    check = Check(subject, simulation, pool, seeded, sectors, vectors, lambda done, total: tell(name, done, total))
    again = f"To see it again: check {name!r} with seed {seed} and {sectors} sectors."
    return run(name, CHECKS[name], check, again, progress)
