# SPDX-License-Identifier: Apache-2.0
"""Forms of an AES core, as values of parameters; without hardware."""

from typing import Any

__all__ = ["GATES", "KINDS", "ROUNDS", "ROUND_STAGES", "beside", "logic_sbox"]

ROUNDS = {128: 10, 192: 12, 256: 14}
"""Rounds by key length. Source: FIPS 197, 5."""

ROUND_STAGES = (1, 2, 3)
"""Stages a round that an iterative core can have."""

GATES = ("lut", "composite", "norm")
"""The kinds of S-boxes without a clock, see :mod:`.sbox`."""

KINDS = (*GATES, "bram")
"""All kinds of S-boxes."""


def logic_sbox(kind: str) -> str:
    """The kind of S-box for a part that cannot wait for a block RAM, in a core with ``kind`` in the pipelines."""
    return "lut" if kind == "bram" else kind


def beside(p: Any) -> dict[str, Any]:
    """Parameters of a sequential core in a core with the parameters ``p``."""
    return {"key_bits": p.key_bits, "sbox": logic_sbox(p.sbox), "round_stages": p.sequential_stages}
