# SPDX-License-Identifier: Apache-2.0
"""The comparison of two states of the code finds what differs, and only that."""

import pytest
from tests.same import canonical

CORE = """
module core(input clk, input [3:0] a, input [3:0] b, output reg [3:0] y, output z);
  reg [3:0] first;
  wire [3:0] sum = a + b;
  always @(posedge clk) begin first <= sum; y <= first ^ b; end
  assign z = first == 4'd3;
endmodule
"""


def test_names_and_order_do_not_matter():
    other = CORE.replace("first", "second").replace("sum", "total")
    line = "  assign z = second == 4'd3;\n"
    other = other.replace(line, "").replace("  wire", line + "  wire")
    assert canonical("core", other) == canonical("core", CORE)


@pytest.mark.parametrize(
    ("old", "new"), [("4'd3", "4'd5"), ("a + b", "a - b"), ("first ^ b", "first ^ a"), ("^ b", "^ sum")]
)
def test_a_change_is_seen(old, new):
    assert canonical("core", CORE.replace(old, new)) != canonical("core", CORE)
