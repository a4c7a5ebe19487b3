# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The writer: results of units in bursts to the targets of jobs, and the verdict on each job."""

from amaranth import Module, Mux, Signal
from amaranth.hdl import ValueLike
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.bus.dma_map import JobStatus
from wideblock.rtl.stream.interface import Channel

from .cutter import BurstCutter
from .reader import given_up
from .segments import SegmentFetch
from .sizes import BLOCK_ADDRESS_BITS, DmaSizes
from .windows import WINDOW_SET
from .writes import unit_writes

__all__ = ["ResultWriter"]


class ResultWriter(wiring.Component):
    """Writes the results of jobs, in order, from a core whose channel is ``out``.

    job, valid:  in, the next job; ``take``: out, the job begins
    results:     in, stream of the engine
    present, silent, refused, unread, cause, unit_job: in, the oldest unit under way; ``retire``: out
    writes:      out, bursts
    over:        in, no further unit of job ``number`` begins
    bad_job:     in, with ``bad``: a burst of that job was refused by the bus
    read_error:  in, block of the first error in reading job ``number``; ``read_why``: the status
    given_up:    out, job ``number``, once it has failed
    done:        out, pulses with ``finished``: all bursts of the job have begun
    windows:     in, pages that may be written
    run:         in, results are written; else they are dropped
    segments:    lists of segments, see :class:`.segments.SegmentFetch`

    A burst begins with its first block: no burst begins for a unit that the engine refuses. After
    a fault nothing more of the job is written: beats that are due have no strobes. Places and number of the bursts are
    those of the descriptor, whatever comes from the engine.

    Timing: a block a cycle within a unit; two cycles between two jobs.
    """

    def __init__(self, sizes: DmaSizes, out: Channel, segments: SegmentFetch):
        self.sizes, self.keeps, self.segments = sizes, out.field("keep") is not None, segments
        bits = len(Signal(sizes.write).blocks)
        self.cutter = BurstCutter(burst=sizes.burst, length_bits=bits, permission="write")
        self.left = Signal.like(Signal(sizes.write).units, name="units_to_begin")
        super().__init__(
            {
                "job": In(sizes.write),
                "valid": In(1),
                "take": Out(1),
                "results": In(stream.Signature(out.shape)),
                **dict.fromkeys(("present", "silent", "refused", "unread"), In(1)),
                "cause": In(5),
                "unit_job": In(sizes.job_bits),
                "retire": Out(1),
                "writes": Out(unit_writes(sizes)),
                "number": Out(sizes.job_bits),
                "over": In(1),
                "bad": In(1),
                "bad_job": In(sizes.job_bits),
                "read_error": In(BLOCK_ADDRESS_BITS),
                "read_why": In(JobStatus),
                "given_up": Out(given_up(sizes)),
                "done": Out(1),
                "finished": Out(sizes.finished),
                "windows": In(WINDOW_SET),
                "run": In(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.cutter = self.cutter
        job = Signal(self.sizes.write, name="job_now")
        active = Signal()
        failed = Signal()
        mine = Signal()
        good = Signal.like(job.units, name="good_units")
        m.d.comb += [
            self.number.eq(job.job),
            mine.eq(active & self.present & (self.unit_job == job.job)),
            failed.eq(job.status != JobStatus.OK),
            self.given_up.active.eq(active & failed),
            self.given_up.job.eq(job.job),
        ]
        fine = self._results(m, job, active, failed, mine, good)
        self._verdict(m, job, active, failed, mine, good, fine)
        self._next(m, job, active, failed, mine, good)
        return m

    def _results(self, m: Module, job, active: Signal, failed: Signal, mine: Signal, good: Signal) -> Signal:
        """Blocks of the oldest unit into bursts. Returns whether its last block is written in this cycle."""
        cutter, writes, results = self.cutter, self.writes, self.results
        dead = Signal()
        whole = Signal()
        fine = Signal()
        usable = Signal()
        m.d.comb += [
            dead.eq(failed | (mine & self.unread) | ~self.run),
            usable.eq(mine & ~self.silent & ~dead & results.valid),
            writes.begin.eq(usable & writes.open & cutter.valid & cutter.permitted),
            writes.put.eq(writes.begin | (usable & writes.more)),
            writes.void.eq(dead),
            writes.at.eq(cutter.at),
            writes.beats.eq(cutter.beats),
            writes.ends.eq(cutter.last),
            writes.job.eq(job.job),
            writes.block.eq(results.payload.data),
            writes.keep.eq(results.payload.keep if self.keeps else -1),
            results.ready.eq(writes.put | (dead & ~self.silent & (mine | ~self.run))),
            whole.eq(results.valid & results.ready & results.payload.last),
            fine.eq(writes.put & results.payload.last),
            self.retire.eq((self.silent & (mine | ~self.run)) | (whole & self.present)),
            cutter.windows.eq(self.windows),
            cutter.take.eq(writes.begin),
            cutter.again.eq(writes.begin & cutter.last & (self.left != 1)),
        ]
        with m.If(writes.begin & cutter.last):
            m.d.sync += self.left.eq(self.left - 1)
        return fine

    def _verdict(self, m: Module, job, active, failed, mine, good, fine) -> None:
        """The first fault of the job, and the units before it."""
        cutter, segments = self.cutter, self.segments
        denied = Signal()
        ended = Signal()  # the list, before the job
        waits = mine & ~self.silent & self.results.valid & ~self.writes.within
        m.d.comb += [
            denied.eq(waits & cutter.valid & ~cutter.permitted),
            ended.eq(waits & cutter.starving & segments.failed),
        ]
        with m.If(fine):
            m.d.sync += good.eq(good + 1)

        def fail(status: ValueLike, address) -> None:
            m.d.sync += [job.status.eq(status), job.address.eq(address << 4)]

        with m.If(active & ~failed):
            with m.If(self.bad & (self.bad_job == job.job)):
                fail(JobStatus.WRITE, 0)
            with m.Elif(mine & self.refused):
                fail(JobStatus.ENGINE, 0)
                m.d.sync += self.finished.cause.eq(self.cause)
            with m.Elif(mine & self.unread):
                fail(self.read_why, self.read_error)
            with m.Elif(denied):
                fail(JobStatus.WINDOW, cutter.at)
            with m.Elif(ended):
                fail(JobStatus.LIST, segments.failed_at)

    def _next(self, m: Module, job, active, failed, mine, good) -> None:
        """The end of a job, and the next one."""
        cutter, finished, segments = self.cutter, self.finished, self.segments
        issued = Signal(self.sizes.count_bits, name="bursts_begun")
        ended = Signal()
        refused = Signal()  # before it began
        m.d.comb += [
            ended.eq(refused | (good == job.units) | (failed & self.over & ~mine)),
            self.done.eq(active & ended & ~self.writes.within & self.run),
            self.take.eq(self.valid & self.run & (~active | self.done) & segments.idle),
            cutter.listed.eq(self.job.segments != 0),
            cutter.segment.eq(segments.segment),
            cutter.segment_valid.eq(segments.valid),
            segments.take.eq(cutter.segment_take),
            segments.start.eq(self.take),
            segments.address.eq(self.job.address[4:]),
            segments.entries.eq(Mux(self.job.status == JobStatus.OK, self.job.segments, 0)),
            *(getattr(finished, name).eq(job[name]) for name in ("job", "cookie", "status")),
            finished.address.eq(Mux(failed, job.address, 0)),
            finished.good.eq(good),
            finished.issued.eq(issued),
            cutter.start.eq(self.take & (self.job.status == JobStatus.OK)),
            cutter.address.eq(Mux(self.take, self.job.address[4:], job.address[4:])),
            cutter.length.eq(Mux(self.take, self.job.blocks, job.blocks)),
            cutter.stop.eq(self.take),
        ]
        m.d.sync += issued.eq(issued + self.writes.begin)
        with m.If(self.done):
            m.d.sync += active.eq(0)
        with m.If(self.take):
            m.d.sync += [
                active.eq(1),
                job.eq(self.job),
                self.left.eq(self.job.units),
                good.eq(0),
                refused.eq(self.job.status != JobStatus.OK),
            ]
            m.d.sync += finished.cause.eq(0)
