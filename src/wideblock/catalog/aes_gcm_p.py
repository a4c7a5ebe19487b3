# SPDX-License-Identifier: Apache-2.0
"""AES-GCM, pipelined: a block a cycle."""

from dataclasses import dataclass

from wideblock.catalog.kinds import AEAD
from wideblock.catalog.scheme import Preset, Scheme, Status
from wideblock.rtl.aead.parameters import WORD_BITS, AeadParameters
from wideblock.rtl.aes.forms import KINDS
from wideblock.rtl.stream.parameters import parameter
from wideblock.spec.aead.gcm import GCM

__all__ = ["PRESETS", "SCHEME", "AesGcmPParameters"]


@dataclass(frozen=True, kw_only=True)
class AesGcmPParameters(AeadParameters):
    """Parameters of the pipelined core."""

    word_bits: int = parameter(128, "bits of a word of the three ports; a block takes a cycle a word", WORD_BITS)
    key_bits: int = parameter(128, "bits of the key", (128, 256))
    sbox: str = parameter("lut", "form of the AES S-box", KINDS)
    round_stages: int = parameter(1, "registers of an AES round", (1, 2, 3, 4))
    mult_stages: int = parameter(4, "register levels of the field multiplier", tuple(range(1, 9)))
    leaf: int = parameter(4, "bits of the multiplier's smallest schoolbook products", (2, 4, 8, 16))


def summary(p: AesGcmPParameters) -> str:
    sizes = f"nonces of 12 bytes and {p.lengths.replace(' bytes', '')}"
    return f"AES-{p.key_bits}-GCM for {sizes}, a block of AES a cycle, CAESAR API"


def core() -> type:
    from wideblock.rtl.aead.aes_gcm_p import AesGcmP

    return AesGcmP


SCHEME = Scheme(
    "aes_gcm_p",
    core,
    AesGcmPParameters,
    lambda p, key: GCM(key),
    GCM.security,
    Status.RECOMMENDED,
    summary,
    "aes_gcm",
    ciphers=lambda p: ("aes128-pec",),
    kind=AEAD,
    purpose="messages and records with a tag at a block a cycle; nonces must never repeat",
    key_bits=lambda p: p.key_bits,
    native=lambda p: "aes-gcm",
    limits=lambda p: core().check(p),
)

PRESETS = (Preset("aes-gcm-p", SCHEME, AesGcmPParameters()),)
