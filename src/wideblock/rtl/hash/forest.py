# SPDX-License-Identifier: Apache-2.0
"""The collapsed forest of a BRW polynomial and the order of its multiplications, as the BRW paper has them.

Source: Chakraborty, Mancillas-Lopez, Rodriguez-Henriquez, Sarkar, "Efficient Hardware Implementations of BRW
Polynomials and Tweakable Enciphering Schemes", IEEE TC 62(2), section 2.
"""

from collections import deque
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest

__all__ = ["CollapsedForest", "Clock", "Schedule", "schedule", "permutation", "draw", "draw_storage", "storage"]


@dataclass(frozen=True)
class CollapsedForest:
    """F_m: the multiplications of H_h(X_1, .., X_m), each a child of the one that needs its result.

    Node x multiplies a factor with X_x by one with X_(x-1); below it lie the blocks that lead up to X_(x-1).

    Source: section 2.1.
    """

    m: int

    def __post_init__(self):
        if not isinstance(self.m, int):
            raise TypeError(f"m must be a number of blocks, got {self.m!r}")
        if self.m < 1:
            raise ValueError(f"m must be at least 1 block, got {self.m}")

    @cached_property
    def nodes(self) -> tuple[int, ...]:
        """The labels 2, 4, .., 2 * (m // 2)."""
        return tuple(range(2, self.m + 1, 2))

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """The nodes whose results are summed to the polynomial, from the largest tree to the smallest."""
        return tuple(x for x in self.nodes if self.parent(x) is None)

    def parent(self, x: int) -> int | None:
        """The node that multiplies the result of ``x`` further, or None for a root."""
        self._check(x)
        up = x + (x & -x)
        return up if up <= self.m else None

    def children(self, x: int) -> tuple[int, ...]:
        """The nodes whose results the multiplication of ``x`` takes, in the order of their labels."""
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
        """The polynomial as the sum of the roots' results and of the block that is not multiplied, if there is one."""
        rest = {0: [], 2: [f"X{self.m - 1}"]}.get(self.m % 4, [f"X{self.m}"])
        return " + ".join([*(f"R{x}" for x in self.roots), *rest])

    def _check(self, x):
        if x % 2 or not 2 <= x <= self.m:
            raise ValueError(f"nodes of F_{self.m} are the even numbers from 2 to {self.m}, got {x!r}")


@dataclass(frozen=True)
class Clock:
    """One clock of a schedule: the node that starts, or None, and both lists after it (L2 with ``(x, x.ST)``)."""

    clock: int
    node: int | None
    L1: tuple[int, ...]
    L2: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Schedule:
    """The order of the multiplications of F_m for a multiplier of ``NS`` stages, clock by clock from 1."""

    forest: CollapsedForest
    NS: int
    clocks: tuple[Clock, ...]

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The nodes in the order in which they start: the output of the paper's algorithm."""
        return tuple(c.node for c in self.clocks if c.node is not None)

    @cached_property
    def start(self) -> dict[int, int]:
        """For each node, the clock in which it starts; its result is there ``NS`` clocks later."""
        return {c.node: c.clock for c in self.clocks if c.node is not None}

    @property
    def total_clocks(self) -> int:
        """The clock in which the last multiplication starts: the last column of the paper's Table 1."""
        return len(self.clocks)

    @property
    def bubbles(self) -> int:
        """Clocks in which nothing starts."""
        return self.total_clocks - len(self.order)

    @cached_property
    def storage(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """For each clock until the last result, what each extra storage location holds at its end.

        A result is stored if it is completed in a clock in which its parent does not start. Results of one parent are
        summed in one location, which is free again in the clock in which the parent starts. Roots go to the
        accumulator of the polynomial and need none.

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
    """The paper's algorithm Schedule(m, NS): the oldest ready dependent node, or else the next independent one.

    Printed are ``clock - x.ST > NS`` and a loop while "L1 and L2 are both not empty"; only ``>=`` and a loop while
    one of them is not empty give the paper's own example, table and permutation.

    Source: section 2.2, figure 4.
    """
    if not isinstance(NS, int):
        raise TypeError(f"NS must be a number of pipeline stages, got {NS!r}")
    if NS < 1:
        raise ValueError(f"NS must be at least 1 pipeline stage, got {NS}")
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
        clocks.append(Clock(clock, x, tuple(L1), tuple((x, ST[x]) for x in L2)))
    return Schedule(forest, NS, tuple(clocks))


def permutation(m: int, NS: int) -> tuple[int, ...]:
    """pi(1), .., pi(m): X_j is block number pi(j) of a message whose blocks enter in natural order, two a product.

    Source: section 4.2 of the paper, for m = 31 and NS = 3.
    """
    pi = {j: j for j in range(1, m + 1)}
    for n, x in enumerate(schedule(m, NS).order):
        pi[x - 1], pi[x] = 2 * n + 1, 2 * n + 2
    return tuple(pi.values())


def _tree(forest, x):
    """Lines of the tree below ``x``."""
    lines = [str(x)]
    children = forest.children(x)
    for child in children:
        head, rest = ("`-- ", "    ") if child == children[-1] else ("+-- ", "|   ")
        first, *below = _tree(forest, child)
        lines += [head + first, *(rest + line for line in below)]
    return lines


def _shorten(text, width):
    """``text``, or as many of its words or summands as fit into ``width`` before an ellipsis."""
    if len(text) <= width:
        return text
    text = text[: width - 3]
    return text[: max(text.rfind(" "), text.rfind("+"), 0)] + " .."


def draw(schedule: Schedule, width: int = 120) -> str:
    """A chart of the schedule, clock by clock, and its forest, as text of at most ``width`` columns."""
    forest, NS = schedule.forest, schedule.NS
    done = {clock + NS: x for x, clock in schedule.start.items()}
    rows = [("clock", "node", "multiplication", "done", "stored", "L2", "L1")]
    for clock, held in enumerate(schedule.storage, 1):
        now = schedule.clocks[clock - 1] if clock <= schedule.total_clocks else Clock(clock, None, (), ())
        rows.append(
            (
                str(clock),
                str(now.node or "-"),
                forest.formula(now.node) if now.node else "",
                f"R{done[clock]}" if clock in done else "",
                " ".join("+".join(f"R{x}" for x in sums) or "." for sums in held),
                " ".join(f"{x}({ST})" for x, ST in now.L2),
                " ".join(map(str, now.L1)),
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    widths[2:6] = [min(w, most) for w, most in zip(widths[2:6], (44, 5, 22, 18), strict=True)]
    used = sum(widths[:-1]) + 2 * (len(widths) - 1)
    widths[-1] = max(10, min(widths[-1], width - used))
    chart = [
        "  ".join(
            _shorten(cell, w).rjust(w) if k < 2 else _shorten(cell, w).ljust(w)
            for k, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    chart.insert(1, "  ".join("-" * w for w in widths))

    shelves = [[]]
    for block in (_tree(forest, x) for x in forest.roots):
        block = [line.ljust(max(map(len, block)) + 4) for line in block]
        if shelves[-1] and sum(len(b[0]) for b in [*shelves[-1], block]) > width:
            shelves.append([])
        shelves[-1].append(block)
    trees = [
        "".join(cell or " " * len(block[0]) for cell, block in zip(cells, shelf, strict=True))
        for shelf in shelves
        for cells in zip_longest(*shelf)
    ]
    head = [
        f"BRW, m = {forest.m} blocks, multiplier of NS = {NS} stages",
        f"{len(schedule.order)} multiplications in {schedule.total_clocks} clocks ({schedule.bubbles} bubbles), "
        f"last result in clock {len(schedule.storage)}, extra storage {schedule.extra_storage}",
        "L2 has node(clock in which its last child started); stored: sums that wait for their parent, by location",
    ]
    text = [*head, "", *chart, "", f"H = {forest.total()}"[:width], "", "Collapsed forest", *trees]
    return "\n".join(line.rstrip() for line in text) + "\n"


def storage(first: int, last: int, NS: int) -> dict[int, int]:
    """Extra storage locations for ``first`` to ``last`` blocks: figure 6 of the paper, where NS = 3."""
    if not 1 <= first <= last:
        raise ValueError(f"blocks must go from at least 1 upwards, got {first}..{last}")
    grown: dict[int, int] = {}
    for m in range(first, last + 1):
        # an odd block more makes no further multiplication
        same = m % 2 and m - 1 in grown
        grown[m] = grown[m - 1] if same else schedule(m, NS).extra_storage
    return grown


def draw_storage(grown: dict[int, int], NS: int, width: int = 100) -> str:
    """Figure 6 of the paper as text of about ``width`` columns: locations upwards, blocks to the right."""
    first, last = min(grown), max(grown)
    columns = min(width, last - first + 1)
    # a column shows the most that one of its numbers of blocks takes
    edges = [first + (last - first + 1) * k // columns for k in range(columns + 1)]
    heights = [max(grown[m] for m in range(a, b)) for a, b in zip(edges, edges[1:], strict=False)]
    left = len(str(max(heights)))
    lines = [f"Extra storage locations, multiplier of NS = {NS} stages"]
    for level in range(max(heights), -1, -1):
        bar = "".join("#" if level and h >= level else "_" if not level else " " for h in heights)
        lines.append(f"{level:>{left}} |{bar}".rstrip())
    lines.append(" " * (left + 2) + f"{first}".ljust(max(1, columns - len(str(last)))) + f"{last} blocks")
    steps = [m for m in grown if m == first or grown[m] != grown[m - 1]]
    lines.append("from " + ", ".join(f"{m} blocks: {grown[m]}" for m in steps))
    return "\n".join(lines) + "\n"
