# SPDX-License-Identifier: Apache-2.0
"""Where messages of the CAESAR Hardware API begin and end, whatever is in them."""

from collections.abc import Collection

from amaranth import Module, Mux, Signal
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from .words import HEADER, Opcode

__all__ = ["Framing", "Role", "framed"]


class Role(enum.Enum, shape=2):
    """Meaning of a word, from its place in a message."""

    INSTRUCTION = 0
    HEADER = 1
    DATA = 2


def framed(word_bits: int) -> data.StructLayout:
    """A word, and its place. ``bytes`` of a data word are the segment's, from byte 0; ``end``: it is the last one."""
    return data.StructLayout({"word": word_bits, "role": Role, "bytes": range(word_bits // 8 + 1), "end": 1})


class Framing(wiring.Component):
    """``o`` is ``i`` with the role of each word. ``inside``: a message was begun, and the next word is one of it.

    A message is an instruction and segments, up to the end of the one that has Last in its header. Instructions of
    ``alone`` have no segments. The place in a message depends on headers alone, so that a message of any content has an
    end. Only a reset forgets it: while ``clear`` is high no word passes, and the place stays.

    Timing: no latency.
    Paths:  ``i.valid`` and ``i.payload`` to ``o``, ``o.ready`` and ``clear`` to ``i.ready``; roles come from registers.
    Cost:   20 registers, a subtraction of 16 bits.
    """

    def __init__(self, *, word_bits: int, alone: Collection[Opcode] = ()):
        self.word_bits, self.alone = word_bits, tuple(alone)
        super().__init__(
            {
                "i": In(stream.Signature(word_bits)),
                "o": Out(stream.Signature(framed(word_bits))),
                "inside": Out(1),
                "clear": In(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        size = self.word_bits // 8
        role = Signal(Role)
        left = Signal(16)  # bytes
        last = Signal()
        fields = Signal(HEADER)
        between = Mux(last, Role.INSTRUCTION, Role.HEADER)
        word = self.o.payload
        m.d.comb += [
            self.o.valid.eq(self.i.valid & ~self.clear),
            self.i.ready.eq(self.o.ready & ~self.clear),
            word.word.eq(self.i.payload),
            word.role.eq(role),
            word.end.eq(left <= size),
            word.bytes.eq(Mux(word.end, left, size)),
            fields.eq(self.i.payload[-32:]),
            self.inside.eq(role != Role.INSTRUCTION),
        ]
        with m.If(self.i.valid & self.i.ready):
            with m.Switch(role):
                with m.Case(Role.INSTRUCTION):
                    alone = [fields.type == opcode for opcode in self.alone]
                    m.d.sync += role.eq(Mux(sum(alone) if alone else 0, Role.INSTRUCTION, Role.HEADER))
                with m.Case(Role.HEADER):
                    m.d.sync += [left.eq(fields.length), last.eq(fields.last)]
                    with m.If(fields.length != 0):
                        m.d.sync += role.eq(Role.DATA)
                    with m.Elif(fields.last):
                        m.d.sync += [role.eq(Role.INSTRUCTION), last.eq(0)]
                with m.Default():
                    m.d.sync += left.eq(Mux(word.end, 0, left - size))
                    with m.If(word.end):
                        m.d.sync += [role.eq(between), last.eq(0)]
        return m
