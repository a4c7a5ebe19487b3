# SPDX-License-Identifier: Apache-2.0
"""HMCH: the rows of the BRW paper's Table 3, each also with sectors that overlap."""

from wideblock.catalog.psi import holds, keyed, limits, native, summary, table_3
from wideblock.catalog.scheme import Scheme, Status, aes_cores
from wideblock.rtl.sector.parameters import SealingPsiParameters
from wideblock.spec.hmch import HMCH

__all__ = ["PRESETS", "SCHEME"]


def core() -> type:
    from wideblock.rtl.tes.hmch import Hmch

    return Hmch


SCHEME = Scheme(
    "hmch",
    core,
    SealingPsiParameters,
    lambda p, key: HMCH(key, hash=p.hash, sector_bytes=p.icv_bytes + p.sector_bytes, order=p.order),
    HMCH.security,
    Status.RECOMMENDED,
    lambda p: summary("HMCH", aes_cores(p.lanes), p),
    "heh_hmch",
    lambda p, answer: holds("HMCH", p, answer),
    lambda p: ("aes128-pec", "aes128-sdc"),
    purpose="short sectors at one lane, with a hash key of its own",
    native=lambda p: native("hmch", p),
    limits=lambda p: limits("HMCH", p),
    key_bits=lambda p: p.key_bits + 128,
)
PRESETS = (*table_3(SCHEME), keyed(SCHEME, "brw-2"))
