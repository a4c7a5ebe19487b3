# SPDX-License-Identifier: Apache-2.0
"""A state as planes, and what is done to it as steps.

A state is ``planes``: eight values, plane ``b`` with bit ``b`` of each byte: an operation on a plane is a gate in every
byte of the state.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from amaranth import Cat, Module, Signal, Value

__all__ = ["LayerPart", "Planes", "applied", "by_way", "chosen", "from_planes", "named", "separated", "to_planes"]

Planes = list[Value]


def to_planes(state, start: int = 0, stop: int | None = None) -> Planes:
    """Eight planes of a state of whole bytes: bits ``start`` to ``stop`` - 1 of a value, by default all of it.

    A long signal is given whole, with the bits to take: each bit of a slice of it would be the slice, made again.
    """
    state = Value.cast(state)
    stop = len(state) if stop is None else stop
    if (stop - start) % 8:
        raise ValueError(f"state must be whole bytes, got {stop - start} bits")
    return [Cat(state[first + b] for first in range(start, stop, 8)) for b in range(8)]


def from_planes(planes: Sequence[Value]) -> Value:
    """The state of eight planes."""
    return Cat(planes[b][k] for k in range(len(planes[0])) for b in range(8))


def separated(planes) -> Planes:
    """The planes of a state that were put side by side."""
    return [planes[b * len(planes) // 8 : (b + 1) * len(planes) // 8] for b in range(8)]


def chosen(way: Value, high: Sequence[Value], low: Sequence[Value]) -> Planes:
    """The planes ``high`` where plane ``way`` is high, else ``low``."""
    return [(way & h) | (~way & v) for h, v in zip(high, low, strict=True)]


def by_way(live: Mapping[str, Planes], ways: Sequence[Planes]) -> Planes:
    """The only ones of ``ways``; of two those of the first way, or of the second where plane ``way`` is high."""
    return chosen(live["way"][0], ways[1], ways[0]) if len(ways) > 1 else ways[0]


def named(m: Module, name: str, value) -> Signal:
    """``value`` as a signal: two uses do not build the value twice."""
    value = Value.cast(value)
    signal = Signal(len(value), name=name)
    m.d.comb += signal.eq(value)
    return signal


@dataclass(frozen=True)
class LayerPart:
    """A piece of a layer that no register may split: named groups of planes in, named groups of planes out.

    levels: logic depth, in LUTs of four inputs
    """

    levels: int
    apply: Callable[[Module, dict[str, Planes], str], dict[str, Planes]]

    def keeping(self, group: str) -> "LayerPart":
        """The step, with the planes of ``group`` kept."""
        return LayerPart(self.levels, lambda m, live, name: {**self.apply(m, live, name), group: live[group]})


def applied(
    m: Module, live: dict[str, Planes], steps: Iterable[LayerPart], name: str, *, cuts: Collection[int] = ()
) -> dict[str, Planes]:
    """The planes after ``steps``; each is a signal, ``<name><step>_<group><bit>``.

    Behind the steps with the numbers ``cuts`` stand registers.
    """
    for i, step in enumerate(steps):
        out = step.apply(m, live, f"{name}{i}")
        live = {group: [named(m, f"{name}{i}_{group}{b}", x) for b, x in enumerate(out[group])] for group in out}
        if i in cuts:
            live = {group: [_held(m, plane) for plane in planes] for group, planes in live.items()}
    return live


def _held(m: Module, plane: Value) -> Signal:
    register = Signal.like(plane, name_suffix="_held")
    m.d.sync += register.eq(plane)
    return register
