# SPDX-License-Identifier: Apache-2.0
"""Coverage counts what the checks reach, and names what they do not: lines, bits of signals, crosses."""

from collections import Counter

import pytest

from wideblock.export.contract import contract
from wideblock.verify.coverage.covered import covered
from wideblock.verify.coverage.crosses import monitor
from wideblock.verify.coverage.points import CoveragePoint, points

pytestmark = pytest.mark.shows("mutation")

LINES = """\
# SystemC::Coverage-3
C '\x01f\x02source0.v\x01l\x02100\x01n\x029\x01t\x02toggle\x01page\x02v_toggle/top__core\x01o\x02order___05Fpayload__02efirst[3]:0->1\x01h\x02TOP.top.core' 0
C '\x01f\x02source0.v\x01l\x027\x01n\x029\x01t\x02branch\x01page\x02v_branch/top\x01o\x02if\x01S\x027-8\x01h\x02TOP.top' 12
C '\x01f\x02source1.v\x01l\x029\x01n\x021\x01t\x02user\x01page\x02v_user/top__crosses\x01o\x02cover\x01h\x02TOP.top.crosses' 3
"""  # noqa: E501


def test_points_are_read_as_verilator_writes_them(tmp_path):
    path = tmp_path / "coverage"
    path.write_text(LINES)
    assert list(points(path)) == [
        CoveragePoint("toggle", "source0.v", 100, "top__core", "order__payload.first[3]:0->1", 0),
        CoveragePoint("branch", "source0.v", 7, "top", "if", 12),
        CoveragePoint("user", "source1.v", 9, "top__crosses", "cover", 3),
    ]


ENGINE = ("xts-enc-k", {"registers": "axi4-lite", "slots": 4, "sector_bytes": 64})


@pytest.mark.parametrize(
    "core, events, states",
    [
        (("xts-enc", {}), {"word of s_axis accepted", "packet of s_axis accepted", "zeroize", "fault SHORT"}, 7),
        (("scream", {}), {"word of pdi accepted", "word of sdi accepted", "zeroize"}, 3),
        (ENGINE, {"LOAD written", "ZEROIZE written", "WINDOW_REQUEST.START written", "fault SLOT"}, 7),
    ],
)
def test_every_event_is_crossed_with_every_state(core, events, states):
    found = monitor(contract(*core))
    counts = Counter(event for event, _ in found.crosses.values())
    assert events <= counts.keys() and set(counts.values()) == {states}
    lines = found.text.splitlines()
    assert all(lines[line - 1].startswith("cover property") for line in found.crosses)
    assert sum(line.startswith("cover property") for line in lines) == len(found.crosses)


@pytest.mark.slow
def test_a_small_core_is_covered():
    found = covered(contract("scream", {"data_bytes": 48, "ad_bytes": 32}), sectors=16, seed=0)
    for hit, total in (found.lines, found.toggles):
        assert 0.97 * total <= hit <= total
    assert found.crosses["zeroize"]["output idle"] and found.crosses["word of pdi accepted"]["output stalled"]
    assert sum(each.missed for each in found.signals) == found.toggles[1] - found.toggles[0]
    assert sum(each.missed for each in found.places) == found.lines[1] - found.lines[0]
