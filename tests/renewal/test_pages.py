# SPDX-License-Identifier: Apache-2.0
"""The check of the pages finds rows of other circuits, pages that are older than the store, and a list that is old."""

from dataclasses import replace

import pytest

from wideblock.evidence import today
from wideblock.renewal import pages

from .conftest import evidence

pytestmark = pytest.mark.shows("evaluation")


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout with one page of two rows, made from the store of today."""
    rows = {"README.md": {"schemes": "| a | 12 |\n| b (0123456) | 13 |\n"}}
    monkeypatch.setattr(pages, "bodies", lambda evidence: rows)
    monkeypatch.setattr(today, "sources", lambda: "now")
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("<!-- schemes: begin -->\n<!-- schemes: end -->\n")
    pages.renew(tmp_path, [])
    today.write(tmp_path / "evidence.jsonl", {"a": "1:a"})
    return tmp_path, rows


def faults(checkout, circuits=None, results=()):
    return pages.faults(checkout, checkout / "evidence.jsonl", results, circuits or {"a": "1:a"})


def test_a_page_of_today_has_no_fault(checkout):
    path, rows = checkout
    assert faults(path) == ["README.md: 1 rows are of other circuits than today's"]
    rows["README.md"]["schemes"] = "| a | 12 |\n"
    assert faults(path) == ["README.md is not made from the store of today; make docs"]
    pages.renew(path, [])
    assert faults(path) == []


def test_a_circuit_that_changed_since_the_list_was_made_is_found(checkout):
    path, rows = checkout
    rows["README.md"]["schemes"] = "| a | 12 |\n"
    pages.renew(path, [])
    (fault,) = faults(path, {"a": "1:other", "b": "1:b"})
    assert fault == f"{path / 'circuits.json'} is not of today for 2 cores: a, b; make docs"


def test_proofs_of_other_circuits_or_rules_are_not_in_the_document(checkout, monkeypatch):
    path, rows = checkout
    rows["README.md"]["schemes"] = ""
    pages.renew(path, [])
    monkeypatch.setattr(pages.document, "today", {"xts-enc": "1:xts-enc"}.get)
    monkeypatch.setattr(pages.document, "code_of_rules", lambda: "rules")
    proof = evidence("xts-enc", "timing", method={"netlist": None}, date="2026-01-02",
                     result={"detail": "no bit matters", "method": "cone", "gates": 1})  # fmt: skip
    assert faults(path, results=[proof]) == ["docs/proofs.md is not made from the store of today; make docs"]
    for other in ({"circuit": "1:older"}, {"circuit": None}, {"code": "older rules"}, {"code": None}):
        assert faults(path, results=[replace(proof, **other)]) == []
