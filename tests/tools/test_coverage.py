# SPDX-License-Identifier: Apache-2.0
"""The page of coverage has results of today, counts of each core, and a reason for all that is not reached."""

import pytest

from tools import coverage as module
from tools.coverage import OPEN, document, reason
from wideblock.evidence.record import EvidenceKind

from ..renewal.conftest import evidence

pytestmark = pytest.mark.shows("mutation")

RESULT = {
    "lines": [9, 10],
    "toggles": [190, 200],
    "crosses": {"zeroize": {"output idle": 3000, "output stalled": 0}},
    "signals": [{"module": "core", "name": "size", "missed": 10, "total": 20}],
    "places": [{"module": "core", "name": "default:", "missed": 1, "total": 1}],
}
SCORE = {"mutants": 50, "killed": 45, "equivalent": 4, "survivors": ["7: invert bit"], "checks": {}}


@pytest.fixture
def reasons(monkeypatch):
    monkeypatch.setattr(module, "REASONS", ((r"core\.size", "the core is small"),))


def results(**fields):
    about = {"code": "checks", "seconds": 20.4} | fields
    return [
        evidence("scream", "checks", kind=EvidenceKind.COVERAGE, result=RESULT, **about),
        evidence("scream", "mutants", kind=EvidenceKind.MUTATION, result=SCORE, **about),
    ]


def test_the_page_counts_and_gives_reasons(reasons):
    text = document(results())
    row = "| scream | 9 of 10 (90.0 %) | 190 of 200 (95.0 %) | 1 of 2 (50.0 %) | 45 of 46 (97.8 %) | 20 + 20 |"
    assert row in text and "| zeroize | 3,000 | 0 |" in text and "- survives: `7: invert bit`" in text
    known = "| `core.size` 10 of 20 | the core is small |"
    gaps = f"| `core: default:`, zeroize, output stalled | {OPEN} |"
    assert 0 < text.index(known) < text.index(gaps)


def test_a_core_without_results_has_no_row():
    assert "scream" not in document([evidence("scream", "timing")]) and "## scream" in document(results())


def test_every_reason_is_a_pattern_of_whole_places():
    assert reason("core.pre.order__payload.first") != OPEN and reason("core.pre: default:") != OPEN
    assert reason("word of s_axis accepted, not ready") != OPEN and reason("zeroize, not ready") == OPEN
