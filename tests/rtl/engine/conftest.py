# SPDX-License-Identifier: Apache-2.0
"""The small engine in simulation."""

import pytest

from wideblock.drive.sector.engine import EngineSimulation

from .small_engine import core


@pytest.fixture(scope="module")
def model():
    with EngineSimulation(core()) as simulation:
        yield simulation


@pytest.fixture
def fresh(model):
    """The engine as it is after reset and self-test."""
    with model.fresh() as engine:
        engine.until("SELFTEST", "DONE", 1, core().timing.selftest + 20)
        yield engine
