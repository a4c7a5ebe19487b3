# SPDX-License-Identifier: Apache-2.0
"""Keys that come in words: a register for all words of a key but the last, and the framing of keys."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.stream.behaviour import Cause, Fault
from wideblock.rtl.stream.sector import key_channel

__all__ = ["WRONG_WORDS", "KeyWords"]

WRONG_WORDS = Fault(Cause.KEY_WORDS, "a key had too few or too many words")


class KeyWords(wiring.Component):
    """Joins keys of ``bits`` from ``words`` words of ``width`` bits, first bytes first.

    i:     in, words of a key; ``last`` marks the last word
    o:     out, whole keys
    fault: out, pulses a cycle after the word that shows a key of a wrong number of words
    clear: in, clears the register, no word is accepted

    All words but the last are kept in a register, cleared once the key is accepted or refused. The last word is
    offered to ``o`` with the register, and accepted together with the key. Words before it are accepted at any time
    without ``clear``.

    A key of fewer or more words is refused, and its rest is dropped up to ``last``. The rest of a key cut by ``clear``
    is dropped without a fault; the flag for the rest survives ``clear``, but not a reset.

    Timing: a key is offered in the cycle in which the last word is valid. A word in the last place without ``last``
            waits for one cycle at most.
    Paths:  ``i`` to ``o``, and ``o.ready`` to ``i.ready``; none from ``i`` to ``i.ready``.
    Cost:   ``bits`` - ``width`` data registers, a counter of words.
    """

    def __init__(self, *, bits: int, width: int):
        if bits % width or bits == width:
            raise ValueError(f"a key must be two words of {width} bits or more, got {bits} bits")
        self.bits, self.width, self.words = bits, width, bits // width
        super().__init__(
            {
                "i": In(stream.Signature(key_channel(bits, width=width).shape)),
                "o": Out(stream.Signature(bits)),
                "clear": In(1),
                "fault": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        kept = Signal(self.bits - self.width, reset_less=True)
        number = Signal(range(self.words))
        begun = Signal()  # a word was accepted that is not the last one of its key
        discard = Signal()  # up to the last word
        long = Signal()  # the word that should be the last one was valid, and is not
        final = Signal()
        accepted = Signal()
        handed = Signal()
        wrong = Signal()
        m.d.comb += [
            final.eq(number == self.words - 1),
            self.o.payload.eq(Cat(kept, self.i.payload.key)),
            self.o.valid.eq(self.i.valid & final & self.i.payload.last & ~long),
            self.i.ready.eq(~self.clear & (~final | self.o.ready | long)),
            accepted.eq(self.i.valid & self.i.ready),
            handed.eq(self.o.valid & self.o.ready),
            wrong.eq(accepted & ~discard & Mux(final, ~handed, self.i.payload.last)),
        ]
        m.d.sync += [
            long.eq(self.i.valid & final & ~self.i.payload.last & ~accepted),
            self.fault.eq(wrong & ~self.clear),
        ]
        with m.If(accepted):
            m.d.sync += [begun.eq(~self.i.payload.last), discard.eq(~self.i.payload.last & (discard | wrong))]
            with m.If(wrong | handed):
                m.d.sync += [number.eq(0), kept.eq(0)]
            with m.Elif(~discard):
                m.d.sync += [number.eq(number + 1), kept.eq(Cat(kept, self.i.payload.key)[self.width :])]
        with m.If(self.clear):
            m.d.sync += [number.eq(0), kept.eq(0), long.eq(0), discard.eq(begun)]
        return m
