# SPDX-License-Identifier: Apache-2.0
"""The ciphers of the single calls: as fast as they can be at no interval."""

import pytest

from wideblock import catalog

pytestmark = pytest.mark.shows("cycle-contract")


def made(preset, changes):
    preset = catalog.preset(preset)
    return preset.scheme.core(preset.changed(changes))


@pytest.mark.parametrize(
    "preset, sector_bytes, key_bits, stages",
    [
        ("hctr2-1s", 288, 128, 1),  # 17 steps, a block takes 21 cycles
        ("hctr2-1s", 352, 128, 2),
        ("hctr2-1s", 400, 256, 1),  # 24 steps, 29 cycles
        ("hctr2-1s", 480, 256, 2),
        ("hctr2-4s", 4096, 128, 2),
        ("hmch-brw-3s", 512, 128, 2),
        ("hmch-brw-1s", 512, 128, 1),
        ("xcb-2s", 512, 128, 1),
        ("xcb-2s", 704, 128, 2),
    ],
)
def test_two_stages_a_round_cost_no_interval(monkeypatch, preset, sector_bytes, key_bits, stages):
    changes = {"sector_bytes": sector_bytes, "key_bits": key_bits}
    core = made(preset, changes)
    assert core.calls.inverse.timing.latency == 1 + stages * (10 if key_bits == 128 else 14)
    for forced, same in ((1, True), (2, stages == 2)):
        monkeypatch.setattr(type(core.parameters), "sequential_stages", forced)
        assert (made(preset, changes).timing.interval == core.timing.interval) == same
    assert made(preset, {**changes, "overlap": False}).timing.interval > core.timing.interval


def test_without_overlap_the_pipelines_choose():
    for round_stages, stages in ((1, 1), (2, 2), (3, 2)):
        core = made("hctr2-1", {"round_stages": round_stages})
        assert core.calls.inverse.timing.latency == 1 + 10 * stages


@pytest.mark.parametrize("sector_bytes, stages", [(480, 2), (512, 3)])
def test_two_stages_of_the_pipelines_are_three_in_a_sequential_cipher(monkeypatch, sector_bytes, stages):
    changes = {"sector_bytes": sector_bytes, "round_stages": 2}
    core = made("hctr2-1s", changes)
    assert core.calls.inverse.timing.latency == 1 + 10 * stages
    monkeypatch.setattr(type(core.parameters), "sequential_stages", 1)
    assert made("hctr2-1s", changes).timing.interval == core.timing.interval
