# SPDX-License-Identifier: Apache-2.0
"""Horner and BRW: other formulations, operation counts, and their algebra with tau left as an unknown."""

import random
from itertools import zip_longest
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wideblock.rtl.hash.forest import permutation
from wideblock.spec import polyhash
from wideblock.spec.gf128 import mul, power
from wideblock.spec.polyhash import TwoBlockRule, brw, brw_order, horner

from ..variants import over

pytestmark = pytest.mark.shows("spec-algebra")

ELEMENTS = st.integers(0, 2**128 - 1)
MESSAGES = st.lists(ELEMENTS, max_size=70)
FIRST, SECOND = TwoBlockRule.FIRST_BY_TAU, TwoBlockRule.SECOND_BY_TAU
SIZES = [*range(70), 127, 128, 129, 255, 256]


def elements(m, seed):
    source = random.Random(f"{seed} {m}")
    return [source.getrandbits(128) for _ in range(m)]


def decimated_horner(tau, blocks, d):
    """Horner of blocks, from d independent Horner chains in tau^d.

    Chain i has blocks i, i + d, i + 2d, .. and weighs tau^chi_i, chi_i = (m - i) mod d.

    Source: "Fast Low Level Disk Encryption Using FPGAs", 3.
    """
    m = len(blocks)
    tau_d = power(tau, d)
    result = 0
    for i in range(1, d + 1):
        chi = (m - i) % d
        result ^= mul(power(tau, chi), horner(tau_d, blocks[i - 1 :: d]))
    return result


def sum_of_powers(tau, blocks):
    """Horner by its definition."""
    result = 0
    for i, Y in enumerate(reversed(blocks)):
        result ^= mul(power(tau, i), Y)
    return result


def brw_in_one_pass(tau, blocks, rule):
    """BRW from left to right, in the manner of a binary counter: no recursion.

    Block i, i = 2^v times an odd number, multiplies what the 2^v - 1 blocks before it made; the product replaces
    those of its left descendants. What no later block multiplies is added up.
    """
    products = []  # (v, product), v falling
    leaf = 0
    for i, Y in enumerate(blocks, 1):
        v = (i & -i).bit_length() - 1
        if v == 0:
            leaf = Y
        elif i % 4 == 2 and i == len(blocks):
            leaf, last = mul(leaf, tau) ^ Y, mul(Y, tau) ^ leaf
            leaf = leaf if rule is FIRST else last
        else:
            left = leaf ^ (tau if v == 1 else 0)
            while products and products[-1][0] < v:
                left ^= products.pop()[1]
            products.append((v, mul(left, power(tau, 1 << v) ^ Y)))
            leaf = 0
    for _, product in products:
        leaf ^= product
    return leaf


class Polynomial:
    """A polynomial in the unknown tau over GF(2^128): coefficients from the lowest, without leading zeros."""

    def __init__(self, *coefficients):
        while coefficients and coefficients[-1] == 0:
            coefficients = coefficients[:-1]
        self.coefficients = coefficients

    def __xor__(self, other):
        if other == 0:  # brw of no blocks
            return self
        return Polynomial(*(a ^ b for a, b in zip_longest(self.coefficients, other.coefficients, fillvalue=0)))

    def __matmul__(self, other):
        result = [0] * (len(self.coefficients) + len(other.coefficients))
        for i, a in enumerate(self.coefficients):
            for j, b in enumerate(other.coefficients):
                result[i + j] ^= mul(a, b) if a and b else 0
        return Polynomial(*result)

    @property
    def degree(self):
        return len(self.coefficients) - 1


@pytest.fixture
def symbolic(monkeypatch):
    """brw of constant blocks as a polynomial in tau."""
    monkeypatch.setattr(polyhash, "mul", lambda a, b: a @ b)
    monkeypatch.setattr(polyhash, "square", lambda a: a @ a)

    def evaluate(blocks, rule=FIRST):
        tau: Any = Polynomial(0, 1)
        constants: Any = [Polynomial(block) for block in blocks]
        return brw(tau, constants, two_block_rule=rule)

    return evaluate


@pytest.fixture
def counted(monkeypatch):
    """How often each field operation was called, as polyhash calls them."""
    counts = {"mul": 0, "square": 0}

    def counting(name, operation):
        def count(*operands):
            counts[name] += 1
            return operation(*operands)

        return count

    for name in counts:
        monkeypatch.setattr(polyhash, name, counting(name, getattr(polyhash, name)))
    return counts


@given(ELEMENTS, MESSAGES)
def test_horner_is_the_sum_of_powers(tau, blocks):
    assert horner(tau, blocks) == sum_of_powers(tau, blocks)


@given(ELEMENTS, MESSAGES, st.integers(1, 12))
def test_decimated_horner_is_horner(tau, blocks, d):
    assert decimated_horner(tau, blocks, d) == horner(tau, blocks)


@pytest.mark.parametrize("d", [1, 2, 4, 8])
def test_decimated_horner_of_a_4096_byte_sector(d):
    blocks = elements(255, "sector")
    assert decimated_horner(7 << 99, blocks, d) == horner(7 << 99, blocks)


@given(ELEMENTS, ELEMENTS, ELEMENTS, ELEMENTS, ELEMENTS)
def test_brw_of_up_to_four_blocks(tau, a, b, c, d):
    """The papers' definitions, written out."""
    tau2, tau4 = power(tau, 2), power(tau, 4)
    assert brw(tau, []) == 0
    assert brw(tau, [a]) == a
    assert brw(tau, [a, b]) == mul(a, tau) ^ b
    assert brw(tau, [a, b], two_block_rule=SECOND) == mul(b, tau) ^ a
    assert brw(tau, [a, b, c]) == mul(tau ^ a, tau2 ^ b) ^ c
    assert brw(tau, [a, b, c, d]) == mul(mul(tau ^ a, tau2 ^ b) ^ c, tau4 ^ d)


@pytest.mark.parametrize("rule", TwoBlockRule)
def test_brw_is_the_one_pass_form(rule):
    for m in SIZES:
        blocks, (tau,) = elements(m, "one pass"), elements(1, f"tau {m}")
        assert brw(tau, blocks, two_block_rule=rule) == brw_in_one_pass(tau, blocks, rule), m


def test_the_rules_differ_for_2_6_10_blocks_only():
    tau = 0x1234567
    differ = [
        m for m in SIZES if brw(tau, elements(m, "rules")) != brw(tau, elements(m, "rules"), two_block_rule=SECOND)
    ]
    assert differ == [m for m in SIZES if m % 4 == 2]


@pytest.mark.parametrize("rule", TwoBlockRule)
def test_brw_needs_half_the_multiplications(counted, rule):
    for m in SIZES:
        counted.update(mul=0, square=0)
        brw(5, elements(m, "count"), two_block_rule=rule)
        assert counted["mul"] == m // 2
        assert counted["square"] == (m.bit_length() - 1 if m >= 3 else 0)


def test_horner_needs_one_multiplication_a_block(counted):
    for m in SIZES:
        counted.update(mul=0, square=0)
        horner(5, elements(m, "count"))
        assert counted == {"mul": max(0, m - 1), "square": 0}


@over("m", [*range(3, 20), 31, 32, 33])
def test_brw_is_monic_of_degree_2t_minus_1(symbolic, m):
    """t is the power of two with t <= m < 2t. The message does not move the degree."""
    t = 1 << m.bit_length() - 1
    for blocks in (elements(m, "degree"), [0] * m):
        polynomial = symbolic(blocks)
        assert polynomial.degree == 2 * t - 1
        assert polynomial.coefficients[-1] == 1


@pytest.mark.parametrize("m", [1, 2, 3, 6, 7, 15, 30])
def test_the_polynomial_at_a_point_is_brw(symbolic, monkeypatch, m):
    blocks, (tau,) = elements(m, "point"), elements(1, "point tau")
    coefficients = symbolic(blocks).coefficients
    monkeypatch.undo()
    assert horner(tau, coefficients[::-1]) == brw(tau, blocks)


@pytest.mark.parametrize("rule", TwoBlockRule)
def test_different_messages_have_different_polynomials(symbolic, rule):
    """Injective: all 3^m messages over three elements, for each m."""
    alphabet = (0, 1, 0xDEADBEEF)
    for m in (1, 2, 3, 4, 5, 6):
        messages = [[]]
        for _ in range(m):
            messages = [[*message, letter] for message in messages for letter in alphabet]
        assert len({symbolic(message, rule).coefficients for message in messages}) == len(alphabet) ** m


@given(ELEMENTS, st.lists(ELEMENTS, min_size=1, max_size=40), ELEMENTS, ELEMENTS, st.data())
def test_brw_is_affine_in_each_block(tau, blocks, a, b, data):
    """And so a pair of errors in one block cannot hide behind each other except at roots in tau."""
    i = data.draw(st.integers(0, len(blocks) - 1))

    def at(Y):
        return brw(tau, [*blocks[:i], Y, *blocks[i + 1 :]])

    assert at(a) ^ at(b) == at(a ^ b) ^ at(0)


@given(ELEMENTS, st.lists(st.tuples(ELEMENTS, ELEMENTS), max_size=40))
def test_horner_is_linear(tau, pairs):
    a, b = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    assert horner(tau, a) ^ horner(tau, b) == horner(tau, [x ^ y for x, y in pairs])


def test_order_of_the_paper():
    """Source: IEEE TC 62(2), 2013, section 4.2, the table of pi."""
    pi = "1 2 7 8 3 4 13 14 5 6 11 12 9 10 19 20 15 16 21 22 17 18 27 28 23 24 29 30 25 26 31"
    assert brw_order(31) == [int(j) for j in pi.split()]
    assert brw_order(0) == [] and brw_order(1) == [1] and brw_order(3) == [1, 2, 3]


def test_order_of_the_paper_is_that_of_its_schedule():
    for n in (*range(1, 70), 127, 128, 255, 256):
        assert tuple(brw_order(n)) == permutation(n, 3)
