# SPDX-License-Identifier: Apache-2.0
"""Timing diagrams: well formed for WaveDrom, equal to the contract, the same in text."""

import pytest

from wideblock.export.contract import contract
from wideblock.export.wave import sector_diagram, text, transfers

CASES = [
    ("fast-brw-2s", {}),
    ("hmch-brw-3", {"sector_bytes": 32}),
    ("eme2-1", {"sector_bytes": 37}),  # the first beat holds the second one off
    ("xts-2", {"sector_bytes": 88}),  # the last whole block leaves later than the blocks before it
    ("xts-both", {"sector_bytes": 16}),
]


@pytest.fixture(params=CASES, ids=[name for name, _ in CASES])
def core(request):
    return contract(*request.param)


def diagram(core):
    return sector_diagram(core.shell, *transfers(core))


def levels(drawn, name):
    """cycle -> level or label of row ``name``, for the cycles drawn."""
    row = next(row for row in drawn["signal"] if row["name"] == name)
    labels, found, now = iter(row.get("data", ())), {}, None
    for tick, symbol in zip(drawn["head"]["tick"].split(), row["wave"], strict=True):
        if symbol == "|":
            assert tick == "-"
            continue
        if symbol != ".":
            now = next(labels) if symbol == "=" else symbol
        found[int(tick)] = now
    assert next(labels, None) is None
    return found


def test_diagram_shows_the_contract(core):
    drawn, beats = diagram(core), core.parameters.beats
    data, result = levels(drawn, "s_axis_tdata"), levels(drawn, "m_axis_tdata")
    assert data[0] == "A0" and f"A{beats - 1}" in data.values()
    assert result[core.timing.latency] == f"A{beats - 1}" and "A0" in result.values()
    assert levels(drawn, "computed")[core.timing.compute] == "1"
    assert levels(drawn, "m_axis_tlast")[core.timing.latency] == "1"
    assert levels(drawn, "s_axis_tuser")[0] == "TA"


def test_no_change_falls_into_a_gap(core):
    """Within a gap every row stays at the level before it; labels go on counting."""
    drawn, (taken, left) = diagram(core), transfers(core)
    ticks = [int(t) for t in drawn["head"]["tick"].split() if t != "-"]
    for row, cycles in (("s_axis_tvalid & tready", taken), ("m_axis_tvalid & tready", left)):
        shown = levels(drawn, row)
        for t in range(core.timing.latency + 2):
            before = max(tick for tick in ticks if tick <= t)
            assert shown[before] == str(int(t in cycles)), (row, t)


def test_text_has_a_line_a_signal_and_columns_that_align(core):
    drawn = diagram(core)
    lines = text(drawn).splitlines()
    assert len(lines) == 1 + len(drawn["signal"])
    clock = next(line for line in lines if line.startswith("aclk"))
    assert all(len(line) <= len(clock) for line in lines[1:])
    gaps = [k for k, c in enumerate(clock) if c == ":"]
    assert all(line[k] == ":" for line in lines if len(line) == len(clock) for k in gaps)
