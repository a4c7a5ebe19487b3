# SPDX-License-Identifier: Apache-2.0
"""Cycles of a unit in steady state, beside memories of several latencies; the page on the master has the same table."""

from pathlib import Path

import pytest

from .bench import COMPLETIONS, Job, core
from .test_jobs import loaded

pytestmark = pytest.mark.shows("dma")

PAGE = Path(__file__).parents[3] / "docs" / "dma.md"
CORES = ("xts-both-k", pytest.param("hctr2-1s-k", marks=pytest.mark.slow))
SIZES, LATENCIES, UNITS = (512, 4096), (10, 100, 300), (1, 16)
MOST = {512: 1.10, 4096: 1.05}
"""Cycles of a unit, at most, beside a memory that answers in 100 cycles, by those of the engine alone."""


def cycles(name, size, units, latency):
    """Cycles of a unit, of jobs in the midst of others: the first jobs wait for memory, the last ones for none."""
    jobs, edge = (28, 8) if units == 1 else (10, 3)
    made = core(name) if size in core(name).behaviour.length else core(name, sector_bytes=size)
    with loaded(contract=made, latency=latency) as machine:
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


def table(name):
    """The rows of a core in the page: bytes, units of a job, the engine alone, and beside each memory."""
    rows = []
    for size in SIZES:
        interval = core(name, sector_bytes=size).timing.interval
        for units in UNITS:
            found = [cycles(name, size, units, latency) for latency in LATENCIES]
            assert found[1] <= MOST[size] * interval
            cells = (f"`{name}`", f"{size:,}", str(units), str(interval), *(f"{each:.2f}" for each in found))
            rows.append(f"| {' | '.join(cells)} |")
    return rows


@pytest.mark.parametrize("name", CORES)
def test_the_page_has_the_cycles_of_a_unit(name):
    text = PAGE.read_text()
    assert [row for row in table(name) if row not in text] == []
