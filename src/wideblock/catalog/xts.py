# SPDX-License-Identifier: Apache-2.0
"""AES-XTS: the two designs of the paper, wider designs, both directions in a core, and cores of many keys."""

from wideblock.catalog.scheme import Preset, Scheme, Status, aes_cores, slot_keys
from wideblock.errors import UserError
from wideblock.rtl.sector.parameters import SinglePassParameters
from wideblock.spec.xts import XTS

__all__ = ["PRESETS", "SCHEME"]


def summary(p: SinglePassParameters) -> str:
    does = {"encrypt": "encryption", "decrypt": "decryption", "both": "both directions"}[p.direction]
    ciphers = aes_cores(p.lanes).replace("AES", "pipelined AES")
    if p.direction != "encrypt" and not p.slots:
        tweaks = " for blocks, a sequential one for tweaks"
    elif p.lanes == 1:
        tweaks = " for blocks and tweaks"
    else:
        tweaks = ", one of which enciphers the tweaks, too"
    keys = slot_keys(p.slots, "unit")
    return (
        f"AES-XTS for units of any length from 16 bytes, figures for {p.sector_bytes}, {does}{keys}: {ciphers}{tweaks}"
    )


CIPHERS = {
    "encrypt": ("aes128-pec",),
    "decrypt": ("aes128-pdc", "aes128-sec"),
    "both": ("aes128-both", "aes128-sec"),
}
"""The AES cores of a direction: the pipelines, and a separate pipeline for tweaks if the core has one."""


def limits(p: SinglePassParameters) -> None:
    if p.lanes != p.width:
        raise UserError(f"XTS takes a block a lane and beat: lanes must be the width of {p.width}, got {p.lanes}")


def core() -> type:
    from wideblock.rtl.tes.xts import Xts

    return Xts


SCHEME = Scheme(
    "xts",
    core,
    SinglePassParameters,
    lambda p, key: XTS(key),
    XTS.security,
    Status.RECOMMENDED,
    summary,
    "xts",
    lambda p, answer: answer["key"][: p.key_bits // 8] != answer["key"][p.key_bits // 8 :],
    lambda p: CIPHERS[p.direction][: 1 if p.slots else None],
    purpose="disks that other systems must read; an observer sees which blocks changed",
    native=lambda p: "xts",
    limits=limits,
    no_icv=XTS.no_icv,
    key_bits=lambda p: 2 * p.key_bits,
)


def _preset(name: str, direction: str, lanes: int) -> Preset:
    return Preset(name, SCHEME, SinglePassParameters(width=lanes, lanes=lanes, direction=direction))


def _keyed(name: str, direction: str, lanes: int) -> Preset:
    parameters = SinglePassParameters(width=lanes, lanes=lanes, direction=direction, key_bits=256, slots=256)
    return Preset(name, SCHEME, parameters)


PRESETS = (
    _preset("xts-enc", "encrypt", 1),
    _preset("xts-dec", "decrypt", 1),
    _preset("xts-2", "encrypt", 2),
    _preset("xts-4", "encrypt", 4),
    _preset("xts-8", "encrypt", 8),
    _preset("xts-both", "both", 1),
    _keyed("xts-enc-k", "encrypt", 1),
    _keyed("xts-2-k", "encrypt", 2),
    _keyed("xts-4-k", "encrypt", 4),
    _keyed("xts-both-k", "both", 1),
)
