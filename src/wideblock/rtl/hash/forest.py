# SPDX-License-Identifier: Apache-2.0
"""The collapsed forest of a BRW polynomial, and the order of multiplications of the BRW paper.

Source: Chakraborty, Mancillas-Lopez, Rodriguez-Henriquez, Sarkar, "Efficient Hardware Implementations of BRW
Polynomials and Tweakable Enciphering Schemes", IEEE TC 62(2), section 2.
"""

from collections import deque
from dataclasses import dataclass
from functools import cached_property

from wideblock.errors import UserError

__all__ = ["CollapsedForest", "ForestClock", "Schedule", "permutation", "schedule"]


@dataclass(frozen=True)
class CollapsedForest:
    """F_m: the multiplications of H_h(X_1, .., X_m); a parent multiplies the results of children further.

    Node x multiplies a factor with X_x by a factor with X_(x-1); below the node lie the blocks up to X_(x-1).

    Source: section 2.1.
    """

    m: int

    def __post_init__(self):
        if not isinstance(self.m, int):
            raise TypeError(f"m must be a number of blocks, got {self.m!r}")
        if self.m < 1:
            raise UserError(f"m must be at least 1 block, got {self.m}")

    @cached_property
    def nodes(self) -> tuple[int, ...]:
        """The labels 2, 4, .., 2 * (m // 2)."""
        return tuple(range(2, self.m + 1, 2))

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """The roots: their sum is the polynomial; from the largest tree to the smallest."""
        return tuple(x for x in self.nodes if self.parent(x) is None)

    def parent(self, x: int) -> int | None:
        """The parent of ``x``, or None for a root."""
        self._check(x)
        up = x + (x & -x)
        return up if up <= self.m else None

    def children(self, x: int) -> tuple[int, ...]:
        """The children of ``x``, in the order of labels."""
        self._check(x)
        size = (x & -x).bit_length() - 1
        return tuple(x - (1 << k) for k in reversed(range(1, size)))

    def level(self, x: int) -> int:
        """Length of the longest path from ``x`` to a leaf; 0 for an independent node."""
        self._check(x)
        return (x & -x).bit_length() - 2

    def formula(self, x: int) -> str:
        """The multiplication of ``x`` in the paper's symbols; ``R4`` is the result of node 4."""
        self._check(x)
        power = x & -x
        if power == 2:
            return f"X{x}*h" if x == self.m else f"(X{x}+h^2)*(X{x - 1}+h)"
        return f"(X{x}+h^{power})*({'+'.join([f'X{x - 1}', *(f'R{y}' for y in self.children(x))])})"

    def total(self) -> str:
        """The polynomial: the sum of the roots' results, and of the block without a product, if any."""
        rest = {0: [], 2: [f"X{self.m - 1}"]}.get(self.m % 4, [f"X{self.m}"])
        return " + ".join([*(f"R{x}" for x in self.roots), *rest])

    def _check(self, x):
        if x % 2 or not 2 <= x <= self.m:
            raise ValueError(f"nodes of F_{self.m} are the even numbers from 2 to {self.m}, got {x!r}")


@dataclass(frozen=True)
class ForestClock:
    """A clock of a schedule: the started node, or None, and both lists afterwards (L2 with ``(x, x.ST)``)."""

    clock: int
    node: int | None
    L1: tuple[int, ...]
    L2: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Schedule:
    """The order of the multiplications of F_m for a multiplier of ``NS`` stages, clock by clock from 1."""

    forest: CollapsedForest
    NS: int
    clocks: tuple[ForestClock, ...]

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The nodes in the order of starts: the output of the paper's algorithm."""
        return tuple(c.node for c in self.clocks if c.node is not None)

    @cached_property
    def start(self) -> dict[int, int]:
        """The clock of each node's start; the result follows ``NS`` clocks later."""
        return {c.node: c.clock for c in self.clocks if c.node is not None}

    @property
    def total_clocks(self) -> int:
        """The clock of the last start: the last column of the paper's Table 1."""
        return len(self.clocks)

    @property
    def bubbles(self) -> int:
        """Clocks without a start."""
        return self.total_clocks - len(self.order)

    @cached_property
    def storage(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """Content of each extra storage location at the end of each clock, until the last result.

        A result is stored unless the parent starts in the clock of completion. Results for a parent are summed in a
        location, free again in the clock of the parent's start. Roots go to the accumulator of the polynomial and
        need no location.

        Source: section 2.4, and ACC1 of figure 8.
        """
        finish = {clock + self.NS: x for x, clock in self.start.items()}
        locations: list[tuple[int, ...]] = []
        history = []
        for clock in range(1, self.total_clocks + self.NS + 1):
            starting = self.clocks[clock - 1].node if clock <= self.total_clocks else None
            parents = [self.forest.parent(held[0]) if held else None for held in locations]
            locations = [() if parent == starting else held for held, parent in zip(locations, parents, strict=True)]
            x = finish.get(clock)
            parent = self.forest.parent(x) if x is not None else None
            if x is not None and parent is not None and parent != starting:
                place = parents.index(parent) if parent in parents else None
                if place is None:
                    place = locations.index(()) if () in locations else len(locations)
                    locations += [()] * (place == len(locations))
                locations[place] += (x,)
            history.append(tuple(locations))
        return tuple(history)

    @property
    def extra_storage(self) -> int:
        """Number of extra storage locations: figure 6 of the paper."""
        return len(self.storage[-1]) if self.storage else 0


def schedule(m: int, NS: int) -> Schedule:
    """The paper's algorithm Schedule(m, NS): the oldest ready dependent node, or else the next independent node.

    Printed are ``clock - x.ST > NS`` and a loop while "L1 and L2 are both not empty"; only ``>=`` and a loop while
    either list is not empty give the paper's own example, table and permutation.

    Source: section 2.2, figure 4.
    """
    if not isinstance(NS, int):
        raise TypeError(f"NS must be a number of pipeline stages, got {NS!r}")
    if NS < 1:
        raise UserError(f"NS must be at least 1 pipeline stage, got {NS}")
    forest = CollapsedForest(m)
    NC = {x: len(forest.children(x)) for x in forest.nodes}
    ST = {}
    L1 = deque(x for x in forest.nodes if forest.level(x) == 0)
    L2: deque[int] = deque()
    clocks = []
    while L1 or L2:
        clock = len(clocks) + 1
        ready = L2 and clock - ST[L2[0]] >= NS
        x = L2.popleft() if ready else L1.popleft() if L1 else None
        y = forest.parent(x) if x is not None else None
        if y is not None:
            NC[y] -= 1
            if NC[y] == 0:
                ST[y] = clock
                L2.append(y)
        clocks.append(ForestClock(clock, x, tuple(L1), tuple((x, ST[x]) for x in L2)))
    return Schedule(forest, NS, tuple(clocks))


def permutation(m: int, NS: int) -> tuple[int, ...]:
    """pi(1), .., pi(m): X_j is block number pi(j) of a message whose blocks enter in natural order, two a product.

    Source: section 4.2 of the paper, for m = 31 and NS = 3.
    """
    pi = {j: j for j in range(1, m + 1)}
    for n, x in enumerate(schedule(m, NS).order):
        pi[x - 1], pi[x] = 2 * n + 1, 2 * n + 2
    return tuple(pi.values())
