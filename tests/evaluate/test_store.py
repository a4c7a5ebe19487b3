# SPDX-License-Identifier: Apache-2.0
"""Measured points in the store of evidence: what goes in comes out; the newest, the medians, the typical ones."""

import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

from wideblock.errors import UserError
from wideblock.evaluate.point import Point, point_of
from wideblock.evaluate.store import COMMITTED, add, current, load, medians, own, typical
from wideblock.evaluate.sweep import open_points
from wideblock.evidence import store
from wideblock.evidence.record import EvidenceKind

pytestmark = pytest.mark.shows("evaluation")


def test_what_goes_in_comes_out(tmp_path, measurement):
    points = [
        measurement("fast-brw-2"),
        measurement("fast-brw-2", "ecp5", options=("-nowidelut",), changed={"sbox": "norm"}),
        replace(measurement("fast-brw-2", "nangate45"), date="2026-01-02"),
        measurement("fast-brw-2s", "ecp5", failed="nextpnr-ecp5 failed: no place for a LUT"),
    ]
    path = tmp_path / "new" / "evidence.jsonl"
    for point in points:
        add(path, point)
    assert load(path) == points
    kinds = [EvidenceKind.AREA, *[EvidenceKind.CLOCK] * 3]
    assert [evidence.kind for evidence in store.load(path)] == kinds
    store.add(path, replace(points[0].evidence, kind=EvidenceKind.PROOF, method={"netlist": None}))
    assert load(path) == points


def test_the_points_of_the_package_can_be_read():
    points = load(COMMITTED)
    assert len(points) > 40 and all(point.found.area > 0 for point in typical(points))


def test_areas_beside_the_papers_cores_are_those_of_the_store():
    """Section 12 of docs/authenticated-ciphers.md, and the areas of the core with words of 32 bits."""
    page = (Path(__file__).parents[2] / "docs/authenticated-ciphers.md").read_text()
    measured = {p.name: p.found for p in typical(own(load(COMMITTED))) if p.identity.target == "xc7"}
    for name, title in (("scream", "SCREAM (SCREAM"), ("aes-gcm", "AES-GCM (AEZ slides)")):
        found = measured[name]
        row = next(line for line in page.splitlines() if line.startswith(f"| {title}"))
        assert row.endswith(f" | {found.area:,.0f} | {found.luts:,} | {found.block_rams} |"), name
    for name, words in (("aez5-32", "The core has {} LC on 7 series"), ("aez41", "`aez41` has {} LC")):
        assert words.format(f"{measured[name].area:,.0f}") in page, name
    for name, ram in (("xts-enc", 12172), ("xts-dec", 14152)):
        assert f"{measured[name].luts:,} for {ram:,} and" in page, name


def test_xilinx_families_give_a_core_the_same_area_within_two_per_cent():
    """As docs/evaluation.md says of Virtex-5, Virtex-6 and 7 series."""
    families = {"xc5v", "xc6v", "xc7"}
    of_circuit = defaultdict[str, dict[str, Point]](dict)
    for point in own(current(load(COMMITTED))):
        core = point.identity
        if core.target in families and core.circuit and point.figures and not core.options:
            of_circuit[f"{core.name} {core.circuit}"][core.target] = point
    compared = [list(each.values()) for each in of_circuit.values() if len(each) > 1]
    assert len(compared) >= 20
    for points in compared:
        areas = [point.found.area for point in points]
        memories = any(point.found.lutram or point.found.block_rams for point in points)
        assert max(areas) <= (1.02 if memories else 1) * min(areas), points[0].name


@pytest.mark.parametrize(
    "change, reason",
    [
        ({"result": {"reason": "no"}}, "unexpected keyword argument 'reason'|'clock' is missing"),
        ({"method": {}}, "a result of kind area needs aim_mhz, options, origin, route_options, seed"),
        ({"area": -1}, "area must be positive, got -1"),
        ({"area": "much"}, "area must be a number, got 'much'"),
        ({"interval": "129"}, "interval must be a number, got '129'"),
        ({"subject": "ice40"}, "there is no target 'ice40'; there are xc5v"),
    ],
)
def test_an_area_that_is_no_point_is_named(tmp_path, measurement, change, reason):
    path = tmp_path / "evidence.jsonl"
    point = measurement("fast-brw-2")
    whole = change.keys() & {"result", "method", "subject"}
    fields = change if whole else {"result": dict(point.evidence.result) | change}
    add(path, point)
    store.add(path, replace(point.evidence, **fields))
    with pytest.raises(UserError, match=reason) as error:
        load(path)
    assert re.match(rf"{path}, line 2 is no (measured point|evidence of this version): [^\n]*$", str(error.value))


def test_current_has_the_newest_of_each_point(measurement):
    old, new = (measurement("fast-brw-2", "ecp5", mhz=mhz, commit=commit) for mhz, commit in ((100, "a"), (110, "b")))
    other, failed = measurement("fast-brw-2", "ecp5", seed=2), measurement("fast-brw-2", "ecp5", failed="no")
    assert current([old, other, new]) == [new, other]
    assert current([old, failed]) == [old]
    assert current([failed, new]) == [new]


def test_seeds_of_an_older_netlist_do_not_count(tmp_path, measurement):
    old = [measurement("xts-enc", "ecp5", seed=seed, mhz=50, circuit="a" * 16) for seed in (1, 2)]
    new = measurement("xts-enc", "ecp5", seed=1, mhz=90, circuit="b" * 16)
    assert current([*old, new]) == [new] and medians([*old, new]) == [new]
    path = tmp_path / "evidence.jsonl"
    for point in (*old, new):
        add(path, point)
    assert open_points([point.identity for point in old], path) == [old[1].identity]


def test_typical_is_the_median_of_the_last_flow(measurement):
    first = [measurement("fast-brw-2", "ecp5", seed=seed, mhz=mhz) for seed, mhz in ((1, 150), (2, 90), (3, 120))]
    assert [point.found.clock.mhz for point in typical(first)] == [120]
    assert [point.found.clock.mhz for point in typical(first[:2])] == [90]
    slower, faster = (measurement("fast-brw-2", "ecp5", mhz=mhz, aim_mhz=mhz) for mhz in (110.0, 130.0))
    assert typical([*first, slower]) == [first[2]] and typical([faster, *first]) == [faster]
    assert medians([*first, slower, faster, first[0]]) == [slower, faster, first[2]]
    for other in ({"options": ("-abc9",)}, {"route_options": ("--tmg-ripup",)}):
        later = measurement("fast-brw-2", "ecp5", mhz=60, **other)
        assert typical([*first, later]) == [later] and point_of(later.evidence) == later
    assert typical([later, *first])[0].found.clock.mhz == 120
    assert typical([measurement("fast-brw-2", failed="no")]) == []


def test_figures_that_follow(measurement):
    found = measurement("fast-brw-2", "ecp5", mhz=100).found
    assert found.gbps == pytest.approx(4096 * 8 / 129 * 0.1)
    assert found.mbps_per_area == pytest.approx(1000 * found.gbps / 23456)
    assert found.latency_ns == pytest.approx(4000)
    assert point_of(measurement("fast-brw-2").evidence).found.gbps is None
