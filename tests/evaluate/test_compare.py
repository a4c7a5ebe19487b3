# SPDX-License-Identifier: Apache-2.0
"""Published rows beside ours."""

import pytest

from wideblock import catalog
from wideblock.evaluate.compare import compare, records

pytestmark = pytest.mark.shows("synthesis")


def test_compare_never_divides_slices_by_lcs(measurement):
    ours = measurement("fast-brw-2", lcs=20000, block_rams=4.0, interval=280)
    rows = compare(["fast-brw-2"], [ours])
    assert [row.published.family for row in rows] == ["Virtex-5", "Virtex-7"]
    for row in rows:
        assert row.area_ratio is None and row.cycles_ratio == 308 / 280  # theirs makes tau in each sector, in 11 cycles
        assert str(row.area) == "20,000 LC (estimated by Yosys)"
        assert any("theirs in slices, ours in LC" in remark for remark in row.remarks)
        assert any("block RAMs: theirs 0, ours 4" in remark for remark in row.remarks)


def test_compare_divides_what_was_measured_alike(measurement):
    ours = measurement("aes128-pec", lcs=8400, bytes=16, interval=1)
    ratios = {(row.published.design, row.published.family): row.area_ratio for row in compare(["aes128-pec"], [ours])}
    assert ratios["freecores/tiny_aes: AES-128 encryption", "7 series"] == 8400 / 10633
    assert ratios["AES-PEC", "Virtex-5"] is None
    assert ratios["freecores/tiny_aes: AES-128 encryption", "ECP5"] is None


def test_compare_other_sector_and_other_device(measurement):
    row = compare(["fast-brw-2"], [measurement("fast-brw-2", "ecp5", bytes=512, interval=40)])[0]
    assert row.interval is None and row.cycles_ratio is None
    assert any("theirs processes 4096 bytes, ours 512" in remark for remark in row.remarks)
    assert any("clock: theirs on xc5vlx330t-2ff1738, ours on LFE5UM5G-85F" in remark for remark in row.remarks)


def test_compare_has_the_median_of_the_seeds_once(measurement):
    points = [measurement("fast-brw-2", "ecp5", seed=seed, mhz=mhz) for seed, mhz in enumerate((150, 90, 120))]
    assert [row.mhz for row in compare(["fast-brw-2"], points)] == [120, 120]  # two published rows


def test_compare_shows_a_preset_that_nobody_published(measurement):
    """Each of its points, or the core as stated if it was not measured."""
    (stated,) = compare(["xts-4"])
    assert (stated.published, stated.cycles, stated.area, stated.cycles_ratio) == (None, 65, None, None)
    rows = compare(["xts-4"], [measurement("xts-4"), measurement("xts-4", "ecp5", mhz=100, circuit="other")])
    assert [(row.part and row.part[:6], row.mhz, row.remarks) for row in rows] == [
        ("LFE5UM", 100, ("no published row",)),
        ("7 seri", None, ("no published row",)),
    ]
    assert [row.older for row in rows] == [" (earlier)", ""]
    assert {row.preset for row in compare()} >= {*catalog.PRESETS, *catalog.PARTS}


def test_a_row_of_ours_has_its_memories_and_the_remarks_on_all_rows_beside_it(measurement):
    rows = compare(["fast-brw-2"], [measurement("fast-brw-2", block_rams=4.0)])
    *theirs, ours = records(rows)
    assert (ours["ffs"], ours["block_rams"]) == (3456, 4.0) and {row["block_rams"] for row in theirs} == {0}
    said = {remark for row in rows for remark in row.remarks}
    assert {*ours["remarks"].split("; ")} | {row["remarks"] for row in theirs if row["remarks"]} == said
    (alone,) = records(compare(["xts-4"]))
    assert (alone["by"], alone["ffs"], alone["remarks"]) == ("ours alone", None, "no published row")


def test_compare_without_points():
    row = compare(["fast-brw-1"])[0]
    assert (row.cycles, row.interval, row.area, row.mhz) == (436, 436, None, None)
    with pytest.raises(ValueError, match="unknown preset or part 'unpublished'"):
        compare(["unpublished"])


def test_rows_have_the_papers_metrics(measurement):
    theirs, ours = records(compare(["hmch-brw-3"], [measurement("hmch-brw-3", bytes=512, interval=79)]))
    assert (theirs["ns"], theirs["per_area_second"]) == (358.160, 456.814)
    assert theirs["resources"] == "1 AES-PEC, 1 AES-SDC, SOF"
    assert ours["bits_per_kilo"] == pytest.approx(8 * 512 / 79 / 12.345) and ours["per_area_second"] is None
    assert ours["bits_per_kilo_ram"] == pytest.approx(8 * 512 / 79 / (12.345 + 7.5 * 0.512))
    clocked = records(compare(["hmch-brw-3"], [measurement("hmch-brw-3", "ecp5", bytes=512, interval=79, mhz=100)]))[1]
    assert clocked["ns"] == 790 and clocked["mbps_per_area"] == pytest.approx(1000 * clocked["gbps"] / clocked["LUT4"])
    (xts, *_) = records(compare(["xts-enc"]))
    assert (xts["mbps_per_area_ram"], xts["lut_ff_pairs"], xts["iobs"]) == (4.641, 12458, 418)


def test_formulas_of_a_paper_stand_beside_ours():
    rows = [row for row in records(compare(["poet"])) if row["ten_blocks"]]
    assert [(row["by"], row["key_setup"], row["ten_blocks"]) for row in rows] == [
        ("paper", 50, 159),
        ("ours", 50, 187),
    ]
    assert "words of the interface" in rows[1]["remarks"]
