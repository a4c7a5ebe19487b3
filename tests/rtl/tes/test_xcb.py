# SPDX-License-Identifier: Apache-2.0
"""XCB cores as the Verilog that users get, against the specification, over every value of every parameter."""

import pytest

from wideblock.export.contract import contract
from wideblock.rtl.sector.parameters import WholeKeyParameters

from .whole import assert_every_pair, assert_every_value, assert_verified, cases

FEW: list = []
MORE = [
    ("xcb-1", {"sector_bytes": 48, "sbox": "composite", "tweak_bytes": 32}),
    ("xcb-1", {"sector_bytes": 48, "mult_stages": 2, "leaf": 2, "tweak_bytes": 32}),
    ("xcb-1s", {"sector_bytes": 32, "key_bits": 256, "mult_stages": 7, "tweak_bytes": 32}),
    ("xcb-2s", {}),  # its known answers have counters that wrap
    (
        "xcb-1",
        {"sector_bytes": 512, "key_bits": 256, "round_stages": 2, "sbox": "norm", "mult_stages": 3, "leaf": 8},
    ),
    # one block, and one with four bytes before it
    ("xcb-2", {"sector_bytes": 16, "key_bits": 256, "mult_stages": 1, "tweak_bytes": 32, "key_width": 64}),
    ("xcb-1s", {"sector_bytes": 20, "round_stages": 3, "sbox": "composite", "mult_stages": 8, "key_width": 32}),
    # the last block begins in one beat and ends in the next one
    (
        "xcb-2s",
        {
            "sector_bytes": 67,
            "width": 4,
            "lanes": 4,
            "key_bits": 256,
            "round_stages": 4,
            "sbox": "bram",
            "mult_stages": 6,
            "leaf": 16,
        },
    ),
    ("xcb-2", {"sector_bytes": 47, "width": 4, "mult_stages": 5}),
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
    return [contract(name, changes).settings for name, changes in MORE]


def test_every_value_of_every_parameter_is_simulated(rows):
    assert_every_value(WholeKeyParameters, rows)
    assert {row["mult_stages"] for row in rows} == set(range(1, 9))
    assert {row["sector_bytes"] % 16 == 0 for row in rows} == {True, False}


def test_every_pair_of_values_is_simulated(rows):
    assert_every_pair(PAIRED, rows, never=NEVER)


def test_known_answers_of_every_key_length_and_of_partial_blocks():
    cores = [core for core in (contract(*row) for row in MORE) if core.known_answers]
    kinds = {(core.parameters.key_bits, core.parameters.sector_bytes % 16 == 0) for core in cores}
    assert kinds >= {(128, True), (128, False), (256, True)}
    assert {core.parameters.tweak_bytes for core in cores} == {16, 32}
    assert len(contract("xcb-1").known_answers) == 4


@pytest.mark.parametrize(
    ("name", "size", "message"),
    [
        ("xcb-2", 15, "at least 16 with a width of 2, got 15"),
        ("xcb-1s", 16, "at least 17 with a width of 1, got 16"),
    ],
)
def test_short_sectors_are_refused(name, size, message):
    with pytest.raises(ValueError, match=f"^sector_bytes must be {message}$"):
        contract(name, {"sector_bytes": size})
