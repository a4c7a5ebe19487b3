# SPDX-License-Identifier: Apache-2.0
"""XCB, version 2: the rows of the FAST paper's tables, and cores whose sectors overlap."""

from wideblock import vectors
from wideblock.catalog.scheme import Attack, Preset, Scheme, Status, aes_cores
from wideblock.rtl.sector.parameters import WholeKeyParameters
from wideblock.spec.xcb import XCB
from wideblock.spec.xcb_attack import recover_all_but_last_block, recover_sector

__all__ = ["PRESETS", "SCHEME"]


def summary(p: WholeKeyParameters) -> str:
    return f"XCB for {p.sector_bytes}-byte sectors, {aes_cores(p.lanes)}, {p.architecture}"


def holds(p: WholeKeyParameters, answer: vectors.Vector) -> bool:
    if answer.parameters["version"] != "v2":
        return False
    return len(answer["pt"]) == p.sector_bytes and len(answer["tweak"]) == p.tweak_bytes


def core() -> type:
    from wideblock.rtl.tes.xcb import Xcb

    return Xcb


SCHEME = Scheme(
    "xcb",
    core,
    WholeKeyParameters,
    lambda p, key: XCB(key),
    XCB.security,
    Status.BROKEN,
    summary,
    "xcb",
    holds,
    lambda p: ("aes128-pec", "aes128-sec", "aes128-sdc"),
    attacks=(
        Attack(
            "two queries, all but the last block",
            "Bhati, Verbauwhede, Andreeva, ePrint 2024/1554",
            recover_all_but_last_block,
        ),
        Attack("three queries, the whole sector", "Wang, Mao, Xu, Jing, Wang, ePrint 2024/1527", recover_sector),
    ),
    purpose="nothing but comparison: it is broken",
    native=lambda p: "xcb",
    no_icv=XCB.no_icv,
    key_bits=lambda p: p.key_bits,
)


def _preset(lanes: int, *, overlap: bool) -> Preset:
    """Without overlap a sector is read two blocks a beat: the first pass is no longer than the second.

    Source of the designs: "Fast Low Level Disk Encryption Using FPGAs", Table 4.
    """
    name = f"xcb-{lanes}"
    p = WholeKeyParameters(width=lanes if overlap else 2, lanes=lanes, overlap=overlap)
    return Preset(f"{name}s", SCHEME, p, like=name) if overlap else Preset(name, SCHEME, p)


PRESETS = tuple(_preset(lanes, overlap=overlap) for overlap in (False, True) for lanes in (1, 2))
