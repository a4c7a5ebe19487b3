# SPDX-License-Identifier: Apache-2.0
"""Doubling, squaring and reduction, against integer arithmetic."""

import random

import pytest
from amaranth import Module, Signal

from wideblock.rtl.gf128.field import GF128, BinaryField
from wideblock.spec import gf128 as spec

from ..simulated import Simulator

pytestmark = pytest.mark.shows("multiplier")

AES = BinaryField(8, 0x1B)


def remainder(c, field):
    for k in reversed(range(field.width, 2 * field.width)):
        if c >> k & 1:
            c ^= (1 << field.width | field.modulus) << k - field.width
    return c


def evaluate(circuit, width, inputs):
    """Values of a combinational function of one operand."""
    m = Module()
    x = Signal(width)
    value = circuit(x)
    y = Signal(len(value))
    m.d.comb += y.eq(value)
    result = []

    async def bench(ctx):
        for v in inputs:
            ctx.set(x, v)
            result.append(ctx.get(y))

    simulator = Simulator(m)
    simulator.add_testbench(bench)
    simulator.run()
    return result


@pytest.mark.parametrize(
    "field", [AES, BinaryField(4, 0x3), BinaryField(5, 0x05), BinaryField(6, 0x1B), BinaryField(3, 0x3)], ids=str
)
def test_small_fields_exhaustively(field):
    w = field.width
    elements = range(1 << w)
    assert evaluate(field.double, w, elements) == [remainder(a << 1, field) for a in elements]
    squares = [remainder(int(f"{a:b}", 4), field) for a in elements]
    assert evaluate(field.square, w, elements) == squares
    products = range(1 << 2 * w - 1)
    assert evaluate(field.reduce, 2 * w - 1, products) == [remainder(c, field) for c in products]


def test_gf128():
    random.seed(1)
    elements = [1 << k for k in range(128)] + [random.getrandbits(128) for _ in range(100)]
    assert evaluate(GF128.double, 128, elements) == [spec.double(a) for a in elements]
    assert evaluate(GF128.square, 128, elements) == [spec.square(a) for a in elements]
    for k in (0, 1, 2, 4, 31, 255):
        shifted = [spec.mul(a, spec.power(2, k)) for a in elements]
        assert evaluate(lambda a, k=k: GF128.shift(a, k), 128, elements) == shifted
    products = [1 << k for k in range(255)] + [random.getrandbits(255) for _ in range(100)]
    assert evaluate(GF128.reduce, 255, products) == [remainder(c, GF128) for c in products]
    assert evaluate(GF128.reduce, 255, [1 << 128]) == [0x87]


def test_square_is_one_table_a_bit():
    assert {len(terms) for terms in GF128.residue_terms(range(0, 256, 2))} == {2, 3, 4, 5}


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: BinaryField(1, 1), "width of at least 2, got 1"),
        (lambda: BinaryField(8, 0x1A), "modulus must be odd .* got 0x1a"),
        (lambda: BinaryField(8, 0x11B), "below 2\\^8 .* got 0x11b"),
        (lambda: AES.double(Signal(9)), "must have 8 bits, got 9"),
        (lambda: AES.reduce(Signal(16)), "must have 15 bits, got 16"),
    ],
)
def test_errors(call, text):
    with pytest.raises(ValueError, match=text):
        call()
