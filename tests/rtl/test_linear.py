# SPDX-License-Identifier: Apache-2.0
"""Linear maps over GF(2) against the sums that they stand for."""

from functools import reduce
from operator import xor

from amaranth import Cat, Module, Signal
from hypothesis import given
from hypothesis import strategies as st

from wideblock.rtl.linear import products, shared_sums

from .simulated import Simulator

INPUTS = 8
ROWS = st.lists(st.integers(0, (1 << INPUTS) - 1), min_size=1, max_size=10)


def sums(rows, x):
    """Each row's sum of the elements of ``x`` that it chooses."""
    return [reduce(xor, (x[j] for j in range(INPUTS) if row >> j & 1), 0) for row in rows]


@given(ROWS)
def test_shared_sums_are_the_sums(rows):
    x = [1 << j for j in range(INPUTS)]  # a sum of these is the row itself
    pairs, left = shared_sums(rows, INPUTS)
    for a, b in pairs:
        x.append(x[a] ^ x[b])
    assert [x[t[0]] if t else 0 for t in left] == rows
    assert len(pairs) <= sum(max(0, row.bit_count() - 1) for row in rows)


def test_parts_that_rows_have_in_common_are_added_once():
    assert len(shared_sums([0b1111, 0b0111, 0b1011], 4)[0]) == 4


@given(ROWS, st.lists(st.integers(0, 0xFFF), min_size=INPUTS, max_size=INPUTS))
def test_products(rows, values):
    m = Module()
    x = [Signal(12, init=value) for value in values]
    out = Signal(12 * len(rows))
    m.d.comb += out.eq(Cat(products(m, x, rows, "p")))

    async def bench(ctx):
        found = ctx.get(out)
        assert [found >> 12 * i & 0xFFF for i in range(len(rows))] == sums(rows, values)

    sim = Simulator(m)
    sim.add_testbench(bench)
    sim.run()
