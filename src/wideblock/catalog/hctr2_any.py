# SPDX-License-Identifier: Apache-2.0
"""HCTR2 for messages and tweaks of any length in one core, of one, two and four lanes."""

from dataclasses import replace

from wideblock import vectors
from wideblock.catalog.scheme import Preset, Scheme, Status, aes_cores, slot_keys
from wideblock.rtl.sector.parameters import AnyLengthParameters
from wideblock.spec.hctr2 import HCTR2

__all__ = ["PRESETS", "SCHEME"]


def summary(p: AnyLengthParameters) -> str:
    return (
        f"HCTR2 for messages of 16 to {p.longest} bytes and tweaks of 0 to {p.most_tweak_bytes}, figures for "
        f"{p.sector_bytes} and {p.tweak_bytes}{slot_keys(p.slots, 'message')}, {aes_cores(p.lanes)}"
    )


def holds(p: AnyLengthParameters, answer: vectors.Vector) -> bool:
    return len(answer["pt"]) <= p.longest and len(answer["tweak"]) <= p.most_tweak_bytes


def core() -> type:
    from wideblock.rtl.tes.hctr2_any import Hctr2Any

    return Hctr2Any


SCHEME = Scheme(
    "hctr2_any",
    core,
    AnyLengthParameters,
    lambda p, key: HCTR2(key),
    HCTR2.security,
    Status.RECOMMENDED,
    summary,
    "hctr2",
    holds,
    lambda p: ("aes128-pec", "aes128-sdc"),
    purpose="messages of mixed lengths, such as file names, under one core",
    native=lambda p: "hctr2",
    letters="hctr2",
    key_bits=lambda p: p.key_bits,
)


def _preset(name: str, lanes: int) -> Preset:
    return Preset(name, SCHEME, AnyLengthParameters(width=lanes, lanes=lanes))


def _keyed(name: str) -> Preset:
    p = replace(_preset(name, 1).parameters, slots=256)
    return Preset(f"{name}-k", SCHEME, p)


PRESETS = (_preset("hctr2-any", 1), _preset("hctr2-any-2", 2), _preset("hctr2-any-4", 4), _keyed("hctr2-any"))
