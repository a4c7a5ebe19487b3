# SPDX-License-Identifier: Apache-2.0
"""Synthesised netlists of small cores, in LUT RAM and in block RAM, against the specification."""

from pathlib import Path

import pytest

from wideblock.synth.targets import targets
from wideblock.synth.yosys import Source, cell_models, netlist
from wideblock.verify.netlist import cells, verify_netlist

from .toy_core import Toy

XC7 = targets["xc7"]


@pytest.mark.parametrize(
    "toy, ram",
    [
        (Toy(), "RAM32M"),
        (Toy(width=2, sector_bytes=1024, block_ram=True), "RAMB36E1"),
    ],
    ids=["LUT RAM", "block RAM"],
)
def test_netlist(tmp_path, toy, ram):
    area, files = netlist(Source(toy.verilog, toy.module), XC7, tmp_path)
    assert ram in area.cells
    report = verify_netlist(toy, files.verilog, files.models, includes=files.includes, sectors=16)
    assert report.failure is None and report.sectors > 16


def test_cells_of_a_netlist_only():
    models, includes = cell_models(XC7)
    text = cells("module top;\n  LUT4 #(\n  .INIT(16'h1)\n  ) a ();\n  FDRE b ();\nendmodule\n", models, includes)
    assert "module LUT4" in text and "module FDRE" in text and "module LUT5" not in text


@pytest.mark.parametrize(
    "instance, message",
    [
        ("  DSP48E7 #(\n  ) a (\n  );\n", "cell DSP48E7 is not in cells_sim.v"),
        ("  ICAPE0 a (\n  );\n", "cell ICAPE0 has no behaviour in more.v, .*: choose synthesis options that avoid it"),
    ],
)
def test_cells_without_behaviour(tmp_path, instance, message):
    models, includes = cell_models(XC7)
    more = Path(tmp_path / "more.v")
    more.write_text("module ICAPE0 (input CLK, output O);\n  parameter WIDTH = 1;\nendmodule\n")
    chosen = [more, *models] if "ICAPE0" in instance else models
    with pytest.raises(ValueError, match=message):
        cells(f"module top;\n{instance}endmodule\n", chosen, includes)
