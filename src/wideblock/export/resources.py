# SPDX-License-Identifier: Apache-2.0
"""The main resources of a core, as papers list them: AES cores, multipliers, memories; from its elaborated hardware."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from amaranth.hdl import Fragment
from amaranth.lib import wiring
from amaranth.lib.memory import Memory

from wideblock.export.memories import block
from wideblock.rtl.aes.iterative import IterativeDecryption, IterativeEitherWay, IterativeEncryption
from wideblock.rtl.aes.key_expansion import KeyExpansion
from wideblock.rtl.aes.on_the_fly import OnTheFlyEncryption
from wideblock.rtl.aes.pipelined import PipelinedDecryption, PipelinedEitherWay, PipelinedEncryption
from wideblock.rtl.aes.travelling import TravellingKeys
from wideblock.rtl.aes.word_serial import WordSerialEncryption
from wideblock.rtl.gf128.karatsuba import Multiplier
from wideblock.rtl.gf128.serial import SerialMultiplier
from wideblock.rtl.pipeline import OUTLINE

__all__ = ["resources"]

_KINDS = {
    PipelinedEncryption: "pipelined AES encryption",
    PipelinedDecryption: "pipelined AES decryption",
    PipelinedEitherWay: "pipelined AES either way",
    IterativeEncryption: "iterative AES encryption",
    IterativeDecryption: "iterative AES decryption",
    IterativeEitherWay: "iterative AES either way",
    OnTheFlyEncryption: "iterative AES encryption with its key schedule",
    WordSerialEncryption: "AES encryption a column a cycle with its key schedule",
    KeyExpansion: "key expansion",
    TravellingKeys: "key schedule that goes with the blocks",
    Multiplier: "GF(2^128) multiplier, a product a cycle",
    SerialMultiplier: "GF(2^128) multiplier, a digit a cycle",
}
"""Components that papers count; a pipeline counts each of its lanes."""


def resources(component: wiring.Component, platform: str | None = OUTLINE) -> dict[str, int]:
    """Number of each resource, in the papers' order, and bits of written memories.

    The component is elaborated for it, on a platform that leaves out the rounds of AES and the products' gates.
    """
    found = Counter[str]()
    for part in _inside(Fragment.get(component, platform)):
        if isinstance(part, Memory) and part.read_ports:
            rows = block(part, "")
            if rows.contents == "written":
                found["bits of block memory" if rows.style == "block" else "bits of other memory"] += (
                    rows.depth * rows.width
                )
        elif kind := _KINDS.get(type(part)):
            found[kind] += getattr(part, "lanes", 1)
    order = [*_KINDS.values(), "bits of block memory", "bits of other memory"]
    return {name: found[name] for name in order if found[name]}


def _inside(fragment: Fragment) -> Iterator[Any]:
    for part, _, _ in fragment.subfragments:
        yield from part.origins or ()
        yield from _inside(part)
