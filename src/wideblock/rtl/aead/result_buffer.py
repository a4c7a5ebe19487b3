# SPDX-License-Identifier: Apache-2.0
"""The buffer between a cipher and the data output. Words leave at once, or after a verdict on their message."""

from amaranth import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.stream.storage import Ring

from .cipher import CipherShape
from .words import byte_swapped

__all__ = ["LATENCY", "ResultBuffer"]

LATENCY = 3
"""Cycles from a block to its first word at the output: the block's register, the memory, its output register."""


class ResultBuffer(wiring.Component):
    """Queue of result words with a verdict: ``o`` has the words of the blocks in their order.

    valid:     in, ``block`` is accepted; the buffer stores the block's ``size`` bytes, in whole words
    storing:   out, a block is being stored
    hold:      in, words that arrive are held
    commit:    in, pulse while ``storing`` is low: held words may leave
    discard:   in, clears held words, the last word first; stays high until ``pending`` falls
    pending:   out, a block is being stored, or a word is held
    empty:     out, no word may leave
    clear:     in, forgets everything, with every row in ``clear_row``, from 0 on
    clear_row: in, row that ``clear`` writes

    There is room for ``most_bytes``. The words of a message must have left before the next message's arrive.

    From the third cycle of ``clear`` on ``o.payload`` is zero; before, ``o.payload`` is an earlier word. ``flush`` are
    further cycles of ``clear`` that the cycle contract of a core counts.

    Timing: the first word of a block is valid ``LATENCY`` cycles after it came; one word a cycle. Two blocks are at
            least as many cycles apart as a block has words. ``discard`` takes a cycle a word.
    Paths:  ``o.ready`` to the memory's enable.
    Cost:   block memory of ``rows`` words, a block of registers, four counters.
    """

    def __init__(self, shape: CipherShape, *, word_bits: int, most_bytes: int, watched: bool = False):
        if 8 * shape.block % word_bits:
            raise ValueError(f"a block must be whole words of {word_bits} bits, got {shape.block} bytes")
        self.shape, self.word_bits, self.watched = shape, word_bits, watched
        words = -(-8 * most_bytes // word_bits)
        self.rows = 1 << max(1, (words - 1).bit_length())
        self.flush = 2
        super().__init__(
            {
                "valid": In(1),
                "block": In(shape.results),
                "hold": In(1),
                "commit": In(1),
                "discard": In(1),
                "pending": Out(1),
                "storing": Out(1),
                **({"empty": Out(1)} if watched else {}),
                "o": Out(stream.Signature(word_bits)),
                "clear": In(1),
                "clear_row": In(range(self.rows)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        ring = Ring(m, "words", width=self.word_bits, depth=self.rows, clear=self.clear, clear_row=self.clear_row)
        # numbers of words, one bit more than an address: read, allowed to leave, written
        fetched, released, written = (Signal(range(2 * self.rows), name=n) for n in ("fetched", "released", "written"))
        storing = self.storing
        erase = Signal()
        m.d.comb += [self.pending.eq(storing | (written != released)), erase.eq(self.discard & ~storing & self.pending)]
        m.d.sync += written.eq(Mux(erase, written - 1, written + storing))
        with m.If(self.commit | ~self.hold):
            m.d.sync += released.eq(written + storing)
        address = Mux(erase, written - 1, written)[: len(self.clear_row)]
        ring.write(address, self._store(m, storing), storing | erase)

        waits = Signal()  # a word may leave
        fetch = Signal()
        blank = Signal()
        m.d.comb += [
            waits.eq(fetched != released),
            fetch.eq(waits & (~self.o.valid | self.o.ready) & ~self.clear),
        ]
        m.d.comb += self.o.payload.eq(byte_swapped(ring.read(fetched[: len(self.clear_row)], fetch | blank)))
        m.d.sync += blank.eq(self.clear)  # the first row is zero from then on: the first cycle of ``clear`` wrote it
        m.d.sync += fetched.eq(fetched + fetch)
        with m.If(self.o.ready | fetch):
            m.d.sync += self.o.valid.eq(fetch)
        if self.watched:
            m.d.comb += self.empty.eq((fetched == released) & ~self.o.valid)
        with m.If(self.clear):
            m.d.sync += [s.eq(0) for s in (fetched, released, written, self.o.valid)]
        return m

    def _store(self, m: Module, storing: Signal) -> Signal:
        """Moves a block out of a register, a word a cycle while ``storing``. Returns the word, 0 while it is not."""
        block = Signal(8 * self.shape.block, reset_less=True)
        left = Signal(range(self.shape.block + 1))
        step = self.word_bits // 8
        word = Signal(self.word_bits)
        m.d.comb += [storing.eq(left != 0), word.eq(Mux(storing, block[: self.word_bits], 0))]
        with m.If(self.valid):
            m.d.sync += [block.eq(self.block.data), left.eq(self.block.size)]
        with m.Elif(storing):
            m.d.sync += [block.eq(block >> self.word_bits), left.eq(Mux(left > step, left - step, 0))]
        with m.If(self.clear):
            m.d.sync += [block.eq(0), left.eq(0)]
        return word
