# SPDX-License-Identifier: Apache-2.0
"""POET v2.01 in its recommended set: AES-128 between two chains of AES4."""

from wideblock.catalog.kinds import AEAD
from wideblock.catalog.scheme import Preset, Scheme, Status
from wideblock.rtl.aead.poet import Poet, PoetParameters
from wideblock.spec.aead.poet import POET

__all__ = ["PRESETS", "SCHEME"]

SCHEME = Scheme(
    "poet",
    Poet,
    PoetParameters,
    lambda p, key: POET(key),
    POET.security,
    Status.BENCHMARK,
    lambda p: f"POET for messages of up to {p.data_bytes} bytes, a round of AES and one of AES4 a cycle, CAESAR API",
    "poet",
    kind=AEAD,
    purpose="comparison with the CAESAR candidates; an on-line cipher",
)

PRESETS = (Preset("poet", SCHEME, PoetParameters()),)
