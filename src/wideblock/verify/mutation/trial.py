# SPDX-License-Identifier: Apache-2.0
"""The suite of checks on one mutant: in a separate process, since a mutant may end the process or run forever."""

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from wideblock.cache import cache_directory
from wideblock.export.contract import Contract
from wideblock.verify.mutation.mutants import FILE
from wideblock.verify.suites import suite_of

__all__ = ["Suite", "Trial", "suite", "trials"]

Suite = Callable[[], tuple[str, str] | None]
"""Runs all checks on the model that the present directory chooses: the check that failed and how, or None."""


@dataclass(frozen=True)
class Trial:
    """The result for one mutant: the killing check and the difference seen, or None for a survivor."""

    number: int
    check: str | None
    difference: str
    seconds: float


def suite(core: Contract, verilog: Sequence[str], *, sectors: int, seed: int) -> Suite:
    """All checks for the core's kind, with ``sectors`` random sectors or messages, on ``verilog`` in its place."""
    checks = suite_of(core)

    def run() -> tuple[str, str] | None:
        with checks.simulation(core, verilog=verilog) as simulation:
            known = core.known_answers
            report = checks.verify(core, amount=sectors, seed=seed, vectors=known, simulation=simulation, processes=1)
        return report.failure and (report.failure.name, str(report.failure.difference))

    return run


def trials(run: Suite, numbers: Sequence[int], *, limit: float, processes: int) -> Iterator[Trial]:
    """The result for each number, as it is known; ``processes`` at a time, each killed after ``limit`` seconds."""
    context = get_context("fork")
    waiting = list(reversed(numbers))
    running: dict[Connection, _Running] = {}
    with TemporaryDirectory(prefix="wideblock-") as folder:
        try:
            while waiting or running:
                while waiting and len(running) < processes:
                    number = waiting.pop()
                    here, there = context.Pipe(duplex=False)
                    process = context.Process(target=_child, args=(run, Path(folder), number, there))
                    process.start()
                    there.close()
                    running[here] = _Running(number, process, time.monotonic())
                for connection in _ready(running, limit):
                    ended = running.pop(connection)
                    trial = _result(connection, ended, limit)
                    _end(ended)
                    yield trial
        finally:
            for process in running.values():
                _end(process)


@dataclass(frozen=True)
class _Running:
    """A mutant's process, and when it was started."""

    number: int
    process: BaseProcess
    start: float


def _ready(running: dict[Connection, _Running], limit: float) -> list[Connection]:
    """Connections of processes that have said something, have ended, or have had their time."""
    now = time.monotonic()
    late = [connection for connection, process in running.items() if now - process.start > limit]
    first = min(process.start for process in running.values())
    return late or [c for c in wait(list(running), max(0.0, first + limit - now) + 0.01) if isinstance(c, Connection)]


def _result(connection: Connection, ended: _Running, limit: float) -> Trial:
    try:
        found = connection.recv() if connection.poll() else ("time", f"no result after {limit:.0f} s")
    except EOFError:
        found = ("model", "the simulation ended itself")
    check, difference = found or (None, "")
    return Trial(ended.number, check, difference, time.monotonic() - ended.start)


def _end(running: _Running) -> None:
    """Ends a process with all its children."""
    if pid := running.process.pid:
        with suppress(ProcessLookupError):  # it may have no group of its own yet
            os.killpg(pid, signal.SIGKILL)
    running.process.kill()
    running.process.join()


def _child(run: Suite, folder: Path, number: int, connection: Connection) -> None:
    os.setsid()
    os.environ["WIDEBLOCK_CACHE"] = str(cache_directory().resolve())  # it may be relative to the present directory
    os.chdir(mkdtemp(dir=folder))
    Path(FILE).write_text(f"{number:x}\n")
    with open("output", "wb") as output:  # a model says why it ends itself
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    try:
        connection.send(run())
    except Exception as error:  # a mutant may show anything, the checks need not be able to explain it
        connection.send(("error", " ".join(f"{type(error).__name__}: {error}".split())))
