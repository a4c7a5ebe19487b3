# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest

from wideblock.synth import place, process, yosys
from wideblock.synth.harness import harness
from wideblock.synth.process import FlowError
from wideblock.synth.targets import target, targets
from wideblock.synth.yosys import Source

from ..variants import few_of_many

pytestmark = pytest.mark.shows("synthesis")

# The input registers hold what a scan chain holds: Yosys would merge them if it could.
MIXER = Source(
    """
module mixer(input aclk, input [7:0] a, input [7:0] b, output reg [15:0] q);
  reg [7:0] ra, rb;
  always @(posedge aclk) begin
    ra <= a;
    rb <= b;
    q <= {ra ^ rb, ra & rb} ^ {q[7:0], q[15:8]};
  end
endmodule
""",
    "mixer",
)

MEMORY = Source(
    """
module memory(input aclk, input we, input [8:0] w, input [8:0] r, input [31:0] d, output reg [31:0] q);
  reg [31:0] rows [0:511];
  always @(posedge aclk) begin
    if (we) rows[w] <= d;
    q <= rows[r];
  end
endmodule
""",
    "memory",
)


@pytest.mark.parametrize("name", few_of_many(["xc5v", "xc6v", "xc7"], ("xc7",)))
def test_area_on_xilinx(name):
    area = yosys.synthesise(MIXER, target(name))
    assert (area.ffs, area.block_rams, area.dsps, area.lutram) == (32, 0, 0, 0)
    # Each of 16 outputs is a function of three or four bits; two of them share a LUT at best.
    assert area.lcs is not None and 8 <= area.lcs <= 16 and area.luts == 16 and area.area == area.lcs
    assert area.command == f"proc; zinit -all; synth_xilinx -family {name} -noiopad -flatten -top mixer"
    assert area.tool.startswith("Yosys 0.")


def test_block_ram():
    area = yosys.synthesise(MEMORY, target("xc7"))
    assert area.block_rams == 0.5 and "RAMB18E1" in area.cells


def test_options_follow_the_targets_own(tmp_path):
    area = yosys.synthesise(MIXER, target("ecp5"), options=("-nowidelut", "-noabc9"), directory=tmp_path)
    assert area.command == "synth_ecp5 -nowidelut -noabc9 -top mixer"
    assert (area.ffs, area.luts, area.lcs) == (32, 16, None)
    assert "running command `synth_ecp5 -nowidelut" in (tmp_path / "synthesis.log").read_text().lower()
    with pytest.raises(ValueError, match="one word such as '-nowidelut', got '-abc9; exec'"):
        yosys.synthesise(MIXER, target("ecp5"), options=("-abc9; exec",))


@pytest.mark.parametrize(
    "source, line",
    [
        (Source("module top(input a, output b); assign b = ; endmodule", "top"), "syntax error"),
        (Source("module top(input a, output b); other u(a, b); endmodule", "top"), "other.*not part of the design"),
    ],
)
def test_yosys_error_is_one_line(source, line):
    with pytest.raises(FlowError, match=line) as error:
        yosys.synthesise(source, target("ecp5"))
    assert str(error.value).startswith("Yosys failed: ") and "\n" not in str(error.value)


def test_unknown_names():
    with pytest.raises(ValueError, match=f"no target 'xc8'; there are {', '.join(targets)}"):
        target("xc8")
    with pytest.raises(ValueError, match="no module 'other'"):
        Source(MIXER.verilog, "other")
    with pytest.raises(ValueError, match="plain Verilog identifier, got 'a; b'"):
        Source(MIXER.verilog, "a; b")
    with pytest.raises(ValueError, match="'xc7' gives area only"):
        place.place(MIXER, target("xc7"), clock="aclk")
    with pytest.raises(ValueError, match="mixer has no input 'clk' of one bit"):
        place.place(MIXER, target("ecp5"), clock="clk")


def test_tools_missing(monkeypatch):
    with pytest.raises(FlowError, match="no-such-tool is not installed; install it with: pip install no-such-tool"):
        process.version("no-such-tool")
    monkeypatch.setattr(yosys, "find_spec", lambda name: None)
    with pytest.raises(FlowError, match="Yosys is not installed"):
        yosys.synthesise(MIXER, target("xc7"))


def test_timeout_kills_the_whole_session(tmp_path):
    script = "import subprocess, sys; p = subprocess.Popen(['sleep', '60']); print(p.pid, flush=True); p.wait()"
    with pytest.raises(FlowError, match=r"sleeper did not finish in 1 s"):
        process.run("sleeper", [sys.executable, "-c", script], cwd=tmp_path, log=tmp_path / "log", timeout=1)
    child = int((tmp_path / "log").read_text())
    assert any(gone(child) or time.sleep(0.05) for _ in range(100))  # a signal takes a moment to arrive


def test_a_tool_that_takes_too_much_memory_is_ended(tmp_path, monkeypatch):
    """What takes it is a process below the tool, as ABC is below Yosys."""
    take = "print('begun', flush=True); x = bytearray(300 << 20); import time; time.sleep(60)"
    script = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {take!r}])"
    monkeypatch.setattr(process, "_limit", 200 << 20)
    with pytest.raises(FlowError, match=r"^taker took more than 0.195 GiB of memory$") as error:
        process.run("taker", [sys.executable, "-c", script], cwd=tmp_path, log=tmp_path / "log")
    assert "begun" in error.value.log
    monkeypatch.setattr(process, "_limit", 600 << 20)
    process.run("taker", [sys.executable, "-c", take.replace("60", "0.6")], cwd=tmp_path, log=tmp_path / "log")
    with pytest.raises(FlowError, match="taker did not finish in 0.6 s"):
        process.run("taker", [sys.executable, "-c", take], cwd=tmp_path, log=tmp_path / "log", timeout=0.6)


def gone(process_id):
    try:
        return Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_exit_without_a_message(tmp_path):
    with pytest.raises(FlowError, match="t failed: killed by SIGKILL"):
        process.run("t", [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"], cwd=tmp_path, log=tmp_path / "l")


def test_harness_refuses():
    with pytest.raises(ValueError, match="no output"):
        harness(MIXER, {"aclk": ("input", 1)}, clock="aclk")
    with pytest.raises(ValueError, match="module 'scan_in'"):
        harness(Source(MIXER.verilog + "module scan_in; endmodule", "mixer"), yosys.ports(MIXER), clock="aclk")


@cache
def placed():
    return place.place(MIXER, target("ecp5"), clock="aclk", mhz=150, seed=3)


@pytest.mark.slow
def test_place():
    chosen, clock = target("ecp5"), placed()
    assert (clock.ffs, clock.harness_ffs, clock.harness_luts) == (32, 64, 16)
    assert 16 <= clock.luts <= 24  # LUT positions that a route passes through count as used
    assert clock.path.levels >= 1
    assert clock.mhz > 100 and clock.seed == 3 and clock.part == chosen.part
    assert clock.path.logic_ns + clock.path.routing_ns == pytest.approx(1000 / clock.mhz, abs=0.01)
    assert "--seed 3" in clock.command and "--freq 150" in clock.command
    used, available = clock.utilisation[chosen.router.ff]
    assert used == clock.ffs + clock.harness_ffs < available


@pytest.mark.slow
def test_place_is_reproducible():
    place._netlist.cache_clear()
    assert place.place(MIXER, target("ecp5"), clock="aclk", mhz=150, seed=3) == placed()


def test_ports():
    assert yosys.ports(MIXER) == {"aclk": ("input", 1), "a": ("input", 8), "b": ("input", 8), "q": ("output", 16)}


@pytest.fixture(scope="module")
def netlist(tmp_path_factory):
    """The netlist of the mixer for a target, made once."""

    @cache
    def of(name):
        area, files = yosys.netlist(MIXER, target(name), tmp_path_factory.mktemp(name))
        assert files.json.stat().st_size > 0 and area.ffs == 32
        return files

    return of


def prove(files, reference):
    """Whether the netlist is the ``reference``, as a finished process."""
    includes = " ".join(f"-I{directory}" for directory in files.includes)
    defines = " ".join(f"-D{name}" for name in files.defines)
    models = " ".join(map(str, files.models))
    # Temporal induction: equal inputs fill ra and rb in two cycles, whatever was there; the base case starts at zero.
    script = f"""
from pyosys import libyosys
d = libyosys.Design()
for line in '''read_verilog -icells {defines} {includes} {models}
read_verilog {files.verilog}
hierarchy -top mixer
proc
flatten
opt_clean
design -stash gate
read_verilog {reference}
hierarchy -top mixer
proc
rename mixer gold
design -copy-from gate -as gate mixer
async2sync
setundef -zero
miter -equiv -flatten -make_assert gold gate check
hierarchy -top check
sat -verify -prove-asserts -set-init-zero -seq 1 -tempinduct -maxsteps 8 check'''.splitlines():
    libyosys.run_pass(line, d)
"""
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=os.environ, timeout=600)


@pytest.mark.shows("netlist")
@pytest.mark.parametrize("name", few_of_many(["xc7", "ecp5"], []))
def test_netlist_with_the_familys_models_equals_the_source(name, netlist, tmp_path):
    (tmp_path / "same.v").write_text(MIXER.verilog)
    assert prove(netlist(name), tmp_path / "same.v").returncode == 0


def test_that_proof_can_fail(netlist, tmp_path):
    other = MIXER.verilog.replace("ra & rb", "ra | rb")
    (tmp_path / "other.v").write_text(other)
    assert "model found" in prove(netlist("xc7"), tmp_path / "other.v").stdout
