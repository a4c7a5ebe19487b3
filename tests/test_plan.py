# SPDX-License-Identifier: Apache-2.0
"""The test plan is complete: every feature has tests, and every mark a feature."""

import re
from pathlib import Path

from .plan import features, plan

TESTS = Path(__file__).parent
MARK = re.compile(r"mark\.shows\(([^)]*)\)")


def marked():
    found = set()
    for path in TESTS.rglob("test_*.py"):
        for arguments in MARK.findall(path.read_text()):
            found |= set(re.findall(r'"([\w-]+)"', arguments))
    return found


def test_every_feature_is_shown_and_every_mark_is_a_feature():
    assert marked() == set(features())


def test_the_document_has_a_row_for_each_feature_and_says_what_was_not_run():
    lint = {"files": ["tests/export/test_verilog.py"], "outcomes": {"passed": 29}}
    record = {"date": "2001-02-03", "chosen": "not slow", "outcomes": {"skipped": 5, "passed": 6849}}
    text = plan({**record, "features": {"lint": lint}})
    assert all(feature["feature"] in text for feature in features().values())
    assert "| `tests/export/test_verilog.py` | 29 passed |" in text and "| - | none |" in text
    assert "`make test` of 2001-02-03: 6,849 passed, 5 skipped." in text
