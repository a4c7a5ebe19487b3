# SPDX-License-Identifier: Apache-2.0
"""Linear maps over GF(2) in few additions."""

from collections.abc import Sequence
from itertools import combinations

from amaranth import Const, Module, Signal, Value

__all__ = ["products", "shared_sums"]


def shared_sums(rows: Sequence[int], inputs: int) -> tuple[list[tuple[int, int]], list[list[int]]]:
    """Sums of the inputs j with a set bit in each row; common parts are shared greedily.

    Returns pairs of terms to add, in order, each sum a new term behind the ``inputs``; and the term left in each row,
    or none. Source: Paar, "Optimized arithmetic for Reed-Solomon encoders", ISIT 1997.
    """
    terms = [{j for j in range(inputs) if row >> j & 1} for row in rows]
    pairs: list[tuple[int, int]] = []
    while any(len(t) > 1 for t in terms):
        count: dict[tuple[int, int], int] = {}
        for t in terms:
            for pair in combinations(sorted(t), 2):
                count[pair] = count.get(pair, 0) + 1
        best = max(count, key=lambda pair: (count[pair], -max(pair)))
        new = inputs + len(pairs)
        pairs.append(best)
        for t in terms:
            if t.issuperset(best):
                t.difference_update(best)
                t.add(new)
    return pairs, [sorted(t) for t in terms]


def products(m: Module, x: Sequence[Value], rows: Sequence[int], name: str) -> list[Value]:
    """``rows`` times the vector ``x`` of elements of equal width."""
    pairs, left = shared_sums(rows, len(x))
    terms = list(x)
    for a, b in pairs:
        term = Signal(len(x[0]), name=f"{name}_x{len(terms)}")
        m.d.comb += term.eq(terms[a] ^ terms[b])
        terms.append(term)
    return [terms[t[0]] if t else Const(0, len(x[0])) for t in left]
