# SPDX-License-Identifier: Apache-2.0
"""The comparison of two states of the code finds what differs, and only that."""

import pytest

from tests.same import cores, grade
from wideblock import catalog

VERILOG = """
module core(input clk, input [3:0] a, input [3:0] b, output reg [3:0] y, output z);
  reg [3:0] first;
  wire [3:0] sum = a + b;
  always @(posedge clk) begin first <= sum; y <= first ^ b; end
  assign z = first == 4'd3;
endmodule
"""
OLD = ("core", VERILOG, {"interval": "1"})


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        ("  wire", "  // comment\n  wire", "equal"),
        ("first", "second", "renamed"),
        ("4'd3", "4'd5", "different"),
        ("first ^ b", "first ^ a", "different"),
    ],
)
def test_a_core_has_its_grade(was, now, expected):
    module, verilog, figures = OLD
    assert grade(OLD, (module, verilog.replace(was, now), figures)) == expected
    assert grade(OLD, (module, verilog.replace(was, now), {"interval": "2"})) == "different"


def test_every_preset_and_the_cores_of_every_table_are_compared():
    listed = list(cores())
    assert {name for name, _ in listed} == set(catalog.PRESETS) and len(listed) > 1.5 * len(catalog.PRESETS)
