# SPDX-License-Identifier: Apache-2.0
"""How a suite runs its checks, whatever the kind of core."""

import hashlib
from collections.abc import Callable, Collection, Iterable
from typing import Any, Protocol

from wideblock.errors import UserError
from wideblock.simulation.bench import SimulationError
from wideblock.verify.report import Checked, Finding, Outcome, failed

__all__ = ["Tell", "chosen", "run", "seed_of"]

Tell = Callable[[str, int, int], None]
"""Called with (check, done, total) as work proceeds."""


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


def seed_of(seed: int, name: str) -> int:
    """Each check has its own stream of choices, so that it can be run again alone."""
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:8], "little")


def run(name: str, body: Callable[[Any], Finding], check: Counts, again: str, progress: Tell | None) -> Checked:
    """The result of one check; ``again`` says how to see a failure once more."""
    tell = progress or (lambda name, done, total: None)
    tell(name, 0, 1)
    try:
        finding = body(check)
    except SimulationError as error:
        finding = failed(f"{error}.")
    tell(name, 1, 1)
    if finding.outcome is not Outcome.FAILED:
        return Checked(name, finding.outcome, finding.text, check.played, check.cycles, check.seconds)
    return Checked(name, finding.outcome, "", check.played, check.cycles, check.seconds, f"{finding.text} {again}")
