# SPDX-License-Identifier: Apache-2.0
"""The cycle contract of encrypt-mix-encrypt for sectors of every kind of length, with registers for ciphers."""

import pytest

from wideblock.rtl.aes import pipelined
from wideblock.rtl.sector.parameters import EncryptMixEncryptParameters
from wideblock.rtl.tes.eme2 import Eme2

from ....variants import few_of_many
from ..cycles import play
from ..registers import Registers

pytestmark = pytest.mark.shows("cycle-contract")


CASES = [
    *((1, size, 128, 1, overlap) for size in (16, 17, 32, 63, 64, 160) for overlap in (False, True)),
    *((2, size, 128, 1, True) for size in (16, 24, 40, 48, 96, 264, 2064)),
    *((4, size, 256, 2, True) for size in (24, 64, 100, 520)),
    *((4, size, 256, 3, overlap) for size in (2064, 2116) for overlap in (False, True)),
    *((8, size, 256, 4, True) for size in (128, 2064)),
]


@pytest.mark.parametrize(
    ("lanes", "sector_bytes", "key_bits", "round_stages", "overlap"),
    few_of_many(CASES, [case for case in CASES if case[1] in (16, 17, 24, 40, 63)]),
)
def test_timing(monkeypatch, lanes, sector_bytes, key_bits, round_stages, overlap):
    monkeypatch.setattr(pipelined, "PipelinedEitherWay", Registers)

    def core():
        return Eme2(
            EncryptMixEncryptParameters(
                width=lanes,
                lanes=lanes,
                sector_bytes=sector_bytes,
                key_bits=key_bits,
                round_stages=round_stages,
                overlap=overlap,
            )
        )

    t = core().timing
    entered, computed, left = play(core(), 1)
    assert (computed[0] - entered[0], left[0] - entered[0]) == (t.compute, t.latency)
    edge = 2 * (1 + t.latency // t.interval)
    entered, _, left = play(core(), 8 + 2 * edge)
    for times in (entered, left):
        steady = times[edge:-edge]
        assert {b - a for a, b in zip(steady, steady[1:], strict=False)} == {t.interval}
