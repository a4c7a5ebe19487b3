# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The completer: a job whose bursts have their responses gets its entry in the completion ring."""

from amaranth import Module, Mux, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.bus.axi4 import PAGE_BITS
from wideblock.rtl.bus.dma_map import COMPLETION, JobStatus
from wideblock.rtl.stream.storage import store

from .queue import ClearedQueue
from .sizes import BLOCK_ADDRESS_BITS, DmaSizes
from .windows import WINDOW_SET, hits
from .writes import completion_write, responses

__all__ = ["JobCompleter"]


class JobCompleter(wiring.Component):
    """Writes completions in the order of the jobs.

    put, finished: in, jobs all of whose bursts have begun
    responses:     in, responses to bursts
    writes:        out, completions
    ring, mask:    in, block of the completion ring, and its entries less 1
    strict:        in, a job with an error halts: no completion follows its own
    windows:       in, pages that may be written
    index:         out, entry of the next completion
    retired:       out, pulses as a completion's burst begins
    written:       out, pulses as a completion is in memory; ``failing``: of a job with an error
    lost:          out, a completion was refused by the bus, or no window permits it
    run:           in, completions are written
    clear, clear_row: in, as of :class:`~wideblock.rtl.dma.queue.ClearedQueue`

    The units done are those before the first fault, of the bus or of the writer.
    """

    def __init__(self, sizes: DmaSizes, *, clear_row_bits: int):
        self.sizes = sizes
        self.queue = ClearedQueue(sizes.finished, depth=sizes.jobs, clear_row_bits=clear_row_bits)
        super().__init__(
            {
                "put": In(1),
                "finished": In(sizes.finished),
                "responses": In(responses(sizes)),
                "writes": Out(completion_write()),
                "ring": In(BLOCK_ADDRESS_BITS),
                "mask": In(16),
                "strict": In(1),
                "windows": In(WINDOW_SET),
                "index": Out(16),
                **dict.fromkeys(("retired", "written", "failing", "lost"), Out(1)),
                **dict.fromkeys(("run", "clear"), In(1)),
                "clear_row": In(clear_row_bits),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.queue = queue = self.queue
        job = queue.head
        written = Signal(16, name="entries_written")
        ring = Signal(BLOCK_ADDRESS_BITS)
        denied = Signal()
        permitted = Signal()
        looked = Signal()
        held = Signal()
        entry = Signal(COMPLETION)
        answered, refused, units, at = self._tally(m, job)
        status = Signal(8)
        page = ring[PAGE_BITS - 4 :]
        m.d.comb += [
            queue.put.eq(self.put),
            queue.new.eq(self.finished),
            queue.clear.eq(self.clear),
            queue.clear_row.eq(self.clear_row),
            self.index.eq(written & self.mask),
            ring.eq(self.ring + self.index),
            status.eq(Mux(refused, JobStatus.WRITE, job.status)),
            entry.cookie.eq(job.cookie),
            entry.units.eq(Mux(refused, units, job.good)),
            entry.status.eq(status),
            entry.cause.eq(job.cause & (status == JobStatus.ENGINE).replicate(len(job.cause))),
            entry.phase.eq((written & (self.mask + 1)) == 0),
            entry.address.eq(Mux(refused, at << 4, job.address)),
            self.writes.at.eq(ring),
            self.writes.block.eq(entry),
            self.writes.request.eq(queue.valid & answered & looked & permitted & ~held & self.run),
            denied.eq(queue.valid & answered & looked & ~permitted & ~held & self.run),
            self.retired.eq(self.writes.accept),
            queue.take.eq(self.writes.accept),
            self.writes.fails.eq(status != JobStatus.OK),
            self.failing.eq(self.responses.ends),
            self.written.eq(self.responses.completion & ~self.responses.error),
            self.lost.eq(denied | (self.responses.completion & self.responses.error)),
        ]
        m.d.sync += [permitted.eq(hits(self.windows, page, "write").any()), looked.eq(~self.writes.accept)]
        with m.If(self.writes.accept):
            m.d.sync += [written.eq(written + 1), held.eq(self.strict & (status != JobStatus.OK))]
        return m

    def _tally(self, m: Module, job):
        """Responses of each job. Returns of ``job``: all present, an error, units before the error, its block."""
        jobs, responses = self.sizes.jobs, self.responses
        bits = self.sizes.place_bits
        place, now = responses.job[:bits], job.job[:bits]
        row = data.StructLayout({"units": 16, "at": BLOCK_ADDRESS_BITS})
        m.submodules.tally = tally = memory.Memory(shape=row.size, depth=jobs, init=[])
        seen = Signal(jobs, name="job_seen")
        bad = Signal(jobs, name="job_refused")
        count = Signal(self.sizes.count_bits, name="bursts_answered")
        old = Signal(row, name="tally_old")
        new = Signal(row, name="tally_new")
        found = Signal(row, name="tally_job")
        ahead = Signal(self.sizes.count_bits)
        update = tally.read_port(domain="comb")
        show = tally.read_port(domain="comb")
        was_seen, was_bad = seen.bit_select(place, 1), bad.bit_select(place, 1)
        store(
            m,
            tally,
            place,
            new.as_value(),
            responses.unit & ~was_bad,
            clear=self.clear,
            clear_row=self.clear_row[:bits],
        )
        m.d.comb += [
            update.addr.eq(place),
            show.addr.eq(now),
            old.eq(update.data & was_seen.replicate(row.size)),
            new.units.eq(old.units + (responses.ends & ~responses.error)),
            new.at.eq(responses.at),
            found.eq(show.data),
            ahead.eq(count - job.issued),
        ]
        m.d.sync += count.eq(count + responses.unit)
        with m.If(self.writes.accept):
            m.d.sync += [seen.bit_select(now, 1).eq(0), bad.bit_select(now, 1).eq(0)]
        with m.If(responses.unit):
            m.d.sync += seen.bit_select(place, 1).eq(1)
            with m.If(responses.error):
                m.d.sync += bad.bit_select(place, 1).eq(1)
        return ~ahead[-1], bad.bit_select(now, 1), found.units, found.at
