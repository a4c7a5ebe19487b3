# SPDX-License-Identifier: Apache-2.0
"""Words of a segment, collected to a block."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.bytes import below, kept, marked, only

__all__ = ["BlockAssembler"]


class BlockAssembler(wiring.Component):
    """Collects words in ``block``: ``size`` bytes from byte 0, all other bytes are 0.

    word, bytes: a word, byte 0 in bits 7..0; number of valid bytes
    store:   stores the word, with ``further`` behind earlier words, else as the first word of a new block
    drop:    empties the block; with ``store`` the block has the new word alone
    pads:    ``padded`` has 80 behind the bytes of a block with room
    clear:   the block is emptied

    Timing: a word a cycle; ``block`` and ``size`` are registers.
    Paths:  ``pads`` to ``padded``.
    Cost:   a block of registers.
    """

    def __init__(self, *, block_bytes: int, word_bits: int):
        self.block_bytes, self.word_bits = block_bytes, word_bits
        super().__init__(
            {
                "word": In(word_bits),
                "bytes": In(range(word_bits // 8 + 1)),
                **dict.fromkeys(("store", "further", "drop", "pads", "clear"), In(1)),
                "block": Out(8 * block_bytes),
                "size": Out(range(block_bytes + 1)),
                "padded": Out(8 * block_bytes),
            }
        )

    def elaborate(self, platform):
        m = Module()
        step, words = self.word_bits // 8, Signal(8 * self.block_bytes, name="words", reset_less=True)
        word = Signal(self.word_bits)
        place = Signal.like(self.size)
        m.d.comb += [
            word.eq(kept(self.word, below(self.bytes, step))),
            place.eq(Mux(self.further, self.size, 0)),
            self.block.eq(words),
            self.padded.eq(words | marked(only(self.size, self.block_bytes) & self.pads.replicate(self.block_bytes))),
        ]
        with m.If(self.clear | (self.drop & ~self.store)):
            m.d.sync += self.size.eq(0)
        with m.Elif(self.store):
            m.d.sync += self.size.eq(place + self.bytes)
        # clearing comes before storing: it is the registers' reset, and costs no gates
        for first in range(0, self.block_bytes, step):
            stored = Signal(name=f"stored{first}")
            m.d.comb += stored.eq(self.store & (place == first))
            with m.If(self.clear | (self.drop & ~stored)):
                m.d.sync += words[8 * first : 8 * (first + step)].eq(0)
            with m.Elif(stored):
                m.d.sync += words[8 * first : 8 * (first + step)].eq(word)
        return m
