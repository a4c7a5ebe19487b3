# SPDX-License-Identifier: Apache-2.0
"""A renewal: tasks in the order of their worth, several at a time, each result in the store at once."""

import fcntl
import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wideblock.cache import cache_directory, name_of
from wideblock.errors import UserError
from wideblock.evaluate.workers import local
from wideblock.evidence.record import Evidence
from wideblock.evidence.store import add, load
from wideblock.evidence.today import update
from wideblock.renewal.plan import Task
from wideblock.renewal.question import Question, Renewer
from wideblock.simulation.bench import SimulationError
from wideblock.simulation.commands import BuildError
from wideblock.synth.process import FlowError

__all__ = ["Renewed", "alone", "renew"]

log = logging.getLogger(__name__)


@dataclass
class Renewed:
    """Results of a renewal, messages of tasks that ended early, and numbers of tasks that ended and were left out."""

    found: list[Evidence] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    tasks: int = 0
    left: int = 0

    @property
    def failed(self) -> list[Evidence]:
        return [each for each in self.found if each.outcome == "failed"]


def renew(
    tasks: Sequence[Task],
    store: Path,
    circuits: Mapping[str, str],
    *,
    minutes: float | None = None,
    jobs: int = 1,
    progress: Callable[[str, int, int | None], None] = lambda stage, done, total: None,
) -> Renewed:
    """Runs ``tasks`` in their order and adds their results to ``store``; it may be interrupted at any time.

    circuits: digests of today by name of the core, for the list beside the store; results add theirs
    minutes:  a task with a later expected end is left out
    jobs:     tasks at a time, each in a process if there are several
    progress: called with the task, how many were begun before it, and of how many
    Raises FlowError if a process is killed.
    """
    began, done, running = time.monotonic(), Renewed(), dict[Future[Answer], Task]()
    before, jobs = len(load(store, missing_ok=True)), min(jobs, len(tasks))
    with local(jobs) if jobs > 1 else nullcontext(_Here()) as executor:
        try:
            for number, task in enumerate(tasks):
                progress(f"{_what(task)}, about {task.seconds:.0f} s", number, len(tasks))
                if task.blocked or minutes is not None and time.monotonic() - began + task.seconds > 60 * minutes:
                    done.left += 1
                    continue
                running[executor.submit(_answer, task.renewer, task.questions, store)] = task
                _collect(running, done, jobs - 1, len(tasks))
            _collect(running, done, 0, len(tasks))
        except BrokenProcessPool:
            raise FlowError(
                "a process was killed, perhaps for want of memory; the same command with --jobs 1 goes on from here"
            ) from None
        finally:
            found = [each for each in load(store, missing_ok=True)[before:] if each.circuit]
            if any(circuits.get(each.name) != each.circuit for each in found):
                update(store, {**circuits, **{each.name: str(each.circuit) for each in found}})
    return done


Answer = tuple[list[Evidence], str]
"""Results of a task, and the message of the error that ended the task; empty without an error."""


def _answer(renewer: Renewer, questions: Sequence[Question], store: Path) -> Answer:
    """Runs a task; each result is stored before the next run."""
    found = []
    try:
        for evidence in renewer.answers(questions):
            add(store, evidence)
            found.append(evidence)
    except (FlowError, BuildError, SimulationError, UserError) as error:
        return found, str(error)
    except MemoryError:
        return found, "took more memory than a process may"
    return found, ""


def _collect(running: dict[Future[Answer], Task], done: Renewed, most: int, total: int) -> None:
    """Waits until at most ``most`` tasks run, and adds the results of ended tasks to ``done``."""
    while len(running) > most:
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            task, (found, broken) = running.pop(future), future.result()
            done.found += found
            done.broken += [f"{_what(task)}: {broken}"] if broken else []
            done.tasks += 1
            log.info("%d of %d, %s: %s", done.tasks + done.left, total, _what(task), _outcome(found))


class _Here(Executor):
    """Runs a call in the calling process, when submitted."""

    def submit(self, fn, /, *arguments, **named):
        future: Future[Any] = Future()
        future.set_result(fn(*arguments, **named))
        return future


def _what(task: Task) -> str:
    return f"{task.kind} of {task.name}"


@contextmanager
def alone(store: Path) -> Iterator[None]:
    """Holds the right to renew ``store``. Raises UserError if another process has it."""
    folder = cache_directory()
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / f"renewal-{name_of([os.path.realpath(store)])}.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(f"another process renews {store}; wait for its end, or stop it: nothing is lost") from None
        yield


def _outcome(found: Sequence[Evidence]) -> str:
    """Outcomes of a task in a few words."""
    counts = Counter(evidence.outcome for evidence in found)
    return ", ".join(f"{count} {outcome}" for outcome, count in counts.items()) or "could not run"
