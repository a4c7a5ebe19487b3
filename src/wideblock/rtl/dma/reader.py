# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The reader: sources of jobs, burst by burst, into the buffer."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.bus.dma_map import JobStatus

from .buffer import buffer_row
from .cutter import BurstCutter
from .reads import read_request
from .segments import SegmentFetch
from .sizes import BLOCK_ADDRESS_BITS, DmaSizes
from .windows import WINDOW_SET

__all__ = ["SourceReader", "given_up"]


def given_up(sizes: DmaSizes) -> wiring.Signature:
    """Link that gives up job ``job`` while ``active``: no unit of the job begins any more."""
    return wiring.Signature({"active": Out(1), "job": Out(sizes.job_bits)})


class SourceReader(wiring.Component):
    """Reads the blocks of jobs ahead, as far as the buffer has places.

    job, valid: in, the next job; ``take``: out, the job begins
    reads:      out, bursts
    quiet:      in, no burst is under way
    promise, promised, put, new: out, to the buffer; ``free``: in, places of the buffer
    given_up:   in, the job that is given up
    windows:    in, pages that may be read
    run:        in, jobs begin
    failed_at:  out, block of the first error of job ``failed_job``, pulses with ``failed``; ``failed_why``: the status
    segments:   lists of segments, see :class:`.segments.SegmentFetch`

    A burst that no window permits is not begun: a block with ``error`` takes the burst's place. Likewise for a list
    that has no next segment.
    """

    def __init__(self, sizes: DmaSizes, segments: SegmentFetch):
        self.sizes, self.segments = sizes, segments
        self.cutter = BurstCutter(burst=sizes.burst, length_bits=sizes.total_bits, permission="read")
        super().__init__(
            {
                "job": In(sizes.read),
                "valid": In(1),
                "take": Out(1),
                "reads": Out(read_request(sizes)),
                "quiet": In(1),
                "free": In(range(sizes.rows + 1)),
                "promise": Out(1),
                "promised": Out(range(sizes.burst + 1)),
                "put": Out(1),
                "new": Out(buffer_row(sizes)),
                "given_up": In(given_up(sizes)),
                "windows": In(WINDOW_SET),
                "run": In(1),
                "failed": Out(1),
                "failed_at": Out(BLOCK_ADDRESS_BITS),
                "failed_job": Out(sizes.job_bits),
                "failed_why": Out(JobStatus),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.cutter = cutter = self.cutter
        active = Signal()
        number = Signal(self.sizes.job_bits)
        gone = Signal()
        ends = Signal()
        denied = Signal()
        ended = Signal()  # the list, before the job
        reads, segments = self.reads, self.segments
        m.d.comb += [
            cutter.windows.eq(self.windows),
            cutter.address.eq(self.job.source),
            cutter.length.eq(self.job.blocks),
            cutter.start.eq(self.take),
            cutter.stop.eq(gone | denied),
            cutter.listed.eq(self.job.segments != 0),
            cutter.segment.eq(segments.segment),
            cutter.segment_valid.eq(segments.valid),
            segments.take.eq(cutter.segment_take),
            segments.start.eq(self.take),
            segments.address.eq(self.job.source),
            segments.entries.eq(self.job.segments),
            cutter.take.eq(reads.accept),
            gone.eq(active & self.given_up.active & (self.given_up.job == number)),
            ended.eq(cutter.starving & segments.failed),
            denied.eq(active & ~gone & ((cutter.valid & ~cutter.permitted) | ended) & self.quiet & (self.free != 0)),
            reads.request.eq(active & ~gone & cutter.valid & cutter.permitted & (cutter.beats <= self.free)),
            reads.at.eq(cutter.at),
            reads.beats.eq(cutter.beats),
            reads.job.eq(number),
            ends.eq((reads.accept & cutter.last) | gone | denied),
            self.take.eq(self.valid & self.run & (~active | ends) & segments.idle),
            self.promise.eq(reads.accept | denied),
            self.promised.eq(cutter.beats),
        ]
        with m.If(ends):
            m.d.sync += active.eq(0)
        with m.If(self.take):
            m.d.sync += [active.eq(1), number.eq(self.job.job)]
        m.d.comb += [
            self.put.eq(reads.beat),
            self.new.block.eq(reads.block),
            self.new.error.eq(reads.error),
            self.new.job.eq(reads.read_job),
            self.failed.eq(reads.beat & reads.error),
            self.failed_at.eq(reads.read_at),
            self.failed_job.eq(reads.read_job),
            self.failed_why.eq(JobStatus.READ),
        ]
        with m.If(denied):
            m.d.comb += [self.promised.eq(1), self.put.eq(1), self.new.error.eq(1), self.new.job.eq(number)]
            m.d.comb += [self.failed.eq(1), self.failed_at.eq(Mux(ended, segments.failed_at, cutter.at))]
            m.d.comb += [self.failed_job.eq(number), self.failed_why.eq(Mux(ended, JobStatus.LIST, JobStatus.WINDOW))]
        return m
