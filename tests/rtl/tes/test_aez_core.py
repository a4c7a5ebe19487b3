# SPDX-License-Identifier: Apache-2.0
"""AEZ-core cores as the Verilog that users get, against the specification, over every value of every parameter."""

import pytest

from wideblock import catalog, vectors
from wideblock.export.contract import contract
from wideblock.rtl.sector.parameters import FeistelMixFeistelParameters

from .whole import assert_every_pair, assert_every_value, assert_verified, cases

FEW = [
    ("aez-2t", {"sector_bytes": 32, "width": 1, "lanes": 1, "round_stages": 3, "sbox": "norm"}),
]
MORE = [
    # the last beat has half of its bytes, so that beats have byte qualifiers
    ("aez-2t", {"sector_bytes": 160, "width": 4, "lanes": 4}),
    ("aez-2ts", {"sector_bytes": 64, "round_stages": 2, "sbox": "composite"}),
    ("aez-2-pre", {"sector_bytes": 512, "key_width": 64}),
    ("aez-2s", {"sector_bytes": 96, "width": 1, "lanes": 1, "masks": "stored", "sbox": "bram", "key_width": 32}),
    # the last step is one beat, of which two blocks are the sector's, and waits for a second call
    ("aez-2t", {"sector_bytes": 2976, "width": 4, "lanes": 4, "masks": "stored", "round_stages": 4}),
    ("aez-2ts-k", {"sector_bytes": 128, "slots": 4, "tag_bits": 8, "sbox": "composite"}),
    # beats have byte qualifiers, and the last step is one beat
    ("aez-2s", {"sector_bytes": 416, "width": 4, "lanes": 4, "slots": 3, "round_stages": 2, "key_width": 32}),
    ("aez-2ts-k", {"sector_bytes": 96, "width": 1, "lanes": 1, "slots": 16, "header": True}),
]
PAIRED = (("lanes", "overlap", "tweak_bytes"), ("lanes", "overlap", "masks"))


@pytest.mark.shows("known-answers", "random-sectors", "cycle-contract", "protocol", "zeroize-state")
@pytest.mark.parametrize(("name", "changes"), cases(FEW, MORE))
def test_exported_verilog(name, changes):
    """The whole suite of checks, and the cycle of the first key after zeroize."""
    assert_verified(contract(name, changes))


def test_every_value_and_pair_of_values_is_simulated():
    rows = [contract(name, changes).settings for name, changes in FEW + MORE]
    assert_every_value(FeistelMixFeistelParameters, rows)
    for names in PAIRED:
        assert_every_pair(names, rows, never=[("lanes", 4)])


def test_every_answer_is_one_of_a_core():
    for answer in (a for group in vectors.load("aez_core") for a in group.vectors):
        core = contract("aez-2t", {"sector_bytes": len(answer["pt"]), "tweak_bytes": len(answer["tweak"])})
        assert any(known.ciphertext == answer["ct"] for known in core.known_answers)


def test_no_tweak_has_no_port():
    users = {
        name: port.width for name in ("aez-2-otf", "aez-2t") for port in contract(name).ports if "tuser" in port.name
    }
    assert users == {"aez-2-otf": 1, "aez-2t": 129}


def test_status():
    assert catalog.preset("aez-2-pre").scheme.status is catalog.Status.BENCHMARK


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sector_bytes": 0}, "sector_bytes must be a multiple of 32 (a pair of blocks), got 0"),
        ({"sector_bytes": 520}, "sector_bytes must be a multiple of 32 (a pair of blocks), got 520"),
        ({"lanes": 1}, "lanes must be the width, a pair a lane for two beats: 2, got 1"),
        ({"slots": 4}, "overlap must be true with slots, got false"),
        (
            {"slots": 4, "overlap": True, "masks": "stored"},
            "masks must be on-the-fly with slots, as a table has those of one key, got 'stored'",
        ),
        (
            {"slots": 4, "overlap": True, "registers": "axi4-lite"},
            "registers must be none without a tweak, got 'axi4-lite'; tweak_bytes 16 goes with it",
        ),
        ({"tweak_bytes": 32}, "tweak_bytes must be one of 0, 16, got 32"),
    ],
)
def test_impossible_parameters(changes, message):
    with pytest.raises(ValueError) as error:
        contract("aez-2-otf", changes)
    assert str(error.value) == message
