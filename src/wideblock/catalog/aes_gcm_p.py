# SPDX-License-Identifier: Apache-2.0
"""AES-GCM, pipelined: a block a cycle."""

from wideblock.catalog.kinds import AEAD
from wideblock.catalog.scheme import Preset, Scheme, Status
from wideblock.rtl.aead.aes_gcm_p import AesGcmP, AesGcmPParameters
from wideblock.spec.aead.gcm import GCM

__all__ = ["PRESETS", "SCHEME"]


def summary(p: AesGcmPParameters) -> str:
    sizes = f"nonces of 12 bytes and messages of up to {p.data_bytes}"
    return f"AES-{p.key_bits}-GCM for {sizes}, a block of AES a cycle, CAESAR API"


SCHEME = Scheme(
    "aes_gcm_p",
    AesGcmP,
    AesGcmPParameters,
    lambda p, key: GCM(key),
    GCM.security,
    Status.RECOMMENDED,
    summary,
    "aes_gcm",
    ciphers=lambda p: ("aes128-pec",),
    kind=AEAD,
    purpose="messages and records with a tag at a block a cycle; nonces must never repeat",
)

PRESETS = (Preset("aes-gcm-p", SCHEME, AesGcmPParameters()),)
