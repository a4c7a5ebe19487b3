# SPDX-License-Identifier: Apache-2.0
"""The data output of the CAESAR Hardware API: headers, data, tags and status, in order."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from .words import HEADER, byte_swapped, word_of, word_shape

__all__ = ["GAP", "ORDER", "Follow", "PostProcessor"]

GAP = 2
"""Cycles from the last word of an order to the first one of the next: it is accepted, and stored."""


class Follow(enum.Enum, shape=2):
    """Words after the first one of an order."""

    NOTHING = 0
    DATA = 1
    TAG = 2


ORDER = data.StructLayout({"first": HEADER, "follow": Follow})
"""A header or a status, and whether as many bytes follow as it says: of ``words``, or of the tag."""


class PostState(enum.Enum):
    IDLE = 0
    FIRST = 1
    DATA = 2
    TAG = 3


class PostProcessor(wiring.Component):
    """Carries out one ``order`` after another on ``do``.

    ``tag``, byte 0 in bits 7..0, is stable from an order for it until the next order is accepted. ``clear`` forgets the
    order.

    In ``packets`` a status is the last word of each; ``fill`` gives words of 0 in place of ``words`` that do not come.

    Timing: the first word of an order is valid one cycle after it was accepted; the next order is accepted one cycle
            after its last word.
    Paths:  ``words.valid`` to ``do.valid``, ``do.ready`` to ``words.ready``; ``order`` to none.
    Cost:   a multiplexer of words, and a counter.
    """

    def __init__(self, *, word_bits: int, tag_bytes: int, packets: bool = False):
        self.word_bits, self.tag_bytes, self.packets = word_bits, tag_bytes, packets
        super().__init__(
            {
                "order": In(stream.Signature(ORDER)),
                "words": In(stream.Signature(word_bits)),
                "tag": In(8 * tag_bytes),
                "do": Out(stream.Signature(word_shape(word_bits, packets))),
                **({"fill": In(1)} if packets else {}),
                "clear": In(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        step = self.word_bits // 8
        state = Signal(PostState)
        order = Signal(ORDER, reset_less=True)
        left = Signal(16, reset_less=True)  # bytes
        place = Signal(range(max(2, -(-self.tag_bytes // step))), reset_less=True)  # word of the tag
        tag = Signal(-(-8 * self.tag_bytes // self.word_bits) * self.word_bits)
        last = Signal()
        taken = Signal()
        out = word_of(self.do.payload, self.packets)
        m.d.comb += [tag.eq(self.tag), last.eq(left <= step), taken.eq(self.do.valid & self.do.ready)]
        with m.If(taken & (state != PostState.FIRST)):
            m.d.sync += [left.eq(Mux(last, 0, left - step)), place.eq(place + 1)]
            with m.If(last):
                m.d.sync += state.eq(PostState.IDLE)
        with m.Switch(state):
            with m.Case(PostState.IDLE):
                m.d.comb += self.order.ready.eq(1)
                given = self.order.payload
                with m.If(self.order.valid):
                    m.d.sync += [order.eq(given), left.eq(given.first.length), place.eq(0), state.eq(PostState.FIRST)]
            with m.Case(PostState.FIRST):
                first = Cat(Const(0, self.word_bits - 32), order.first)
                m.d.comb += [self.do.valid.eq(1), out.eq(first)]
                if self.packets:
                    m.d.comb += self.do.payload.last.eq(order.follow == Follow.NOTHING)
                with m.If(taken):
                    m.d.sync += state.eq(PostState.IDLE)
                    with m.If((order.follow == Follow.DATA) & (left != 0)):
                        m.d.sync += state.eq(PostState.DATA)
                    with m.Elif(order.follow == Follow.TAG):
                        m.d.sync += state.eq(PostState.TAG)
            with m.Case(PostState.DATA):
                m.d.comb += [
                    self.do.valid.eq(self.words.valid),
                    out.eq(self.words.payload),
                    self.words.ready.eq(self.do.ready),
                ]
                if self.packets:
                    with m.If(self.fill):
                        m.d.comb += [self.do.valid.eq(1), out.eq(0)]
            with m.Case(PostState.TAG):
                word = tag.word_select(place, self.word_bits)
                m.d.comb += [self.do.valid.eq(1), out.eq(byte_swapped(word))]
        with m.If(self.clear):
            m.d.sync += [state.eq(PostState.IDLE), order.eq(0), left.eq(0), place.eq(0)]
        return m
