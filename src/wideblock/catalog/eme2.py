# SPDX-License-Identifier: Apache-2.0
"""EME2-AES: the designs of the FAST paper's tables, each also with sectors that overlap."""

from dataclasses import replace

from wideblock import vectors
from wideblock.catalog.scheme import Preset, Scheme, Status, aes_cores, slot_keys
from wideblock.errors import UserError
from wideblock.rtl.sector.parameters import EncryptMixEncryptParameters
from wideblock.spec.eme2 import EME2

__all__ = ["PRESETS", "SCHEME"]

TWEAK_BYTES = 16
"""Associated data of the cores; the standard has other lengths, too."""


def summary(p: EncryptMixEncryptParameters) -> str:
    ways = " each way" if p.sbox == "bram" else " for both directions"
    keys = slot_keys(p.slots, "sector")
    return f"EME2-AES for {p.sector_bytes}-byte sectors{keys}, {aes_cores(p.lanes)}{ways}, {p.architecture}"


def holds(p: EncryptMixEncryptParameters, answer: vectors.Vector) -> bool:
    return len(answer["tweak"]) == TWEAK_BYTES and len(answer["pt"]) == p.sector_bytes


def limits(p: EncryptMixEncryptParameters) -> None:
    if p.lanes != p.width:
        raise UserError(f"EME2 takes a block a lane and beat: lanes must be the width of {p.width}, got {p.lanes}")


def core() -> type:
    from wideblock.rtl.tes.eme2 import Eme2

    return Eme2


SCHEME = Scheme(
    "eme2",
    core,
    EncryptMixEncryptParameters,
    lambda p, key: EME2(key),
    EME2.security,
    Status.RECOMMENDED,
    summary,
    "eme2",
    holds,
    lambda p: ("aes128-both",),
    purpose="wide-block of IEEE 1619.2 without a field multiplier",
    native=lambda p: "eme2",
    limits=limits,
    key_bits=lambda p: p.key_bits + 256,
)


def _preset(lanes: int, *, overlap: bool = False) -> Preset:
    """Source of the designs: "Fast Low Level Disk Encryption Using FPGAs", Table 4."""
    name = f"eme2-{lanes}"
    p = EncryptMixEncryptParameters(width=lanes, lanes=lanes, overlap=overlap)
    return Preset(f"{name}s", SCHEME, p, like=name) if overlap else Preset(name, SCHEME, p)


def _keyed(lanes: int) -> Preset:
    p = replace(_preset(lanes, overlap=True).parameters, slots=256)
    return Preset(f"eme2-{lanes}s-k", SCHEME, p)


PRESETS = (*(_preset(lanes, overlap=overlap) for overlap in (False, True) for lanes in (1, 2)), _keyed(2))
