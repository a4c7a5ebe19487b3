# SPDX-License-Identifier: Apache-2.0
"""The registers of a key, its slot and its limits, as rows of one memory, which a command reads once and wipes."""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.bus.registers import REGISTER_BITS, REGISTER_BYTES
from wideblock.rtl.bytes import bits

__all__ = ["AUX_MODE", "AUX_ROW", "METD_ROW", "ROWS", "KeyMemory"]

ROWS = 32
"""Words of MEK, METD and AUX, each at its own offset."""

METD_ROW, METD_ROWS = 16, 5
AUX_ROW, AUX_MODE = 24, 28


class KeyMemory(wiring.Component):
    """Words of the key registers. ``write`` is a write of the bus to word ``address``; ``read_address`` has ``read``.

    ``scan`` shows words one after another by ``row``: ``word``, 0 if it was not written since it was wiped. With
    ``wipe`` that row becomes 0 if it is one of the key. ``across`` and ``near`` are the words with which ``word`` is
    compared, for a word of a key: half a key and half of 32 bytes further on. ``forget`` wipes what is no word of a key
    at once.

    ``read`` never shows a word of the key. While ``clear``, each row of number ``clear_row`` becomes 0.

    Timing: a word can be read in the cycle after it was written.
    Cost:   distributed memory of 32 words with four readers, a flag a word of METD and AUX.
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
                "word": Out(REGISTER_BITS),
                "across": Out(REGISTER_BITS),
                "near": Out(REGISTER_BITS),
                "forget": In(1),
                "clear": In(1),
                "clear_row": In(clear_row_bits),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.words = words = memory.Memory(shape=REGISTER_BITS, depth=ROWS, init=[])
        present = Signal(ROWS - METD_ROW)  # words of METD and AUX; a word of a key that was wiped is 0 in the memory

        def known(row: Value) -> Value:
            return present.bit_select(row[:-1], 1)

        port = words.write_port(granularity=8)
        of_key = ~self.row[-1]
        m.d.comb += [
            port.addr.eq(self.address),
            port.data.eq(self.data & bits(self.strobe)),
            # a word that was wiped is written whole, so that no byte of it is an old one
            port.en.eq(
                Mux(~self.address[-1] | known(self.address), self.strobe, Const(-1, REGISTER_BYTES))
                & self.write.replicate(REGISTER_BYTES)
            ),
        ]
        with m.If(self.write & self.address[-1]):
            m.d.sync += known(self.address).eq(1)
        with m.If(self.wipe & of_key):
            m.d.comb += [port.addr.eq(self.row), port.data.eq(0), port.en.eq(-1)]
        with m.If(self.forget | self.clear):
            m.d.sync += present.eq(0)
        with m.If(self.clear):
            m.d.comb += [port.addr.eq(self.clear_row), port.data.eq(0), port.en.eq(-1)]
        half = self.words // 2
        for row, there, shown in (
            (self.row, of_key | known(self.row), self.word),
            (self.row ^ half, Const(1), self.across),
            (self.row ^ 4, Const(1), self.near),
            (Cat(self.read_address[:-1], Const(1, 1)), known(self.read_address), self.read),
        ):
            port = words.read_port(domain="comb")
            m.d.comb += [port.addr.eq(row), shown.eq(port.data & there.replicate(REGISTER_BITS))]
        return m
