# SPDX-License-Identifier: Apache-2.0
"""Fixed-latency datapaths: their cycle contract, their streams, and their stage registers."""

from dataclasses import dataclass

from amaranth import Module, Signal, Value
from amaranth.hdl import ValueLike
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["OUTLINE", "FixedLatency", "Pipeline", "Timing", "later"]

OUTLINE = "outline"
"""Platform of an elaboration for a count of parts: a part without counted parts and written memories may be empty."""


@dataclass(frozen=True)
class Timing:
    """Cycle contract of a part.

    latency:  clock edges from an input, taken, to the first edge at which the result can be taken
    interval: clock edges between two accepted inputs; 1 is full rate
    """

    latency: int
    interval: int = 1


def FixedLatency(i_shape, o_shape) -> wiring.Signature:
    """Streams of a datapath without stalls: ``o`` is a function of the ``i`` of ``timing.latency`` cycles ago."""
    return wiring.Signature(
        {
            "i": In(stream.Signature(i_shape, always_ready=True)),
            "o": Out(stream.Signature(o_shape, always_ready=True)),
        }
    )


class Pipeline:
    """Named values in step through registers; a :meth:`cut` is a cycle.

    Values are read as attributes; ``ahead`` has what the last cut registers, a cycle before it is live. Data registers
    have no reset, the valid chain does; None as ``valid``: no chain. Nothing ever stalls.
    """

    def __init__(self, m: Module, *, valid: Value | None, **values):
        self._m = m
        self.valid = valid
        self.depth = 0
        self.ahead: dict[str, Value] = {}
        self.live = {name: Value.cast(value) for name, value in values.items()}

    def cut(self, **values) -> None:
        """Registers ``values`` for the next stage; a value that is not named here is dropped."""
        self.depth += 1
        if self.valid is not None:
            self.valid = self._register("valid", self.valid, reset_less=False)
        self.ahead = {name: Value.cast(value) for name, value in values.items()}
        self.live = {name: self._register(name, value) for name, value in values.items()}

    def _register(self, name, value, *, reset_less=True):
        value = Value.cast(value)
        register = Signal(value.shape(), name=f"s{self.depth}_{name}", reset_less=reset_less)
        self._m.d.sync += register.eq(value)
        return register

    def __getattr__(self, name):
        try:
            return self.live[name]
        except KeyError:
            raise AttributeError(f"{name!r} is not live after stage {self.depth}: {sorted(self.live)}") from None


def later(m: Module, name: str, value: ValueLike, *, cycles: int, clear: Value) -> Value:
    """``value`` of ``cycles`` cycles ago, zero while clearing; to be called outside of conditions.

    The registers have the ``name``.
    """
    moved = Value.cast(value)
    for cycle in range(cycles):
        register = Signal(len(moved), name=f"{name}_later{cycle or ''}")
        m.d.sync += register.eq(moved)
        with m.If(clear):
            m.d.sync += register.eq(0)
        moved = register
    return moved
