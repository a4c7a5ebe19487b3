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


def test_impossible_parameters():
    for scheme in ("heh", "hmch"):
        with pytest.raises(ValueError, match=f"^{scheme.upper()} needs at least 2 blocks a sector, got 1$"):
            contract(f"{scheme}-poly", {"sector_bytes": 16})
    with pytest.raises(ValueError, match="^the paper's order is one of brw; order must be natural for horner"):
        contract("hmch-poly", {"order": "paper"})
    with pytest.raises(ValueError, match="^unknown parameter 'order' of fast-brw-2; it would be one of"):
        contract("fast-brw-2", {"order": "paper"})
