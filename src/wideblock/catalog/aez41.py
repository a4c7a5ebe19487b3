# SPDX-License-Identifier: Apache-2.0
"""AEZ v4.1, for lengths at which no offset repeats, an AES round a cycle, or four as a pipeline."""

from wideblock.catalog.aez import AezParameters, pace
from wideblock.catalog.kinds import AEAD
from wideblock.catalog.scheme import Preset, Scheme, Status
from wideblock.spec.aead.aez import AEZv4

__all__ = ["PRESETS", "SCHEME"]


def core() -> type:
    from wideblock.rtl.aead.aez.cipher import AezV4

    return AezV4


SCHEME = Scheme(
    "aez41",
    core,
    AezParameters,
    lambda p, key: AEZv4(key, tag_bytes=p.tag_bytes),
    AEZv4.security,
    Status.BENCHMARK,
    lambda p: f"AEZ v4.1 for messages of up to {p.data_bytes} bytes, {pace(p)}, CAESAR API",
    "aez",
    lambda p, answer: answer.parameters["version"] == "4.1" and "ad" in answer,
    kind=AEAD,
    purpose="comparison with the published core of AEZ v4.1",
    key_bits=lambda p: 384,
    limits=lambda p: core().check(p),
)

PRESETS = (Preset("aez41", SCHEME, AezParameters()),)
