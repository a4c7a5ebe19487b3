# SPDX-License-Identifier: Apache-2.0
"""Tables that help to choose: by one rule, and those of the documents are today's."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from wideblock import catalog
from wideblock.evaluate import choosing
from wideblock.evaluate.store import COMMITTED, load
from wideblock.evaluate.tables import insert_all

pytestmark = pytest.mark.shows("synthesis")

ROOT = Path(__file__).parents[2]


def rows(text):
    return [[cell.strip() for cell in line.strip("|\n ").split("|")] for line in text.splitlines() if "`" in line]


def test_a_scheme_has_its_narrowest_fastest_smallest_core(measurement):
    points = [
        measurement("fast-brw-1", interval=436),
        measurement("fast-brw-1s", interval=257),
        measurement("fast-brw-1s", interval=100, changed={"sbox": "norm"}),
        measurement("fast-brw-2s", interval=130),
        measurement("xts-enc", interval=200),
        measurement("xts-both", interval=256),
        measurement("scream", "ecp5", interval=5),
    ]
    shown = rows(choosing.schemes(points))
    assert [(row[0], row[2], row[3]) for row in shown] == [
        ("XTS", "`xts-both`", "128"),
        ("FAST", "`fast-brw-1s`", "128"),
    ]
    points.append(replace(points[1], figures=replace(points[1].found, area=1, interval=257)))
    assert rows(choosing.schemes(points))[1][4] == "1"


def test_every_scheme_says_what_it_is_for_and_has_a_row():
    assert all(scheme.purpose for scheme in catalog.SCHEMES.values())
    shown = rows(choosing.schemes(load(COMMITTED)))
    assert {row[0] for row in shown} == {name.replace("_", "-").upper() for name in catalog.SCHEMES}


def test_lanes_have_ratios_to_the_first_and_no_broken_scheme(measurement):
    one, two = measurement("hctr2-1s", lcs=10000, interval=256), measurement("hctr2-2s", lcs=15000, interval=128)
    gates = measurement("hctr2-2s", "nangate45", changed={"sbox": "composite"}, mhz=900, interval=128)
    shown = rows(choosing.lanes([one, two, gates, measurement("xcb-1s", interval=256)]))
    assert [row[:6] for row in shown] == [
        ["hctr2", "`hctr2-1s`", "128", "128", "10,000", "1.00"],
        ["hctr2", "`hctr2-2s`", "256", "256", "15,000", "1.50"],
    ]
    assert shown[1][-3:] == ["70.2", "900", "230.4"] and shown[0][-3:] == ["-", "-", "-"]


def test_the_documents_are_todays(tmp_path):
    """`make docs` was run after the last change of the store or of a cycle contract."""
    readme, page = (shutil.copy(ROOT / name, tmp_path) for name in ("README.md", "docs/choosing.md"))
    points = load(COMMITTED)
    assert not insert_all(Path(readme), {"schemes": choosing.schemes(points)})
    assert not insert_all(Path(page), choosing.bodies(points))
