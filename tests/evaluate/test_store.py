# SPDX-License-Identifier: Apache-2.0
"""The store of measured points: what goes in comes out, and nothing is lost."""

import errno
import json
import os
import subprocess
import sys

import pytest

from wideblock.errors import UserError
from wideblock.evaluate import store
from wideblock.evaluate.point import from_json
from wideblock.evaluate.store import COMMITTED, add, current, load, medians, typical
from wideblock.evaluate.sweep import open_points

pytestmark = pytest.mark.shows("evaluation")


def test_what_goes_in_comes_out(tmp_path, measurement):
    points = [
        measurement("fast-brw-2"),
        measurement("fast-brw-2", "ecp5", options=("-nowidelut",), changed={"sbox": "norm"}),
        measurement("fast-brw-2", "nangate45"),
        measurement("fast-brw-2s", "ecp5", failed="nextpnr-ecp5 failed: no place for a LUT"),
    ]
    path = tmp_path / "new" / "points.jsonl"
    for point in points:
        add(path, point)
    assert load(path) == points
    assert [point.json() for point in load(path)] == path.read_text().splitlines()


def test_the_points_of_the_package_can_be_read():
    points = load(COMMITTED)
    assert len(points) > 40 and all(point.found.area > 0 for point in typical(points))


def test_a_missing_store(tmp_path):
    assert load(tmp_path / "none", missing_ok=True) == []
    with pytest.raises(FileNotFoundError, match="none"):
        load(tmp_path / "none")


@pytest.mark.parametrize("path", ["/dev/zero", "/"])
def test_what_is_no_file_is_no_store(path):
    with pytest.raises(UserError, match=f"^{path} is no regular file; a store of measured points is one$"):
        load(path, missing_ok=True)


@pytest.mark.parametrize(
    "change, reason",
    [
        (lambda c: "{", "Expecting"),
        (lambda c: b"\xff\n", "utf-8"),
        (lambda c: [], "list indices"),
        (lambda c: {k: v for k, v in c.items() if k != "identity"}, "'identity' is missing"),
        (lambda c: c | {"mood": 1}, "fields"),
        (lambda c: c | {"figures": None}, "figures or a failure"),
        (lambda c: c | {"figures": c["figures"] | {"area": -1}}, "area must be positive, got -1"),
        (lambda c: c | {"figures": c["figures"] | {"area": "much"}}, "'>' not supported"),
        (lambda c: c | {"identity": c["identity"] | {"mood": 1}}, "mood"),
    ],
)
def test_a_corrupt_line_is_named(tmp_path, measurement, change, reason):
    point = measurement("fast-brw-2")
    path = tmp_path / "points.jsonl"
    add(path, point)
    bad = change(json.loads(point.json()))
    bad = bad if isinstance(bad, bytes) else (bad if isinstance(bad, str) else json.dumps(bad)).encode() + b"\n"
    path.write_bytes(path.read_bytes() + bad)
    with pytest.raises(UserError, match=reason) as error:
        load(path)
    assert f"{path}, line 2 is no measured point: " in str(error.value) and "\n" not in str(error.value)


def test_a_last_line_without_its_end_is_kept(tmp_path, measurement):
    path = tmp_path / "points.jsonl"
    first, second = measurement("fast-brw-2"), measurement("fast-brw-2s")
    path.write_text(first.json())
    add(path, second)
    assert load(path) == [first, second]


def test_a_full_disk_leaves_the_store_as_it_was(tmp_path, measurement, monkeypatch):
    path = tmp_path / "points.jsonl"
    add(path, measurement("fast-brw-2"))
    before = path.read_bytes()

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(store.os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as error:
        add(path, measurement("fast-brw-2s"))
    assert error.value.filename == str(path)
    assert path.read_bytes() == before


WRITER = """
import sys
from wideblock.evaluate.point import from_json
from wideblock.evaluate.store import add
for seed in range(100):
    add(sys.argv[2], from_json(sys.argv[1].replace('"seed":1,', '"seed":%d,' % seed)))
"""


def test_two_writers_lose_nothing(tmp_path, measurement):
    path = tmp_path / "points.jsonl"
    names = "fast-brw-2", "fast-brw-2s"
    lines = [measurement(name, "ecp5").json() for name in names]
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, line, path]) for line in lines]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0]
    seen = {(point.name, point.identity.seed) for point in load(path)}
    assert seen == {(name, seed) for name in names for seed in range(100)} and len(load(path)) == 200


def test_current_has_the_newest_of_each_point(measurement):
    old, new = (measurement("fast-brw-2", "ecp5", mhz=mhz, commit=commit) for mhz, commit in ((100, "a"), (110, "b")))
    other, failed = measurement("fast-brw-2", "ecp5", seed=2), measurement("fast-brw-2", "ecp5", failed="no")
    assert current([old, other, new]) == [new, other]
    assert current([old, failed]) == [old]
    assert current([failed, new]) == [new]


def test_seeds_of_an_older_netlist_do_not_count(tmp_path, measurement):
    old = [measurement("xts-enc", "ecp5", seed=seed, mhz=50, verilog="a" * 16) for seed in (1, 2)]
    new = measurement("xts-enc", "ecp5", seed=1, mhz=90, verilog="b" * 16)
    assert current([*old, new]) == [new] and medians([*old, new]) == [new]
    path = tmp_path / "points.jsonl"
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
        assert typical([*first, later]) == [later] and from_json(later.json()) == later
    assert typical([later, *first])[0].found.clock.mhz == 120
    assert typical([measurement("fast-brw-2", failed="no")]) == []


def test_figures_that_follow(measurement):
    found = measurement("fast-brw-2", "ecp5", mhz=100).found
    assert found.gbps == pytest.approx(4096 * 8 / 129 * 0.1)
    assert found.mbps_per_area == pytest.approx(1000 * found.gbps / 23456)
    assert found.latency_ns == pytest.approx(4000)
    assert from_json(measurement("fast-brw-2").json()).found.gbps is None
