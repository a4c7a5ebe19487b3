# SPDX-License-Identifier: Apache-2.0
"""The demo's account of an image: equal sectors, and a flipped bit."""

import numpy as np
import pytest

from wideblock.export.contract import contract
from wideblock.image.demonstration import equal_sectors, flip, key_of

pytestmark = pytest.mark.shows("cli")


def test_equal_sectors_are_counted_and_told_apart():
    plain = np.array([[1, 1], [2, 2], [1, 1], [1, 1]], np.uint8)
    assert equal_sectors(plain, np.array([[1, 0], [2, 0], [3, 0], [3, 0]], np.uint8)) == (3, 1)
    assert equal_sectors(plain[:2], plain[:2]) == (0, 0)


def test_a_flipped_bit_garbles_a_wide_block():
    core = contract("fast-brw-2s", {"sector_bytes": 128})
    sector = core.specification(key_of(core)).encrypt((3).to_bytes(16, "little"), bytes(128))
    changed, bits = flip(core, 3, sector, bit=5)
    assert 120 <= changed <= 128 and 3 * changed <= bits <= 5 * changed
