# SPDX-License-Identifier: Apache-2.0
import json

import pytest

from wideblock.evaluate.compare import compare
from wideblock.evaluate.result import load, load_all, result, save
from wideblock.synth.place import ClockReport, CriticalPath
from wideblock.synth.targets import target
from wideblock.synth.yosys import AreaReport

pytestmark = pytest.mark.shows("synthesis")

TOOLS = ("Yosys 0.70", "nextpnr 0.11")


def area(name="ecp5", *, lcs=None, luts=50000, block_rams=0.0):
    return AreaReport(
        target=name,
        top="core",
        lcs=lcs,
        luts=luts,
        ffs=9000,
        wide_muxes=0,
        lutram=0,
        shift_registers=0,
        block_rams=block_rams,
        dsps=0,
        cells={"LUT4": luts},
        tool=TOOLS[0],
        command="synth -top core",
    )


def clock(mhz=150.0):
    return ClockReport(
        target="ecp5",
        part=target("ecp5").part,
        top="core",
        mhz=mhz,
        target_mhz=200,
        seed=1,
        path=CriticalPath("a", "b", 1.0, 2.0, 4),
        luts=1,
        ffs=1,
        harness_luts=1,
        harness_ffs=1,
        utilisation={"TRELLIS_FF": (2, 83640)},
        tools=TOOLS,
        command="x",
    )


def test_round_trip(tmp_path):
    r = result("fast-brw-2", target("ecp5"), area(), clock(), parameters={"lanes": 2}, bytes=4096, interval=319)
    assert r.gbps == pytest.approx(4096 * 8 / 319 * 0.150, abs=1e-3)
    path = tmp_path / "docs" / "r.json"
    save(r, path)
    assert load(path) == r
    first = path.read_bytes()
    save(load(path), path)
    assert path.read_bytes() == first
    assert [p.name for p in path.parent.iterdir()] == ["r.json"]
    assert load_all(path.parent) == [r]
    with pytest.raises(NotADirectoryError, match="nowhere is no directory of measured results"):
        load_all(tmp_path / "nowhere")


def test_a_failed_save_leaves_the_old_file(tmp_path):
    path = tmp_path / "r.json"
    save(result("a", target("ecp5"), area()), path)
    before = path.read_bytes()
    with pytest.raises(TypeError):
        save(result("a", target("ecp5"), area(), parameters={"sbox": object()}), path)
    broken = tmp_path / "directory.json"
    broken.mkdir()
    with pytest.raises(OSError):
        save(result("a", target("ecp5"), area()), broken)
    assert path.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["directory.json", "r.json"]


@pytest.mark.parametrize(
    "text, reason",
    [
        ("{", "no JSON"),
        ("[]", "no result of schema"),
        ('{"schema": "other"}', "but 'other'"),
        ('{"schema": "wideblock-synth-2"}', "does not have the fields"),
    ],
)
def test_load_says_what_is_wrong(tmp_path, text, reason):
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(ValueError, match=reason):
        load(tmp_path / "r.json")


def test_load_refuses_other_fields(tmp_path):
    path = tmp_path / "r.json"
    save(result("a", target("ecp5"), area()), path)
    content = json.loads(path.read_text())
    content["area"]["acres"] = 3
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match="acres"):
        load(path)


def test_reports_of_another_target():
    with pytest.raises(ValueError, match="for target 'ecp5', the result for 'xc7'"):
        result("a", target("xc7"), area())


def test_compare_never_divides_slices_by_lcs():
    ours = result("fast-brw-2", target("xc7"), area("xc7", lcs=20000, block_rams=4.0), bytes=4096, interval=280)
    rows = compare(["fast-brw-2"], [ours])
    assert [row.published.family for row in rows] == ["Virtex-5", "Virtex-7"]
    for row in rows:
        assert row.area_ratio is None and row.cycles_ratio == 319 / 280
        assert str(row.area) == "20,000 LC (estimated by Yosys)"
        assert any("theirs in slices, ours in LC" in remark for remark in row.remarks)
        assert any("block RAMs: theirs 0, ours 4" in remark for remark in row.remarks)


def test_compare_divides_what_was_measured_alike():
    ours = result("aes128-pec", target("xc7"), area("xc7", lcs=8400), bytes=16, interval=1)
    ratios = {(row.published.design, row.published.family): row.area_ratio for row in compare(["aes128-pec"], [ours])}
    assert ratios["freecores/tiny_aes: AES-128 encryption", "7 series"] == 8400 / 10633
    assert ratios["AES-PEC", "Virtex-5"] is None
    assert ratios["freecores/tiny_aes: AES-128 encryption", "ECP5"] is None


def test_compare_other_sector_and_other_device():
    ours = result("fast-brw-2", target("ecp5"), area(), clock(), bytes=512, interval=40)
    row = compare(["fast-brw-2"], [ours])[0]
    assert row.interval is None and row.cycles_ratio is None
    assert any("theirs processes 4096 bytes, ours 512" in remark for remark in row.remarks)
    assert any("clock: theirs on xc5vlx330t-2ff1738, ours on LFE5UM5G-85F" in remark for remark in row.remarks)


def test_compare_without_results():
    row = compare(["fast-brw-1"])[0]
    assert (row.cycles, row.interval, row.area, row.mhz) == (436, 436, None, None)
    assert compare(["xts-4"]) == []
    with pytest.raises(ValueError, match="unknown preset 'unpublished'"):
        compare(["unpublished"])
