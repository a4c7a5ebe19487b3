# SPDX-License-Identifier: Apache-2.0
"""A kind of evidence that costs nothing."""

import pytest

from wideblock.evidence.record import Evidence, EvidenceKind
from wideblock.renewal import plan as module
from wideblock.renewal.question import Question, Renewer


class Toy(Renewer):
    """Two rules for each name; ``raising`` is raised before the answer of that number."""

    kinds = (EvidenceKind.PROOF,)
    usual = 7.0

    def __init__(self):
        self.rules, self.worth, self.blocked = "rules", {}, {}
        self.raising, self.changed = {}, {}
        self.asked = []

    def questions(self, names, evidence):
        for name in names:
            for rule in ("order", "timing"):
                about = self.worth.get(name, 1), self.blocked.get(name, "")
                yield Question(EvidenceKind.PROOF, rule, name, self.changed, {"netlist": None}, *about)

    def code(self, question):
        return self.rules

    def answers(self, questions):
        for question in questions:
            self.asked.append((question.core, question.subject))
            if error := self.raising.get(len(self.asked)):
                raise error
            yield evidence(question.core, question.subject, changed=question.changed)


def evidence(core, subject, **fields):
    usual = {
        "kind": EvidenceKind.PROOF,
        "changed": {},
        "parameters": {},
        "method": {"netlist": None},
        "circuit": f"1:{core}",
        "code": "rules",
        "tools": (),
        "version": "0",
        "commit": None,
        "date": None,
        "seconds": 2.0,
        "outcome": "passed",
        "result": {},
    }
    return Evidence(core=core, subject=subject, **usual | fields)


@pytest.fixture
def toy(monkeypatch):
    made = Toy()
    monkeypatch.setattr(module, "RENEWERS", (made,))
    return made
