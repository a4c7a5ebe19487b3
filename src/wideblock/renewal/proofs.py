# SPDX-License-Identifier: Apache-2.0
"""Proofs of every rule for every preset, for small engines, and of netlists and further sizes proved before."""

from collections.abc import Iterator, Sequence

from wideblock import catalog
from wideblock.catalog.kinds import AEAD
from wideblock.evidence.record import Evidence, EvidenceKind
from wideblock.export.contract import contract
from wideblock.renewal.cores import cores, engines
from wideblock.renewal.question import Question, Renewer
from wideblock.synth.targets import fpga
from wideblock.verify.formal.findings import RULES, findings
from wideblock.verify.formal.record import code_of_rule, proof_evidence

__all__ = ["Proofs"]

PORTS = {"ports": "axi4-stream"}
"""Further ports of a core of messages; the rules are proved with each form of ports."""

ENGINES = ({"error_beats": True}, {"dma": "axi4"}, {"key_bits": 256})
"""Further parameters of small engines, whose rules no preset as shipped has."""


class Proofs(Renewer):
    """Formal rules."""

    kinds = (EvidenceKind.PROOF,)
    usual = 3.0

    def questions(self, names: Sequence[str], evidence: Sequence[Evidence]) -> Iterator[Question]:
        asked = list(cores(EvidenceKind.PROOF, names, ()))
        asked += [
            (name, PORTS) for name in names if name in catalog.PRESETS and catalog.preset(name).scheme.kind is AEAD
        ]
        asked += [(each.name, dict(each.changed)) for more in ENGINES for each in engines(more) if each.name in names]
        yield from (self._question(rule, *core, None) for core in asked for rule in RULES)
        for each in evidence:
            if each.kind is EvidenceKind.PROOF and each.core in names and each.subject in RULES:
                yield self._question(each.subject, each.core, each.changed, each.method["netlist"])

    def _question(self, rule, name, changed, netlist) -> Question:
        return Question(EvidenceKind.PROOF, rule, name, changed, {"netlist": netlist}, worth=1)

    def code(self, question: Question) -> str:
        return code_of_rule(question.subject, question.core, question.changed, question.method["netlist"])

    def answers(self, questions: Sequence[Question]) -> Iterator[Evidence]:
        core = contract(questions[0].core, questions[0].changed)
        for netlist in dict.fromkeys(question.method["netlist"] for question in questions):
            rules = [question.subject for question in questions if question.method["netlist"] == netlist]
            for finding in findings(core, rules, target=fpga(netlist) if netlist else None):
                yield proof_evidence(core, finding, netlist)
