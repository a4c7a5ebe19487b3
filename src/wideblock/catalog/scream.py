# SPDX-License-Identifier: Apache-2.0
"""SCREAM v3: one instance of its tweakable block cipher."""

from wideblock.catalog.kinds import AEAD
from wideblock.catalog.scheme import Preset, Scheme, Status
from wideblock.rtl.aead.scream import ScreamCore, ScreamParameters
from wideblock.spec.aead.scream import SCREAM

__all__ = ["PRESETS", "SCHEME"]


def summary(p: ScreamParameters) -> str:
    pace = {1: "a round", 2: "two rounds", 4: "four rounds"}[p.rounds]
    return f"SCREAM of {p.steps} steps for messages of up to {p.data_bytes} bytes, {pace} a cycle, CAESAR API"


SCHEME = Scheme(
    "scream",
    ScreamCore,
    ScreamParameters,
    lambda p, key: SCREAM(key, steps=p.steps),
    SCREAM.security,
    Status.BENCHMARK,
    summary,
    "scream",
    holds=lambda p, answer: answer.parameters["steps"] == p.steps,
    kind=AEAD,
    purpose="comparison with the CAESAR candidates",
)

PRESETS = (
    Preset("scream", SCHEME, ScreamParameters()),
    Preset("scream-r", SCHEME, ScreamParameters(rounds=4)),
)
