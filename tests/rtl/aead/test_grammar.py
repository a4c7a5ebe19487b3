# SPDX-License-Identifier: Apache-2.0
"""The segment headers that may follow, for every place in a message, against the rules written as sets."""

from itertools import product

import pytest
from amaranth import Module, Signal
from amaranth.lib import data

from wideblock.rtl.aead.cipher import BlockKind, CipherShape
from wideblock.rtl.aead.grammar import Grammar
from wideblock.rtl.aead.words import HEADER, Type

from ...variants import few_of_many
from ..simulated import Simulator

pytestmark = pytest.mark.shows("caesar")

BLOCK, NPUB, TAG, AD_BYTES, DATA_BYTES = 8, 12, 6, 20, 17
LENGTHS = (0, 5, TAG, BLOCK, NPUB, 16, 17, 18, 20, 21, 24, 32)
DONE = (0, 8, 16)
FAR = (0, 16, 0xFFFF_FFE0, 0xFFFF_FFF8)


def allowed(kind, decrypt, done, length, eot, expands, at_once):
    """The type and Last of the one right header; None if there is none."""
    whole = length % BLOCK == 0 and length > 0
    fits = (length > 0 or done == 0) if eot else whole
    total = done + length
    if at_once:  # a type has 2^32 - 1 bytes at most, the bounds are of a segment
        fits, total = fits and total < 1 << 32, length
    if kind is BlockKind.NPUB:
        return (Type.NPUB, 0) if eot and length == NPUB else None
    if kind is BlockKind.AD:
        return (Type.AD, 0) if fits and total <= AD_BYTES else None
    if kind is BlockKind.TAG:
        return (Type.TAG, 1) if eot and length == TAG else None
    if not decrypt:
        return (Type.PLAINTEXT, eot) if fits and total <= DATA_BYTES else None
    most = 24 if expands else DATA_BYTES
    return (Type.CIPHERTEXT, 0) if (whole if expands else fits) and total <= most else None


@pytest.mark.parametrize(
    ("expands", "at_once"), few_of_many([(False, False), (True, False), (False, True)], [(False, True)])
)
def test_right_headers(expands, at_once):
    """Every type, Last and Partial for each length, place and direction; reserved bits and EOI are not read."""
    shape = CipherShape(block=BLOCK, key=8, npub=NPUB, tag=TAG, expands=expands)
    head, kind = Signal(HEADER), Signal(BlockKind)
    decrypt, done, right = Signal(), Signal(32 if at_once else 16), Signal()
    m = Module()
    grammar = Grammar(shape, AD_BYTES, DATA_BYTES, at_once)
    m.d.comb += right.eq(grammar.right(m, data.View(HEADER, head), kind=kind, decrypt=decrypt, done=done))
    found = []

    async def bench(ctx):
        for place in product(BlockKind, (0, 1), FAR if at_once else DONE, LENGTHS, (0, 1)):
            of, decrypting, before, length, eot = place
            ctx.set(kind, of)
            ctx.set(decrypt, decrypting)
            ctx.set(done, before)
            good = allowed(*place, expands, at_once)
            for type, last, partial, eoi in product((*Type, 0), (0, 1), (0, 1), (0, 1)):
                fields = {"length": length, "eot": eot, "last": last, "partial": partial, "type": int(type)}
                ctx.set(head, {**fields, "eoi": eoi, "reserved": 0xFF * eoi})
                want = good == (type, last) and not partial
                found.append(want)
                assert ctx.get(right) == want, (place, type, last, partial)

    simulator = Simulator(m)
    simulator.add_testbench(bench)
    simulator.run()
    assert sum(found) > 50
