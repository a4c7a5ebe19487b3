# SPDX-License-Identifier: Apache-2.0
"""SCREAM v3: an instance of the tweakable block cipher."""

from dataclasses import dataclass

from wideblock.catalog.kinds import AEAD
from wideblock.catalog.scheme import Preset, Scheme, Status
from wideblock.rtl.aead.parameters import AeadParameters
from wideblock.rtl.stream.parameters import parameter
from wideblock.spec.aead.scream import SCREAM

__all__ = ["PRESETS", "SCHEME", "ScreamParameters"]


@dataclass(frozen=True, kw_only=True)
class ScreamParameters(AeadParameters):
    """Parameters of a SCREAM core."""

    steps: int = parameter(10, "steps of the tweakable block cipher, two rounds each", (10, 12))
    rounds: int = parameter(2, "rounds a cycle", (1, 2, 4))


def summary(p: ScreamParameters) -> str:
    pace = {1: "a round", 2: "two rounds", 4: "four rounds"}[p.rounds]
    return f"SCREAM of {p.steps} steps for {p.lengths}, {pace} a cycle, CAESAR API"


def core() -> type:
    from wideblock.rtl.aead.scream import ScreamCore

    return ScreamCore


SCHEME = Scheme(
    "scream",
    core,
    ScreamParameters,
    lambda p, key: SCREAM(key, steps=p.steps),
    SCREAM.security,
    Status.BENCHMARK,
    summary,
    "scream",
    holds=lambda p, answer: answer.parameters["steps"] == p.steps,
    kind=AEAD,
    purpose="comparison with the CAESAR candidates",
    key_bits=lambda p: 128,
    limits=lambda p: core().check(p),
)

PRESETS = (
    Preset("scream", SCHEME, ScreamParameters()),
    Preset("scream-r", SCHEME, ScreamParameters(rounds=4)),
)
