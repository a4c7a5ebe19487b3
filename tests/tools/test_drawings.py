# SPDX-License-Identifier: Apache-2.0
"""Plots of the documents: their words, and those that are old."""

import pytest

from tools import drawings
from wideblock.evaluate.tables import NOTHING

pytestmark = pytest.mark.shows("evaluation")


@pytest.mark.wants("vl-convert-python")
def test_a_drawing_has_its_words(measurement, tmp_path):
    routed = measurement("fast-brw-2", "ecp5")
    points = [measurement("fast-brw-2", lcs=2000), measurement("xcb-2", lcs=9000), routed]
    points += [measurement(name, "nangate45", mhz=mhz) for name, mhz in (("xts-enc", 1000), ("fast-brw-2", 900))]
    drawings.renew(tmp_path, points)
    found = drawings.drawings(points)
    assert found.keys() == {"xc7", "nangate45"} and "fast-brw-2 2,000, 254" in found["xc7"].caption
    assert drawings.image(points) == f"![{found['xc7'].title}. {found['xc7'].caption}](throughput-xc7.svg)\n"
    svg = (tmp_path / "throughput-xc7.svg").read_text()
    assert f"<desc>{found['xc7'].caption}</desc>" in svg and svg.startswith("<svg ") and 'role="img"' in svg
    assert drawings.faults(tmp_path, points) == []
    beaten = measurement("xcb-2", lcs=9001)  # in no word of the plot
    assert drawings.drawings([points[0], beaten])["xc7"].caption == found["xc7"].caption
    assert drawings.faults(tmp_path, [points[0], beaten, *points[2:]]) == ["throughput-xc7.svg"]
    assert drawings.faults(tmp_path, [routed]) == ["throughput-nangate45.svg", "throughput-xc7.svg"]
    drawings.renew(tmp_path, [routed])
    assert drawings.image([routed]) == NOTHING and [*tmp_path.iterdir()] == []
    assert drawings.faults(tmp_path, points) == ["throughput-nangate45.svg", "throughput-xc7.svg"]
