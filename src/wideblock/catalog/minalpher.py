# SPDX-License-Identifier: Apache-2.0
"""Minalpher v1.1: with a permutation each for messages and tags, and with a common permutation."""

from dataclasses import dataclass

from wideblock.catalog.kinds import AEAD
from wideblock.catalog.scheme import Preset, Scheme, Status
from wideblock.rtl.aead.parameters import AeadParameters
from wideblock.rtl.stream.parameters import parameter
from wideblock.spec.aead.minalpher import Minalpher as Specification

__all__ = ["PRESETS", "SCHEME", "MinalpherParameters"]


@dataclass(frozen=True, kw_only=True)
class MinalpherParameters(AeadParameters):
    """Parameters of a core of Minalpher."""

    permutations: int = parameter(2, "permutations: one for message and tag in turn, or one for each", (1, 2))

    @property
    def caution(self) -> str:
        """Empty: plaintext is always held, as its length is in the padding of the last block."""
        return ""

    @property
    def lengths(self) -> str:
        """Lengths of messages in words."""
        to_decrypt = f" to encrypt, {self.data_bytes} to decrypt" if self.at_once else ""
        return f"messages of up to {self.longest_data} bytes{to_decrypt}"


def summary(p: MinalpherParameters) -> str:
    permutations = {1: "one permutation", 2: "two permutations"}[p.permutations]
    return f"Minalpher v1.1 for {p.lengths}, {permutations}, CAESAR API"


def core() -> type:
    from wideblock.rtl.aead.minalpher import MinalpherCore

    return MinalpherCore


SCHEME = Scheme(
    "minalpher",
    core,
    MinalpherParameters,
    lambda p, key: Specification(key),
    Specification.security,
    Status.BENCHMARK,
    summary,
    "minalpher",
    kind=AEAD,
    purpose="comparison with the CAESAR candidates",
    key_bits=lambda p: 128,
    limits=lambda p: core().check(p),
)

PRESETS = (
    Preset("minalpher", SCHEME, MinalpherParameters()),
    Preset("minalpher-shared", SCHEME, MinalpherParameters(permutations=1)),
)
