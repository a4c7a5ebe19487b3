# SPDX-License-Identifier: Apache-2.0
"""AES-GCM: a round of AES a cycle, for comparison with the other authenticated ciphers."""

from wideblock.catalog.kinds import AEAD
from wideblock.catalog.scheme import Preset, Scheme, Status
from wideblock.rtl.aead.parameters import AesHashParameters
from wideblock.spec.aead.gcm import GCM

__all__ = ["PRESETS", "SCHEME"]


def summary(p: AesHashParameters) -> str:
    return f"AES-{p.key_bits}-GCM for {p.lengths}, a round of AES a cycle, CAESAR API"


def core() -> type:
    from wideblock.rtl.aead.aes_gcm import AesGcm

    return AesGcm


SCHEME = Scheme(
    "aes_gcm",
    core,
    AesHashParameters,
    lambda p, key: GCM(key),
    GCM.security,
    Status.RECOMMENDED,
    summary,
    "aes_gcm",
    kind=AEAD,
    purpose="messages and records with a tag, one AES round at a time; nonces must never repeat",
    key_bits=lambda p: p.key_bits,
    native=lambda p: "aes-gcm",
    limits=lambda p: core().check(p),
)

PRESETS = (Preset("aes-gcm", SCHEME, AesHashParameters()),)
