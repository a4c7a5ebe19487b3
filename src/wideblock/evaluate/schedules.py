# SPDX-License-Identifier: Apache-2.0
"""Schedules of BRW polynomials as text: a chart of a program, and the storage of programs by the number of blocks.

Source: Chakraborty et al., IEEE TC 62(2), 2013, section 2, figure 6.
"""

from itertools import zip_longest
from typing import Any

from wideblock.errors import UserError
from wideblock.rtl.hash.forest import ForestClock, Schedule, schedule

__all__ = ["draw", "draw_storage", "starts", "storage", "summary"]


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
        now = schedule.clocks[clock - 1] if clock <= schedule.total_clocks else ForestClock(clock, None, (), ())
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


def starts(found: Schedule) -> str:
    """Nodes by the clock in which their multiplication starts, with a dash for a bubble."""
    return " ".join(str(clock.node or "-") for clock in found.clocks)


def summary(found: Schedule) -> dict[str, Any]:
    """A schedule as plain values."""
    return {
        "blocks": found.forest.m,
        "stages": found.NS,
        "multiplications": len(found.order),
        "clocks": found.total_clocks,
        "bubbles": found.bubbles,
        "extra_storage": found.extra_storage,
        "order": list(found.order),
        "start": {str(node): clock for node, clock in found.start.items()},
    }


def storage(first: int, last: int, NS: int) -> dict[int, int]:
    """Extra storage locations for ``first`` to ``last`` blocks: figure 6 of the paper, where NS = 3."""
    if not 1 <= first <= last:
        raise UserError(f"blocks must go from at least 1 upwards, got {first}..{last}")
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
