# SPDX-License-Identifier: Apache-2.0
"""Where messages of the CAESAR Hardware API begin and end, whatever is in them."""

from collections.abc import Collection
from typing import Any

from amaranth import Module, Mux, Signal
from amaranth.hdl import ValueLike
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.stream.influence import HeaderWords

from .words import HEADER, Opcode, word_of, word_shape

__all__ = ["Framing", "PacketRole", "Role", "framed", "header_words"]


class Role(enum.Enum, shape=2):
    """Meaning of a word, from its place in a message."""

    INSTRUCTION = 0
    HEADER = 1
    DATA = 2


class PacketRole(enum.Enum, shape=2):
    """The roles in packets. ``REST``: behind the end of the message, up to the end of the packet."""

    INSTRUCTION = 0
    HEADER = 1
    DATA = 2
    REST = 3


def framed(word_bits: int, packets: bool = False) -> data.StructLayout:
    """A word with its place. ``bytes``: number of the segment's bytes, from byte 0; ``end``: the segment's last word.

    ``wrong``, in packets: the word ends either the packet or the message.
    """
    role = PacketRole if packets else Role
    place = {"word": word_bits, "role": role, "bytes": range(word_bits // 8 + 1), "end": 1}
    return data.StructLayout(place | {"wrong": 1} if packets else place)


def header_words(channel: str, framing: str, state: str, states: Any) -> HeaderWords:
    """The instructions and headers of a channel; a part with ``states`` of these names reads them."""
    return HeaderWords(
        channel,
        "word",
        f"{framing}.role",
        (Role.INSTRUCTION.value, Role.HEADER.value),
        state,
        tuple((states[role.name].value, role.value) for role in (Role.INSTRUCTION, Role.HEADER)),
        "instructions and headers state operations, types and lengths, which are public",
    )


class Framing(wiring.Component):
    """Gives ``i`` as ``o`` with the role of each word. ``inside``: a message was begun, and has further words.

    A message is an instruction and segments, up to the end of the segment with Last in the header. Instructions of
    ``alone`` have no segments. The place in a message depends on headers alone: a message of any content has an end.
    Only a reset forgets the place: while ``clear`` is high no word passes, and the place stays.

    With ``packets`` the end of a packet always ends the message, and words between the two ends are ``REST``. In a
    right message both ends are the same word; otherwise the first of the two ends is ``wrong``.

    Timing: no latency.
    Paths:  ``i.valid`` and ``i.payload`` to ``o``, ``o.ready`` and ``clear`` to ``i.ready``; roles come from registers.
    Cost:   20 registers, a subtraction of 16 bits.
    """

    def __init__(self, *, word_bits: int, alone: Collection[Opcode] = (), packets: bool = False):
        self.word_bits, self.alone, self.packets = word_bits, tuple(alone), packets
        super().__init__(
            {
                "i": In(stream.Signature(word_shape(word_bits, packets))),
                "o": Out(stream.Signature(framed(word_bits, packets))),
                "inside": Out(1),
                "clear": In(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        size = self.word_bits // 8
        roles = PacketRole if self.packets else Role
        role = Signal(roles)
        left = Signal(16)  # bytes
        last = Signal()
        fields = Signal(HEADER)
        between = Mux(last, roles.INSTRUCTION, roles.HEADER)
        word = self.o.payload
        given = word_of(self.i.payload, self.packets)
        m.d.comb += [
            self.o.valid.eq(self.i.valid & ~self.clear),
            self.i.ready.eq(self.o.ready & ~self.clear),
            word.word.eq(given),
            word.role.eq(role),
            word.end.eq(left <= size),
            word.bytes.eq(Mux(word.end, left, size)),
            fields.eq(given[-32:]),
            self.inside.eq(role != roles.INSTRUCTION),
        ]
        alone = sum(fields.type == opcode for opcode in self.alone) if self.alone else 0
        ended = self._ended(m, role, fields, alone, last) if self.packets else None
        with m.If(self.i.valid & self.i.ready):
            with m.Switch(role):
                with m.Case(roles.INSTRUCTION):
                    m.d.sync += role.eq(Mux(alone, roles.INSTRUCTION, roles.HEADER))
                with m.Case(roles.HEADER):
                    m.d.sync += [left.eq(fields.length), last.eq(fields.last)]
                    with m.If(fields.length != 0):
                        m.d.sync += role.eq(roles.DATA)
                    with m.Elif(fields.last):
                        m.d.sync += [role.eq(roles.INSTRUCTION), last.eq(0)]
                with m.Default():
                    m.d.sync += left.eq(Mux(word.end, 0, left - size))
                    with m.If(word.end):
                        m.d.sync += [role.eq(between), last.eq(0)]
            if ended is not None:
                with m.If(self.i.payload.last):
                    m.d.sync += [role.eq(roles.INSTRUCTION), last.eq(0)]
                with m.Elif(ended | (role == roles.REST)):
                    m.d.sync += role.eq(roles.REST)
        return m

    def _ended(self, m: Module, role: Signal, fields: data.View, alone: ValueLike, last: Signal) -> Signal:
        """Whether the word is the last of the message; and whether the packet contradicts."""
        ended = Signal()
        roles = PacketRole
        word = self.o.payload
        with m.Switch(role):
            with m.Case(roles.INSTRUCTION):
                m.d.comb += ended.eq(alone)
            with m.Case(roles.HEADER):
                m.d.comb += ended.eq((fields.length == 0) & fields.last)
            with m.Case(roles.DATA):
                m.d.comb += ended.eq(word.end & last)
        m.d.comb += word.wrong.eq(self.i.payload.last != ended)
        return ended
