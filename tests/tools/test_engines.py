# SPDX-License-Identifier: Apache-2.0
"""The tables of the engine's pages are of the presets with slots."""

from dataclasses import replace

import pytest

from tools.engines import bodies, engines
from wideblock import catalog
from wideblock.evaluate.point import Point
from wideblock.evaluate.store import COMMITTED, current, load, own
from wideblock.evidence.today import today

pytestmark = pytest.mark.shows("engine", "documents")


def test_areas_stand_by_slots_and_bus(measurement):
    plain, slotted = measurement("xts-2", changed={"key_bits": 256}, lcs=5), measurement("xts-2-k", lcs=6)
    plain = Point(plain.identity, replace(plain.found, lutram=2))  # of four LUTs each
    registers = measurement("xts-2-k", changed={"registers": "axi4-lite"}, lcs=7)
    others = measurement("xts-2"), measurement("xts-2-k", "ecp5")
    text = bodies([plain, slotted, registers, *others])["engine.md"]["areas"]
    cells = [
        f"{lcs} LC, {luts} LUT, 3,456 FF, 7.5 RAMB36" for lcs, luts in ((5, "23,464"), (6, "23,456"), (7, "23,456"))
    ]
    assert f"| `xts-2` | {cells[0]} | - | {cells[1]} | {cells[2]} | - |\n" in text
    assert "| `xts-4` | - | - | - | - | - |\n" in text


def test_clocks_stand_in_pairs_of_one_flow(measurement):
    def clocked(name, seed, mhz, **parameters):
        return measurement(name, "ecp5", seed=seed, mhz=mhz, parameters=parameters)

    plain = [clocked("hctr2-2s", seed, mhz, lanes=2, slots=0) for seed, mhz in ((1, 120), (2, 130))]
    slotted = [clocked("hctr2-2s-k", seed, mhz, lanes=2, slots=256) for seed, mhz in ((2, 108), (1, 126))]
    others = clocked("hctr2-4s-k", 1, 90, lanes=4, slots=256), clocked("poet", 1, 95, rounds=1)
    text = bodies([*plain, *slotted, *others])["engine.md"]["clocks"]
    (row,) = [line for line in text.splitlines() if "`" in line]
    assert "| `hctr2-2s` | LFE5UM5G-85F | 256 |" in row
    assert "| 120, 130 |" in row
    assert row.endswith("| 126, 108 | 0.90 |")


def test_the_slowest_path_of_a_core_with_slots_is_not_in_the_loader_of_keys():
    """As docs/engine.md says: of the points whose circuit is that of today."""
    found = [p for p in current(own(load(COMMITTED))) if p.found.clock and p.identity.parameters.get("slots")]
    of_today = [point for point in found if point.identity.circuit == today(point.identity.name)]
    assert of_today
    for point in of_today:
        assert "cipher_of_keys" not in f"{point.found.clock.start} {point.found.clock.end}", point.identity.name


def test_the_engines_are_those_of_the_presets_with_slots():
    names = [core.name for core in engines()]
    slotted = {name: vars(preset.parameters) for name, preset in catalog.PRESETS.items() if name.endswith("-k")}
    assert names == [name for name, values in slotted.items() if "registers" in values] and len(names) > 10


def test_words_of_mek_stand_beside_memory_and_load():
    """16 rows of 128 bits for HCTR2; 8 memories of 72 by 512 for 256 slots of two words of 256 bits."""
    text = bodies([])["engine.md"]["keys"]
    assert "| `eme2-2s-k` | 128 | K_AD 16, K_ECB 16, K_AES 16 | 4 of 128 | 4 | " in text
    assert "| `hctr2-2s-k` | 128 | K 16 | 16 of 128 | 16 | " in text
    assert "| 256 | Key1 32, Key2 32 | 1 of 256 and 1 of 256 | 8 | " in text
