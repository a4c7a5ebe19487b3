# SPDX-License-Identifier: Apache-2.0
"""The suite: every check of a core against its specification, and the report."""

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from wideblock.catalog import KnownAnswer
from wideblock.export.contract import Contract
from wideblock.verify.checks import CHECKS, Check, Outcomes
from wideblock.verify.driver import Simulation, SimulationError
from wideblock.verify.pool import SpecificationPool

__all__ = ["Checked", "Report", "verify"]


@dataclass(frozen=True)
class Checked:
    """One check's result: what was tried, how much, and the first difference, explained, if there was one."""

    name: str
    tried: str
    sectors: int
    cycles: int
    seconds: float
    difference: str | None = None

    @property
    def passed(self) -> bool:
        return self.difference is None


@dataclass
class Report:
    """The results of a suite, up to and with the first failure; all of it can be had again from ``seed``."""

    top: str
    seed: int
    checks: list[Checked] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.checks)

    @property
    def failure(self) -> Checked | None:
        """The first check that failed."""
        return next((check for check in self.checks if not check.passed), None)

    @property
    def sectors(self) -> int:
        return sum(check.sectors for check in self.checks)

    @property
    def cycles(self) -> int:
        return sum(check.cycles for check in self.checks)

    @property
    def cycles_per_second(self) -> float:
        """Of the simulation alone: the specification runs beside it."""
        return self.cycles / max(sum(check.seconds for check in self.checks), 1e-9)


def verify(
    subject: Contract,
    *,
    sectors: int = 256,
    seed: int = 0,
    vectors: Iterable[KnownAnswer] = (),
    checks: Iterable[str] | None = None,
    simulation: Simulation | None = None,
    processes: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Report:
    """The report of all checks, or of those named, up to the first that fails.

    sectors:    of the random check; the others are scaled down with it when it is small
    seed:       of every random choice: the same seed and checks give the same run
    simulation: an instance to use in the place of a new one
    progress:   is told (check, done, total) as work proceeds
    Raises :class:`~wideblock.verify.verilator.BuildError`; a core that fails is in the report, not an exception.
    """
    names = list(CHECKS if checks is None else checks)
    for name in names:
        if name not in CHECKS:
            raise ValueError(f"no check {name!r}, there are {', '.join(map(repr, CHECKS))}")
    if sectors < 1:
        raise ValueError(f"at least 1 random sector must be tried, got {sectors}")
    known = list(vectors)
    report = Report(subject.module, seed)
    started = time.perf_counter()
    with SpecificationPool(subject, processes) as pool:
        owned = simulation is None
        simulation = simulation or Simulation(subject)
        try:
            for checked in _each(names, subject, simulation, pool, seed, sectors, known, progress):
                report.checks.append(checked)
                report.seconds = time.perf_counter() - started
                if not checked.passed:
                    break
        finally:
            if owned:
                simulation.close()
    return report


def _seed_of(seed: int, name: str) -> int:
    """Each check has its own stream of choices, so that it can be run again alone."""
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:8], "little")


def _guarded(run: Callable[[Check], Outcomes], check: Check) -> Outcomes:
    try:
        return run(check)
    except SimulationError as error:
        return "", f"{error}."


def _each(
    names: Sequence[str],
    subject: Contract,
    simulation: Simulation,
    pool: SpecificationPool,
    seed: int,
    sectors: int,
    vectors: Sequence[KnownAnswer],
    progress: Callable[[str, int, int], None] | None,
) -> Iterator[Checked]:
    for name in names:

        def tell(done: int, total: int, name: str = name) -> None:
            if progress:
                progress(name, done, total)

        tell(0, 1)
        check = Check(subject, simulation, pool, _seed_of(seed, name), sectors, vectors, tell)
        tried, difference = _guarded(CHECKS[name], check)
        if difference is not None:
            difference = f"{difference} To see it again: check {name!r} with seed {seed} and {sectors} sectors."
        yield Checked(name, tried, check.played, check.cycles, check.seconds, difference)
        tell(1, 1)
