# SPDX-License-Identifier: Apache-2.0
"""The tables of the families' pages are those of today's cores."""

from pathlib import Path

import pytest

from tools.flows import bodies, families

pytestmark = pytest.mark.shows("cycle-contract")

PAGES = Path(__file__).parents[2] / "docs" / "families"


def test_every_family_has_a_page():
    assert {path.stem for path in PAGES.glob("*.md")} == families().keys()


@pytest.mark.parametrize("family", families())
def test_a_page_has_todays_tables(family):
    text, found = (PAGES / f"{family}.md").read_text(), bodies(families()[family])
    assert {"equations", "cycles"} <= found.keys()
    for marker, body in found.items():
        assert f"<!-- {marker}: begin -->\n{body}<!-- {marker}: end -->" in text
    assert ("<!-- stages: begin -->" in text) == ("stages" in found)
    assert all(f"`{preset.name}`" in found["cycles"] for preset in families()[family])


def test_architecture_names_the_families_without_stages():
    without = {path.stem for path in PAGES.glob("*.md") if "<!-- stages: begin -->" not in path.read_text()}
    assert without == {"running-hash", "single-pass"}
    said = "Running hash and single pass state their cycles by formulas."
    assert said in " ".join((PAGES.parent / "architecture.md").read_text().split())
