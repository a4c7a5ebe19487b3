# SPDX-License-Identifier: Apache-2.0
"""The small engine whose buses are tested: one model serves the tests of each file."""

from functools import cache

from wideblock.export.contract import contract

__all__ = ["SLOTS", "core"]

SLOTS = 5


@cache
def core():
    return contract("xts-both-k", {"sector_bytes": 64, "slots": SLOTS, "key_bits": 128, "registers": "axi4-lite"})
