# SPDX-License-Identifier: Apache-2.0
"""POET v2.01 in its recommended set: AES-128 between two chains of AES4."""

from dataclasses import dataclass

from wideblock.catalog.kinds import AEAD
from wideblock.catalog.scheme import Preset, Scheme, Status
from wideblock.rtl.aead.parameters import AeadParameters
from wideblock.rtl.aes.forms import GATES
from wideblock.rtl.stream.parameters import parameter
from wideblock.spec.aead.poet import POET

__all__ = ["PRESETS", "SCHEME", "PoetParameters"]


@dataclass(frozen=True, kw_only=True)
class PoetParameters(AeadParameters):
    """Parameters of a POET core."""

    sbox: str = parameter("lut", "form of the AES S-box", GATES)


def core() -> type:
    from wideblock.rtl.aead.poet import Poet

    return Poet


SCHEME = Scheme(
    "poet",
    core,
    PoetParameters,
    lambda p, key: POET(key),
    POET.security,
    Status.BENCHMARK,
    lambda p: f"POET for {p.lengths}, a round of AES and one of AES4 a cycle, CAESAR API",
    "poet",
    kind=AEAD,
    purpose="comparison with the CAESAR candidates; an on-line cipher",
    key_bits=lambda p: 128,
    limits=lambda p: core().check(p),
)

PRESETS = (Preset("poet", SCHEME, PoetParameters()),)
