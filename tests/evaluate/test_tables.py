# SPDX-License-Identifier: Apache-2.0
"""Rows of measured points."""

import pytest

from wideblock.evaluate.tables import of_core, row
from wideblock.export.contract import contract

pytestmark = pytest.mark.shows("synthesis")


def test_throughput_is_of_the_interval_and_the_routed_clock(measurement):
    assert row(measurement("fast-brw-2s", "ecp5"))[-1] == f"{4096 * 8 / 129 * 0.1234:.1f}"
    assert row(measurement("fast-brw-2s"))[-2:] == ("-", "-")


def test_a_changed_core_has_no_results(measurement):
    results = [measurement("fast-brw-2s"), measurement("fast-brw-2")]
    assert of_core(contract("fast-brw-2s"), results) == results[:1]
    assert of_core(contract("fast-brw-2s", {"key_bits": "256"}), results) == []


def test_a_pre_layout_clock_says_so(measurement):
    assert "900 (pre-layout)" in row(measurement("fast-brw-2", "nangate45", mhz=900))
