# SPDX-License-Identifier: Apache-2.0
"""How a suite runs its checks, whatever the kind of core."""

import hashlib
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any, Protocol

from wideblock.errors import UserError
from wideblock.simulation.bench import SimulationError
from wideblock.verify.report import Checked, Finding, Outcome, Report, failed

__all__ = ["Progress", "Tell", "chosen", "run_all"]

Tell = Callable[[str, int, int], None]
"""Called with (check, done, total) as work proceeds."""

Progress = Callable[[int, int], None]
"""Called with (done, total) of one check."""


class Counts(Protocol):
    """A check under way: messages played, cycles and seconds of the simulation."""

    played: int
    cycles: int
    seconds: float


def chosen(names: Iterable[str] | None, known: Collection[str]) -> list[str]:
    """The checks to run: those named, or all. Raises UserError for an unknown one."""
    checks = list(known if names is None else names)
    for name in checks:
        if name not in known:
            raise UserError(f"no check {name!r}, there are {', '.join(map(repr, known))}")
    return checks


def run_all(
    report: Report,
    names: Iterable[str],
    checks: Mapping[str, Callable[[Any], Finding]],
    under_way: Callable[[int, Progress], Counts],
    amount: str,
    progress: Tell | None,
) -> None:
    """Adds the results of the named checks to ``report``, up to the first that fails.

    under_way: from a seed and what is called with (done, total), the check that the body is given
    amount:    of the random check, as in "64 sectors", for the way to see a failure again
    """
    tell = progress or (lambda name, done, total: None)
    started = time.perf_counter()
    for name in names:
        check = under_way(_seed_of(report.seed, name), partial(tell, name))
        again = f"To see it again: check {name!r} with seed {report.seed} and {amount}."
        report.checks.append(_run(name, checks[name], check, again, tell))
        report.seconds = time.perf_counter() - started
        if report.failure:
            break


def _seed_of(seed: int, name: str) -> int:
    """Each check has its own stream of choices, so that it can be run again alone."""
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:8], "little")


def _run(name: str, body: Callable[[Any], Finding], check: Counts, again: str, tell: Tell) -> Checked:
    """The result of one check; ``again`` says how to see a failure once more."""
    tell(name, 0, 1)
    try:
        finding = body(check)
    except SimulationError as error:
        finding = failed(f"{error}.")
    tell(name, 1, 1)
    if finding.outcome is not Outcome.FAILED:
        return Checked(name, finding.outcome, finding.text, check.played, check.cycles, check.seconds)
    return Checked(name, finding.outcome, "", check.played, check.cycles, check.seconds, f"{finding.text} {again}")
