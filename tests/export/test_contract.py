# SPDX-License-Identifier: Apache-2.0
"""What a core says of itself."""

import gc
import json
import warnings
from pathlib import Path

import pytest
from amaranth.hdl import Elaboratable, UnusedElaboratable

from wideblock import catalog
from wideblock.catalog.kinds import AEAD, SECTOR
from wideblock.errors import UserError
from wideblock.export.contract import contract
from wideblock.export.sector import datasheet
from wideblock.rtl.stream.behaviour import Cause

from ..variants import few_of_many, over

SECTORS = [name for name, preset in catalog.PRESETS.items() if preset.scheme.kind is SECTOR]


@over("name", SECTORS)
def test_ports_are_axi4_stream_of_the_stated_width(name):
    core = contract(name)
    width = {port.name: port.width for port in core.ports}
    p, channel = core.parameters, core.interface.channel
    keep = {"s_axis_tkeep", "m_axis_tkeep"} if channel("i").field("keep") else set()
    slot = {"s_axis_key_tuser"} if core.timing.slots else set()
    assert set(width) == {
        "aclk",
        "aresetn",
        "s_axis_tdata",
        "s_axis_tuser",
        "s_axis_tvalid",
        "s_axis_tready",
        "s_axis_tlast",
        "m_axis_tdata",
        "m_axis_tvalid",
        "m_axis_tready",
        "m_axis_tlast",
        "s_axis_key_tdata",
        "s_axis_key_tvalid",
        "s_axis_key_tready",
        "zeroize",
        "ready",
        "fault",
        "computed",
        *keep,
        *slot,
    }
    assert bool(keep) == (core.behaviour.length.name != "fixed")
    assert all(width[name] == p.beat_bytes for name in keep) and width["fault"] == len(core.behaviour.faults)
    assert width["s_axis_tdata"] == width["m_axis_tdata"] == 128 * p.width
    tweaks = core.behaviour.length.tweaks
    sizes = 8 * (tweaks.most - p.tweak_bytes) + 8 + 16 if tweaks else 0
    assert width["s_axis_tuser"] == 8 * p.tweak_bytes + sizes + 1 + (16 if slot else 0)
    assert width["s_axis_key_tdata"] == core.component.key_material(p).bits
    inputs = {port.name for port in core.ports if port.direction == "input"}
    assert inputs == {
        "aclk",
        "aresetn",
        "s_axis_tdata",
        "s_axis_tuser",
        "s_axis_tvalid",
        "s_axis_tlast",
        "m_axis_tready",
        "s_axis_key_tdata",
        "s_axis_key_tvalid",
        "zeroize",
        *(keep - {"m_axis_tkeep"}),
        *slot,
    }
    assert all(port.meaning for port in core.ports)


def test_a_fault_has_the_bit_of_its_cause():
    core = contract("xts-enc")
    assert [core.behaviour.fault(cause) for cause in (Cause.SHORT, Cause.LONG, Cause.DIRECTION, Cause.KEEP)] == [
        1,
        2,
        4,
        8,
    ]
    with pytest.raises(ValueError, match="no fault KEY, only SHORT, LONG$"):
        contract("fast-brw-2").behaviour.fault(Cause.KEY)


def test_a_contract_that_is_dropped_gives_no_warning(monkeypatch):
    """Contracts are made for their values; the hardware library would warn of components that were never elaborated."""
    for silent in (UnusedElaboratable, Elaboratable):  # until something is elaborated; in all tests
        monkeypatch.setattr(silent, "_MustUse__silence", False)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        for name in {preset.scheme.name: preset.name for preset in catalog.PRESETS.values()}.values():
            contract(name)
        contract("xts-both-k", {"registers": "axi4-lite", "header": True})
        gc.collect()
    assert {(Path(each.filename).name, each.lineno) for each in found} == set()


def test_a_core_is_of_one_kind():
    core = contract("fast-brw-2")
    assert core.expect(SECTOR) is core
    with pytest.raises(UserError, match="^fast-brw-2 takes sectors; this is for cores that take messages$"):
        core.expect(AEAD)


@pytest.mark.parametrize("name", few_of_many(catalog.PRESETS, ["xts-enc", "scream", "fast-brw-2"]))
def test_json_is_plain(name):
    value = contract(name).json()
    assert json.loads(json.dumps(value)) == value


def test_json_is_complete():
    value = contract("fast-brw-2s").json()
    assert {"preset", "status", "security", "ports", "timing", "mult_stages", *contract("fast-brw-2s").settings} <= set(
        value
    )
    assert {"compute", "latency", "interval", "setup"} <= set(value["timing"])


def test_changes_make_another_name_and_only_real_changes_count():
    own = catalog.preset("fast-brw-2s").parameters.key_bits
    assert contract("fast-brw-2s", {"key_bits": own}).module == "fast_brw_2s"
    assert contract("fast-brw-2s", {"key_bits": "256"}).module == "fast_brw_2s_key_bits_256"


@pytest.mark.parametrize(
    "name, changes, says",
    [
        ("fast-brw-99", {}, "did you mean fast-brw"),
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


def test_rules_are_proved_of_the_core_inside():
    around = {"registers": "axi4-lite", "bus_clock": "own"}
    core = contract("xts-both-k", around)
    assert core.proved == "xts-both-k --set registers=axi4-lite"
    assert contract("xts-both-k", {"registers": "axi4-lite"}).proved == core.proved
    sheet = datasheet(core)
    assert f"`wideblock prove {core.proved} --rule timing` proves it of the Verilog of the core inside." in sheet
    assert f"`wideblock prove {core.proved} --rule secrecy`" in sheet
