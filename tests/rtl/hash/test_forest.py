# SPDX-License-Identifier: Apache-2.0
"""The BRW paper's forest and schedule, against its text, its examples and its recursive descriptions."""

import pytest

from wideblock.rtl.hash.forest import CollapsedForest, permutation, schedule

from ...variants import over

pytestmark = pytest.mark.shows("hash-schedules")

FIG_5 = [  # clock, L1, L2, output: Schedule(16, 2)
    (1, (6, 10, 14), ((4, 1),), 2),
    (2, (10, 14), ((4, 1),), 6),
    (3, (10, 14), ((8, 3),), 4),
    (4, (14,), ((8, 3), (12, 4)), 10),
    (5, (14,), ((12, 4),), 8),
    (6, (14,), (), 12),
    (7, (), ((16, 7),), 14),
    (8, (), ((16, 7),), None),
    (9, (), (), 16),
]


def tree_by_definition(m):
    """Parents of F_m, from the recursive construction of T_m in section 2.1, first block number 1."""
    parent = {}

    def build(first, count):
        """Roots of the forest of ``count`` blocks from ``first`` on."""
        if count < 2:
            return []
        if count in (2, 3):
            return [first + 1]
        size = 1 << count.bit_length() - 1
        if size == count:
            root = first + count - 1
            for child in build(first, count - 1):
                parent[child] = root
            return [root]
        return build(first, size) + build(first + size, count - size)

    roots = build(1, m)
    return parent, roots


def recursive_output(p, NS):
    """The order of p nodes, by the paper's recursive descriptions after theorem 1, from its own base sequences."""
    sequence = [2, 6, 4, 8] if NS == 2 else [2, 6, 10, 4, 12, 8]
    for q in range(len(sequence) + 1, p + 1):
        if q % 2 == 0 or (NS == 2 and q % 4 == 3):
            sequence = [*sequence, 2 * q]
        elif NS == 2 or q % 4 == 1:
            sequence = [*sequence[:-1], 2 * q, sequence[-1]]
        else:
            sequence = [*sequence[:-2], 2 * q, *sequence[-2:]]
    return tuple(sequence)


@over("m", range(1, 301))
def test_proposition_1(m):
    forest = CollapsedForest(m)
    parent, roots = tree_by_definition(m)
    p = m // 2
    assert len(forest.nodes) == p  # 1
    assert forest.nodes == tuple(2 * i for i in range(1, p + 1))  # 2
    assert {x: forest.parent(x) for x in forest.nodes} == {x: parent.get(x) for x in forest.nodes}
    assert list(forest.roots) == roots
    if m % 2 == 0:  # 3
        other = CollapsedForest(m + 1)
        assert (other.nodes, other.roots) == (forest.nodes, forest.roots)
        assert all(other.children(x) == forest.children(x) for x in forest.nodes)
    assert len(forest.roots) == p.bit_count()  # 4

    def size(x):
        return 1 + sum(map(size, forest.children(x)))

    assert sorted(map(size, forest.roots)) == [1 << i for i in range(p.bit_length()) if p >> i & 1]  # 5
    for x in forest.nodes:
        assert all(forest.parent(y) == x for y in forest.children(x))
        assert forest.level(x) == max((1 + forest.level(y) for y in forest.children(x)), default=0)
        if x % 4 == 2:
            assert forest.level(x) == 0  # 6
        elif x % 8 == 0:
            assert {x - 2, x - 4} <= set(forest.children(x))  # 7
        else:
            assert forest.children(x) == (x - 2,)  # 8


def test_figure_5():
    assert [(c.clock, c.L1, c.L2, c.node) for c in schedule(16, 2).clocks] == FIG_5


def test_example_of_section_2_4():
    result = schedule(30, 2)
    assert result.order == (2, 6, 4, 10, 8, 12, 14, 18, 16, 20, 22, 26, 24, 28, 30)
    assert [result.start[x] for x in result.order] == list(range(1, 16))
    assert {x for held in result.storage for sums in held for x in sums} == {6, 8, 12, 20}
    assert result.extra_storage == 1


def test_figure_8():
    """31 blocks, three stages: ACC1 stores M2, M5, M6 and M9; M10, M13, M14 and M15 are the roots; 18 clocks."""
    result = schedule(31, 3)
    M = dict(enumerate(result.order, 1))
    assert result.extra_storage == 1
    assert {x for held in result.storage for sums in held for x in sums} == {M[k] for k in (2, 5, 6, 9)}
    assert {M[k] for k in (10, 13, 14, 15)} == set(result.forest.roots) == {16, 30, 24, 28}
    assert result.total_clocks == 15 and len(result.storage) == 18 and result.bubbles == 0


@pytest.mark.parametrize("NS, first", [(2, 4), (3, 6)])
def test_table_1(NS, first):
    for p in range(first, 301):
        assert schedule(2 * p, NS).order == schedule(2 * p + 1, NS).order == recursive_output(p, NS)


def test_theorem_1():
    """Clocks for p multiplications: NS = 2: one more if 4 divides p; NS = 3, p >= 6: two, one, one, none more."""
    for m in range(6, 601):
        p = m // 2
        assert schedule(m, 2).total_clocks == p + (p % 4 == 0), m
        if p >= 6:
            assert schedule(m, 3).total_clocks == p + (2, 1, 1, 0)[p % 4], m


@pytest.mark.parametrize("NS", [2, 3, 4])
def test_no_bubbles_in_a_sector(NS):
    result = schedule(255, NS)
    assert result.total_clocks == len(result.order) == 127 and result.bubbles == 0


@pytest.mark.parametrize("NS", [1, 2, 3, 4, 5, 8, 13])
@over("m", [1, 2, 3, 5, 8, 30, 31, 32, 100, 255, 256, 511])
def test_valid_for_any_stages(m, NS):
    result = schedule(m, NS)
    forest = result.forest
    assert sorted(result.order) == list(forest.nodes)
    for x in forest.nodes:
        assert all(result.start[x] >= result.start[y] + NS for y in forest.children(x))
    stored = {}
    for clock, held in enumerate(result.storage, 1):
        for sums in held:
            assert len({forest.parent(x) for x in sums}) <= 1
            for x in sums:
                stored.setdefault(x, []).append(clock)
    for x in forest.nodes:
        done, parent = result.start[x] + NS, forest.parent(x)
        waits = range(done, result.start[parent]) if parent is not None else range(0)
        assert stored.get(x, []) == list(waits)


def test_permutation():
    assert permutation(31, 3) == (
        1,
        2,
        7,
        8,
        3,
        4,
        13,
        14,
        5,
        6,
        11,
        12,
        9,
        10,
        19,
        20,
        15,
        16,
        21,
        22,
        17,
        18,
        27,
        28,
        23,
        24,
        29,
        30,
        25,
        26,
        31,
    )
    assert sorted(permutation(255, 4)) == list(range(1, 256))


@over("m", [1, 2, 3, 4, 6, 7, 16, 31, 255])
def test_formulas_are_the_polynomial(m):
    """The drawn formulas, evaluated over the integers, give the recursive definition of the BRW polynomial."""
    X = {k: 1000003 * k + 7 for k in range(1, m + 1)}
    h = 10007

    def brw(first, count):
        if count == 0:
            return 0
        if count == 1:
            return X[first]
        if count == 2:
            return X[first + 1] * h + X[first]
        if count == 3:
            return (X[first + 1] + h**2) * (X[first] + h) + X[first + 2]
        size = 1 << count.bit_length() - 1
        product = (X[first + size - 1] + h**size) * brw(first, size - 1)
        return product + brw(first + size, count - size)

    result = schedule(m, 3)
    names = {f"X{k}": value for k, value in X.items()} | {"h": h}
    for x in result.order:
        names[f"R{x}"] = eval(result.forest.formula(x).replace("^", "**"), {}, names)
    assert eval(result.forest.total(), {}, names) == brw(1, m)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: schedule(0, 2), ValueError, "at least 1 block, got 0"),
        (lambda: schedule(31, 0), ValueError, "at least 1 pipeline stage, got 0"),
        (lambda: schedule("31", 3), TypeError, "number of blocks, got '31'"),
        (lambda: schedule(31, 2.5), TypeError, "number of pipeline stages, got 2.5"),
        (lambda: CollapsedForest(16).parent(18), ValueError, "from 2 to 16, got 18"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()
