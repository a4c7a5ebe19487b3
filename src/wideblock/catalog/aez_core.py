# SPDX-License-Identifier: Apache-2.0
"""AEZ-core[AES]: the two designs of the FAST paper without a tweak, designs with a tweak, with overlapping sectors, and
with key slots.
"""

from dataclasses import replace

from wideblock import vectors
from wideblock.catalog.scheme import Preset, Scheme, Status, aes_cores, slot_keys
from wideblock.rtl.sector.parameters import FeistelMixFeistelParameters
from wideblock.spec.aez_core import AEZCore

__all__ = ["PRESETS", "SCHEME"]


def summary(p: FeistelMixFeistelParameters) -> str:
    tweak = "tweaks of 16 bytes" if p.tweak_bytes else "no tweak"
    return (
        f"AEZ-core[AES] for {p.sector_bytes}-byte sectors, {tweak}{slot_keys(p.slots, 'sector')}, "
        f"{aes_cores(p.lanes)}, masks {p.masks}, {p.architecture}"
    )


def holds(p: FeistelMixFeistelParameters, answer: vectors.Vector) -> bool:
    return len(answer["tweak"]) == p.tweak_bytes and len(answer["pt"]) == p.sector_bytes


def core() -> type:
    from wideblock.rtl.tes.aez_core import AezCore

    return AezCore


SCHEME = Scheme(
    "aez_core",
    core,
    FeistelMixFeistelParameters,
    lambda p, key: AEZCore(key),
    AEZCore.security,
    Status.BENCHMARK,
    summary,
    "aez_core",
    holds,
    lambda p: ("aes128-pec",),
    purpose="research: wide-block from AES encryption alone, no hash",
    native=lambda p: "aez-core",
    no_icv=AEZCore.no_icv,
    key_bits=lambda p: 128,
)


def _preset(name: str, masks: str = "on-the-fly", *, tweak: bool = False, overlap: bool = False) -> Preset:
    """Source of the designs: "Fast Low Level Disk Encryption Using FPGAs", 4 and Table 4."""
    p = FeistelMixFeistelParameters(tweak_bytes=16 * tweak, masks=masks, overlap=overlap)
    return Preset(name, SCHEME, p, like="aez-2-otf" if tweak or overlap else None)


def _keyed() -> Preset:
    p = replace(_preset("aez-2ts", tweak=True, overlap=True).parameters, slots=256)
    return Preset("aez-2ts-k", SCHEME, p)


PRESETS = (
    _preset("aez-2-pre", "stored"),
    _preset("aez-2-otf"),
    _preset("aez-2t", tweak=True),
    _preset("aez-2s", overlap=True),
    _preset("aez-2ts", tweak=True, overlap=True),
    _keyed(),
)
