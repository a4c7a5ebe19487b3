# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""Jobs from the submission ring: descriptors are fetched ahead and judged before anything of a job is read."""

from functools import partial
from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.bus.axi4 import ADDRESS_BITS, PAGE_BITS
from wideblock.rtl.bus.dma_map import DESCRIPTOR, WINDOWS, JobStatus
from wideblock.rtl.stream.behaviour import Length
from wideblock.rtl.stream.sector import TWEAK_BITS

from .queue import ClearedQueue
from .reads import DESCRIPTOR_BEATS, read_request
from .sizes import BLOCK_ADDRESS_BITS, BLOCK_BITS, DmaSizes
from .windows import WINDOW_SET, hits

__all__ = ["JobFetch", "JobJudge"]

_FETCHES = 4  # descriptors that are fetched or wait to be judged


def descriptor_beat() -> data.StructLayout:
    """A beat of a descriptor, read from block ``at``; with ``error`` memory has refused the read."""
    return data.StructLayout({"block": BLOCK_BITS, "error": 1, "at": BLOCK_ADDRESS_BITS})


class JobFetch(wiring.Component):
    """Fetches descriptors up to the doorbell, while fewer than ``sizes.jobs`` jobs are under way.

    ring, mask, tail: in, block of the submission ring, its entries less 1, the doorbell
    index:     out, entry of the next descriptor
    reads:     out, bursts
    retired:   in, pulses as a job ends
    beat:      out, the oldest beat of descriptors while ``valid``, with ``error``; ``take``: in
    denied:    out, no window permits the next descriptor, of block ``denied_at``; ``passed``: in, the descriptor is
               counted as one that was fetched
    windows:   in, pages that may be read
    run:       in, descriptors are fetched
    clear, clear_row: in, as of :class:`~wideblock.rtl.dma.queue.ClearedQueue`
    """

    def __init__(self, sizes: DmaSizes, *, clear_row_bits: int):
        self.sizes = sizes
        self.queue = ClearedQueue(descriptor_beat(), depth=_FETCHES * DESCRIPTOR_BEATS, clear_row_bits=clear_row_bits)
        super().__init__(
            {
                "ring": In(BLOCK_ADDRESS_BITS),
                **dict.fromkeys(("mask", "tail"), In(16)),
                "index": Out(16),
                "reads": Out(read_request(sizes)),
                "retired": In(1),
                "beat": Out(descriptor_beat()),
                "valid": Out(1),
                "take": In(1),
                "denied": Out(1),
                "denied_at": Out(BLOCK_ADDRESS_BITS),
                "passed": In(1),
                "windows": In(WINDOW_SET),
                **dict.fromkeys(("run", "clear"), In(1)),
                "clear_row": In(clear_row_bits),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.queue = queue = self.queue
        beats = Signal(range(_FETCHES * DESCRIPTOR_BEATS + 1), name="beats_promised")
        jobs = Signal(range(self.sizes.jobs + 1), name="jobs_under_way")
        wanted = Signal()
        looked = Signal()
        permitted = Signal()
        fetched = Signal()
        at = Signal(BLOCK_ADDRESS_BITS)
        reads = self.reads
        room = beats <= (_FETCHES - 1) * DESCRIPTOR_BEATS
        m.d.comb += [
            at.eq(self.ring + (self.index << 2)),
            wanted.eq(self.run & (self.index != (self.tail & self.mask)) & (jobs != self.sizes.jobs) & looked),
            reads.request.eq(wanted & permitted & room),
            reads.at.eq(at),
            reads.beats.eq(DESCRIPTOR_BEATS),
            fetched.eq(reads.accept | self.passed),
            self.denied.eq(wanted & ~permitted & (beats == 0)),
            self.denied_at.eq(at),
            queue.put.eq(reads.beat),
            queue.new.block.eq(reads.block),
            queue.new.error.eq(reads.error),
            queue.new.at.eq(reads.read_at),
            self.beat.eq(queue.head),
            self.valid.eq(queue.valid),
            queue.take.eq(self.take),
            queue.clear.eq(self.clear),
            queue.clear_row.eq(self.clear_row),
        ]
        m.d.sync += [
            permitted.eq(hits(self.windows, at[PAGE_BITS - 4 :], "read").any()),
            looked.eq(~fetched),
            beats.eq(beats + Mux(reads.accept, DESCRIPTOR_BEATS, 0) - self.take),
            jobs.eq(jobs + fetched - self.retired),
        ]
        with m.If(fetched):
            m.d.sync += self.index.eq((self.index + 1) & self.mask)
        return m


class JobJudge(wiring.Component):
    """Judges descriptors of jobs for units of ``length``, and gives them to reader, feeder and writer.

    beat, valid, denied, denied_at: in, ``take``, ``passed``: out, as :class:`JobFetch` has them
    put:     out, pulses with ``write``; ``good``: with ``read`` and ``feed``, too
    windows: in, pages that may be touched

    A refused job goes to the writer alone, with the first status of FETCH, DESCRIPTOR, LENGTH, ALIGN, OVERLAP, WINDOW.
    Overlap and windows of a job with a list are not looked at here: each burst has the windows' permission.

    Timing: a cycle a beat of the descriptor, a cycle a bit of the number of units, and eight cycles.
    """

    def __init__(self, sizes: DmaSizes, length: Length):
        self.sizes, self.length = sizes, length
        super().__init__(
            {
                "beat": In(descriptor_beat()),
                **dict.fromkeys(("valid", "denied"), In(1)),
                "denied_at": In(BLOCK_ADDRESS_BITS),
                **dict.fromkeys(("take", "passed", "put", "good"), Out(1)),
                "read": Out(sizes.read),
                "feed": Out(sizes.feed),
                "write": Out(sizes.write),
                "windows": In(WINDOW_SET),
            }
        )

    def elaborate(self, platform):
        m = Module()
        now = _Judged(self.sizes)
        states = {
            "fetch": self._when_fetching,
            "check": self._when_checking,
            "sum": self._when_summing,
            "ends": self._when_at_ends,
            **{f"look{place}": partial(self._when_looking, place=place) for place in range(4)},
            "verdict": self._when_looked,
            "put": self._when_put,
        }
        with m.FSM(name="judge"):
            for name, state in states.items():
                with m.State(name):
                    state(m, now)
        self._outputs(m, now)
        return m

    # States of a job

    def _when_fetching(self, m: Module, now: "_Judged") -> None:
        """Collects the beats of a descriptor; a job without a descriptor is refused."""
        m.d.comb += [self.take.eq(self.valid), self.passed.eq(self.denied & ~self.valid)]
        with m.If(self.take):
            m.d.sync += [now.job.eq(Cat(now.job.as_value()[BLOCK_BITS:], self.beat.block)), now.part.eq(now.part + 1)]
            with m.If(self.beat.error):
                now.fail(m, JobStatus.FETCH, self.beat.at)
            with m.If(now.part == DESCRIPTOR_BEATS - 1):
                m.next = "check"
        with m.If(self.passed):
            now.fail(m, JobStatus.WINDOW, self.denied_at)
            m.next = "check"

    def _when_checking(self, m: Module, now: "_Judged") -> None:
        """Faults of the descriptor alone."""
        job, several, more = now.job, now.job.units != 1, self._more_tweak(now)
        blocks = (job.bytes >> 4) + job.bytes[:4].any()
        long = (job.bytes < self.length.least) | (job.bytes > self.length.most)
        m.d.sync += [now.total.eq(0), now.addend.eq(blocks), now.factor.eq(job.units)]
        m.next = "sum"
        with m.If(now.status != JobStatus.OK):
            m.d.sync += job.eq(0)  # none of it was read
            m.next = "put"
        for refused, status in (
            (
                job.reserved_flags.any() | Mux(more, 0, job.long_tweak | job.reserved.any()),
                JobStatus.DESCRIPTOR,
            ),
            (long | (job.units == 0) | (several & job.bytes[:4].any()), JobStatus.LENGTH),
            ((job.source[:4] | job.target[:4]).any(), JobStatus.ALIGN),
        ):
            with m.Elif(refused):
                now.fail(m, status)
                m.next = "put"

    def _when_summing(self, m: Module, now: "_Judged") -> None:
        """Blocks of the job: those of a unit times the units, a bit a cycle."""
        with m.If(now.factor[0]):
            m.d.sync += now.total.eq(now.total + now.addend)
        m.d.sync += [now.addend.eq(now.addend << 1), now.factor.eq(now.factor >> 1)]
        with m.If(now.factor == 0):
            m.next = "ends"

    def _when_at_ends(self, m: Module, now: "_Judged") -> None:
        m.d.sync += [now.source_last.eq(now.job.source[4:] + now.total - 1)]
        m.d.sync += [now.target_last.eq(now.job.target[4:] + now.total - 1)]
        with m.If(self.read.segments.any() | self.write.segments.any()):
            m.next = "put"  # places are known burst by burst
        with m.Else():
            m.next = "look0"

    def _when_looking(self, m: Module, now: "_Judged", *, place: int) -> None:
        """The windows of one of four pages: first and last one of source and target."""
        first, last, permission = (
            (now.job.source[4:], now.source_last, "read"),
            (now.job.target[4:], now.target_last, "write"),
        )[place // 2]
        block = Value.cast((first, last)[place % 2])
        found = hits(self.windows, block[PAGE_BITS - 4 : BLOCK_ADDRESS_BITS], permission)
        if place % 2 == 0:
            m.d.sync += now.window.eq(found)
        else:
            wraps = last[BLOCK_ADDRESS_BITS]
            m.d.sync += now.outside[place // 2].eq(wraps | ~(now.window & found).any())
        m.next = f"look{place + 1}" if place < 3 else "verdict"

    def _when_looked(self, m: Module, now: "_Judged") -> None:
        source, target = now.job.source[4:], now.job.target[4:]
        overlap = (source <= now.target_last) & (target <= now.source_last) & (source != target)
        with m.If(overlap):
            now.fail(m, JobStatus.OVERLAP)
        for number, address in ((0, source), (1, target)):
            with m.Elif(now.outside[number]):
                now.fail(m, JobStatus.WINDOW, address)
        m.next = "put"

    def _when_put(self, m: Module, now: "_Judged") -> None:
        m.d.comb += [self.put.eq(1), self.good.eq(now.status == JobStatus.OK)]
        m.d.sync += [now.number.eq(now.number + 1), now.status.eq(JobStatus.OK), now.address.eq(0), now.part.eq(0)]
        m.next = "fetch"

    def _more_tweak(self, now: "_Judged") -> Value:
        """Whether the end of the descriptor is the second half of a tweak: the step is 1, and there are no lists."""
        return now.job.long_tweak if self.sizes.tweak_bits > TWEAK_BITS else Const(0, 1)

    def _outputs(self, m: Module, now: "_Judged") -> None:
        """The job as reader, feeder and writer have it."""
        job, blocks, more = now.job, (now.job.bytes >> 4) + now.job.bytes[:4].any(), self._more_tweak(now)
        behind = Cat(job.step, job.source_segments, job.target_segments, job.reserved)
        m.d.comb += [
            *(each.job.eq(now.number) for each in (self.read, self.feed, self.write)),
            *(each.blocks.eq(blocks) for each in (self.feed, self.write)),
            *(each.units.eq(job.units) for each in (self.feed, self.write)),
            self.read.source.eq(job.source >> 4),
            self.read.blocks.eq(now.total),
            self.read.segments.eq(Mux(more, 0, job.source_segments)),
            self.write.segments.eq(Mux(more, 0, job.target_segments)),
            self.feed.tail.eq(job.bytes),
            self.feed.tweak.eq(Cat(job.tweak, Mux(more, behind, 0))),
            self.feed.step.eq(Mux(more, 1, job.step)),
            *(getattr(self.feed, name).eq(job[name]) for name in ("slot", "decrypt")),
            self.write.cookie.eq(job.cookie),
            self.write.status.eq(now.status),
            self.write.address.eq(Mux(now.status == JobStatus.OK, job.target, now.address)),
        ]


class _Judged:
    """Registers of the job that is judged."""

    def __init__(self, sizes: DmaSizes):
        self.job: Any = Signal(DESCRIPTOR, name="descriptor")
        self.number = Signal(sizes.job_bits, name="job_number")
        self.part = Signal(range(DESCRIPTOR_BEATS), name="descriptor_beat")
        self.status = Signal(4, name="job_status")
        self.address = Signal(ADDRESS_BITS, name="fault_address")
        self.total = Signal(sizes.total_bits, name="blocks_of_job")
        self.addend = Signal(sizes.total_bits, name="blocks_shifted")
        self.factor = Signal(16, name="units_left")
        self.source_last = Signal(BLOCK_ADDRESS_BITS + 1)
        self.target_last = Signal(BLOCK_ADDRESS_BITS + 1)
        self.window = Signal(WINDOWS, name="windows_of_first")
        self.outside = Signal(2)

    def fail(self, m: Module, status: JobStatus, block: Value | None = None) -> None:
        """Refuses the job, if nothing has refused it before."""
        with m.If(self.status == JobStatus.OK):
            m.d.sync += [self.status.eq(status), self.address.eq(0 if block is None else block << 4)]
