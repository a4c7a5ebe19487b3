# SPDX-License-Identifier: Apache-2.0
"""Vectors with bits that are computed from further bits of the vector: no loop in hardware, but a loop to a simulator
of whole vectors.
"""

import re
from collections.abc import Mapping

__all__ = ["split_lines"]

_MODULE = re.compile(r"^module (\S+)\(.*?^endmodule$", re.MULTILINE | re.DOTALL)
_ASSIGN = re.compile(r"^  assign ([^;]*?) = ([^;]*);$", re.MULTILINE)
_NAME = re.compile(r"\\\S+|[A-Za-z_][\w$]*")
_VECTOR = re.compile(r"^  (?:wire|reg) \[\d+:0\] (\S+) ?;$", re.MULTILINE)

Graph = Mapping[str, set[str]]


def split_lines(verilog: str) -> str:
    """Returns lines of a Verilator configuration to take each of the vectors bit by bit.

    The model is then compiled without iteration, and runs up to twice as fast.
    """
    return "".join(
        f'split_var -module "{module[1]}" -var "{name}"\n'
        for module in _MODULE.finditer(verilog)
        for name in _looped(module[0])
    )


def _looped(module: str) -> list[str]:
    """The vectors of a module on loops, in the order of their declarations, escapes apart."""
    graph: dict[str, set[str]] = {}
    for left, right in _ASSIGN.findall(module):
        sources = set(_NAME.findall(right))
        for name in _NAME.findall(left):
            graph.setdefault(name, set()).update(sources)
    inside = _on_loops(graph)
    return [name.removeprefix("\\") for name in _VECTOR.findall(module) if name in inside] if inside else []


def _on_loops(graph: Graph) -> set[str]:
    """The nodes on loops, and those between two loops."""
    ahead = _without_ends({name: to & graph.keys() for name, to in graph.items()})
    back: dict[str, set[str]] = {name: set() for name in ahead}
    for name, to in ahead.items():
        for other in to:
            back[other].add(name)
    return set(_without_ends(back))


def _without_ends(graph: Graph) -> dict[str, set[str]]:
    """The graph without the nodes from which no loop can be reached."""
    left = {name: len(to) for name, to in graph.items()}
    into: dict[str, list[str]] = {name: [] for name in graph}
    for name, to in graph.items():
        for other in to:
            into[other].append(name)
    ends = [name for name, n in left.items() if not n]
    while ends:
        end = ends.pop()
        del left[end]
        for name in into[end]:
            if name in left:
                left[name] -= 1
                if not left[name]:
                    ends.append(name)
    return {name: graph[name] & left.keys() for name in left}
