# SPDX-License-Identifier: Apache-2.0
"""The feeder: blocks from the buffer as units of the engine's stream, each with its request."""

from amaranth import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.bytes import below
from wideblock.rtl.stream.behaviour import Length
from wideblock.rtl.stream.interface import Channel
from wideblock.rtl.stream.sector import TWEAK_BITS

from .buffer import buffer_row
from .reader import given_up
from .sizes import BLOCK_BYTES, DmaSizes

__all__ = ["UnitFeeder"]


class UnitFeeder(wiring.Component):
    """Sends units of jobs to a core of a ``length`` whose channel is ``into``.

    job, valid:   in, the next job; ``take``: out, the job begins
    block, ready: in, the oldest block of the buffer; ``pop``: out, the block leaves
    units:        out, stream to the engine
    begin, absent, spoil, number: out, to :class:`~wideblock.rtl.dma.units.UnitsUnderWay`; ``room``: in
    fed:          out, pulses as no further unit of job ``number`` begins
    given_up:     in, the job that is given up
    run:          in, units begin and go on
    clear:        in, no job is in hand; the engine still gets the end of a unit that was cut

    A unit that cannot go on, for an error, a job that is given up or without ``run``, ends with a block of zeros; with
    all its blocks, for a core of one length. The engine has a unit with a result, and finds the beginning of the next
    one. Blocks of jobs before the job in hand are dropped.

    Timing: a block a cycle, also from unit to unit and from job to job.
    """

    def __init__(self, sizes: DmaSizes, into: Channel, length: Length):
        self.sizes, self.whole = sizes, length.least == length.most
        self.fields = {field.name: field.width for field in into.fields}
        super().__init__(
            {
                "job": In(sizes.feed),
                "valid": In(1),
                "take": Out(1),
                "block": In(buffer_row(sizes)),
                "ready": In(1),
                "pop": Out(1),
                "units": Out(stream.Signature(into.shape)),
                **dict.fromkeys(("begin", "absent", "spoil", "fed"), Out(1)),
                "number": Out(sizes.job_bits),
                "room": In(1),
                "given_up": In(given_up(sizes)),
                **dict.fromkeys(("run", "clear"), In(1)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        job = Signal(self.sizes.feed, name="job_now")
        active = Signal()
        within = Signal()  # the engine has a beat of the unit, and not the last one
        left = Signal.like(job.blocks, name="blocks_left")
        mine = Signal()
        fine = Signal()
        gone = Signal()
        stale = Signal()
        cut = Signal()
        sends = Signal()
        taken = Signal()
        whole = Signal()
        units, block, counter = self.units, self.block, job.tweak[:TWEAK_BITS]
        m.d.comb += [
            self.number.eq(job.job),
            mine.eq(active & self.ready & (block.job == job.job)),
            gone.eq(active & self.given_up.active & (self.given_up.job == job.job)),
            fine.eq(mine & ~block.error & ~gone & self.run),
            cut.eq(within & (~active | gone | ~self.run | (mine & block.error))),
            sends.eq(fine & (within | self.room)),
            units.valid.eq(cut | sends),
            taken.eq(units.valid & units.ready),
            whole.eq(taken & units.payload.last),
            self.begin.eq((taken & ~within) | self.absent),
            self.absent.eq(mine & block.error & ~within & ~gone & self.run & self.room),
            self.spoil.eq(cut & active),
            stale.eq(self.ready & ~mine & (active | ~self.valid)),
            self.pop.eq(stale | (mine & ((taken & ~cut) | self.absent))),
            self.fed.eq(active & ((whole & (cut | (job.units == 1))) | self.absent | (gone & ~within))),
            self.take.eq(self.valid & self.run & ((~active & ~within) | self.fed)),
        ]
        with m.If(taken):
            m.d.sync += [within.eq(~units.payload.last), left.eq(left - 1)]
        with m.If(whole):
            m.d.sync += [job.units.eq(job.units - 1), counter.eq(counter + job.step), left.eq(job.blocks)]
        with m.If(self.fed):
            m.d.sync += active.eq(0)
        with m.If(self.clear):
            m.d.sync += active.eq(0)
        with m.If(self.take):
            m.d.sync += [active.eq(1), job.eq(self.job), left.eq(self.job.blocks)]
        self._payload(m, job, left, cut)
        return m

    def _payload(self, m: Module, job, left: Signal, cut: Signal) -> None:
        """A beat of the unit, or the block of zeros that ends the unit."""
        payload, fields = self.units.payload, self.fields
        last = left == 1
        m.d.comb += [
            payload.data.eq(Mux(cut, 0, self.block.block)),
            payload.last.eq(last if self.whole else cut | last),
            payload.slot.eq(job.slot),
            payload.decrypt.eq(job.decrypt),
        ]
        if "tweak" in fields:
            m.d.comb += payload.tweak.eq(job.tweak)
        if "keep" in fields:
            partly = last & (job.tail != 0) & (1 if self.whole else ~cut)
            m.d.comb += payload.keep.eq(Mux(partly, below(job.tail, BLOCK_BYTES), -1))
