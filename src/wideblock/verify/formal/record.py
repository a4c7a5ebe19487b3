# SPDX-License-Identifier: Apache-2.0
"""Findings on rules as evidence, with the circuit that was proved and the code of the rules."""

from functools import cache

from wideblock.evidence.code import digest_of
from wideblock.evidence.of_core import evidence_of
from wideblock.evidence.record import Evidence, EvidenceKind
from wideblock.export.contract import Contract
from wideblock.synth.yosys import tool
from wideblock.verify.formal.stream import RuleFinding, RuleResult

__all__ = ["OUTCOME", "code_of_rules", "proof_evidence"]

OUTCOME = {RuleResult.PROVED: "passed", RuleResult.NOT_PROVED: "failed", RuleResult.NONE: "none"}
"""Outcome of a piece of evidence for each result of a rule."""


@cache
def code_of_rules() -> str:
    """Digest of the rules and of all that proves them."""
    return digest_of(("verify.formal.stream",), ("verify",))


def proof_evidence(core: Contract, finding: RuleFinding, netlist: str | None = None) -> Evidence:
    """The result for one rule of a core, or of its netlist for the target ``netlist``."""
    proof = finding.proof
    return evidence_of(
        core,
        EvidenceKind.PROOF,
        finding.rule,
        method={"netlist": netlist},
        checks=code_of_rules(),
        tool=tool(),
        seconds=round(finding.seconds, 1),
        outcome=OUTCOME[finding.result],
        result={
            "detail": finding.detail,
            "method": proof.method if proof else None,
            "gates": proof.gates if proof else None,
        },
    )
