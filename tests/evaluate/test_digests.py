# SPDX-License-Identifier: Apache-2.0
"""Points that were measured on other circuits than today's are marked where a command shows them."""

from dataclasses import replace

import pytest

from wideblock.evaluate import digests
from wideblock.evaluate.compare import compare
from wideblock.evaluate.digests import of_today, older
from wideblock.evaluate.point import Origin
from wideblock.evaluate.ratios import ratios
from wideblock.evaluate.ratios import row as ratio_row
from wideblock.evaluate.report import entries, throughput
from wideblock.evaluate.tables import row, section
from wideblock.export.contract import contract
from wideblock.synth.targets import target

pytestmark = pytest.mark.shows("evaluation")

COMMIT = "0123456789ab"
MARK = " (0123456)"


def test_a_point_is_todays_by_its_digest_or_by_the_code_that_measured_it(measurement, monkeypatch):
    monkeypatch.setattr(digests, "code", lambda: ("1", COMMIT))
    point = measurement("xts-enc", commit="b83817cd8d90")
    assert older(point) == ""
    for circuit in ("other", None):
        changed = replace(point, identity=replace(point.identity, circuit=circuit))
        assert older(changed) == " (b83817c)"
        assert older(replace(changed, identity=replace(changed.identity, commit=None))) == " (earlier)"
        assert older(replace(changed, identity=replace(changed.identity, version="1", commit=COMMIT))) == ""
    monkeypatch.setattr(digests, "code", lambda: ("1", f"{COMMIT}-dirty"))
    dirty = measurement("xts-enc", version="1", commit=f"{COMMIT}-dirty", circuit="other")
    assert older(dirty) == MARK
    others = replace(dirty.identity, origin=Origin("github.com/a/b", "1", "MIT", "t"))
    assert older(replace(dirty, identity=others)) == ""


def test_documents_have_the_points_whose_circuit_is_in_the_list(measurement):
    points = [measurement("xts-enc", circuit=circuit) for circuit in ("today", "other", None)]
    assert of_today(points) == points[:1]


def test_the_mark_is_wherever_a_point_is_shown(measurement):
    made = {"sbox": "norm"}
    known = {"changed": made, "parameters": {"sbox": "norm", "round_stages": 1}, "commit": COMMIT, "circuit": "other"}
    core, aes = (measurement(name, "ecp5", **known) for name in ("xts-enc", "aes128-pec"))
    points = [core, aes]
    (ratio,) = ratios(points)
    (shown,) = compare(["xts-enc"], [measurement("xts-enc", commit=COMMIT, circuit="other")])[:1]
    (entry,) = entries([core])
    assert any(cell.endswith(MARK) for cell in row(core))
    assert [cell for cell in ratio_row(ratio) if MARK in cell] == [f"123{MARK}", f"pec 123{MARK}"]
    assert shown.older == MARK and entry.older == MARK
    plot = throughput([entry, *entries([measurement("xts-both", "ecp5")])], target("ecp5"), 4096)
    assert plot and plot.caption.endswith(" Measured on other Verilog than today's: 1, marked in the tables.")


def test_a_datasheet_has_no_older_point(measurement):
    core = contract("xts-enc", {"sbox": "norm"})
    points = [
        measurement("xts-enc", "ecp5", changed=dict(core.changed), commit=COMMIT, circuit=circuit)
        for circuit in ("today", "other")
    ]
    assert section(core, points[1:]) == ""
    assert MARK not in section(core, points) and "LUT4: LUTs of four inputs" in section(core, points)
