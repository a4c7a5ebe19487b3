# SPDX-License-Identifier: Apache-2.0
"""The plan of a renewal: open questions by core, with expected time, ordered by worth for time."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from wideblock.errors import UserError
from wideblock.evidence.record import Evidence, EvidenceKind
from wideblock.evidence.store import newest
from wideblock.renewal.points import Points
from wideblock.renewal.proofs import Proofs
from wideblock.renewal.question import Question, Renewer
from wideblock.renewal.simulations import Checks, CoverageRuns, Measurements, Mutants

__all__ = ["RENEWERS", "Plan", "Task", "plan"]

RENEWERS: tuple[Renewer, ...] = (Proofs(), Measurements(), Checks(), Points(), CoverageRuns(), Mutants())
"""Every kind of evidence with a renewal."""


@dataclass(frozen=True)
class Task:
    """Questions of a kind on a core, answered by a single run.

    seconds: expected, by earlier answers to the questions, else by answers about other cores
    known:   ``seconds`` is by earlier answers to the questions
    """

    renewer: Renewer
    questions: tuple[Question, ...]
    seconds: float
    known: bool

    @property
    def kind(self) -> EvidenceKind:
        return self.questions[0].kind

    @property
    def name(self) -> str:
        return self.questions[0].name

    @property
    def blocked(self) -> str:
        return self.questions[0].blocked

    @property
    def rank(self) -> float:
        """Worth for time."""
        return sum(question.worth for question in self.questions) / max(self.seconds, 0.1)


@dataclass(frozen=True)
class Plan:
    """Open tasks, the most worth for their time first, blocked tasks last; counts by kind.

    wanted, today, old, missing: numbers of questions by kind; ``old`` have an answer of another circuit or other code
    """

    tasks: tuple[Task, ...]
    wanted: Mapping[EvidenceKind, int]
    today: Mapping[EvidenceKind, int]
    old: Mapping[EvidenceKind, int]
    missing: Mapping[EvidenceKind, int]


def plan(
    names: Sequence[str], kinds: Collection[EvidenceKind], evidence: Sequence[Evidence], circuits: Mapping[str, str]
) -> Plan:
    """The plan for the presets and parts ``names``.

    circuits: digests of today by name of the core; a core without a digest has no evidence of today
    Raises UserError for a kind that nothing renews.
    """
    able = [kind for renewer in RENEWERS for kind in renewer.kinds]
    if unknown := [kind for kind in kinds if kind not in able]:
        raise UserError(f"{', '.join(unknown)} cannot be renewed; there are {', '.join(able)}")
    answered = newest(evidence)
    groups = {(each.kind, each.subject, each.name) for each in evidence}
    counts: list[dict[EvidenceKind, int]] = [dict.fromkeys(kinds, 0) for _ in range(4)]
    wanted, today, old, missing = counts
    open_questions = defaultdict[tuple[str, str], list[tuple[Renewer, Question]]](list)
    for renewer in RENEWERS:
        found = {} if not set(renewer.kinds) & set(kinds) else {q.key: q for q in _best(renewer, names, evidence)}
        for question in found.values():
            if question.kind not in kinds or not question.possible:
                continue
            wanted[question.kind] += 1
            answer, circuit = answered.get(question.key), circuits.get(question.name)
            if answer and circuit and answer.is_of(circuit, renewer.code(question)):
                today[question.kind] += 1
                continue
            known = (question.kind, question.subject, question.name) in groups
            (old if known else missing)[question.kind] += 1
            open_questions[question.group, question.blocked].append((renewer, question))
    timed = defaultdict[tuple[EvidenceKind, str], list[Evidence]](list)
    for each in evidence:
        if each.seconds is not None:
            timed[each.kind, each.subject].append(each)
    tasks = [_task(each, timed) for each in open_questions.values()]
    return Plan(tuple(sorted(tasks, key=lambda task: (bool(task.blocked), -task.rank))), *counts)


def _best(renewer: Renewer, names: Sequence[str], evidence: Sequence[Evidence]) -> Iterable[Question]:
    """Questions by rising worth: of two questions with a key, the last counts."""
    return sorted(renewer.questions(names, evidence), key=lambda question: question.worth)


def _task(
    asked: Sequence[tuple[Renewer, Question]], timed: Mapping[tuple[EvidenceKind, str], Sequence[Evidence]]
) -> Task:
    renewer, _ = asked[0]
    seconds, known = 0.0, True
    for _, question in asked:
        same = timed.get((question.kind, question.subject), ())
        own = [each.seconds for each in same if each.name == question.name]
        others = [each.seconds for each in same]
        seconds += own[-1] if own else median(others) if others else renewer.usual  # pyright: ignore
        known = known and bool(own)
    return Task(renewer, tuple(question for _, question in asked), round(seconds, 1), known)
