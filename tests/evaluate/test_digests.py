# SPDX-License-Identifier: Apache-2.0
"""Points that were measured on other Verilog than today's are marked, wherever they are shown."""

from dataclasses import replace

import pytest

from wideblock.evaluate import best, digests
from wideblock.evaluate.compare import compare
from wideblock.evaluate.digests import NOTE, digest_of, older
from wideblock.evaluate.point import Origin
from wideblock.evaluate.ratios import ratios
from wideblock.evaluate.ratios import row as ratio_row
from wideblock.evaluate.report import entries, throughput
from wideblock.evaluate.store import COMMITTED, load, own
from wideblock.evaluate.tables import noted, overview, rank, row, section, summary
from wideblock.export.contract import contract
from wideblock.synth.targets import target

from ..variants import few_of_many

pytestmark = pytest.mark.shows("evaluation")

MEASURED = {point.name: point.identity for point in own(load(COMMITTED)) if point.figures}
FEW = ("scream", "xts-enc", "aes128-sdc sbox=norm")
COMMIT = "0123456789ab"
MARK = " (0123456)"


def test_a_point_is_todays_by_its_digest_or_by_the_code_that_measured_it(measurement, monkeypatch):
    monkeypatch.setattr(digests, "code", lambda: ("1", COMMIT))
    point = measurement("xts-enc", commit="b83817cd8d90")
    assert older(point) == ""
    for verilog in ("other", None):
        changed = replace(point, identity=replace(point.identity, verilog=verilog))
        assert older(changed) == " (b83817c)"
        assert older(replace(changed, identity=replace(changed.identity, commit=None))) == " (earlier)"
        assert older(replace(changed, identity=replace(changed.identity, version="1", commit=COMMIT))) == ""
    monkeypatch.setattr(digests, "code", lambda: ("1", f"{COMMIT}-dirty"))
    dirty = measurement("xts-enc", version="1", commit=f"{COMMIT}-dirty", verilog="other")
    assert older(dirty) == MARK
    others = replace(dirty.identity, origin=Origin("github.com/a/b", "1", "MIT", "t"))
    assert older(replace(dirty, identity=others)) == ""


def test_the_mark_is_wherever_a_point_is_shown(measurement):
    made = {"sbox": "norm"}
    known = {"changed": made, "parameters": {"sbox": "norm", "round_stages": 1}, "commit": COMMIT, "verilog": "other"}
    core, aes = (measurement(name, "ecp5", **known) for name in ("xts-enc", "aes128-pec"))
    points = [core, aes]
    (ratio,) = ratios(points)
    (shown,) = compare(["xts-enc"], [measurement("xts-enc", commit=COMMIT, verilog="other")])[:1]
    (entry,) = entries([core])
    texts = [row(core), rank(*best.of_schemes(points)), *overview(points)[1], *summary(points)[1]]
    assert all(any(cell.endswith(MARK) for cell in text) for text in texts)
    assert [cell for cell in ratio_row(ratio) if MARK in cell] == [f"123{MARK}", f"pec 123{MARK}"]
    assert shown.older == MARK and entry.older == MARK
    core = contract("xts-enc", made)
    assert section(core, points).startswith(NOTE) and MARK in section(core, points)
    plot = throughput([entry, *entries([measurement("xts-both", "ecp5")])], target("ecp5"), entry.figures.bytes)
    assert plot and plot.caption.endswith(" Measured on other Verilog than today's: 1, marked in the tables.")
    assert "LUT4: LUTs of four inputs" in section(core, points)
    assert noted("table", points) == f"{NOTE}\ntable" and noted("table", [measurement("xts-enc")]) == "table"


def test_every_measured_core_has_a_digest():
    """`make docs` was run after the last change of the store."""
    assert digests._committed().keys() == MEASURED.keys()


@pytest.mark.parametrize("name", few_of_many(sorted(MEASURED), FEW))
def test_digests_are_todays(name):
    """`make docs` was run after the last change of the hardware."""
    assert digests.today(name) == digest_of(MEASURED[name])
