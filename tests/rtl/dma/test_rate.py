# SPDX-License-Identifier: Apache-2.0
"""Cycles of a unit in steady state, beside memories of several latencies; the page on the master has the same table."""

from pathlib import Path

import pytest

from wideblock.export.contract import contract

from .bench import COMPLETIONS, Job
from .test_jobs import loaded

pytestmark = pytest.mark.shows("dma")

PAGE = Path(__file__).parents[3] / "docs" / "dma.md"
SIZES, LATENCIES, UNITS = (512, 4096), (10, 100, 300), (1, 16)
MOST = {512: 1.10, 4096: 1.05}
"""Cycles of a unit, at most, beside a memory that answers in 100 cycles, by those of the engine alone."""


def cycles(size, units, latency):
    """Cycles of a unit, of jobs in the midst of others: the first jobs wait for memory, the last ones for none."""
    jobs, edge = (28, 8) if units == 1 else (10, 3)
    with loaded(latency=latency) as machine:
        machine.permit("read", 1 << 24, 1 << 22)
        machine.permit("write", 1 << 25, 1 << 22)
        places = [number * size * units for number in range(jobs)]
        machine.submit(*(Job((1 << 24) + at, (1 << 25) + at, size, units, slot=at % 3) for at in places))
        seen = []
        while len(seen) < jobs:
            if any(machine.get(COMPLETIONS + 16 * len(seen), 16)[4:8]):
                seen.append(machine.value("cycle"))
            else:
                machine.run(1)
        return (seen[-edge] - seen[edge - 1]) / (units * (jobs - 2 * edge + 1))


def table():
    """The rows of the page: bytes, units of a job, the engine alone, and beside each memory."""
    rows = []
    for size in SIZES:
        interval = contract("xts-both-k", {"sector_bytes": size, "registers": "axi4-lite"}).timing.interval
        for units in UNITS:
            found = [cycles(size, units, latency) for latency in LATENCIES]
            assert found[1] <= MOST[size] * interval
            rows.append(f"| {size:,} | {units} | {interval} | {' | '.join(f'{each:.2f}' for each in found)} |")
    return rows


def test_the_page_has_the_cycles_of_a_unit():
    text = PAGE.read_text()
    assert [row for row in table() if row not in text] == []
