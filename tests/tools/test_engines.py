# SPDX-License-Identifier: Apache-2.0
"""The tables of the engine's pages are of the presets with slots."""

import pytest

from tools.engines import bodies, engines

pytestmark = pytest.mark.shows("engine", "documents")


def test_areas_stand_by_slots_and_bus(measurement):
    plain, slotted = measurement("xts-2", changed={"key_bits": 256}, lcs=5), measurement("xts-2-k", lcs=6)
    registers = measurement("xts-2-k", changed={"registers": "axi4-lite"}, lcs=7)
    others = measurement("xts-2"), measurement("xts-2-k", "ecp5")
    text = bodies([plain, slotted, registers, *others])["engine.md"]["areas"]
    cells = [f"{lcs} LC, 3,456 FF, 7.5 RAMB36" for lcs in (5, 6, 7)]
    assert f"| `xts-2` | {cells[0]} | - | {cells[1]} | {cells[2]} | - |\n" in text
    assert "| `xts-4` | - | - | - | - | - |\n" in text


def test_the_engines_are_those_of_the_presets_with_slots():
    assert [core.name for core in engines()] == ["xts-enc-k", "xts-2-k", "xts-4-k", "xts-both-k"]
