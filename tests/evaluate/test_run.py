# SPDX-License-Identifier: Apache-2.0
"""From an identity to a point, with a small circuit in the place of the core."""

from dataclasses import replace

import pytest

from wideblock.evaluate import run
from wideblock.evaluate.run import attempt, identify, measure
from wideblock.synth.circuit import circuit
from wideblock.synth.targets import Fpga, target
from wideblock.synth.yosys import Source

pytestmark = pytest.mark.shows("evaluation")

COUNTER = Source(
    "module counter(input aclk, input up, output reg [7:0] q); always @(posedge aclk) q <= q + up; endmodule", "counter"
)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(run, "design", lambda identity: run.Design(COUNTER, "aclk", 16, 2, 5))


@pytest.mark.slow
def test_a_routed_point_has_all_its_figures():
    identity = identify("aes128-pec", {}, target("ecp5"), seed=0, mhz=150, route_options=("--tmg-ripup",))
    point = measure(identity)
    assert replace(point.identity, commit=None) == replace(identity, commit=None, circuit=circuit(COUNTER))
    found = point.found
    assert found.ffs == 8 and found.unit == "LUT4" and found.seconds > 0
    assert all(argument in found.command for argument in ("--seed 0", "--freq 150", "--tmg-ripup"))
    assert found.clock and found.clock.wires and found.clock.routing_ns > 0
    assert found.gbps == pytest.approx(16 * 8 / 2 * found.clock.mhz / 1000)
    assert found.latency_ns == pytest.approx(5000 / found.clock.mhz)


def test_options_of_the_route_are_those_of_the_target_or_those_given():
    ecp5 = target("ecp5")
    assert isinstance(ecp5, Fpga) and ecp5.router and ecp5.router.options
    assert identify("aes128-pec", {}, ecp5).route_options == ecp5.router.options
    assert identify("aes128-pec", {}, ecp5, route_options=("--tmg-ripup",)).route_options == ("--tmg-ripup",)


def test_area_alone_has_neither_seed_nor_clock():
    for identity in (
        identify("aes128-pec", {}, target("xc6v")),
        identify("aes128-pec", {}, target("ecp5"), routed=False, route_options=("--tmg-ripup",)),
    ):
        assert (identity.seed, identity.aim_mhz, identity.route_options, len(identity.tools)) == (None, None, (), 1)
        point = measure(identity)
        assert point.found.clock is None and point.found.ffs == 8


def test_a_failure_of_a_tool_keeps_its_log(monkeypatch):
    wrong = replace(COUNTER, verilog=COUNTER.verilog.replace("q + up", "q +"))
    monkeypatch.setattr(run, "design", lambda identity: run.Design(wrong, "aclk", 16, 2, 5))
    point = attempt(identify("aes128-pec", {}, target("xc7")))
    assert point.failure and "syntax error" in point.failure.reason and "source.v" in point.failure.log
