# SPDX-License-Identifier: Apache-2.0
"""The tables of the engine's pages are those of today's engines."""

from pathlib import Path

import pytest

from wideblock.evaluate.engines import bodies, engines
from wideblock.evaluate.store import COMMITTED, load

pytestmark = pytest.mark.shows("engine", "documents")

PAGES = Path(__file__).parents[2] / "docs"


def test_the_pages_have_todays_tables():
    for page, by_marker in bodies(load(COMMITTED)).items():
        text = (PAGES / page).read_text()
        for marker, body in by_marker.items():
            assert f"<!-- {marker}: begin -->\n{body}<!-- {marker}: end -->" in text, (page, marker)


def test_the_engines_are_those_of_the_presets_with_slots():
    assert [core.name for core in engines()] == ["xts-enc-k", "xts-2-k", "xts-4-k", "xts-both-k"]
