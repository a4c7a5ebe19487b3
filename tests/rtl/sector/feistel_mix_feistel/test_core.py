# SPDX-License-Identifier: Apache-2.0
"""The cycle contract of Feistel-mix-Feistel for sectors of every kind of length, with registers for ciphers."""

import pytest

from wideblock.rtl.sector.feistel_mix_feistel import core as family
from wideblock.rtl.sector.parameters import FeistelMixFeistelParameters
from wideblock.rtl.tes.aez_core import AezCore

from ....variants import few_of_many
from ..cycles import play
from ..registers import Registers

pytestmark = pytest.mark.shows("cycle-contract")

CASES = [
    (1, 96, 1, "stored", True),
    (2, 64, 1, "on-the-fly", True),
    (2, 416, 1, "stored", False),  # the last step waits for a second call
    (2, 32, 1, "on-the-fly", True),
    (2, 160, 1, "on-the-fly", True),
    (4, 352, 2, "stored", True),
    (8, 288, 4, "on-the-fly", False),
]


@pytest.mark.parametrize(
    ("lanes", "sector_bytes", "round_stages", "masks", "overlap"),
    few_of_many(CASES, CASES[:3]),
)
def test_timing(monkeypatch, lanes, sector_bytes, round_stages, masks, overlap):
    monkeypatch.setattr(family, "PipelinedEncryption", Registers)

    def core():
        return AezCore(
            FeistelMixFeistelParameters(
                width=lanes,
                lanes=lanes,
                sector_bytes=sector_bytes,
                round_stages=round_stages,
                masks=masks,
                overlap=overlap,
            )
        )

    t = core().timing
    entered, computed, left = play(core(), 1)
    assert (computed[0] - entered[0], left[0] - entered[0]) == (t.compute, t.latency)
    edge = 6 * (1 + t.latency // t.interval)  # short sectors are steady after some twenty
    entered, _, left = play(core(), 8 + 2 * edge)
    for times in (entered, left):
        steady = times[edge:-edge]
        assert {b - a for a, b in zip(steady, steady[1:], strict=False)} == {t.interval}
