# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The hardware of the parts that are measured alone: from parameters, each component."""

from collections.abc import Callable
from typing import Any

from wideblock.rtl.aead.aez.alone import CipherAlone, TweakableCall
from wideblock.rtl.aead.aez.offsets import Version
from wideblock.rtl.aes.iterative import IterativeDecryption, IterativeEncryption
from wideblock.rtl.aes.key_expansion import KeyExpansion
from wideblock.rtl.aes.keyed import Keyed
from wideblock.rtl.aes.pipelined import PipelinedDecryption, PipelinedEitherWay, PipelinedEncryption
from wideblock.rtl.aes.travelling import TravellingKeys
from wideblock.rtl.gf128.karatsuba import Multiplier
from wideblock.rtl.hash.alone import Psi

from ..parts import PSI_BLOCKS

__all__ = ["COMPONENTS"]


def _psi(p: Any, **fixed: Any) -> Psi:
    return Psi(PSI_BLOCKS, stages=p.mult_stages, leaf=p.leaf, **fixed)


COMPONENTS: dict[str, Callable[[Any], Any]] = {
    "aes128-pec": lambda p: Keyed(PipelinedEncryption(**vars(p))),
    "aes128-pdc": lambda p: Keyed(PipelinedDecryption(**vars(p))),
    "aes128-both": lambda p: Keyed(PipelinedEitherWay(**vars(p))),
    "aes128-sec": lambda p: Keyed(IterativeEncryption(**vars(p))),
    "aes128-sdc": lambda p: Keyed(IterativeDecryption(**vars(p))),
    "aes256-expansion": lambda p: KeyExpansion(key_bits=256, **vars(p)),
    "aes256-travelling": lambda p: TravellingKeys(key_bits=256, **vars(p)),
    "karatsuba": lambda p: Multiplier(stages=p.mult_stages, leaf=p.leaf),
    "hbrw-31": lambda p: _psi(p, order="paper", squares="on-the-fly"),
    "hpoly-31": lambda p: _psi(p, hash="horner"),
    "aez-tbc": lambda p: TweakableCall(Version.V4, sbox=p.sbox),
    "aez-cipher": lambda p: CipherAlone(p, Version.V4),
}
"""By the names of :data:`wideblock.catalog.PARTS`."""
