# SPDX-License-Identifier: Apache-2.0
"""Proofs as evidence."""

import pytest

from wideblock.export.contract import contract
from wideblock.verify.formal import record
from wideblock.verify.formal.findings import findings
from wideblock.verify.formal.induction import Rule
from wideblock.verify.formal.record import code_of_rule, proof_evidence

pytestmark = pytest.mark.shows("proofs-document")


def test_a_finding_is_evidence_on_its_circuit_and_its_rules():
    core = contract("xts-enc", {"sector_bytes": 64})
    (finding,) = findings(core, ["order"])
    found = proof_evidence(core, finding)
    assert (found.name, found.subject, found.outcome) == ("xts-enc sector_bytes=64", "order", "none")
    assert (found.circuit or "").startswith("1:") and found.tools[0].startswith("Yosys ")
    assert found.code == code_of_rule("order", core.name, dict(core.changed))
    assert found.method == {"netlist": None} and "queues" in found.result["detail"]


def test_the_code_of_a_rule_is_of_what_the_core_states_and_its_family_asserts(monkeypatch):
    def codes():
        record._statement.cache_clear()
        return [code_of_rule(*of) for of in (("timing", "xts-enc", {}), ("queues", "xts-enc", {}))]

    before = codes()
    assert before == codes() and before[0] != before[1]
    assert code_of_rule("timing", "xts-enc", {}, "xc7") != before[0]
    monkeypatch.setattr(Rule, "__repr__", lambda rule: "another assertion")
    assert all(old != new for old, new in zip(before, codes(), strict=True))
    monkeypatch.undo()
    monkeypatch.setattr(record, "stated", lambda core: "another contract")
    assert all(old != new for old, new in zip(before, codes(), strict=True))
    monkeypatch.undo()
    assert codes() == before
