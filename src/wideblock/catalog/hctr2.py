# SPDX-License-Identifier: Apache-2.0
"""HCTR2: cores of one and two lanes, and cores of up to four lanes with overlapping sectors. No other hardware is
published.
"""

from dataclasses import replace

from wideblock import vectors
from wideblock.catalog.scheme import Preset, Scheme, Status, aes_cores, slot_keys
from wideblock.rtl.sector.parameters import SlottedHornerParameters
from wideblock.spec.hctr2 import HCTR2

__all__ = ["PRESETS", "SCHEME"]


def summary(p: SlottedHornerParameters) -> str:
    keys = slot_keys(p.slots, "sector")
    return f"HCTR2 for {p.sector_bytes}-byte sectors{keys}, {aes_cores(p.lanes)}, {p.architecture}"


def holds(p: SlottedHornerParameters, answer: vectors.Vector) -> bool:
    return len(answer["pt"]) == p.sector_bytes and len(answer["tweak"]) == p.tweak_bytes


def core() -> type:
    from wideblock.rtl.tes.hctr2 import Hctr2

    return Hctr2


SCHEME = Scheme(
    "hctr2",
    core,
    SlottedHornerParameters,
    lambda p, key: HCTR2(key),
    HCTR2.security,
    Status.RECOMMENDED,
    summary,
    "hctr2",
    holds,
    lambda p: ("aes128-pec", "aes128-sdc"),
    purpose="wide-block, with `tweak_bytes=32` as dm-crypt of Linux; the first choice of new designs",
    native=lambda p: "hctr2",
    sealed_answers="hctr2_icv",
    key_bits=lambda p: p.key_bits,
)


def _preset(lanes: int, *, overlap: bool) -> Preset:
    """Without overlap a sector is read two blocks a beat: the first pass is no longer than the second."""
    width = lanes if overlap else 2
    p = SlottedHornerParameters(width=width, lanes=lanes, overlap=overlap)
    return Preset(f"hctr2-{lanes}s" if overlap else f"hctr2-{lanes}", SCHEME, p)


def _keyed(lanes: int) -> Preset:
    p = replace(_preset(lanes, overlap=True).parameters, slots=256)
    return Preset(f"hctr2-{lanes}s-k", SCHEME, p)


PRESETS = (
    *(_preset(lanes, overlap=False) for lanes in (1, 2)),
    *(_preset(lanes, overlap=True) for lanes in (1, 2, 4, 8)),
    *map(_keyed, (1, 2, 4)),
)
