# SPDX-License-Identifier: Apache-2.0
"""Wide-block cores as the Verilog that users get, against the specification, over every value of every parameter."""

from itertools import product

import pytest

from wideblock.export.contract import contract
from wideblock.rtl.sector.parameters import HashedParameters, PsiParameters

from .whole import assert_every_pair, assert_every_value, assert_verified, cases

FEW = [  # a sector no longer than the queue before the copies of a key
    ("fast-brw-1s", {"sector_bytes": 96, "slots": 4, "sbox": "composite"}),
]
MORE = [
    ("heh-brw-1", {"sector_bytes": 64, "sbox": "composite", "mult_stages": 5, "round_stages": 2, "key_width": 32}),
    ("heh-brw-2", {"sector_bytes": 64, "sbox": "composite", "mult_stages": 5, "round_stages": 2, "key_width": 32}),
    ("hmch-polys", {"sector_bytes": 64, "key_bits": 256, "sbox": "bram", "mult_stages": 6, "round_stages": 3}),
    (
        "fast-horner-1",
        {
            "sector_bytes": 80,
            "overlap": True,
            "key_bits": 256,
            "sbox": "composite",
            "mult_stages": 7,
            "round_stages": 4,
        },
    ),
    ("fast-brw-1", {"sector_bytes": 80, "width": 1, "sbox": "bram", "mult_stages": 3, "round_stages": 2}),
    ("fast-brw-2s", {}),
    ("fast-horner-2", {"sector_bytes": 64, "sbox": "norm", "mult_stages": 1, "leaf": 2}),
    ("fast-brw-4s", {"sector_bytes": 256, "sbox": "bram", "mult_stages": 2, "leaf": 8, "squares": "on-the-fly"}),
    ("heh-poly", {"sector_bytes": 64, "mult_stages": 6, "round_stages": 3, "leaf": 16}),
    ("heh-brw-3s", {"sector_bytes": 160, "key_bits": 256, "sbox": "norm", "order": "paper"}),
    ("heh-brw-2s", {"sector_bytes": 128, "sbox": "bram", "mult_stages": 8, "squares": "on-the-fly", "key_width": 64}),
    ("hmch-brw-1", {"sector_bytes": 64, "key_bits": 256, "mult_stages": 1, "leaf": 2, "key_width": 32}),
    ("hmch-brw-3", {"sector_bytes": 160, "sbox": "norm", "round_stages": 2, "order": "paper"}),
    ("fast-brw-1s", {"sector_bytes": 96, "sbox": "norm", "round_stages": 2, "mult_stages": 6}),
    ("fast-horner-2s-k", {"sector_bytes": 512, "slots": 5, "key_bits": 256, "round_stages": 2, "tag_bits": 16}),
    # a sector no longer than the queue before the copies of a key
    ("fast-brw-2s-k", {"sector_bytes": 128, "slots": 4, "tag_bits": 8, "header": True}),
    # cores that seal sectors
    ("fast-brw-2", {"sector_bytes": 128, "icv_bytes": 16}),
    ("fast-horner-2s-k", {"sector_bytes": 512, "slots": 4, "icv_bytes": 16}),
    ("hmch-brw-2s", {"sector_bytes": 128, "icv_bytes": 16}),
    ("hmch-poly", {"sector_bytes": 64, "icv_bytes": 16}),
    ("fast-brw-2", {"sector_bytes": 128, "icv_bytes": 16, "stride": 144}),
    # the tail of a front pass reaches to the last beat of the next sector, which waits for the beat behind it
    ("fast-brw-1s", {"sector_bytes": 96, "icv_bytes": 16, "stride": 112, "sbox": "composite"}),
    ("hmch-brw-2s", {"sector_bytes": 128, "icv_bytes": 16, "stride": 192}),
    ("heh-brw-2s", {"sector_bytes": 64, "icv_bytes": 16, "sbox": "composite"}),
    ("heh-brw-3s", {"sector_bytes": 128, "icv_bytes": 16, "stride": 192, "sbox": "composite", "order": "paper"}),
    ("heh-brw-2s", {"sector_bytes": 256, "icv_bytes": 16, "width": 4, "lanes": 4, "sbox": "composite"}),
    ("heh-brw-2s-k", {"sector_bytes": 128, "icv_bytes": 16, "slots": 4, "tag_bits": 8, "header": True}),
    ("heh-polys", {"sector_bytes": 64, "icv_bytes": 16, "sbox": "composite"}),
    ("heh-brw-1s", {"sector_bytes": 128, "icv_bytes": 16, "sbox": "composite"}),
    ("heh-brw-1", {"sector_bytes": 128, "icv_bytes": 16, "sbox": "composite"}),
    ("heh-poly", {"sector_bytes": 64, "icv_bytes": 16, "stride": 80, "sbox": "composite"}),
    # without overlap it reaches to no other sector
    ("fast-brw-1", {"sector_bytes": 192, "icv_bytes": 16, "stride": 208, "sbox": "composite"}),
    ("hmch-brw-2s-k", {"sector_bytes": 256, "slots": 3, "sbox": "composite", "order": "paper"}),
    ("heh-brw-2s-k", {"sector_bytes": 256, "slots": 3, "sbox": "composite", "key_bits": 256, "tag_bits": 8}),
    (
        "hmch-brw-2s",
        {
            "sector_bytes": 128,
            "key_bits": 256,
            "sbox": "composite",
            "mult_stages": 3,
            "round_stages": 4,
            "leaf": 8,
            "order": "paper",
        },
    ),
]
PAIRED = ("scheme", "hash", "lanes", "overlap", "key_bits", "sbox")
NEVER = [
    # a fourth lane is one more of the same; it is simulated once
    ("lanes", 4),
]


@pytest.mark.shows("known-answers", "random-sectors", "cycle-contract", "protocol", "zeroize-state")
@pytest.mark.parametrize(("name", "changes"), cases(FEW, MORE))
def test_exported_verilog(name, changes):
    """The whole suite of checks, and the cycle of the first key after zeroize."""
    assert_verified(contract(name, changes))


def settings():
    return [contract(name, changes).settings for name, changes in FEW + MORE]


def test_every_value_of_every_parameter_is_simulated():
    rows = settings()
    for parameters in (HashedParameters, PsiParameters):
        assert_every_value(parameters, rows)
    assert any(row["mult_stages"] == 8 for row in rows)
    assert any(core.known_answers for core in (contract(*row) for row in FEW + MORE))


def test_every_pair_of_values_is_simulated():
    assert_every_pair(PAIRED, settings(), never=NEVER)


def test_every_scheme_has_one_and_two_lanes_with_and_without_overlap():
    seen = {(row["scheme"], row["lanes"], row["overlap"]) for row in settings()}
    assert seen >= set(product({row["scheme"] for row in settings()}, (1, 2), (False, True)))
