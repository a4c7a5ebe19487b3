# SPDX-License-Identifier: Apache-2.0
"""Parts that the catalogue's files of HEH and HMCH share: both hash with psi, under a key of its own."""

from dataclasses import replace
from typing import cast

from wideblock import vectors
from wideblock.catalog.scheme import Preset, Scheme, slot_keys
from wideblock.errors import UserError
from wideblock.rtl.sector.parameters import PsiParameters

__all__ = ["holds", "keyed", "limits", "native", "summary", "table_3"]

HASH = {"brw": "BRW", "horner": "Poly"}

VARIANTS = {
    "brw-1": ("brw", 2, "on-the-fly"),
    "brw-2": ("brw", 2, "stored"),
    "brw-3": ("brw", 1, "on-the-fly"),
    "poly": ("horner", 1, "stored"),
}
"""Hash, AES lanes and source of the squares of each design. Source: IEEE TC 62(2), 2013, Table 3."""


def summary(mode: str, ciphers: str, p: PsiParameters) -> str:
    """Summary of a core of ``mode`` with ``ciphers``."""
    powers = f", squares {p.squares.replace('-', ' ')}" if p.hash == "brw" else ""
    keys = slot_keys(p.slots, "sector")
    return f"{mode}[{HASH[p.hash]}] for {p.sector_bytes}-byte sectors{keys}, {ciphers}{powers}, {p.architecture}"


def holds(mode: str, p: PsiParameters, answer: vectors.Vector) -> bool:
    """Whether an answer is for a core with LE reading of the field."""
    wanted = {"mode": mode, "hash": HASH[p.hash], "permuted": p.order == "paper", "field": "LE"}
    return wanted.items() <= answer.parameters.items() and len(answer["pt"]) == p.sector_bytes


def limits(mode: str, p: PsiParameters) -> None:
    """Raises UserError for a sector of one block."""
    if p.m < 2:
        raise UserError(f"{mode} needs at least 2 blocks a sector, got {p.m}")


def native(mode: str, p: PsiParameters) -> str:
    """Name in the native library of ``mode`` with the hash and the order of blocks of these parameters."""
    return f"{mode}-{p.hash}{'-paper' if p.order == 'paper' else ''}"


def table_3(scheme: Scheme) -> tuple[Preset, ...]:
    """The designs of the table, and behind the table's designs with overlapping sectors."""
    presets, parameters = [], cast(type[PsiParameters], scheme.parameters)
    for overlap in (False, True):
        for variant, (hash, lanes, squares) in VARIANTS.items():
            p = parameters(
                hash=hash,
                sector_bytes=512,
                width=1 if hash == "horner" else 2,
                lanes=lanes,
                overlap=overlap,
                mult_stages=3,
                squares=squares,
            )
            name = f"{scheme.name}-{variant}"
            presets.append(Preset(f"{name}s", scheme, p, like=name) if overlap else Preset(name, scheme, p))
    return tuple(presets)


def keyed(scheme: Scheme, variant: str) -> Preset:
    """The named design with overlapping sectors, each under a separate key."""
    name = f"{scheme.name}-{variant}s"
    (preset,) = (preset for preset in table_3(scheme) if preset.name == name)
    return Preset(f"{name}-k", scheme, replace(preset.parameters, slots=256))
