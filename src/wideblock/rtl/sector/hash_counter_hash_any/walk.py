# SPDX-License-Identifier: Apache-2.0
"""The steps of a pass: the blocks before the message's own, then block by block."""

from amaranth import Module, Mux, Signal, Value
from amaranth.lib import data

__all__ = ["Walk", "blocks_behind", "tweak_blocks"]


def blocks_behind(header: data.View) -> Value:
    """Blocks of a message behind its first, the last one perhaps in part."""
    return header.end >> 4


def tweak_blocks(header: data.View) -> Value:
    """Blocks of its tweak, the last one perhaps in part."""
    return (header.tweak_size + 15) >> 4


class Walk:
    """A counter of the steps of a pass over the message with ``header``, which ``go`` advances.

    While ``number`` is 0 (``before``), step ``held`` is that of the header block, and from 1 on that of a block of the
    tweak. Then ``number`` is that of the message's block. ``ready``: the message's block ``number`` is done with after
    this step. ``left`` steps follow the present one; ``final``: none does. ``following`` is ``number`` in the next
    cycle. ``restart`` makes the next step the first one.
    """

    def __init__(self, m: Module, name: str, header: data.View, most_held: int, restart: Value):
        behind, before = blocks_behind(header), tweak_blocks(header)
        self.go = Signal(name=f"{name}_go")
        self.held = Signal(range(most_held + 1), name=f"{name}_held")
        self.number = Signal(len(behind), name=f"{name}_number")
        self.following = Signal.like(self.number, name=f"{name}_following")
        self.before = Signal(name=f"{name}_before")
        self.ready = Signal(name=f"{name}_ready")
        self.final = Signal(name=f"{name}_final")
        self.left = Signal(range((1 << len(behind)) + most_held), name=f"{name}_left")
        m.d.comb += [
            self.before.eq(self.number == 0),
            self.ready.eq(~self.before | (self.held == before)),
            self.final.eq((self.number == behind) & self.ready),
            self.left.eq((behind + Mux(self.before, before, 0)) - Mux(self.before, self.held, self.number)),
            self.following.eq(self.number),
        ]
        with m.If(self.go & self.ready):
            m.d.comb += self.following.eq(Mux(self.final, 0, self.number + 1))
            m.d.sync += self.held.eq(0)
        with m.Elif(self.go):
            m.d.sync += self.held.eq(self.held + 1)
        m.d.sync += self.number.eq(self.following)
        with m.If(restart):
            m.d.sync += [self.held.eq(0), self.number.eq(0)]

    @property
    def first(self) -> Value:
        """Whether the present step is the pass's first one."""
        return self.before & (self.held == 0)
