# SPDX-License-Identifier: Apache-2.0
"""The cycle contract of encrypt-mix-encrypt for sectors of every kind of length, with registers for ciphers."""

import random
from dataclasses import replace

import pytest

from wideblock import catalog
from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.drive.sector.traffic import Key
from wideblock.export.contract import Contract
from wideblock.rtl.aes import pipelined
from wideblock.rtl.keys.material import Derivation, KeyMaterial, KeyWord
from wideblock.rtl.sector.parameters import EncryptMixEncryptParameters
from wideblock.rtl.tes.eme2 import K_AD, K_ECB, Eme2
from wideblock.spec.aes import AES
from wideblock.spec.eme2 import EME2

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
    few_of_many(CASES, [case for case in CASES if case[1] in (17, 24)]),
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


class Derived(Eme2):
    """EME2 whose K_AD and K_ECB are derived: E(0) and E(1)."""

    @staticmethod
    def key_material(p):
        K = KeyWord("K", p.key_bits, "the AES key")
        return KeyMaterial(port=(K,), ciphers=(K,), derivations=(Derivation(0, K, K_AD), Derivation(1, K, K_ECB)))


DERIVED = [{"sector_bytes": 37}, {"sector_bytes": 64, "overlap": True, "key_bits": 256}]


@pytest.mark.slow
@pytest.mark.parametrize("changes", DERIVED)
def test_words_that_the_lanes_derive(changes):
    """Both directions under two keys; a key is loaded in the cycles that the contract states."""
    eme2, rng = catalog.preset("eme2-1"), random.Random(1)
    preset = replace(
        eme2,
        scheme=replace(eme2.scheme, hardware=lambda: Derived, key_bits=lambda p: p.key_bits),
        parameters=eme2.changed(changes),
    )
    made = Derived(preset.parameters)
    core, size = Contract(preset, preset.parameters, lambda: made), preset.parameters.sector_bytes
    with SectorSimulation(core) as simulation:
        for _ in range(2):
            K, T, P = (rng.randbytes(n) for n in (core.parameters.key_bits // 8, 32, 2 * size))
            script = simulation.script([P[:size], P[size:]], [T[:16], T[16:]], [False, True], keys=[Key(K)])
            script.wanted = {"o": script.beats}
            simulation.reset()
            record = simulation.play(script)
            spec = EME2(AES(K).encrypt(bytes(16) + b"\1" + bytes(15)) + K)
            right = [spec.encrypt(T[:16], P[:size]), spec.decrypt(T[16:], P[size:])]
            assert [result.tobytes() for result in record.sectors] == right
            assert record.first_in[0] - record.key_taken[0] == core.timing.setup
