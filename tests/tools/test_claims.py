# SPDX-License-Identifier: Apache-2.0
"""Claims of the papers, judged by points of one flow."""

import pytest

from tools import claims as room
from tools.claims import claims, document, findings
from wideblock.errors import UserError

pytestmark = pytest.mark.shows("synthesis")


def finding(points, text, measure):
    ((claim, found),) = [(c, f) for c, f in findings(points).items() if text in c.text]
    here = [each for each in found if each.measure == measure]
    assert len(here) < 2, "one for each group of targets, and these points are on one"
    return here[0] if here else None


@pytest.mark.parametrize(
    "scream, poet, least, ratio",
    [(2000, 5400, True, True), (2000, 1999, False, False), (2000, 5999, True, True), (2000, 6400, True, False)],
)
def test_areas_bear_a_claim_out_or_not(measurement, scream, poet, least, ratio):
    sizes = {"scream": scream, "poet": poet, "minalpher": 4000}
    points = [measurement(name, lcs=lcs) for name, lcs in sizes.items()]
    assert finding(points, "SCREAM is the smallest", "area").holds == least
    assert finding(points, "times the LUTs of POET", "area").holds == ratio
    assert finding(points[:2], "SCREAM is the smallest", "area") is None  # no figure for each core
    page = document(points)
    assert f"scream 2,000, poet {poet:,}, minalpher 4,000 | {'holds' if least else 'does not hold'} |" in page


def test_an_order_needs_each_pair(measurement):
    """Only points of one target compare; throughput at one clock needs none."""
    text, mhz = "Throughput with one AES core", {"fast-brw-1": 90, "fast-horner-1": 80, "xcb-1": 70, "eme2-1": 60}
    points = [measurement(name, "ecp5", mhz=each, interval=400) for name, each in mhz.items()]
    assert finding(points, text, "Gb/s").holds
    assert not finding([*points[:3], measurement("eme2-1", "ecp5", mhz=75, interval=400)], text, "Gb/s").holds
    assert finding([*points[:3], measurement("eme2-1", "nangate45", mhz=60)], text, "Gb/s") is None
    stated = finding([], text, "bits a cycle")
    assert stated.values[:2] == (8 * 4096 / 436, 8 * 4096 / 550) and not stated.holds  # XCB takes fewer cycles here


def test_every_claim_is_on_the_page_with_its_verdict():
    page = document([])
    assert all(f"{claim.text} ({claim.place})" in page for claim in claims()) and len(claims()) > 20
    assert {claim.source for claim in claims()} == {line[3:] for line in page.splitlines() if line.startswith("## ")}
    assert "no figure of today" in page and "cannot be judged" in page
    assert not any(claim.reason and claim.cores for claim in claims())


def test_a_claim_on_an_unknown_core_is_refused(monkeypatch):
    row = {"source": "s", "place": "p", "text": "t", "relation": "least", "measures": ["area"], "cores": ["fast-brw-9"]}
    monkeypatch.setattr(room.tomllib, "load", lambda file: {"claim": [row]})
    with pytest.raises(UserError, match="^claim 't' names 'fast-brw-9', which is no preset, measure or relation$"):
        claims.__wrapped__()
