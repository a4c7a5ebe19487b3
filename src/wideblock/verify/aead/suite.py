# SPDX-License-Identifier: Apache-2.0
"""The suite: every check of an authenticated cipher against its specification."""

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from wideblock.catalog import AeadAnswer
from wideblock.errors import UserError
from wideblock.export.contract import Contract
from wideblock.simulation.bench import trace_format
from wideblock.simulation.verilator import Options
from wideblock.verify.aead.check import Check
from wideblock.verify.aead.checks import CHECKS
from wideblock.verify.aead.driver import AeadSimulation
from wideblock.verify.aead.measure import measure
from wideblock.verify.report import Report
from wideblock.verify.runner import Tell, chosen, run, seed_of

__all__ = ["NETLIST_CHECKS", "Simulation", "measure", "trace", "verify"]

NETLIST_CHECKS = ("known answers", "cycle contract", "random messages", "gaps and back-pressure", "wrong tags")
"""What a netlist is tried with unless told otherwise."""

Simulation = AeadSimulation


def verify(
    subject: Contract,
    *,
    messages: int = 256,
    seed: int = 0,
    vectors: Iterable[AeadAnswer] = (),
    checks: Iterable[str] | None = None,
    simulation: AeadSimulation | None = None,
    progress: Tell | None = None,
) -> Report:
    """The report of all checks, or of those named, up to the first that fails.

    messages: of the random check; the others are scaled down with it when it is small. All else as for sector cores.
    """
    names = chosen(checks, CHECKS)
    if messages < 1:
        raise UserError(f"at least 1 random message must be tried, got {messages}")
    known, tell = list(vectors), progress or (lambda name, done, total: None)
    report = Report(subject.module, seed)
    started = time.perf_counter()
    owned = simulation is None
    simulation = simulation or AeadSimulation(subject)
    try:
        for name in names:
            told = _told(tell, name)
            check = Check(subject, simulation, seed_of(seed, name), messages, known, told)
            again = f"To see it again: check {name!r} with seed {seed} and {messages} messages."
            report.checks.append(run(name, CHECKS[name], check, again, progress))
            report.seconds = time.perf_counter() - started
            if report.failure:
                break
    finally:
        if owned:
            simulation.close()
    return report


def _told(tell: Tell, name: str):
    return lambda done, total: tell(name, done, total)


def trace(subject: Contract, check: str, path: Path, *, verilog: Iterable[str] | None = None, **options: Any) -> Report:
    """The report of one check, whose last run is written to ``path`` as a waveform, as for sector cores."""
    model = Options(optimise=0, trace=trace_format(path))
    with AeadSimulation(subject, verilog=verilog, options=model) as simulation:
        simulation.trace(path)
        return verify(subject, checks=[check], simulation=simulation, **options)
