# SPDX-License-Identifier: Apache-2.0
"""Registers of a key, of its slot and of its limits: rows of one memory. A command reads each row once."""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.bus.registers import REGISTER_BITS, REGISTER_BYTES
from wideblock.rtl.bytes import bits

__all__ = ["AUX_MODE", "AUX_ROW", "METD_END", "METD_ROW", "ROWS", "KeyMemory"]

ROWS = 32
"""Words of MEK, METD and AUX, each at its own offset."""

METD_ROW, METD_END = 16, 21
AUX_ROW, AUX_MODE = 24, 28


class KeyMemory(wiring.Component):
    """Words of the key registers, and a mark for each of their bytes that was written.

    write:   in, writes the bytes ``strobe`` of ``data`` to word ``address``, and marks them
    read:    out, word ``read_address``; 0 for a word of the key
    row:     in, the word that a command reads
    word:    out, word ``row``; 0 if not written since the last wipe
    whole:   out, every byte of word ``row`` is marked
    across:  out, the word half a key further on; for a word of a key
    near:    out, the word 16 bytes further on; for a word of a key
    wipe:    in, word ``row`` and its marks become 0; for a word of a key
    forget:  in, the words of METD and AUX lose their marks, and read 0
    clear:   in, each row of number ``clear_row`` becomes 0, and loses its marks

    Timing: a word can be read in the cycle after it was written.
    Cost:   distributed memory of 32 words with four readers, and of 32 times 4 marks; a flag a word of METD and AUX.
    """

    def __init__(self, *, words: int, clear_row_bits: int):
        self.words = words
        row = range(ROWS)
        super().__init__(
            {
                "write": In(1),
                "address": In(row),
                "data": In(REGISTER_BITS),
                "strobe": In(REGISTER_BYTES),
                "read_address": In(row),
                "read": Out(REGISTER_BITS),
                "row": In(row),
                "wipe": In(1),
                **dict.fromkeys(("word", "across", "near"), Out(REGISTER_BITS)),
                "whole": Out(1),
                "forget": In(1),
                "clear": In(1),
                "clear_row": In(clear_row_bits),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.words = words = memory.Memory(shape=REGISTER_BITS, depth=ROWS, init=[])
        m.submodules.marks = marks = memory.Memory(shape=REGISTER_BYTES, depth=ROWS, init=[])
        present = Signal(ROWS - METD_ROW)  # words of METD and AUX; a word of a key that was wiped is 0 in the memory

        def known(row: Value) -> Value:
            return present.bit_select(row[:-1], 1)

        of_key = ~self.row[-1]
        # a word that was wiped is written whole, so that no byte of it is an old one
        lanes = Signal(REGISTER_BYTES)
        m.d.comb += lanes.eq(
            Mux(~self.address[-1] | known(self.address), self.strobe, Const(-1, REGISTER_BYTES))
            & self.write.replicate(REGISTER_BYTES)
        )
        with m.If(self.write & self.address[-1]):
            m.d.sync += known(self.address).eq(1)
        with m.If(self.forget | self.clear):
            m.d.sync += present.eq(0)
        for of, granularity, written in ((words, 8, self.data & bits(self.strobe)), (marks, 1, self.strobe)):
            port = of.write_port(granularity=granularity)
            m.d.comb += [port.addr.eq(self.address), port.data.eq(written), port.en.eq(lanes)]
            with m.If(self.wipe & of_key):
                m.d.comb += [port.addr.eq(self.row), port.data.eq(0), port.en.eq(-1)]
            with m.If(self.clear):
                m.d.comb += [port.addr.eq(self.clear_row), port.data.eq(0), port.en.eq(-1)]
        half = self.words // 2
        marked = Signal(REGISTER_BYTES)
        m.d.comb += self.whole.eq(marked.all())
        for of, row, there, shown in (
            (words, self.row, of_key | known(self.row), self.word),
            (marks, self.row, of_key | known(self.row), marked),
            (words, self.row ^ half, Const(1), self.across),
            (words, self.row ^ 4, Const(1), self.near),
            (words, Cat(self.read_address[:-1], Const(1, 1)), known(self.read_address), self.read),
        ):
            port = of.read_port(domain="comb")
            m.d.comb += [port.addr.eq(row), shown.eq(port.data & there.replicate(len(shown)))]
        return m
