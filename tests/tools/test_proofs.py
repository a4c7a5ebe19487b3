# SPDX-License-Identifier: Apache-2.0
"""The document of proofs."""

from dataclasses import replace

import pytest

from tools import sign_off
from tools.proofs import FACTS, about, document
from wideblock.catalog import PRESETS
from wideblock.evidence.record import Evidence, EvidenceKind
from wideblock.renewal import proofs
from wideblock.verify.formal.findings import RULES

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


def test_the_document_says_what_is_recorded_and_what_is_not():
    failed = replace(PROVED, core="xts-dec", outcome="failed", result={"detail": "fault depends on s_axis_tuser[9]"})
    mapped = replace(PROVED, method={"netlist": "xc7"}, changed={"sector_bytes": 32})
    engine = replace(PROVED, core="xts-enc-k", changed={"registers": "axi4-lite"})
    text = document([PROVED, failed, mapped, engine])
    assert text.count("## ") == len(RULES)
    timing = text[text.index("## timing") :]
    others = f"of 1 other cores: proved 1; not recorded {len(PRESETS) - 2}: aes-gcm, "
    assert f"of {len(PRESETS)} presets: proved 1, NOT PROVED 1; {others}" in timing
    assert "2026-01-02, commit abc; Yosys 1" in timing
    assert (
        "| xts-enc (1.2), xts-enc-k registers=axi4-lite (1.2), xts-enc sector_bytes=32, netlist for xc7 (1.2) "
        "| proved | i.last: lengths are public |" in timing
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
