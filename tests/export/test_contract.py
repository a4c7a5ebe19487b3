# SPDX-License-Identifier: Apache-2.0
"""What a core says of itself."""

import json

import pytest

from wideblock import catalog
from wideblock.export.contract import MEANING, contract


@pytest.mark.parametrize("name", catalog.PRESETS)
def test_ports_are_axi4_stream_of_the_stated_width(name):
    core = contract(name)
    width = {port.name: port.width for port in core.ports}
    p = core.parameters
    units = {"s_axis_tkeep", "m_axis_tkeep", "fault of units"}
    keep = {"s_axis_tkeep", "m_axis_tkeep"} if p.scheme == "xts" else set()
    assert set(width) == set(MEANING) - units | keep
    assert all(width[name] == 16 * p.width for name in keep) and width["fault"] == (4 if keep else 2)
    assert ("direction" in {port.name: port for port in core.ports}["fault"].meaning(p.width)) == bool(keep)
    assert width["s_axis_tdata"] == width["m_axis_tdata"] == 128 * p.width
    assert width["s_axis_tuser"] == 129
    assert width["s_axis_key_tdata"] == core.key_bits == core.core.key_port_bits(p)
    inputs = {port.name for port in core.ports if port.direction == "input"}
    assert inputs == {
        "aclk", "aresetn", "s_axis_tdata", "s_axis_tuser", "s_axis_tvalid", "s_axis_tlast", "m_axis_tready",
        "s_axis_key_tdata", "s_axis_key_tvalid", "zeroize", *(keep - {"m_axis_tkeep"}),
    }  # fmt: skip


def test_json_is_plain_and_complete():
    value = contract("fast-brw-2s").json()
    assert json.loads(json.dumps(value)) == value
    wanted = "preset scheme lanes sector_bytes overlap key_bits stages round_stages timing ports security".split()
    assert set(wanted) <= set(value)
    assert {"compute", "latency", "interval", "setup"} <= set(value["timing"])
    assert value["stages"] == catalog.preset("fast-brw-2s").parameters.mult_stages


def test_changes_make_another_name_and_only_real_changes_count():
    own = catalog.preset("fast-brw-2s").parameters.key_bits
    assert contract("fast-brw-2s", {"key_bits": own}).module == "fast_brw_2s"
    assert contract("fast-brw-2s", {"key_bits": "256"}).module == "fast_brw_2s_key_bits_256"


@pytest.mark.parametrize(
    "name, changes, says",
    [
        ("fast-brw-99", {}, "one of fast-brw"),
        ("fast-brw-2s", {"lane": "2"}, "lane"),
        ("fast-brw-2s", {"sector_bytes": "100"}, "100"),
        ("fast-brw-2s", {"sector_bytes": "32"}, "got 2"),
        ("fast-brw-2s", {"lanes": "two"}, "two"),
        ("fast-brw-2s", {"key_bits": "192"}, "192"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(name, changes, says):
    with pytest.raises(ValueError, match=says) as caught:
        contract(name, changes)
    assert "\n" not in str(caught.value)
