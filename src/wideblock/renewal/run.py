# SPDX-License-Identifier: Apache-2.0
"""A renewal: tasks one after another, each result in the store at once."""

import fcntl
import logging
import time
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from wideblock.cache import cache_directory, name_of
from wideblock.errors import UserError
from wideblock.evidence.record import Evidence
from wideblock.evidence.store import add
from wideblock.evidence.today import write
from wideblock.renewal.plan import Task
from wideblock.simulation.commands import BuildError
from wideblock.synth.process import FlowError

__all__ = ["Renewed", "alone", "renew"]

log = logging.getLogger(__name__)


@dataclass
class Renewed:
    """Results of a renewal, messages of runs that ended without one, and the number of tasks that were left out."""

    found: list[Evidence] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    left: int = 0

    @property
    def failed(self) -> list[Evidence]:
        return [each for each in self.found if each.outcome == "failed"]


def renew(
    tasks: Sequence[Task],
    store: Path,
    circuits: MutableMapping[str, str],
    *,
    minutes: float | None = None,
    progress: Callable[[str, int, int | None], None] = lambda stage, done, total: None,
) -> Renewed:
    """Runs ``tasks`` in their order and adds their results to ``store``; it may be interrupted at any time.

    circuits: today's, by name of the core; those of the results are added, and the list beside the store is renewed
    minutes:  a task that is expected to end later is left out
    progress: called with the task, how many are done, and of how many
    """
    began, done = time.monotonic(), Renewed()
    for number, task in enumerate(tasks):
        what = f"{task.kind} of {task.name}"
        progress(f"{what}, about {task.seconds:.0f} s", number, len(tasks))
        if task.blocked or minutes is not None and time.monotonic() - began + task.seconds > 60 * minutes:
            done.left += 1
            continue
        try:
            for evidence in task.renewer.answers(task.questions):
                add(store, evidence)
                done.found.append(evidence)
                if evidence.circuit and circuits.get(evidence.name) != evidence.circuit:
                    circuits[evidence.name] = evidence.circuit
                    write(store, circuits)
        except (FlowError, BuildError, UserError) as error:
            done.broken.append(f"{what}: {error}")
        log.info("%d of %d, %s: %s", number + 1, len(tasks), what, _outcome(done, task))
    return done


@contextmanager
def alone(store: Path) -> Iterator[None]:
    """Holds the right to renew ``store``. Raises UserError if another process has it."""
    folder = cache_directory()
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / f"renewal-{name_of([str(store.resolve())])}.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(f"another process renews {store}; wait for its end, or stop it: nothing is lost") from None
        yield


def _outcome(done: Renewed, task: Task) -> str:
    """Outcomes of the last task in a few words."""
    keys = {question.key for question in task.questions}
    counts: dict[str, int] = {}
    for evidence in done.found:
        if evidence.key in keys:
            counts[evidence.outcome] = counts.get(evidence.outcome, 0) + 1
    return ", ".join(f"{count} {outcome}" for outcome, count in counts.items()) or "could not run"
