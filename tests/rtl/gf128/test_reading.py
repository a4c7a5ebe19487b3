# SPDX-License-Identifier: Apache-2.0
"""The readings of the field as wires, against the specification's, and POLYVAL's against RFC 8452."""

import random

import pytest
from amaranth import Module, Signal

from wideblock.rtl.gf128.reading import WireReading
from wideblock.spec import gf128

from ..simulated import Simulator

pytestmark = pytest.mark.shows("multiplier")


def wires(of, blocks, width=1):
    """``of`` of each of the ``blocks``, which are integers with byte 0 in the low bits."""
    i, o = Signal(128 * width), Signal(128 * width)
    m = Module()
    m.d.comb += o.eq(of(i))
    out = []

    async def bench(ctx):
        for block in blocks:
            ctx.set(i, block)
            await ctx.delay(1e-9)
            out.append(ctx.get(o))

    simulator = Simulator(m)
    simulator.add_testbench(bench)
    simulator.run()
    return out


@pytest.mark.parametrize("reading", [WireReading.LE, WireReading.BE, WireReading.GCM])
def test_elements_are_the_specification_s(reading):
    rng, spec = random.Random(reading.name), gf128.Reading[reading.name]
    data = [bytes(16), bytes([1, *bytes(15)]), *(rng.randbytes(16) for _ in range(20))]
    blocks = [int.from_bytes(block, "little") for block in data]
    assert wires(reading.element, blocks) == [spec.element(block) for block in data]
    assert wires(reading.hash_key, blocks) == [spec.element(block) for block in data]


@pytest.mark.parametrize("reading", WireReading)
def test_a_block_is_its_element_read_back(reading):
    rng = random.Random(reading.name)
    blocks = [rng.getrandbits(256) for _ in range(10)]
    assert wires(reading.block, wires(reading.element, blocks, width=2), width=2) == blocks
    low, high = (
        wires(reading.element, [b % (1 << 128) for b in blocks]),
        wires(reading.element, [b >> 128 for b in blocks]),
    )
    assert wires(reading.element, blocks, width=2) == [a | b << 128 for a, b in zip(low, high, strict=True)]


def test_polyval():
    """Y = (Y + X_i) H x^-128, with the example of RFC 8452, appendix A."""
    key, *blocks, right = (
        int.from_bytes(bytes.fromhex(text), "little")
        for text in (
            "25629347589242761d31f826ba4b757b",
            "4f4f95668c83dfb6401762bb2d01a262",
            "d1a24ddd2721d006bbe45f20d3c9f362",
            "f7a3b47b846119fae5b7866cf5e5b77e",
        )
    )
    (H,) = wires(WireReading.POLYVAL.hash_key, [key])
    Y = 0
    for X in wires(WireReading.POLYVAL.element, blocks):
        Y = gf128.mul(Y ^ X, H)
    assert wires(WireReading.POLYVAL.block, [Y]) == [right]
