# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The end of a message of the CAESAR Hardware API: its tag, the comparison of tags, and one status."""

from amaranth import Module, Mux, Signal
from amaranth.hdl import ValueLike
from amaranth.lib import enum, stream, wiring
from amaranth.lib.wiring import In, Out

from .cipher import CipherShape
from .post_processor import ORDER, Follow
from .words import StatusWord, Type, header, status

__all__ = ["COMPARISON", "Verdict", "VerdictState"]

COMPARISON = 2
"""Cycles from the comparison of tags to the order that lets the message leave: the states JUDGE and RELEASE."""


class VerdictState(enum.Enum):
    """Steps of the end of a message.

    IDLE:                    no message has ended; segments are announced
    COMPARE, JUDGE, RELEASE: decryption: the tags are compared; the outcome is known; the header leaves. An encryption
                             that is not online is released, too, before its tag
    TAG, END:                encryption: the tag leaves; SUCCESS leaves
    IGNORE, CLEAR, FAIL:     a message that failed: its tag is taken; its end is awaited and held results are cleared;
                             FAILURE leaves
    """

    IDLE = 0
    COMPARE = 1
    JUDGE = 2
    RELEASE = 3
    TAG = 4
    END = 5
    IGNORE = 6
    CLEAR = 7
    FAIL = 8


class Verdict(wiring.Component):
    """Takes each message from the pre-processor, from ``start`` until ``judging`` falls, and gives one status.

    The status is SUCCESS, or FAILURE if the tag is wrong or the message failed before. Encryption: the tag leaves; if
    the cipher is not online, the data leave before, as one segment. Decryption: the whole message leaves as one segment
    after its tag was found right. Otherwise held results are cleared, and FAILURE is all that leaves.

    start:     in, first state of the message, IDLE without a message
    judging:   out, high while not idle
    decrypt, received, length, more: in, see :class:`~wideblock.rtl.aead.pre_processor.PreProcessor`
    announced: in, orders of the pre-processor; accepted while idle
    order:     out, orders to the post-processor
    tag:       in, the cipher's
    commit, discard, pending, storing: see :class:`~wideblock.rtl.aead.result_buffer.ResultBuffer`
    fill:      out, in packets: a segment that was announced is filled up with words of 0
    clear:     forgets the message

    With ``opens`` the segments of a decryption were announced and have left; a status alone follows.

    Timing: see :mod:`wideblock.rtl.aead.timing`. The time of a comparison and of clearing depends on the lengths alone.
    Paths:  ``order.ready`` to ``tag.ready`` and ``announced.ready``, ``announced`` to ``order``.
    Cost:   a comparison of two tags.
    """

    def __init__(self, shape: CipherShape, *, packets: bool = False, opens: bool = False):
        self.shape, self.packets, self.opens = shape, packets, opens
        super().__init__(
            {
                "start": In(VerdictState),
                "judging": Out(1),
                "decrypt": In(1),
                "received": In(8 * shape.tag),
                "length": In(16),
                "more": In(1),
                "announced": In(stream.Signature(ORDER)),
                "order": Out(stream.Signature(ORDER)),
                "tag": In(stream.Signature(8 * shape.tag)),
                **dict.fromkeys(("commit", "discard"), Out(1)),
                **dict.fromkeys(("pending", "storing"), In(1)),
                **({"fill": Out(1)} if packets else {}),
                "clear": In(1),
            }
        )
        self._state = Signal(VerdictState)
        self._equal = Signal()

    def elaborate(self, platform):
        m = Module()
        state = self._state
        m.d.comb += self.judging.eq(state != VerdictState.IDLE)
        with m.Switch(state):
            with m.Case(VerdictState.IDLE):
                m.d.comb += [
                    self.order.valid.eq(self.announced.valid),
                    self.order.payload.eq(self.announced.payload),
                    self.announced.ready.eq(self.order.ready),
                ]
                m.d.sync += state.eq(self.start)
            self._decrypted(m)
            self._encrypted(m)
            self._failed(m)
        with m.If(self.clear):
            m.d.sync += [state.eq(VerdictState.IDLE), self._equal.eq(0)]
        return m

    def _order(self, m: Module, first: ValueLike, follow: Follow, after: ValueLike) -> None:
        """Offers an order to the post-processor; the next state is ``after``."""
        m.d.comb += [
            self.order.valid.eq(1),
            self.order.payload.first.as_value().eq(first),
            self.order.payload.follow.eq(follow),
        ]
        with m.If(self.order.ready):
            m.d.sync += self._state.eq(after)

    def _decrypted(self, m: Module) -> None:
        """The end of a decryption. Both tags are compared whole, in one cycle; that of a cipher that judges, with 0."""
        state, shape = self._state, self.shape
        with m.Case(VerdictState.COMPARE):
            m.d.comb += self.tag.ready.eq(1)
            with m.If(self.tag.valid):
                right = self.tag.payload == (0 if shape.judges else self.received)
                m.d.sync += [self._equal.eq(right), state.eq(VerdictState.JUDGE)]
        with m.Case(VerdictState.JUDGE):
            with m.If(~self._equal):
                m.d.sync += state.eq(VerdictState.CLEAR)
            with m.Elif(~self.storing):
                m.d.comb += self.commit.eq(1)
                m.d.sync += state.eq(VerdictState.END if self.opens else VerdictState.RELEASE)
        with m.Case(VerdictState.RELEASE):
            first, after = header(Type.PLAINTEXT, self.length, eot=1, last=1), VerdictState.END
            if not shape.online:
                sealed = header(Type.CIPHERTEXT, self.length, eot=1)
                first, after = Mux(self.decrypt, first, sealed), Mux(self.decrypt, after, VerdictState.TAG)
            self._order(m, first, Follow.DATA, after)

    def _encrypted(self, m: Module) -> None:
        """The end of an encryption. The cipher keeps its tag until all of it left."""
        with m.Case(VerdictState.TAG):
            with m.If(self.tag.valid):
                self._order(m, header(Type.TAG, self.shape.tag, eot=1, last=1), Follow.TAG, VerdictState.END)
        with m.Case(VerdictState.END):
            m.d.comb += self.tag.ready.eq(self.order.ready & ~self.decrypt)
            self._order(m, status(StatusWord.SUCCESS), Follow.NOTHING, VerdictState.IDLE)

    def _failed(self, m: Module) -> None:
        """The end of a message that fails."""
        with m.Case(VerdictState.IGNORE):
            m.d.comb += [self.discard.eq(1), self.tag.ready.eq(1)]
            with m.If(self.tag.valid):
                m.d.sync += self._state.eq(VerdictState.CLEAR)
        with m.Case(VerdictState.CLEAR):
            m.d.comb += self.discard.eq(1)
            with m.If(~self.pending & ~self.more):
                m.d.sync += self._state.eq(VerdictState.FAIL)
        with m.Case(VerdictState.FAIL):
            if self.packets:
                m.d.comb += self.fill.eq(1)
            self._order(m, status(StatusWord.FAILURE), Follow.NOTHING, VerdictState.IDLE)
