# SPDX-License-Identifier: Apache-2.0
"""AEZ v5: an AES round a cycle, four as a pipeline, or a column of a round."""

from wideblock.catalog.aez import AezParameters, pace
from wideblock.catalog.kinds import AEAD
from wideblock.catalog.scheme import Preset, Scheme, Status
from wideblock.spec.aead.aez import AEZv5

__all__ = ["PRESETS", "SCHEME"]


def core() -> type:
    from wideblock.rtl.aead.aez.cipher import AezV5

    return AezV5


SCHEME = Scheme(
    "aez5",
    core,
    AezParameters,
    lambda p, key: AEZv5(key, tag_bytes=p.tag_bytes),
    AEZv5.security,
    Status.BENCHMARK,
    lambda p: f"AEZ v5 for messages of up to {p.data_bytes} bytes, {pace(p)}, CAESAR API",
    "aez",
    lambda p, answer: answer.parameters["version"] == "5" and "ad" in answer,
    kind=AEAD,
    purpose="a tag that survives repeated nonces, for research",
    key_bits=lambda p: 384,
    limits=lambda p: core().check(p),
)

PRESETS = (
    Preset("aez5", SCHEME, AezParameters()),
    Preset("aez5-32", SCHEME, AezParameters(columns=1)),
    Preset("aez5-p", SCHEME, AezParameters(rounds=4, word_bits=128)),
)
