# SPDX-License-Identifier: Apache-2.0
"""The products of a hash, multiplied out in integers, against the specification of the hash."""

import random
from dataclasses import dataclass

import pytest

from wideblock.rtl.hash.products import (
    HashEvent,
    HashPlan,
    Product,
    Special,
    Tap,
    brw_products,
    horner_products,
    horner_sums,
    psi_products,
)
from wideblock.spec import gf128, polyhash
from wideblock.spec.polyhash import TwoBlockRule

from ...variants import over

pytestmark = pytest.mark.shows("hash-schedules")

OUT = HashEvent("out", "the hash")
RULES = {"first-by-tau": TwoBlockRule.FIRST_BY_TAU, "second-by-tau": TwoBlockRule.SECOND_BY_TAU}


def evaluate(products, values, tau, into, *, decrypt=False):
    """Sum of all results that go ``into`` one place."""
    total = 0
    for product in products:
        if product.into == into:
            power = product.power[decrypt] if isinstance(product.power, tuple) else product.power
            left = gf128.power(tau, power) ^ (0 if product.left is None else values[product.left])
            right = evaluate(products, values, tau, product.name, decrypt=decrypt)
            right ^= 0 if product.right is None else values[product.right]
            right ^= 0 if product.constant is None else gf128.power(tau, product.constant)
            total ^= gf128.mul(left, right)
            for exponent, block in filter(None, product.beside):
                total ^= gf128.mul(gf128.power(tau, exponent), values[block])
    return total


def message(n, seed=0):
    rng = random.Random(f"{n} {seed}")
    names = [f"Y{i}" for i in range(1, n + 1)]
    return rng.getrandbits(128), names, {name: rng.getrandbits(128) for name in names}


@pytest.mark.parametrize("rule", RULES)
@over("n", range(71))
def test_brw(n, rule):
    tau, names, values = message(n)
    products, loose = brw_products(names, "out", two_block_rule=rule)
    assert len(products) == n // 2
    assert all(p.power == 1 or p.power & (p.power - 1) == 0 for p in products)
    got = evaluate(products, values, tau, "out") ^ (0 if loose is None else values[loose])
    assert got == polyhash.brw(tau, [values[name] for name in names], two_block_rule=RULES[rule])


def behind(products, block):
    """Products one behind the other that wait for a block."""
    into = {product.name: product.into for product in products}
    label, count = next(product.name for product in products if block in product.blocks), 0
    while label in into:
        label, count = into[label], count + 1
    return count


@pytest.mark.parametrize("hash", ["brw", "horner"])
@over("n", [2, 3, 4, 5, 8, 31, 32, 33])
def test_psi_is_the_same_where_the_first_block_comes_late(n, hash):
    tau, names, values = message(n)
    late, natural = (
        psi_products(names, OUT, hash=hash, order="natural", decimation=4, late=late) for late in (True, False)
    )
    assert evaluate(late, values, tau, OUT) == evaluate(natural, values, tau, OUT)
    assert sum(names[0] in product.blocks for product in late) == 1
    assert behind(late, names[0]) == (2 if hash == "horner" else behind(natural, names[0]) - (n > 3))


@over("n", [2, 6, 10, 70])
def test_the_two_rules_differ_where_two_blocks_stand_alone(n):
    _, names, _ = message(n)
    first, first_loose = brw_products(names, "out", two_block_rule="first-by-tau")
    second, second_loose = brw_products(names, "out", two_block_rule="second-by-tau")
    assert (first[-1].right, first_loose) == (second_loose, second[-1].right) == (names[-2], names[-1])
    assert first[:-1] == second[:-1]


def test_every_block_of_brw_is_used_once():
    _, names, _ = message(70)
    for n in range(71):
        products, loose = brw_products(names[:n], "out", two_block_rule="first-by-tau")
        used = [block for p in products for block in (p.left, p.right) if block is not None]
        assert sorted([*used, *([] if loose is None else [loose])]) == sorted(names[:n])


@over("decimation", [1, 2, 3, 4, 8, 10])
@over("n", [*range(26), 40, 64, 70])
def test_horner(n, decimation):
    tau, names, values = message(n, decimation)
    products = horner_products(names, "out", decimation=decimation, monic=False)
    right = gf128.mul(tau, polyhash.horner(tau, [values[name] for name in names]))
    assert len(products) == n
    assert evaluate(products, values, tau, "out") == right


@over("decimation", [1, 2, 3, 4, 8, 10])
@over("n", [10, 11, 12, 13, 19, 20, 40, 64, 70])
def test_monic_horner_has_a_leading_one(n, decimation):
    tau, names, values = message(n, decimation)
    products = horner_products(names, "out", decimation=decimation, monic=True)
    right = gf128.mul(tau, polyhash.horner(tau, [1, *(values[name] for name in names)]))
    assert len(products) == n  # the one costs no product
    assert evaluate(products, values, tau, "out") == right
    lifted = horner_products(names, "out", decimation=decimation, monic=True, lift=(1, 2))
    ways = [evaluate(lifted, values, tau, "out", decrypt=decrypt) for decrypt in (False, True)]
    assert ways == [gf128.mul(gf128.power(tau, k), right) for k in (1, 2)]


@pytest.mark.parametrize("width", [1, 2, 4, 8])
@over("skipped", [0, 1, 3])
@over("decimation", [1, 2, 3, 8])
@over("n", [5, 8, 19, 33])
def test_horner_a_beat_at_a_time(width, skipped, decimation, n):
    """The first columns may have no block, and the last beat may be shorter."""
    skipped %= width
    tau, names, values = message(n, decimation)
    blocks = [None] * skipped + names
    beats = [blocks[k : k + width] for k in range(0, len(blocks), width)]
    right = gf128.mul(tau, polyhash.horner(tau, [values[name] for name in names]))
    for lift in (0, 1, 12):
        products = horner_sums(beats, "out", decimation=decimation, lift=lift, name="Z")
        assert [product.name for product in products] == [f"Z{k}" for k in range(len(beats))]
        assert evaluate(products, values, tau, "out") == gf128.mul(gf128.power(tau, lift), right)
        assert sorted(block for product in products for block in product.blocks) == sorted(names)


@pytest.mark.parametrize("decimation", [2, 4, 8])
def test_chains_of_decimated_horner_do_not_wait_for_each_other(decimation):
    products = horner_products([f"Y{i}" for i in range(1, 41)], "out", decimation=decimation, monic=True)
    feeds = {p.name: p.into for p in products}
    assert sorted(feeds.values()) == sorted([*(f"X{j}" for j in range(decimation + 1, 41)), *["out"] * decimation])
    assert {p.power for p in products if p.into != "out"} == {decimation}


def test_power_may_depend_on_the_direction():
    product = Product("p", None, (1, 2), "Y", None, "out")
    assert evaluate([product], {"Y": 5}, 7, "out") == gf128.mul(7, 5)
    assert evaluate([product], {"Y": 5}, 7, "out", decrypt=True) == gf128.mul(gf128.square(7), 5)


def test_unknown_two_block_rule():
    with pytest.raises(ValueError, match="^two_block_rule must be 'first-by-tau' or 'second-by-tau', got 'xcb'$"):
        brw_products(["Y1"], "out", two_block_rule="xcb")


@pytest.mark.parametrize("n", [0, 1, 3])
def test_monic_horner_needs_a_block_for_each_chain(n):
    names = [f"Y{i}" for i in range(n)]
    with pytest.raises(ValueError, match=f"^4-decimated Horner with a leading one needs at least 4 blocks, got {n}$"):
        horner_products(names, "out", decimation=4, monic=True)


@dataclass(frozen=True)
class Example(HashPlan):
    R: HashEvent = HashEvent("R", "the result")
    S: HashEvent = HashEvent("S", "another", optional=True)
    T: Special = Special("T", "the tweak")
    Q: Tap = Tap("Q", "the product before")


PLAN = Example()
OTHER = HashEvent("V", ""), Special("C", ""), Tap("P", "")
LAST = Product(PLAN.Q, None, 1, PLAN.T, None, PLAN.R)


def test_plan_knows_its_parts():
    PLAN.check([LAST], "Scheme")
    PLAN.check([Product(1, None, 1, 0, None, PLAN.Q), LAST, Product(2, 1, 1, 0, None, PLAN.S)], "Scheme")
    assert PLAN.specials([LAST]) == [PLAN.T] and PLAN.specials([]) == []


@pytest.mark.parametrize(
    ("products", "message"),
    [
        ([], "Scheme: no product raises event R, the result"),
        ([LAST, Product(1, None, 1, 0, None, OTHER[0])], "Scheme: the plan has no event V, only R, S"),
        ([LAST, Product(1, OTHER[1], 1, 0, None, PLAN.S)], "Scheme: the plan has no special C, only T"),
        ([LAST, Product(OTHER[2], None, 1, 0, None, PLAN.S)], "Scheme: the plan has no tap P, only Q"),
    ],
)
def test_plan_refuses_what_it_does_not_know(products, message):
    with pytest.raises(ValueError) as error:
        PLAN.check(products, "Scheme")
    assert str(error.value) == message
