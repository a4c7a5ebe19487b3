# SPDX-License-Identifier: Apache-2.0
"""A core whose model is built quickly, with sectors that its specification computes quickly."""

from wideblock.export.contract import contract

SUBJECT = contract("xts-both", {"sector_bytes": 64, "sbox": "composite"})
KEY = bytes(range(100, 132))
