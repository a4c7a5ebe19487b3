# SPDX-License-Identifier: Apache-2.0
"""Minalpher v1.1: with a permutation for messages and one for tags, and with one for both."""

from wideblock.catalog.kinds import AEAD
from wideblock.catalog.scheme import Preset, Scheme, Status
from wideblock.rtl.aead.minalpher import MinalpherCore, MinalpherParameters
from wideblock.spec.aead.minalpher import Minalpher as Specification

__all__ = ["PRESETS", "SCHEME"]


def summary(p: MinalpherParameters) -> str:
    permutations = {1: "one permutation", 2: "two permutations"}[p.permutations]
    return f"Minalpher v1.1 for messages of up to {p.data_bytes} bytes, {permutations}, CAESAR API"


SCHEME = Scheme(
    "minalpher",
    MinalpherCore,
    MinalpherParameters,
    lambda p, key: Specification(key),
    Specification.security,
    Status.BENCHMARK,
    summary,
    "minalpher",
    kind=AEAD,
    purpose="comparison with the CAESAR candidates",
)

PRESETS = (
    Preset("minalpher", SCHEME, MinalpherParameters()),
    Preset("minalpher-shared", SCHEME, MinalpherParameters(permutations=1)),
)
