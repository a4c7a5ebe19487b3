# SPDX-License-Identifier: Apache-2.0
"""HEH and HMCH: what is theirs alone."""

import pytest

from wideblock.export.contract import contract


@pytest.mark.parametrize("hash", ["brw-2", "poly"])
@pytest.mark.parametrize("scheme", ["heh", "hmch"])
def test_known_answers_exist(scheme, hash):
    assert contract(f"{scheme}-{hash}").known_answers


def test_the_paper_s_order_needs_no_window_and_fewer_cycles():
    natural, paper = (contract("hmch-brw-2", {"order": order}).component for order in ("natural", "paper"))
    assert paper.timing.compute == natural.timing.compute - 4
    assert (natural.programs["front"].window, paper.programs["front"].window, paper.programs["back"].window) == (
        3,
        1,
        1,
    )


@pytest.mark.parametrize(
    ("name", "cycles"),
    [
        ("heh-brw-2s", {512: (17, 19), 4096: (129, 131)}),
        ("heh-brw-2s-k", {512: (17, 21), 4096: (129, 133)}),
        ("heh-brw-3s", {512: (33, 34), 4096: (257, 258)}),
        ("heh-polys", {512: (33, 34), 4096: (257, 258)}),
    ],
)
def test_a_sealed_sector_takes_a_call_and_a_product_more(name, cycles):
    """Intervals of a plain and of a sealed sector, although the front hash waits for the ICV in a chain."""
    for size, stated in cycles.items():
        parts = (contract(name, {"sector_bytes": size, "icv_bytes": icv}) for icv in (0, 16))
        assert tuple(core.timing.interval for core in parts) == stated


def test_impossible_parameters():
    for scheme in ("heh", "hmch"):
        with pytest.raises(ValueError, match=f"^{scheme.upper()} needs at least 2 blocks a sector, got 1$"):
            contract(f"{scheme}-poly", {"sector_bytes": 16})
    with pytest.raises(ValueError, match="^the paper's order is one of brw; order must be natural for horner"):
        contract("hmch-poly", {"order": "paper"})
    with pytest.raises(ValueError, match="^unknown parameter 'order' of fast-brw-2; it would be one of"):
        contract("fast-brw-2", {"order": "paper"})
