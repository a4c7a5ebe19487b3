# SPDX-License-Identifier: Apache-2.0
"""The page of promises names tests that exist, and the surface still has all that was promised."""

import re
from pathlib import Path

import pytest

import wideblock
from wideblock.cli import FAULT

from .export.test_compliance import missing
from .promises import broken, promised, surface

pytestmark = pytest.mark.shows("documents")

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/promises.md").read_text()
GAPS = (ROOT / "docs/gaps.md").read_text()


def rows(heading, page=PAGE):
    """First and last cells of the table below a heading of the page."""
    _, _, rest = page.partition(f"\n## {heading}\n")
    lines = [line.strip("| ").split(" | ") for line in rest.partition("\n## ")[0].splitlines() if line[:1] == "|"]
    return {cells[0]: cells[-1] for cells in lines[2:]}


def test_every_promise_names_tests_that_exist():
    promises = rows("Promises")
    named = {promise: re.findall(r"`(tests/[^`]+)`", tests) for promise, tests in promises.items()}
    assert len(promises) > 8 and [promise for promise, tests in named.items() if not tests] == []
    assert {promise: gone for promise, tests in named.items() if (gone := missing(tests))} == {}


def test_every_gap_is_stated_by_a_page_or_shown_by_a_test_that_exists():
    gaps = {
        gap: last
        for heading in re.findall(r"^## (.*)$", GAPS, re.MULTILINE)
        for gap, last in rows(heading, GAPS).items()
    }
    named = re.findall(r"`(tests/[^`]+)`", " ".join(gaps.values()))
    assert named and missing(named) == []
    assert (
        len(gaps) > 15 and [gap for gap, last in gaps.items() if not re.search(r"\]\(|`tests/|this page", last)] == []
    )


@pytest.fixture(scope="module")
def today():
    return surface()


def test_all_that_was_promised_is_there(today):
    assert list(broken(promised(), today)) == [], "a promise holds until the next major version; see the page"


def test_a_changed_map_of_registers_has_another_version(today):
    """A map of a standard does not change."""
    old = promised()
    changed = {name for name, each in old["registers"].items() if each != today["registers"][name]}
    assert {name for name in changed if old["versions"][name] == today["versions"][name]} == set()


def test_a_broken_promise_is_named():
    old = {"presets": {"a": ["p", "q"]}, "registers": {"R": {"F": {"at": [0, 1], "codes": {"X": 1}}}}, "python": ["f"]}
    new = {
        "presets": {"a": ["p"]},
        "registers": {"R": {"F": {"at": [1, 1], "codes": {"X": 2, "Y": 3}}}},
        "python": ["f", "g"],
    }
    faults = ["/presets/a/q: gone", "/registers/R/F/at: [0, 1] became [1, 1]", "/registers/R/F/codes/X: 1 became 2"]
    assert list(broken(old, new)) == faults
    assert list(broken(old, {"presets": {}, "python": ["f"]})) == ["/presets/a: gone", "/registers: gone"]


def test_the_version_is_one():
    """Of the package, of the native library's header, which CMake reads without Python, and of the citation."""
    header = (ROOT / "src/wideblock/native/wideblock.h").read_text()
    assert re.search(r'WIDEBLOCK_VERSION "(.*)"', header)[1] == wideblock.__version__
    assert wideblock.__version__ in (ROOT / "SECURITY.md").read_text()
    cited = dict(re.findall(r"^(version|date-released): (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE))
    (version, date), *_ = re.findall(r"^## \[(.*)\] - (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert cited == {"version": version, "date-released": date} and version == wideblock.__version__


def test_the_page_has_every_exit_status():
    assert {"0", "1", "2", "70", "128 + n"} == set(rows("Exit statuses")) and "fault of the program" in FAULT
