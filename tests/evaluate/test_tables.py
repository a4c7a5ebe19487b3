# SPDX-License-Identifier: Apache-2.0
"""Results reach the README by machine, between its markers."""

from pathlib import Path

import pytest

from wideblock.evaluate.store import COMMITTED, load
from wideblock.evaluate.tables import BEGIN, END, of_core, renew, row, summary
from wideblock.export.contract import contract
from wideblock.export.markdown import table

pytestmark = pytest.mark.shows("synthesis")

README = Path(__file__).parents[2] / "README.md"


def test_readme_has_the_markers():
    text = README.read_text()
    assert text.count(BEGIN) == text.count(END) == 1


def test_renew_replaces_only_what_stands_between_the_markers(tmp_path, measurement):
    document = tmp_path / "R.md"
    document.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    assert renew(document, [measurement("fast-brw-2"), measurement("fast-brw-2", "ecp5")])
    text = document.read_text()
    assert text.startswith(f"before\n{BEGIN}\n|") and text.endswith(f"{END}\nafter\n") and "old" not in text
    assert "| 319 | 12,345 | 23,456 |" in text and "| 123 |" in text and "nextpnr 0" in text
    assert not renew(document, [measurement("fast-brw-2"), measurement("fast-brw-2", "ecp5")])
    assert [p.name for p in tmp_path.iterdir()] == ["R.md"]


@pytest.mark.parametrize("text", ["none", f"{END}{BEGIN}", f"{BEGIN}{BEGIN}{END}"])
def test_document_without_markers_is_left_alone(tmp_path, measurement, text):
    document = tmp_path / "R.md"
    document.write_text(text)
    with pytest.raises(ValueError, match="must have"):
        renew(document, [measurement("fast-brw-2")])
    assert document.read_text() == text


def test_no_results_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="no results"):
        renew(tmp_path / "R.md", [])


def test_throughput_is_of_the_interval_and_the_routed_clock(measurement):
    assert row(measurement("fast-brw-2s", "ecp5"))[-1] == f"{4096 * 8 / 129 * 0.1234:.1f}"
    assert row(measurement("fast-brw-2s"))[-2:] == ("-", "-")


def test_a_changed_core_has_no_results(measurement):
    results = [measurement("fast-brw-2s"), measurement("fast-brw-2")]
    assert of_core(contract("fast-brw-2s"), results) == results[:1]
    assert of_core(contract("fast-brw-2s", {"key_bits": "256"}), results) == []


def test_pre_layout_clocks_have_columns_of_their_own(measurement):
    head, rows = summary([measurement("fast-brw-2", "ecp5", mhz=100), measurement("fast-brw-2", "nangate45", mhz=900)])
    (cells,) = (dict(zip(head, row, strict=True)) for row in rows)
    assert cells["Nangate45, kGE"] == "70.2" and cells["LFE5UM5G-85F, LUT4"] == "23,456"
    assert cells["clock, MHz"] == "100" and cells["pre-layout clock, MHz"] == "900"
    assert cells["pre-layout Gb/s"] == f"{4096 * 8 / 129 * 0.9:.1f}"
    assert "900 (pre-layout)" in row(measurement("fast-brw-2", "nangate45", mhz=900))


def test_the_readme_shows_the_store():
    """`make docs` was run after the last change of the store."""
    text = README.read_text()
    points = load(COMMITTED)
    assert table(*summary(points)) in text
