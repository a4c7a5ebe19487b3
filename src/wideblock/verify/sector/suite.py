# SPDX-License-Identifier: Apache-2.0
"""The suite: every check of a sector core against its specification."""

import hashlib
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from wideblock.catalog import KnownAnswer
from wideblock.errors import UserError
from wideblock.export.contract import Contract
from wideblock.simulation.bench import trace_format
from wideblock.simulation.verilator import Options
from wideblock.verify.report import Checked, Finding, Outcome, Report, failed
from wideblock.verify.sector.check import Check
from wideblock.verify.sector.checks import CHECKS
from wideblock.verify.sector.driver import SectorSimulation, SimulationError
from wideblock.verify.sector.pool import SpecificationPool

__all__ = ["trace", "verify"]

Tell = Callable[[str, int, int], None]


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
    names = list(CHECKS if checks is None else checks)
    for name in names:
        if name not in CHECKS:
            raise UserError(f"no check {name!r}, there are {', '.join(map(repr, CHECKS))}")
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


def _seed_of(seed: int, name: str) -> int:
    """Each check has its own stream of choices, so that it can be run again alone."""
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:8], "little")


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
    tell(name, 0, 1)
    check = Check(
        subject, simulation, pool, _seed_of(seed, name), sectors, vectors, lambda done, total: tell(name, done, total)
    )
    finding = _guarded(CHECKS[name], check)
    tell(name, 1, 1)
    if finding.outcome is not Outcome.FAILED:
        return Checked(name, finding.outcome, finding.text, check.played, check.cycles, check.seconds)
    again = f"{finding.text} To see it again: check {name!r} with seed {seed} and {sectors} sectors."
    return Checked(name, finding.outcome, "", check.played, check.cycles, check.seconds, again)


def _guarded(run: Callable[[Check], Finding], check: Check) -> Finding:
    try:
        return run(check)
    except SimulationError as error:
        return failed(f"{error}.")
