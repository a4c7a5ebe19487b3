# SPDX-License-Identifier: Apache-2.0
"""HEH: the rows of the BRW paper's Table 3, each also with sectors that overlap."""

from wideblock.catalog.psi import holds, keyed, limits, native, summary, table_3
from wideblock.catalog.scheme import Scheme, Status, aes_cores
from wideblock.rtl.sector.parameters import SealingPsiParameters
from wideblock.spec.heh import HEH

__all__ = ["PRESETS", "SCHEME"]


def core() -> type:
    from wideblock.rtl.tes.heh import Heh

    return Heh


SCHEME = Scheme(
    "heh",
    core,
    SealingPsiParameters,
    lambda p, key: HEH(key, hash=p.hash, sector_bytes=p.icv_bytes + p.sector_bytes, order=p.order),
    HEH.security,
    Status.RECOMMENDED,
    lambda p: summary("HEH", f"{aes_cores(p.lanes)} each way", p),
    "heh_hmch",
    lambda p, answer: holds("HEH", p, answer),
    lambda p: ("aes128-pec", "aes128-pdc"),
    purpose="short sectors, one AES call a block, as its paper has it",
    native=lambda p: native("heh", p),
    limits=lambda p: limits("HEH", p),
    key_bits=lambda p: p.key_bits + 128,
)
PRESETS = (*table_3(SCHEME), keyed(SCHEME, "brw-2"))
