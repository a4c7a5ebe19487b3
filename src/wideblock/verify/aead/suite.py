# SPDX-License-Identifier: Apache-2.0
"""The suite: every check of an authenticated cipher against its specification."""

from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from wideblock.catalog import AeadAnswer
from wideblock.drive.aead.simulation import AeadSimulation
from wideblock.errors import UserError
from wideblock.export.contract import Contract
from wideblock.simulation.bench import trace_format
from wideblock.simulation.verilator import Options
from wideblock.verify.aead.check import Check
from wideblock.verify.aead.checks import CHECKS
from wideblock.verify.aead.measure import measure
from wideblock.verify.report import Report
from wideblock.verify.runner import Progress, Tell, chosen, run_all

__all__ = ["ALONE", "CHECKS", "NETLIST_CHECKS", "Simulation", "measure", "trace", "verify"]

NETLIST_CHECKS = ("known answers", "cycle contract", "random messages", "gaps and back-pressure", "wrong tags")
"""What a netlist is tried with unless told otherwise."""

ALONE: dict[str, Any] = {}
"""Options of :func:`verify` with which it starts no other process: it never does."""

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
    known, report = list(vectors), Report(subject.module, seed)
    with nullcontext(simulation) if simulation else AeadSimulation(subject) as model:

        def under_way(seeded: int, told: Progress) -> Check:
            return Check(subject, model, seeded, messages, known, told)

        run_all(report, names, CHECKS, under_way, f"{messages} messages", progress)
    return report


def trace(subject: Contract, check: str, path: Path, *, verilog: Iterable[str] | None = None, **options: Any) -> Report:
    """The report of one check, whose last run is written to ``path`` as a waveform, as for sector cores."""
    model = Options(optimise=0, trace=trace_format(path))
    with AeadSimulation(subject, verilog=verilog, options=model) as simulation:
        simulation.trace(path)
        return verify(subject, checks=[check], simulation=simulation, **options)
