# SPDX-License-Identifier: Apache-2.0
"""FAST: the rows of the paper's tables, and cores with overlapping sectors."""

from dataclasses import replace

from wideblock import vectors
from wideblock.catalog.scheme import Preset, Scheme, Status, aes_cores, slot_keys
from wideblock.errors import UserError
from wideblock.rtl.sector.parameters import SlottedHashParameters
from wideblock.spec.fast import FAST

__all__ = ["PRESETS", "SCHEME"]

HASH = {"brw": "BRW", "horner": "Horner"}


def summary(p: SlottedHashParameters) -> str:
    keys = slot_keys(p.slots, "sector")
    return f"FAST[{HASH[p.hash]}] for {p.sector_bytes}-byte sectors{keys}, {aes_cores(p.lanes)}, {p.architecture}"


def holds(p: SlottedHashParameters, answer: vectors.Vector) -> bool:
    """LE is the designers' reading, and the cores'."""
    wanted = {"hash": HASH[p.hash], "field": "LE"}
    return wanted.items() <= answer.parameters.items() and len(answer["pt"]) == p.sector_bytes


def limits(p: SlottedHashParameters) -> None:
    least = {"brw": 4, "horner": 3}[p.hash]  # section 2.1
    if p.m < least:
        raise UserError(f"FAST with {p.hash} needs at least {least} blocks of 16 bytes a sector, got {p.m}")


def core() -> type:
    from wideblock.rtl.tes.fast import Fast

    return Fast


SCHEME = Scheme(
    "fast",
    core,
    SlottedHashParameters,
    lambda p, key: FAST(key, hash=p.hash, sector_bytes=p.icv_bytes + p.sector_bytes),
    FAST.security,
    Status.RECOMMENDED,
    summary,
    "fast",
    holds,
    lambda p: ("aes128-pec",),
    purpose="wide-block with AES encryption alone, in both directions",
    native=lambda p: f"fast-{p.hash}",
    limits=limits,
    key_bits=lambda p: p.key_bits,
)


DESIGNS = (("brw", 1), ("brw", 2), ("horner", 1), ("horner", 2))
"""Hash and AES lanes of the paper's designs. Source: "Fast Low Level Disk Encryption Using FPGAs", Table 4."""


def _preset(hash: str, lanes: int, *, overlap: bool = False) -> Preset:
    name = f"fast-{hash}-{lanes}"
    width = lanes if hash == "horner" else max(2, lanes)
    p = SlottedHashParameters(hash=hash, width=width, lanes=lanes, overlap=overlap)
    if not overlap:
        return Preset(name, SCHEME, p)
    return Preset(f"{name}s", SCHEME, p, like=name if (hash, lanes) in DESIGNS else None)


def _keyed(hash: str, lanes: int) -> Preset:
    p = replace(_preset(hash, lanes, overlap=True).parameters, slots=256)
    return Preset(f"fast-{hash}-{lanes}s-k", SCHEME, p)


PRESETS = (
    *(_preset(hash, lanes) for hash, lanes in DESIGNS),
    *(_preset("brw", lanes, overlap=True) for lanes in (1, 2, 4, 8)),
    _preset("horner", 2, overlap=True),
    *(_keyed("brw", lanes) for lanes in (1, 2, 4)),
    _keyed("horner", 2),
)
