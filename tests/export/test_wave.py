# SPDX-License-Identifier: Apache-2.0
"""Timing diagrams: well formed for WaveDrom, equal to the contract, the same in text."""

from dataclasses import dataclass

import pytest

from wideblock.export.wave import sector_diagram, text


@dataclass(frozen=True)
class Cycles:
    compute: int
    latency: int
    interval: int


CASES = [(Cycles(288, 418, 129), 128), (Cycles(300, 429, 310), 128), (Cycles(90, 107, 16), 16), (Cycles(9, 12, 4), 3)]


def levels(diagram, name):
    """cycle -> level or label of row ``name``, for the cycles drawn."""
    row = next(row for row in diagram["signal"] if row["name"] == name)
    labels, found, now = iter(row.get("data", ())), {}, None
    for tick, symbol in zip(diagram["head"]["tick"].split(), row["wave"], strict=True):
        if symbol == "|":
            assert tick == "-"
            continue
        if symbol != ".":
            now = next(labels) if symbol == "=" else symbol
        found[int(tick)] = now
    assert next(labels, None) is None
    return found


@pytest.mark.parametrize("timing, beats", CASES)
def test_diagram_shows_the_contract(timing, beats):
    diagram = sector_diagram(timing, beats)
    data, result = levels(diagram, "s_axis_tdata"), levels(diagram, "m_axis_tdata")
    assert data[0] == "A0" and data[beats - 1] == f"A{beats - 1}"
    assert data[timing.interval] == "B0"
    assert result[timing.latency] == f"A{beats - 1}"
    assert result[timing.latency - beats + 1] == "A0"
    assert levels(diagram, "computed")[timing.compute] == "1"
    assert levels(diagram, "m_axis_tlast")[timing.latency] == "1"
    assert levels(diagram, "s_axis_tuser")[timing.interval] == "TB"


@pytest.mark.parametrize("timing, beats", CASES)
def test_no_change_falls_into_a_gap(timing, beats):
    ticks = [t for t in sector_diagram(timing, beats)["head"]["tick"].split() if t != "-"]
    drawn = set(map(int, ticks))
    ends = [0, timing.latency - beats + 1]
    for start in ends:
        for n in range(2):
            for edge in (start + n * timing.interval, start + n * timing.interval + beats):
                assert edge in drawn or edge > timing.latency


@pytest.mark.parametrize("timing, beats", CASES)
def test_text_has_a_line_a_signal_and_columns_that_align(timing, beats):
    diagram = sector_diagram(timing, beats)
    lines = text(diagram).splitlines()
    assert len(lines) == 1 + len(diagram["signal"])
    clock = next(line for line in lines if line.startswith("aclk"))
    assert all(len(line) <= len(clock) for line in lines[1:])
    gaps = [k for k, c in enumerate(clock) if c == ":"]
    assert all(line[k] == ":" for line in lines if len(line) == len(clock) for k in gaps)
