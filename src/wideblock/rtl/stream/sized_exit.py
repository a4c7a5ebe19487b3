# SPDX-License-Identifier: Apache-2.0
"""The way out of messages of different sizes."""

from amaranth import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.bytes import up_to

from .sector import result_channel

__all__ = ["SizedExit"]


class SizedExit(wiring.Component):
    """Reads finished messages of up to ``most`` bytes, block by block, as :class:`.exit.Exit`.

    ``end`` is the number of the last byte of message ``sector``. Bytes of ``data`` behind ``end`` must be zero.
    ``tag``, with ``tag_bits``: tag of the message of the last ``fetch``.

    Timing, Paths: as :class:`.exit.Exit`.
    """

    def __init__(self, *, most: int, sector_bits: int, width: int, tag_bits: int = 0):
        self.tag_bits = tag_bits
        number = range(-(-most // (16 * width)))
        self.place = (16 * width - 1).bit_length()
        super().__init__(
            {
                "o": Out(stream.Signature(result_channel(width, keep=True, tag_bits=tag_bits).shape)),
                "clear": In(1),
                "pending": In(1),
                "data": In(128 * width),
                "end": In((most - 1).bit_length()),
                **({"tag": In(tag_bits)} if tag_bits else {}),
                "fetch": Out(1),
                "load": Out(1),
                "erase": Out(1, init=0),
                "number": Out(number),
                "sector": Out(sector_bits),
            }
        )

    def elaborate(self, platform):
        m = Module()
        valid = Signal()
        advance = Signal()
        last = Signal(reset_less=True)
        keep = Signal(len(self.o.payload.keep), reset_less=True)
        final = self.number == (self.end >> self.place)
        m.d.comb += [
            advance.eq(~valid | self.o.ready),
            self.fetch.eq(advance & self.pending & ~self.clear),
            self.load.eq(self.fetch | self.erase),
            self.o.valid.eq(valid & ~self.clear),
            self.o.payload.data.eq(self.data),
            self.o.payload.last.eq(last),
            self.o.payload.keep.eq(keep),
        ]
        if self.tag_bits:
            m.d.comb += self.o.payload.tag.eq(self.tag)
        m.d.sync += self.erase.eq(self.clear)
        with m.If(advance):
            m.d.sync += valid.eq(self.pending)
        with m.If(self.fetch):
            m.d.sync += [last.eq(final), keep.eq(Mux(final, up_to(self.end[: self.place]), (1 << len(keep)) - 1))]
            m.d.sync += [self.number.eq(Mux(final, 0, self.number + 1)), self.sector.eq(self.sector + final)]
        with m.If(self.erase):
            m.d.sync += [last.eq(0), keep.eq(0)]
        with m.If(self.clear):
            m.d.sync += [s.eq(0) for s in (valid, self.number, self.sector)]
        return m
