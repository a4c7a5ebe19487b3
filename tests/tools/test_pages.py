# SPDX-License-Identifier: Apache-2.0
"""Pages have figures of today's circuits alone; the check of the pages finds a planted one, and a list that is old."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tools import history, pages, sign_off
from wideblock.evaluate import digests
from wideblock.evidence import today
from wideblock.evidence.record import EvidenceKind
from wideblock.evidence.store import COMMITTED, load
from wideblock.renewal import proofs

from ..renewal.conftest import evidence

pytestmark = pytest.mark.shows("evaluation", "synthesis", "documents")

ROOT = Path(__file__).parents[2]
FIGURE = "987,654"
MEASURED = {
    "README.md",
    "docs/authenticated-sectors.md",
    "docs/choosing.md",
    "docs/claims.md",
    "docs/dma.md",
    "docs/engine.md",
    "docs/results.md",
}


def test_every_page_is_of_today_and_a_planted_figure_is_found(tmp_path, monkeypatch):
    """`make docs` was run after the last change of the store, of a cycle contract, or of a rule."""
    made = pages.made(load(COMMITTED))
    monkeypatch.setattr(pages, "made", lambda evidence: made)  # once for all three
    shown = [page for pages_of in made for page in pages_of]  # wholly or between markers
    (tmp_path / "docs").mkdir()
    for path in (ROOT / name for name in (*shown, *(f"docs/{p.name}" for p in ROOT.glob("docs/throughput-*.svg")))):
        shutil.copy(path, tmp_path / path.relative_to(ROOT))
    circuits = dict(today.listed(COMMITTED)["circuits"])
    assert pages.faults(tmp_path, COMMITTED, load(COMMITTED), circuits) == []
    for name in shown:
        path = tmp_path / name
        before, marker, after = path.read_text().partition(": begin -->\n")
        path.write_text(f"{before}{marker}{FIGURE}\n{after}")
    (tmp_path / "docs/throughput-none.svg").write_text("<svg/>")
    found = pages.faults(tmp_path, COMMITTED, load(COMMITTED), circuits | {"a": "1:a"})
    assert found == [
        f"{COMMITTED.with_name('circuits.json')} is not of today for 1 cores: a; make docs",
        *(f"{name} is not made from the evidence of today; make docs" for name in (*shown, "docs/throughput-none.svg")),
    ]


def planted(circuit):
    """The store's areas and clocks, of one circuit and with one figure."""
    for each in load(COMMITTED):
        if each.kind in (EvidenceKind.AREA, EvidenceKind.CLOCK) and not each.method["origin"] and "area" in each.result:
            yield replace(each, circuit=circuit, result={**each.result, "area": 987654})


@pytest.mark.parametrize(("circuit", "where"), [("1:now", MEASURED), ("1:older", set())])
def test_a_figure_of_another_circuit_stands_in_the_history_alone(monkeypatch, circuit, where):
    monkeypatch.setattr(digests, "today", lambda name: "1:now")
    monkeypatch.setattr(history, "today", lambda name: "1:now")
    found = list(planted(circuit))
    bodies, whole = pages.made(found)
    made = {page: "".join(by_marker.values()) for page, by_marker in bodies.items()} | whole
    assert {page for page, text in made.items() if FIGURE in text} == (where or {"docs/history.md"})


def test_the_history_has_the_newest_older_figure_of_each_core_and_kind(monkeypatch):
    monkeypatch.setattr(history, "today", {"xts-enc": "1:now"}.get)
    area = evidence(
        "xts-enc",
        "xc7",
        kind=EvidenceKind.AREA,
        circuit="1:a",
        method={"origin": None},
        date="2026-01-02",
        commit="0123456789ab-dirty",
        result={"area": 1234, "unit": "LC (estimate)"},
    )
    score = replace(
        area, kind=EvidenceKind.MUTATION, subject="mutants", result={"killed": 3, "mutants": 4, "equivalent": 0}
    )
    failed, current = replace(area, outcome="failed"), replace(area, circuit="1:now")
    peer = replace(area, core="owner/cores: top", method={"origin": {"top": "top"}})
    proof = replace(area, kind=EvidenceKind.PROOF)
    text = history.document(
        [replace(area, result={"area": 9, "unit": "LC"}), area, score, failed, current, peer, proof]
    )
    assert [line for line in text.splitlines() if line.startswith("| `")] == [
        "| `xts-enc` | area | xc7 | 1,234 LC | 2026-01-02 | 0123456 |",
        "| `xts-enc` | mutation | mutants | 3 of 4 killed | 2026-01-02 | 0123456 |",
    ]


def test_proofs_of_other_circuits_or_rules_are_not_in_the_document(monkeypatch):
    monkeypatch.setattr(sign_off, "today", {"xts-enc": "1:xts-enc"}.get)
    monkeypatch.setattr(proofs, "code_of_rule", lambda *of: "rules")
    proof = evidence(
        "xts-enc",
        "timing",
        method={"netlist": None},
        date="2026-01-02",
        result={"detail": "no bit matters", "method": "cone", "gates": 1},
    )
    assert "no bit matters" in pages.proofs.document(sign_off.current([proof]))
    for other in ({"circuit": "1:older"}, {"circuit": None}, {"code": "older rules"}, {"code": None}):
        assert "no bit matters" not in pages.proofs.document(sign_off.current([replace(proof, **other)]))
