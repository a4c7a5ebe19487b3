# SPDX-License-Identifier: Apache-2.0
"""Results of checks."""

from dataclasses import dataclass, field
from enum import StrEnum

__all__ = ["Checked", "Finding", "Outcome", "Report", "failed", "nothing", "passed"]


class Outcome(StrEnum):
    """Outcome of a check; NONE: there was nothing to check."""

    PASSED = "passed"
    FAILED = "FAILED"
    NONE = "none"


@dataclass(frozen=True)
class Finding:
    """Result of a check: ``text`` is what was tried, why there was nothing to try, or the first difference."""

    outcome: Outcome
    text: str


def passed(tried: str) -> Finding:
    """Everything tried was right."""
    return Finding(Outcome.PASSED, tried)


def failed(difference: str) -> Finding:
    """The first difference, explained."""
    return Finding(Outcome.FAILED, difference)


def nothing(reason: str) -> Finding:
    """There was nothing to check."""
    return Finding(Outcome.NONE, reason)


@dataclass(frozen=True)
class Checked:
    """One check's result: everything tried, the amounts, and the first difference, explained, or None."""

    name: str
    outcome: Outcome
    tried: str
    sectors: int
    cycles: int
    seconds: float
    difference: str | None = None


@dataclass
class Report:
    """The results of a suite, up to and with the first failure; all of it can be had again from ``seed``.

    top:     the module
    checks:  results in the order of the checks
    seconds: wall clock of the run
    """

    top: str
    seed: int
    checks: list[Checked] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return self.failure is None

    @property
    def failure(self) -> Checked | None:
        """The first check that failed."""
        return next((check for check in self.checks if check.outcome is Outcome.FAILED), None)

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
