# SPDX-License-Identifier: Apache-2.0
"""Findings on rules as evidence, with the circuit that was proved and the code of the rules."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from typing import Any

from wideblock.cache import name_of
from wideblock.evidence.code import digest_of
from wideblock.evidence.of_core import evidence_of
from wideblock.evidence.record import Evidence, EvidenceKind
from wideblock.evidence.stated import stated
from wideblock.export.contract import Contract, contract
from wideblock.synth.yosys import tool
from wideblock.verify.formal.findings import ON_NETLISTS, RULES
from wideblock.verify.formal.proof import NotApplicable, RuleFinding, RuleResult
from wideblock.verify.formal.rules import Family, family

__all__ = ["OUTCOME", "code_of_rule", "proof_evidence"]

OUTCOME = {RuleResult.PROVED: "passed", RuleResult.NOT_PROVED: "failed", RuleResult.NONE: "none"}
"""Outcome of a piece of evidence for each result of a rule."""


def code_of_rule(rule: str, name: str, changed: Mapping[str, Any], netlist: str | None = None) -> str:
    """Digest of a rule for a core: modules of the rule, contract of the core, and assertions made from both.

    Empty for a removed rule. Raises UserError for an unknown core.
    """
    prove = (ON_NETLISTS if netlist else RULES).get(rule)
    if prove is None:
        return ""
    return name_of([_code(prove, bool(netlist)), _statement(name, tuple(changed.items()))])


@cache
def _code(prove: Callable[..., Any], mapped: bool) -> str:
    """Digest of a rule's module and all imports; ``mapped``: of the flow to a netlist, too.

    Families enter by the assertions on the core: a new family leaves the proofs of other families.
    """
    rooms = ("verify", "synth") if mapped else ("verify",)
    return digest_of([prove.__module__.removeprefix("wideblock.")], rooms, stated=("verify.formal.rules",))


@cache
def _statement(name: str, changed: tuple[tuple[str, Any], ...]) -> str:
    """Digest of the contract of a core, of the influences in words, and of the family's assertions on the core."""
    core = contract(name, dict(changed))
    assertions = [repr(_assertion(core, field.name)) for field in fields(Family)]
    return name_of([stated(core), *map(str, core.behaviour.influences), *assertions])


def _assertion(core: Contract, part: str) -> object:
    """The part of a rule from the family of a core, or the reason for no part."""
    try:
        return getattr(family(core), part)(core)
    except NotApplicable as reason:
        return str(reason)


def proof_evidence(core: Contract, finding: RuleFinding, netlist: str | None = None) -> Evidence:
    """The result of a rule for a core, or for the core's netlist on the target ``netlist``."""
    proof = finding.proof
    return evidence_of(
        core,
        EvidenceKind.PROOF,
        finding.rule,
        method={"netlist": netlist},
        checks=code_of_rule(finding.rule, core.name, dict(core.changed), netlist),
        tool=tool(),
        seconds=round(finding.seconds, 1),
        outcome=OUTCOME[finding.result],
        result={
            "detail": finding.detail,
            "method": proof.method if proof else None,
            "gates": proof.gates if proof else None,
        },
    )
