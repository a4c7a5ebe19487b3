# SPDX-License-Identifier: Apache-2.0
"""SCREAM v3: one instance of its tweakable block cipher."""

from wideblock import vectors
from wideblock.catalog.kinds import AEAD
from wideblock.catalog.scheme import Preset, Scheme, Status
from wideblock.rtl.aead.scream import Scream, ScreamParameters
from wideblock.spec.aead.scream import SCREAM

__all__ = ["PRESETS", "SCHEME"]


def summary(p: ScreamParameters) -> str:
    pace = {1: "a round", 2: "two rounds", 4: "four rounds"}[p.rounds]
    return f"SCREAM of {p.steps} steps for messages of up to {p.data_bytes} bytes, {pace} a cycle, CAESAR API"


def holds(p: ScreamParameters, answer: vectors.Vector) -> bool:
    whole = "ct" in answer and answer.parameters["steps"] == p.steps
    return whole and len(answer["ad"]) <= p.ad_bytes and len(answer["ct"]) - 16 <= p.data_bytes


SCHEME = Scheme(
    "scream",
    Scream,
    ScreamParameters,
    lambda p, key: SCREAM(key, steps=p.steps),
    SCREAM.security,
    Status.BENCHMARK,
    summary,
    "scream",
    holds,
    kind=AEAD,
)

PRESETS = (
    Preset("scream", SCHEME, ScreamParameters()),
    Preset("scream-r", SCHEME, ScreamParameters(rounds=4)),
)
