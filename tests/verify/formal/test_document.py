# SPDX-License-Identifier: Apache-2.0
"""Proofs as evidence, and the document that is made from them."""

from dataclasses import replace

import pytest

from wideblock.catalog import PRESETS
from wideblock.evidence.record import Evidence, EvidenceKind
from wideblock.export.contract import contract
from wideblock.renewal import proofs, sign_off
from wideblock.verify.formal import record
from wideblock.verify.formal.document import FACTS, about, document
from wideblock.verify.formal.findings import RULES, findings
from wideblock.verify.formal.induction import Rule
from wideblock.verify.formal.record import code_of_rule, proof_evidence

pytestmark = pytest.mark.shows("proofs-document")

PROVED = Evidence(
    kind=EvidenceKind.PROOF,
    subject="timing",
    core="xts-enc",
    changed={},
    parameters={},
    method={"netlist": None},
    circuit="1:a",
    code="rules",
    tools=("Yosys 1",),
    version="1",
    commit="abc",
    date="2026-01-02",
    seconds=1.25,
    outcome="passed",
    result={"detail": "no bit matters; declared: i.last: lengths are public", "method": "cone", "gates": 7},
)


@pytest.fixture
def todays(monkeypatch):
    monkeypatch.setattr(sign_off, "today", lambda name: "1:a")
    monkeypatch.setattr(proofs, "code_of_rule", lambda *of: "rules")


def test_every_rule_is_described():
    for rule in RULES:
        assert set(about()[rule]) == set(FACTS) and all(about()[rule].values())


def test_a_finding_is_evidence_on_its_circuit_and_its_rules():
    core = contract("xts-enc", {"sector_bytes": 64})
    (finding,) = findings(core, ["order"])
    found = proof_evidence(core, finding)
    assert (found.name, found.subject, found.outcome) == ("xts-enc sector_bytes=64", "order", "none")
    assert (found.circuit or "").startswith("1:") and found.tools[0].startswith("Yosys ")
    assert found.code == code_of_rule("order", core.name, dict(core.changed))
    assert found.method == {"netlist": None} and "queues" in found.result["detail"]


def test_the_document_says_what_is_recorded_and_what_is_not():
    failed = replace(PROVED, core="xts-dec", outcome="failed", result={"detail": "fault depends on s_axis_tuser[9]"})
    mapped = replace(PROVED, method={"netlist": "xc7"}, changed={"sector_bytes": 32})
    text = document([PROVED, failed, mapped])
    assert text.count("## ") == len(RULES)
    timing = text[text.index("## timing") :]
    assert f"of {len(PRESETS)} presets: proved 1, NOT PROVED 1; not recorded {len(PRESETS) - 2}: aes-gcm, " in timing
    assert "2026-01-02, commit abc; Yosys 1" in timing
    assert (
        "| xts-enc (1.2), xts-enc sector_bytes=32, netlist for xc7 (1.2) | proved | i.last: lengths are public |"
        in timing
    )
    assert "| xts-dec (1.2) | NOT PROVED | fault depends on s_axis_tuser[9] |" in timing
    assert f"of {len(PRESETS)} presets: none recorded" in text[: text.index("## timing")]


def test_a_result_of_another_circuit_or_other_rules_is_not_shown(todays):
    def shown(*evidence):
        return document(sign_off.current(evidence))

    for old in ({"circuit": "1:b"}, {"circuit": None}, {"code": "other"}, {"code": None}):
        assert shown(replace(PROVED, **old)) == shown()
    newer = replace(PROVED, seconds=2.0)
    assert "xts-enc (2.0)" in shown(PROVED, newer) and "xts-enc (1.2)" not in shown(PROVED, newer)


def test_a_result_on_a_rule_that_there_is_no_more_is_not_shown(monkeypatch):
    monkeypatch.setattr(sign_off, "today", lambda name: "1:a")
    assert sign_off.current([replace(PROVED, subject="beauty")]) == []


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
