# SPDX-License-Identifier: Apache-2.0
"""EME2 cores as the Verilog that users get, against the specification, over every value of every parameter."""

import numpy as np
import pytest

from wideblock import vectors
from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.export.contract import contract
from wideblock.rtl.sector.parameters import SectorParameters
from wideblock.rtl.stream.behaviour import Cause
from wideblock.spec.eme2 import EME2
from wideblock.verify.core.report import Outcome
from wideblock.verify.sector.suite import SECTORS

from .whole import assert_every_pair, assert_every_value, assert_verified, cases

FEW = [
    ("eme2-1s", {"sector_bytes": 37, "round_stages": 2}),
]
MORE = [
    ("eme2-1s", {"sector_bytes": 37, "key_bits": 256, "sbox": "norm", "round_stages": 3}),
    ("eme2-2", {"sector_bytes": 96, "key_bits": 256, "sbox": "composite", "round_stages": 2}),
    ("eme2-1", {"sector_bytes": 2065, "key_width": 32}),  # a refreshed mask and a rest: the standard's own vector
    ("eme2-2s", {"sector_bytes": 520, "sbox": "bram", "round_stages": 4, "key_width": 64}),
    ("eme2-2s-k", {"sector_bytes": 136, "slots": 4, "sbox": "composite", "tag_bits": 8}),
    ("eme2-2", {"sector_bytes": 96, "icv_bytes": 16, "round_stages": 2}),
    # a mask is refreshed at the sector's last block, and the call of the first one has a step of its own
    ("eme2-2s", {"sector_bytes": 2048, "icv_bytes": 16}),
    ("eme2-1s", {"sector_bytes": 64, "icv_bytes": 16, "slots": 4, "tag_bits": 8, "sbox": "bram"}),
    ("eme2-2s", {"sector_bytes": 96, "icv_bytes": 16, "stride": 112}),
    ("eme2-1s", {"sector_bytes": 144, "slots": 3, "key_bits": 256, "sbox": "bram", "round_stages": 2, "key_width": 32}),
    # the second layer waits for the refreshed mask: a period is 32 steps, and a call 41 cycles
    ("eme2-2s", {"width": 4, "lanes": 4, "sector_bytes": 2113, "round_stages": 4}),
]
PAIRED = ("lanes", "overlap", "key_bits")
KEY = bytes(range(48))


@pytest.mark.shows("known-answers", "random-sectors", "cycle-contract", "protocol", "zeroize-state")
@pytest.mark.parametrize(("name", "changes"), cases(FEW, MORE))
def test_exported_verilog(name, changes):
    """The whole suite of checks, and the cycle of the first key after zeroize."""
    assert_verified(contract(name, changes))


@pytest.mark.slow
@pytest.mark.parametrize("changes", [{"sector_bytes": 32}, {"sector_bytes": 32, "stride": 64}])
def test_a_core_that_seals(changes):
    """Random and forged sectors."""
    core = contract("eme2-1s", {"icv_bytes": 16, **changes})
    report = SECTORS.verify(core, amount=16, seed=1, checks=["random sectors", "forged sectors"])
    assert report.failure is None and [check.outcome for check in report.checks] == [Outcome.PASSED] * 2


@pytest.mark.parametrize(("size", "plain", "sealed"), [(512, 34, 36), (4096, 259, 262)])
def test_a_sealed_sector_takes_a_call_more_in_each_layer(size, plain, sealed):
    """And another refreshed mask, if the sector had 128 blocks, 256, .."""
    found = [contract("eme2-2s", {"sector_bytes": size, "icv_bytes": icv}).timing.interval for icv in (0, 16)]
    assert found == [plain, sealed]


def test_every_value_and_pair_of_values_is_simulated():
    rows = [contract(name, changes).settings for name, changes in FEW + MORE]
    assert_every_value(SectorParameters, rows)
    assert_every_pair(PAIRED, rows, never=[("lanes", 4)])


def test_every_length_of_a_rest_and_none_is_known_to_answer():
    """Lengths of the known answers that a core can have: the standard's, and those of two other implementations."""
    sizes = {len(answer["pt"]) for answer in answers()}
    assert {16, 17, 20, 512, 513, 520, 2048, 2064, 2065, 4096, 4129} <= sizes
    for answer in answers():
        core = contract("eme2-1", {"sector_bytes": len(answer["pt"]), "key_bits": 8 * len(answer["key"]) - 256})
        assert any(known.ciphertext == answer["ct"] for known in core.known_answers)


def answers():
    return [a for group in vectors.load("eme2") for a in group.vectors if len(a["tweak"]) == 16]


@pytest.mark.parametrize("kept", [(), (0, 2), range(4), range(6), (0, 1, 2, 3, 4, 7)])
def test_bytes_of_the_last_beat_that_are_not_the_sector_s(kept):
    """A sector of 37 bytes whose last beat has others than bytes 0 to 4 is a fault, and the next is right."""
    rng = np.random.default_rng(1)
    sectors, tweaks = [rng.bytes(37), rng.bytes(37)], [rng.bytes(16), rng.bytes(16)]
    with SectorSimulation(contract(*FEW[0])) as simulation:
        simulation.load_key(KEY)
        script = simulation.script(sectors, tweaks, quiet=300)
        script.words["i"]["keep"][2] = np.packbits([n in kept for n in range(16)], bitorder="little")
        record = simulation.play(script)
    cause = (Cause.LONG if len(kept) > 5 else Cause.SHORT) if list(kept) == list(range(len(kept))) else Cause.KEEP
    assert [fault for _, fault in record.faults] == [simulation.core.behaviour.fault(cause)]
    assert np.flatnonzero(record.out_last).tolist() == [2] and record.out_bytes[-1] == 5
    assert record.out.tobytes()[:37] == EME2(KEY).encrypt(tweaks[1], sectors[1])


def test_impossible_parameters():
    with pytest.raises(ValueError, match="^EME2 takes a block a lane and beat: lanes must be the width of 2, got 1$"):
        contract("eme2-2", {"lanes": 1})
    with pytest.raises(ValueError, match="^sector_bytes must be at least 16, got 15$"):
        contract("eme2-1", {"sector_bytes": 15})
    with pytest.raises(ValueError, match="^unknown parameter 'hash' of eme2-1; it would be one of sector_bytes, "):
        contract("eme2-1", {"hash": "brw"})
