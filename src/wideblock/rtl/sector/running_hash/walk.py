# SPDX-License-Identifier: Apache-2.0
"""The steps of a pass: header and tweak, packed into beats but for the last of their blocks, then beat by beat."""

from collections.abc import Sequence

from amaranth import Const, Module, Mux, Signal, Value
from amaranth.lib import data

from wideblock.rtl.stream.stages import select

__all__ = ["Beats", "Walk", "packed", "tweak_blocks"]


def tweak_blocks(header: data.View) -> Value:
    """Blocks of the tweak of a message, the last one perhaps in part."""
    return (header.tweak_size + 15) >> 4


def packed(blocks: Sequence[Value], t: Value, *, beats: int, width: int) -> list[list[Value]]:
    """The first ``t`` of ``blocks``, right-aligned in as many beats of ``width`` blocks as they need, behind zeros.

    An item a column, each with the block of each of ``beats`` beats. With t = 0 the blocks of beat 0 do not count.
    """
    empty = (0 - t)[: width.bit_length() - 1]  # columns before the first block

    def placed(at: int) -> Value:
        shifts = [at - d for d in range(width)]
        return select([blocks[q] if 0 <= q < len(blocks) - 1 else Const(0, 128) for q in shifts], empty)

    return [[placed(beat * width + column) for beat in range(beats)] for column in range(width)]


class Walk:
    """A counter of the steps of a pass over the message with ``header``, advanced by ``go``.

    Header block and t blocks of the tweak are t + 1 blocks. The first t blocks are in the ``early`` steps, with numbers
    ``held``. The next step is the message's first beat, number 0, with block t + 1 in the place of X_1 (``head``).
    Without a tweak a pass has an early step of zeros: the first pass is never quicker than the lanes, with the single
    call beside the message's beats.

    left:    steps after the present step; ``final``: no step follows
    restart: the next step is the first
    A beat has 2^``place`` bytes.
    """

    def __init__(self, m: Module, name: str, header: data.View, most_held: int, place: int, restart: Value):
        behind = header.end[place:]
        before = Mux(header.tweak_size == 0, 1, (header.tweak_size + ((1 << place) - 1)) >> place)
        self.go = Signal(name=f"{name}_go")
        self.held = Signal(range(most_held + 1), name=f"{name}_held")
        self.number = Signal(max(1, len(behind)), name=f"{name}_number")
        self.early = Signal(name=f"{name}_early")
        self.head = Signal(name=f"{name}_head")
        self.final = Signal(name=f"{name}_final")
        self.left = Signal(range((1 << len(behind)) + most_held + 1), name=f"{name}_left")
        opening = self.number == 0
        self.first = opening & (self.held == 0)
        m.d.comb += [
            self.early.eq(opening & (self.held != before)),
            self.head.eq(opening & (self.held == before)),
            self.final.eq((self.number == behind) & ~self.early),
            self.left.eq((behind + Mux(opening, before, 0)) - Mux(opening, self.held, self.number)),
        ]
        with m.If(self.go & self.early):
            m.d.sync += self.held.eq(self.held + 1)
        with m.Elif(self.go):
            m.d.sync += [self.held.eq(0), self.number.eq(Mux(self.final, 0, self.number + 1))]
        with m.If(restart):
            m.d.sync += [self.held.eq(0), self.number.eq(0)]


class Beats:
    """A counter of the beats of messages in a row, advanced by ``go``.

    A message ends with byte number ``end``; a beat has 2^``place`` bytes. ``number``: number of the present beat;
    ``first``, ``final``: the beat is the first, the last of the message.
    """

    def __init__(self, m: Module, name: str, go: Value, end: Value, place: int, clear: Value):
        behind = end[place:]
        self.end = end
        self.number = Signal(max(1, len(behind)), name=f"{name}_number")
        self.first = self.number == 0
        self.final = Signal(name=f"{name}_final")
        m.d.comb += self.final.eq(self.number == behind)
        with m.If(go):
            m.d.sync += self.number.eq(Mux(self.final, 0, self.number + 1))
        with m.If(clear):
            m.d.sync += self.number.eq(0)
