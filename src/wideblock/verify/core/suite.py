# SPDX-License-Identifier: Apache-2.0
"""Suites of checks, and how one runs."""

import hashlib
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from wideblock.drive.core import CoreSimulation
from wideblock.errors import UserError
from wideblock.export.contract import Contract
from wideblock.simulation.bench import SimulationError, trace_format
from wideblock.simulation.verilator import Options
from wideblock.verify.core.check import Check
from wideblock.verify.core.report import Checked, Finding, Outcome, Report, failed

__all__ = ["Suite", "Tell", "chosen"]

Tell = Callable[[str, int, int], None]
"""Called with (check, done, total) as work proceeds."""

C = TypeVar("C", bound=Check[Any])


@dataclass(frozen=True)
class Suite(Generic[C]):
    """The checks of a kind of core.

    noun:       a message of such a core, as in reports
    simulation: the core in simulation, as the checks need it
    checks:     every check by its name, in order
    netlist:    default checks of a netlist
    opened:     from a core and a number of processes for the specification, None: a process a processor: the context
                in which checks run, as a function from the arguments of :class:`Check`
    measure:    from a core, the cycles shown at the ports, by direction
    """

    noun: str
    simulation: Callable[..., CoreSimulation[Any]]
    checks: Mapping[str, Callable[[C], Finding]]
    netlist: tuple[str, ...]
    opened: Callable[[Contract[Any, Any], int | None], AbstractContextManager[Callable[..., C]]]
    measure: Callable[..., Mapping[str, Any]]

    def verify(
        self,
        subject: Contract,
        *,
        amount: int = 256,
        seed: int = 0,
        vectors: Iterable[Any] = (),
        checks: Iterable[str] | None = None,
        simulation: CoreSimulation[Any] | None = None,
        processes: int | None = None,
        progress: Tell | None = None,
    ) -> Report:
        """The report of all checks, or of named checks, up to the first failure.

        amount:     random sectors or messages; further checks are scaled down with a small amount
        seed:       of every random choice: equal seeds and checks give equal runs
        vectors:    known answers
        simulation: an instance to use in the place of a new one
        processes:  known answers of the specification, if any; None: one a processor
        progress:   is called with (check, done, total) as work proceeds
        Raises :class:`~wideblock.simulation.commands.BuildError`; a core that fails is in the report, not an exception.
        """
        names = chosen(checks, self.checks)
        if amount < 1:
            raise UserError(f"at least 1 random {self.noun} must be tried, got {amount}")
        tell, known = progress or (lambda name, done, total: None), list(vectors)
        with (
            self.opened(subject, processes) as check,
            nullcontext(simulation) if simulation else self.simulation(subject) as model,
        ):
            report, started = Report(subject.module, seed), time.perf_counter()
            for name in names:
                begun = check(subject, model, _seed_of(seed, name), amount, known, partial(tell, name))
                options = f"--check '{name}' --seed {seed} --sectors {amount}"
                again = f"To see it again: wideblock verify {subject.asked} {options}"
                tell(name, 0, 1)
                report.checks.append(_run(name, self.checks[name], begun, again))
                tell(name, 1, 1)
                report.seconds = time.perf_counter() - started
                if report.failure:
                    break
        return report

    def trace(
        self, subject: Contract, check: str, path: Path, *, verilog: Iterable[str] | None = None, **options: Any
    ) -> Report:
        """The report of a check, with a waveform of the last run in ``path``: in a failing check, the failing run.

        A cycle takes 10 units of time: times are 10 times the cycles of a difference. The ending
        of the file's name chooses the format. ``verilog`` as for the simulation, ``options`` as for :meth:`verify`.
        """
        model = Options(optimise=0, trace=trace_format(path))
        with self.simulation(subject, verilog=verilog, options=model) as simulation:
            simulation.trace(path)
            return self.verify(subject, checks=[check], simulation=simulation, **options)


def chosen(names: Iterable[str] | None, known: Collection[str]) -> Sequence[str]:
    """The checks to run: those named, or all. Raises UserError for an unknown one."""
    checks = list(known if names is None else names)
    for name in checks:
        if name not in known:
            raise UserError(f"no check {name!r}, there are {', '.join(map(repr, known))}")
    return checks


def _seed_of(seed: int, name: str) -> int:
    """Each check has a separate stream of choices, and can be run again alone."""
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:8], "little")


def _run(name: str, body: Callable[[C], Finding], check: C, again: str) -> Checked:
    """The result of one check; ``again`` says how to see a failure once more."""
    try:
        finding = body(check)
    except SimulationError as error:
        finding = failed(f"{error}.")
    wrong = finding.outcome is Outcome.FAILED
    difference = f"{finding.text} {again}" if wrong else None
    tried = "" if wrong else finding.text
    return Checked(name, finding.outcome, tried, check.played, check.cycles, check.seconds, difference)
