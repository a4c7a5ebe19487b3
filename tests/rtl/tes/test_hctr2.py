# SPDX-License-Identifier: Apache-2.0
"""HCTR2 cores as the Verilog that users get, against the specification, over every value of every parameter."""

import pytest

from wideblock.export.contract import contract
from wideblock.rtl.sector.parameters import HornerParameters, SealingParameters

from .whole import assert_every_pair, assert_every_value, assert_verified, cases

FEW = [("hctr2-1s", {"sector_bytes": 64, "icv_bytes": 16})]
MORE = [
    ("hctr2-1s", {"sector_bytes": 31, "sbox": "composite", "tweak_bytes": 32}),
    # cores that seal sectors
    ("hctr2-2s", {"icv_bytes": 16, "key_bits": 256, "tweak_bytes": 32}),
    ("hctr2-1s", {"sector_bytes": 32, "icv_bytes": 16, "mult_stages": 1, "round_stages": 2, "key_bits": 192}),
    ("hctr2-2", {"sector_bytes": 512, "icv_bytes": 16}),
    ("hctr2-4s", {"sector_bytes": 512, "icv_bytes": 16, "mult_stages": 6, "key_bits": 256}),
    ("hctr2-2s-k", {"sector_bytes": 512, "slots": 4, "icv_bytes": 16, "tag_bits": 8}),
    # with their ICVs behind them: in half a beat, and with three beats of zeros more
    ("hctr2-2s", {"icv_bytes": 16, "key_bits": 256, "stride": 4112}),
    ("hctr2-1s", {"sector_bytes": 512, "icv_bytes": 16, "stride": 576}),
    ("hctr2-2s", {"sector_bytes": 31, "mult_stages": 2, "leaf": 2, "tweak_bytes": 32}),
    ("hctr2-1", {"sector_bytes": 128}),
    ("hctr2-2s", {"key_bits": 256}),
    (
        "hctr2-2",
        {"sector_bytes": 512, "key_bits": 192, "round_stages": 2, "sbox": "composite", "mult_stages": 3, "leaf": 8},
    ),
    # one block, and one with a byte
    ("hctr2-2", {"sector_bytes": 16, "key_bits": 256, "tweak_bytes": 32, "key_width": 32}),
    ("hctr2-1", {"sector_bytes": 17, "key_bits": 192, "mult_stages": 8, "tweak_bytes": 32, "key_width": 64}),
    ("hctr2-1s", {"sector_bytes": 48, "key_bits": 192, "round_stages": 3, "sbox": "norm", "mult_stages": 1}),
    (
        "hctr2-4s",
        {
            "sector_bytes": 255,
            "key_bits": 256,
            "round_stages": 4,
            "sbox": "bram",
            "mult_stages": 6,
            "leaf": 16,
            "tweak_bytes": 32,
        },
    ),
    # the sector ends in the first column of a beat, which several steps make
    ("hctr2-4s", {"sector_bytes": 80, "lanes": 2, "mult_stages": 5, "key_bits": 192}),
    ("hctr2-4s", {"sector_bytes": 71, "lanes": 1, "overlap": False, "mult_stages": 7, "key_bits": 256}),
    ("hctr2-2s-k", {"sector_bytes": 500, "slots": 5, "key_bits": 256, "mult_stages": 3, "tweak_bytes": 32}),
]
PAIRED = ("lanes", "overlap", "key_bits", "tweak_bytes")
NEVER = [
    # a fourth lane is one more of the same; it is simulated once
    ("lanes", 4),
]


@pytest.mark.shows("known-answers", "random-sectors", "cycle-contract", "protocol", "zeroize-state")
@pytest.mark.parametrize(("name", "changes"), cases(FEW, MORE))
def test_exported_verilog(name, changes):
    """The whole suite of checks, and the cycle of the first key after zeroize."""
    assert_verified(contract(name, changes))


@pytest.fixture(scope="module")
def rows():
    return [contract(name, changes).settings for name, changes in FEW + MORE]


def test_every_value_of_every_parameter_is_simulated(rows):
    for parameters in (HornerParameters, SealingParameters):
        assert_every_value(parameters, rows)
    assert {row["mult_stages"] for row in rows} == set(range(1, 9))
    assert {row["sector_bytes"] % 16 == 0 for row in rows} == {True, False}


def test_every_pair_of_values_is_simulated(rows):
    assert_every_pair(PAIRED, rows, never=NEVER)


def test_known_answers_of_every_key_length_and_of_partial_blocks():
    cores = [core for core in (contract(*row) for row in FEW + MORE) if core.known_answers]
    kinds = {(core.parameters.key_bits, core.parameters.sector_bytes % 16 == 0) for core in cores}
    assert kinds >= {(128, True), (128, False), (192, True), (192, False), (256, True), (256, False)}
    assert {core.parameters.tweak_bytes for core in cores} == {16, 32}


@pytest.mark.parametrize(
    ("name", "size", "message"),
    [
        ("hctr2-2", 15, "at least 16 with a width of 2, got 15"),
        ("hctr2-1s", 16, "at least 17 with a width of 1, got 16"),
    ],
)
def test_short_sectors_are_refused(name, size, message):
    with pytest.raises(ValueError, match=f"^sector_bytes must be {message}$"):
        contract(name, {"sector_bytes": size})
