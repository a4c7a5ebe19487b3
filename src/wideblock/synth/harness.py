# SPDX-License-Identifier: Apache-2.0
"""A shift register around a core with more ports than a package has pins."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from wideblock.errors import UserError
from wideblock.synth.yosys import Source

__all__ = ["Harness", "harness"]

TOP = "scan_harness"


@dataclass(frozen=True)
class Harness:
    """``source`` with three pins, clk, si and so, and the additions to the core.

    Every input bit comes from a separate flip-flop, and every output bit goes to a separate flip-flop: paths into and
    out of the core are timed from register to register. Those flip-flops are not the chain's: they can stand where the
    core wants them. Outputs then run through a chain of XORs to ``so``: no output can be optimised away and there is no
    load signal with a wide fan-out.

    Cost: two flip-flops an input bit, two flip-flops and a LUT an output bit.
    """

    source: Source
    clock: str
    ffs: int
    luts: int


def harness(core: Source, ports: Mapping[str, tuple[str, int]], *, clock: str) -> Harness:
    """``core`` in a scan chain; ``clock`` is the name of its only clock."""
    if ports.get(clock) != ("input", 1):
        raise UserError(f"{core.top} has no input {clock!r} of one bit to clock it")
    inputs = [(name, width) for name, (way, width) in ports.items() if way == "input" and name != clock]
    outputs = [(name, width) for name, (way, width) in ports.items() if way == "output"]
    n, m = sum(width for _, width in inputs), sum(width for _, width in outputs)
    if not m:
        raise UserError(f"{core.top} has no output: nothing of it would remain")
    for name in (TOP, "scan_in", "scan_drive", "scan_out"):
        if re.search(rf"\bmodule\s+\\?{name}\b", core.verilog):
            raise UserError(f"the core has a module {name!r}, a name that the scan harness needs; rename it")
    connections, at = [f".{_escape(clock)}(clk)"], 0
    for name, width in inputs:
        connections.append(f".{_escape(name)}(drive[{at + width - 1}:{at}])")
        at += width
    at = 0
    for name, width in outputs:
        connections.append(f".{_escape(name)}(result[{at + width - 1}:{at}])")
        at += width
    # Hierarchies of their own: otherwise Yosys merges registers of chain, drive and core that hold the same bit.
    text = [
        f"module {TOP}(input clk, input si, output so);",
        f"  wire [{max(n, 1) - 1}:0] chain, drive;",
        f"  wire [{m - 1}:0] result;",
        "  scan_in head(.clk(clk), .si(si), .chain(chain));",
        "  scan_drive stand(.clk(clk), .chain(chain), .drive(drive));",
        f"  {core.top} core({', '.join(connections)});",
        "  scan_out tail(.clk(clk), .feed(drive[0]), .result(result), .so(so));",
        "endmodule",
        "(* keep_hierarchy *)",
        f"module scan_in(input clk, input si, output reg [{max(n, 1) - 1}:0] chain);",
        "  always @(posedge clk) chain <= {si, chain} >> 1;",
        "endmodule",
        "(* keep_hierarchy *)",
        f"module scan_drive(input clk, input [{max(n, 1) - 1}:0] chain, output reg [{max(n, 1) - 1}:0] drive);",
        "  always @(posedge clk) drive <= chain;",
        "endmodule",
        "(* keep_hierarchy *)",
        f"module scan_out(input clk, input feed, input [{m - 1}:0] result, output so);",
        f"  reg [{m - 1}:0] taken, chain;",
        "  always @(posedge clk) begin",
        "    taken <= result;",
        "    chain <= ({feed, chain} >> 1) ^ taken;",
        "  end",
        "  assign so = chain[0];",
        "endmodule",
        "",
    ]
    return Harness(Source(core.verilog + "\n" + "\n".join(text), TOP), clock, ffs=2 * (max(n, 1) + m), luts=m)


def _escape(name: str) -> str:
    return f"\\{name} "
