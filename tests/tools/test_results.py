# SPDX-License-Identifier: Apache-2.0
"""Results reach the documents by machine, between their markers."""

from dataclasses import replace

import pytest

from tools.markers import insert, insert_all
from tools.results import RANKING, bodies, overview, rank
from wideblock.evaluate import best
from wideblock.evaluate.tables import NOTHING

pytestmark = pytest.mark.shows("synthesis")

BEGIN, END = "<!-- cores: begin -->", "<!-- cores: end -->"


@pytest.fixture
def document(tmp_path):
    page, empty = tmp_path / "results.md", "<!-- {0}: begin -->\n<!-- {0}: end -->\n"
    page.write_text(f"{empty.format('best')}{empty.format('ratios')}before\n{BEGIN}\nold\n{END}\nafter\n")
    return page


def test_renew_replaces_only_what_stands_between_the_markers(document, measurement):
    points = [measurement("fast-brw-2"), measurement("fast-brw-2", "ecp5")]
    assert insert_all(document, bodies(points))
    text = document.read_text()
    assert f"before\n{BEGIN}\n|" in text and text.endswith(f"{END}\nafter\n") and "old" not in text
    assert "| 319 | 12,345 | 23,456 | 123 | 31.3 | 3,456 | 0 | 7.5 |" in text and "nextpnr 0" in text
    assert "| ECP5 | fast | recommended | fast-brw-2 |" in text
    assert not insert_all(document, bodies(points))
    assert [p.name for p in document.parent.iterdir()] == ["results.md"]


@pytest.mark.parametrize("text", ["none", f"{END}{BEGIN}", f"{BEGIN}{BEGIN}{END}"])
def test_document_without_markers_is_left_alone(tmp_path, text):
    document = tmp_path / "R.md"
    document.write_text(text)
    with pytest.raises(ValueError, match="must have"):
        insert(document, "cores", "new")
    assert document.read_text() == text


def test_a_table_without_results_is_a_sentence():
    assert bodies([]) == dict.fromkeys(("best", "cores", "ratios"), NOTHING)


def test_the_overview_has_the_best_build_of_each_core_and_shape(measurement):
    builds = ({"sbox": "norm"}, 100, 30000), ({"sbox": "composite"}, 90, 20000), ({"sector_bytes": 512}, 300, 9000)
    points = [measurement("fast-brw-2", "ecp5", changed=changed, mhz=mhz) for changed, mhz, _ in builds]
    areas = [area for _, _, area in builds]
    points = [replace(p, figures=replace(p.found, area=area)) for p, area in zip(points, areas, strict=True)]
    head, rows = overview(
        [*points, measurement("xts-enc", "nangate45"), measurement("hbrw-31", changed={"sbox": "lut"})]
    )
    assert len(head) == len({*head}) + 2 and head[4:8] == ("7 series, LC", "ECP5, LUT4", "MHz", "Gb/s")
    counts = "3,456", "0", "7.5"
    assert rows == [
        ("fast-brw-2", "4,096", "129", "319", "-", "20,000", "90", "22.9", "-", "-", "-", *counts),
        ("fast-brw-2 sector_bytes=512", "4,096", "129", "319", "-", "9,000", "300", "76.2", "-", "-", "-", *counts),
        ("hbrw-31", "4,096", "129", "-", "12,345", *["-"] * 6, *counts),
        ("xts-enc", "4,096", "129", *["-"] * 5, "70.2", "123", "31.3", *counts),
    ]


def test_schemes_are_ranked_by_their_best_core_on_each_device(measurement):
    points = [
        measurement("fast-brw-2", "ecp5", mhz=100),
        measurement("fast-brw-1s", "ecp5", mhz=120),
        measurement("xcb-1s", "ecp5", mhz=130),
        measurement("xcb-1s", "xc7"),
        measurement("aes128-pec", "ecp5", mhz=200),
    ]
    cells = [dict(zip(RANKING, rank(point), strict=True)) for point in best.of_schemes(points)]
    assert [(c["device"], c["core"], c["status"]) for c in cells] == [
        ("7 series", "xcb-1s", "broken"),
        ("ECP5", "xcb-1s", "broken"),
        ("ECP5", "fast-brw-1s", "recommended"),
    ]
    assert [c["block RAM"] for c in cells] == ["7.5"] * 3
    rate = 4096 * 8 / 129
    assert (cells[0]["throughput"], cells[0]["for its area"]) == (
        f"{rate:.1f} bits a cycle",
        f"{rate / 12.345:.3g} bits a cycle a kLC",
    )
    assert cells[2]["for its area"] == f"{rate * 120 / 23456:.3g} Mb/s a LUT4"


def test_clocks_beside_aes_are_of_the_best_core_of_each_scheme(measurement):
    made = {"sbox": "norm", "round_stages": 1}
    names = (("xts-enc", 100), ("xts-2", 120), ("aes128-pec", 100))
    points = [measurement(name, "ecp5", changed=made, parameters=made, mhz=mhz) for name, mhz in names]
    text = bodies(points)["ratios"]
    assert "| xts-2 sbox=norm" in text and "xts-enc" not in text
    assert bodies(points[:2])["ratios"] == NOTHING
