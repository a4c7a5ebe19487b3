# SPDX-License-Identifier: Apache-2.0
"""Resources of a core are those that its elaborated hardware has."""

import re

import pytest

from wideblock.evaluate.published import for_preset
from wideblock.export.contract import contract
from wideblock.export.resources import resources

pytestmark = pytest.mark.shows("evaluation")

PAPERS = {
    "AES-PEC": "pipelined AES encryption",
    "AES-PDC": "pipelined AES decryption",
    "AES-SDC": "iterative AES decryption",
    "multiplier": "GF(2^128) multiplier, a product a cycle",
}


@pytest.mark.parametrize(
    "preset, more",
    [
        ("fast-horner-2", {}),
        ("hmch-brw-3", {}),
        ("heh-brw-1", {}),
        ("aez-2-otf", {}),
        ("xcb-1", {"iterative AES encryption": 1}),  # the call under Ke is beside the lanes
    ],
)
def test_resources_are_the_papers(preset, more):
    listed = re.findall(r"(\d) (AES-\w+|multiplier)", for_preset(preset)[0].resources)
    theirs = {PAPERS[name]: int(number) for number, name in listed}
    ours = contract(preset, {"sector_bytes": 128}).resources
    memory = {name for name in ours if name.startswith("bits")}
    # the BRW paper does not list the multiplier, no paper the key expansion
    beside = {"key expansion": 1, "GF(2^128) multiplier, a product a cycle": 1}
    assert theirs and {name: number for name, number in ours.items() if name not in memory} == {
        **{name: number for name, number in beside.items() if name in ours},
        **theirs,
        **more,
    }
    assert "bits of block memory" in memory


def test_a_lane_counts():
    assert contract("xts-4", {"sector_bytes": 64}).resources["pipelined AES encryption"] == 4


@pytest.mark.parametrize("preset, changes", [("xts-both", {"sbox": "bram"}), ("hmch-poly", {}), ("hctr2-1s", {})])
def test_an_outline_has_all_that_counts(preset, changes):
    core = contract(preset, changes)
    assert resources(core.shell, platform=None) == core.resources
