# SPDX-License-Identifier: Apache-2.0
"""The best of measured points, and those that no other beats."""

from dataclasses import replace

import pytest
from typer.testing import CliRunner

from wideblock.cli import sweep as command
from wideblock.cli.app import app
from wideblock.evaluate.best import Objective, best, of_presets, pareto
from wideblock.evaluate.store import add
from wideblock.evaluate.sweep import Space

pytestmark = pytest.mark.shows("evaluation")


def test_the_pareto_set_has_no_point_that_another_beats(measurement):
    small, fast = measurement("fast-brw-2", "ecp5", mhz=90), measurement("fast-brw-2", "nangate45", mhz=900)
    worse = measurement("fast-brw-2", "ecp5", mhz=80)
    assert pareto([worse, small, fast]) == [fast]  # 70.25 is smaller than 23,456
    assert pareto([worse, small]) == [small]


def test_a_rate_without_a_clock_is_not_compared_with_one(measurement):
    routed = measurement("xts-enc", "ecp5", lcs=9000)
    plain = measurement("fast-brw-1s", "ecp5", lcs=9000, aim_mhz=None, seed=None)
    plain = replace(plain, figures=replace(plain.found, clock=None))
    assert of_presets([routed, plain]) == pareto([plain, routed]) == [routed]
    assert best([plain, routed], Objective.EFFICIENCY) == routed
    assert of_presets([plain]) == [plain]


def test_the_best_is_of_the_figure_asked_for(measurement):
    """On a target without a clock throughput is that of a cycle, and no point has a clock."""
    large, small = (measurement("aes128-pec", lcs=lcs, bytes=16, interval=n) for lcs, n in ((2000, 1), (700, 2)))
    found = {objective: best([large, small], objective) for objective in Objective}
    assert found == {
        Objective.EFFICIENCY: small,
        Objective.LUTS: large,
        Objective.THROUGHPUT: large,
        Objective.CLOCK: None,
    }
    assert Objective.LUTS.of(large.found) == 128 / 23456


def test_the_command_prints_the_best_of_what_is_stored(measurement, monkeypatch, tmp_path):
    """Of three seeds the median counts."""
    store, clocks = tmp_path / "points.jsonl", {"1": (90, 140, 100), "2": (110, 111, 30)}
    for identity in Space(("xts-enc",), ("ecp5",), {"round_stages": ("1", "2")}, (1, 2, 3)).points():
        mhz = clocks[str(identity.parameters["round_stages"])][(identity.seed or 1) - 1]
        add(store, replace(measurement("xts-enc", "ecp5", mhz=mhz), identity=identity))
    monkeypatch.setattr(command, "open_points", lambda points, store, **options: [])
    about = ["sweep", "xts-enc", "--target", "ecp5", "--set", "round_stages=1,2", "--seeds", "3", "--store", str(store)]
    done = CliRunner().invoke(app, [*about, "--best", "clock"])
    assert done.exit_code == 0, done.output
    assert "best clock on ecp5: xts-enc round_stages=2\n" in done.stdout and "Pareto set of 2 points" in done.stdout
    refused = CliRunner().invoke(app, [*about, "--best", "clock", "--json"])
    assert (
        refused.exit_code == 1
        and refused.stderr == "wideblock: --best is printed as tables; leave out --csv and --json\n"
    )


def test_a_point_that_failed_before_is_said_at_the_end(measurement, monkeypatch, tmp_path):
    store = tmp_path / "points.jsonl"
    for identity in Space(("xts-enc",), ("ecp5",), {}, (1, 2)).points():
        failed = measurement("xts-enc", "ecp5", failed="no room" if identity.seed == 2 else None)
        add(store, replace(failed, identity=identity))
    monkeypatch.setattr(command, "open_points", lambda points, store, **options: [])
    about = ["sweep", "xts-enc", "--target", "ecp5", "--seeds", "2", "--store", str(store)]
    done = CliRunner().invoke(app, about)
    assert done.exit_code == 1
    assert "0 measured, 0 failed, 2 stored before" in done.stdout and "; --retry measures" in done.stdout
    assert len(CliRunner().invoke(app, [*about, "--csv"]).stdout.splitlines()) == 2
