# SPDX-License-Identifier: Apache-2.0
"""The exit of a sector core: whole results, in natural order."""

from amaranth import Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .sector import result_channel

__all__ = ["Exit"]


class Exit(wiring.Component):
    """Reads finished sectors from a ring; the ring's read register is the output register.

    pending: in, sector ``sector`` is whole
    fetch:   out, asks for beat ``number`` of the sector
    data:    in, the beat, from the next cycle on until the next ``fetch``; ``shown_number``: out, its number
    tag:     in, with ``tag_bits``: tag of the sector of the last ``fetch``
    icv:     in, with ``icv_bits``: integrity check value of the sector of the last ``load``
    refused: in, with ``icv_bits``: sector ``sector`` is forged; beats pass in a cycle each, with ``o.valid`` low and
             no ``load``
    load:    out, enables the read register: ``fetch`` or ``erase``
    erase:   out, while clearing: reads the ring's first row, filled with zeros in the first cycle of ``clear``
    clear:   in, clears; in the first cycle no output register changes

    ``behind``: number of beats after the ring's beats, without a ``load``; ``icv`` is in block 0 of the first
    beat behind and no field of ``o``, all else is zero.

    With a ``tail`` the last beat has ``tail`` bytes: ``keep`` shows the bytes, all others are zero.

    Output registers hold zeros or a finished beat at all times. Registers beside the ring's must be loaded with
    ``fetch``, or with ``icv_bits`` with ``load``, and cleared with ``erase``, without a reset.

    Timing: the first beat is offered two cycles after ``pending`` rises; full rate.
    Paths:  ``o.ready`` to ``fetch`` and ``load``; none to ``o``.
    """

    def __init__(
        self,
        *,
        width: int,
        beats: int,
        sector_bits: int,
        tail: int | None = None,
        tag_bits: int = 0,
        icv_bits: int = 0,
        behind: int = 0,
    ):
        self.beats, self.tail, self.tag_bits, self.behind = beats, tail, tag_bits, behind
        self.beside, self.icv_bits = icv_bits > 0, 128 if behind else icv_bits
        number = range(max(2, beats + behind))
        channel = result_channel(width, keep=tail is not None, tag_bits=tag_bits, icv_bits=icv_bits)
        super().__init__(
            {
                "o": Out(stream.Signature(channel.shape)),
                "clear": In(1),
                "pending": In(1),
                "data": In(128 * width),
                **({"tag": In(tag_bits)} if tag_bits else {}),
                **({"icv": In(self.icv_bits), "refused": In(1)} if self.icv_bits else {}),
                "fetch": Out(1),
                "erase": Out(1),
                "load": Out(1),
                "number": Out(number),
                "sector": Out(sector_bits),
                "shown_number": Out(number),
            }
        )

    def elaborate(self, platform):
        m = Module()
        valid = Signal()
        advance = Signal()
        shown = Signal.like(self.number, reset_less=True)
        end = self.beats + self.behind - 1
        final, loads = self.number == end, self.number < self.beats if self.behind else Const(1)
        shows = self.pending & ~self.refused if self.icv_bits else self.pending
        fetched = self.fetch & ~self.refused if self.icv_bits else self.fetch
        m.d.comb += [
            advance.eq(~valid | self.o.ready),
            self.fetch.eq(advance & self.pending & ~self.clear),
            self.load.eq((fetched & loads if self.behind else fetched) | self.erase),
            self.shown_number.eq(shown),
            self.o.valid.eq(valid & ~self.clear),
            self.o.payload.data.eq(self.data),
            self.o.payload.last.eq(self.shown_number == end),
        ]
        if self.tag_bits:
            m.d.comb += self.o.payload.tag.eq(self.tag)
        if self.beside:
            m.d.comb += self.o.payload.icv.eq(self.icv)
        if self.behind:
            with m.If(shown == self.beats):
                m.d.comb += self.o.payload.data.eq(self.icv)
            with m.If(shown > self.beats):
                m.d.comb += self.o.payload.data.eq(0)
        if self.tail is not None:
            m.d.comb += self.o.payload.keep.eq(-1)
            with m.If(self.o.payload.last):
                if not self.behind:
                    m.d.comb += self.o.payload.data.eq(self.data[: 8 * self.tail])
                m.d.comb += self.o.payload.keep.eq((1 << self.tail) - 1)
        m.d.sync += self.erase.eq(self.clear)
        with m.If(advance):
            m.d.sync += valid.eq(shows)
        with m.If(fetched | self.erase if self.behind else self.load):
            m.d.sync += shown.eq(self.number)
        with m.If(self.fetch):
            m.d.sync += [
                self.number.eq(Mux(final, 0, self.number + 1)),
                self.sector.eq(self.sector + final),
            ]
        with m.If(self.clear):
            m.d.sync += [s.eq(0) for s in (valid, self.number, self.sector)]
        return m
