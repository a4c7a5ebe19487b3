# SPDX-License-Identifier: Apache-2.0
"""The tables of stages in the documents are those of today's cores."""

from pathlib import Path

import pytest

from wideblock.evaluate.flows import body

pytestmark = pytest.mark.shows("cycle-contract")

DOCUMENT = Path(__file__).parents[2] / "docs" / "architecture.md"


def test_the_document_has_todays_tables():
    assert f"<!-- flows: begin -->\n{body()}<!-- flows: end -->" in DOCUMENT.read_text()
