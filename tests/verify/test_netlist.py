# SPDX-License-Identifier: Apache-2.0
"""Synthesised netlists with the vendor's cell models, against the specification.

The whole flow on one real core; ``make netlist`` has a core of every other family.
"""

from pathlib import Path

import pytest

from wideblock.export.contract import contract
from wideblock.synth.targets import targets
from wideblock.synth.yosys import Source, cell_models, netlist
from wideblock.verify.netlist import cells
from wideblock.verify.suites import suite_of

from .toy_core import Toy

XC7 = targets["xc7"]


def verified(core, tmp_path, sectors, vectors=()):
    """The cells of the core's netlist and the report on it."""
    area, files = netlist(Source(core.verilog, core.module), XC7, tmp_path)
    text, suite = files.verilog.read_text(), suite_of(core)
    with suite.simulation(core, verilog=[text, cells(text, files.models, files.includes)]) as simulation:
        known = {"vectors": vectors, "simulation": simulation}
        return area.cells, suite.verify(core, amount=sectors, checks=suite.netlist, **known)


@pytest.mark.slow
@pytest.mark.shows("netlist")
def test_netlist_of_a_core(tmp_path):
    core = contract("xts-enc", {"sector_bytes": "32", "sbox": "bram"})
    used, report = verified(core, tmp_path, 8, core.known_answers)
    assert {"LUT6", "FDRE", "RAM32M", "RAMB18E1"} <= set(used)
    assert report.failure is None and report.sectors > 100


@pytest.mark.slow
@pytest.mark.shows("netlist")
def test_netlist_of_an_authenticated_cipher(tmp_path):
    core = contract("scream", {"data_bytes": 32, "ad_bytes": 32})
    _, report = verified(core, tmp_path, 8, core.known_answers)
    assert report.failure is None and [check.name for check in report.checks][-1] == "wrong tags"


@pytest.mark.slow
@pytest.mark.shows("netlist")
def test_netlist_with_wide_block_ram(tmp_path):
    used, report = verified(Toy(width=2, sector_bytes=1024, block_ram=True), tmp_path, 16)
    assert "RAMB36E1" in used
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
