# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""An engine that fetches its units from memory and writes the results back.

    JobFetch -> JobJudge -> SourceReader -> ReadBuffer -> UnitFeeder -> engine -> ResultWriter -> JobCompleter
       |                        |                                                     |              |
       +------ ReadMaster ------+                                                     + WriteMaster -+

Each part has one job in hand, and they go from job to job in the same order. The part before is ahead by queues.
"""

from dataclasses import replace

from amaranth import Cat, Module, ResetInserter, Signal, Value
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import connect, flipped

from wideblock.rtl.bus.axi4 import axi4_channels
from wideblock.rtl.bus.axi_lite import AXI_LITE, AxiLite, axi_lite_channels
from wideblock.rtl.bus.dma_map import WINDOWS, HaltCause, JobStatus, dma_map
from wideblock.rtl.bus.registers import REGISTER_BYTES
from wideblock.rtl.engine.engine import SlotEngine
from wideblock.rtl.engine.register_file import RegisterFile
from wideblock.rtl.stream.interface import Interface
from wideblock.rtl.stream.passing import pass_ports
from wideblock.rtl.stream.sector import TWEAK_BITS
from wideblock.rtl.stream.storage import store

from .buffer import ReadBuffer
from .completer import JobCompleter
from .feeder import UnitFeeder
from .interrupts import Coalescing
from .jobs import JobFetch, JobJudge
from .queue import ClearedQueue
from .reader import SourceReader
from .reads import ReadMaster
from .segments import SegmentFetch
from .sizes import BLOCK_ADDRESS_BITS, BLOCK_BITS, BLOCK_BYTES, DmaSizes
from .units import UnitsUnderWay
from .windows import WINDOW_SET
from .writer import ResultWriter
from .writes import WriteMaster

__all__ = ["DmaEngine"]

FIRST_ERROR = data.StructLayout({"at": BLOCK_ADDRESS_BITS, "why": JobStatus})
"""The first error in reading a job: block and status."""

_STILL = ("POLICY", "RING", "SUBMISSION_LO", "SUBMISSION_HI", "COMPLETION_LO", "COMPLETION_HI", "ATTRIBUTES")
_OF_WINDOWS = ("WINDOW_BASE_LO", "WINDOW_BASE_HI", "WINDOW_LAST_LO", "WINDOW_LAST_HI")


class DmaEngine(wiring.Component):
    """``engine`` with a master of AXI4 in the place of its streams.

    engine: an engine around a core of one block a beat, with tweaks of at most 32 bytes
    sizes:  of the master's queues; the bits of a tweak are those of the engine

    ``dma_aw`` to ``dma_r`` reach :func:`~wideblock.rtl.bus.dma_map.dma_map`, ``m_aw`` to ``m_r`` are the master.
    ``irq`` is the interrupt of the engine, or of the master. Keys enter by the engine's own registers alone.

    A halt, by the register, by a clear of the engine or by an error, ends all jobs: bursts that have begun are
    finished, no other begins, and the buffers are cleared.

    Timing: of the core, see ``timing``; that of jobs depends on the memory.
    Paths:  none combinational between channels.
    """

    def __init__(self, engine: SlotEngine, sizes: DmaSizes | None = None):
        self.engine, self.parameters = engine, engine.parameters
        into, out = engine.interface.channel("i"), engine.interface.channel("o")
        if (beat := into.field("data")) is None or beat.width != BLOCK_BITS:
            raise ValueError(f"the master takes engines of one block a beat, got {beat and beat.width} bits")
        tweak = into.field("tweak")
        self.sizes = sizes = replace(sizes or DmaSizes(), tweak_bits=tweak.width if tweak else 0)
        self.map = dma_map(
            beat_bytes=BLOCK_BYTES, reads=sizes.reads, jobs=sizes.jobs, long_tweaks=sizes.tweak_bits > TWEAK_BITS
        )
        row_bits = (sizes.rows - 1).bit_length()
        self.bus = AxiLite(self.map)
        self.file = RegisterFile(self.map)
        self.fetch = JobFetch(sizes, clear_row_bits=row_bits)
        self.judge = JobJudge(sizes, engine.behaviour.length)
        layouts = {"to_reader": sizes.read, "to_feeder": sizes.feed, "to_writer": sizes.write}
        self.queues = {
            name: ClearedQueue(layout, depth=sizes.jobs, clear_row_bits=row_bits) for name, layout in layouts.items()
        }
        self.source_list = SegmentFetch(sizes, clear_row_bits=row_bits)
        self.target_list = SegmentFetch(sizes, clear_row_bits=row_bits)
        self.reader = SourceReader(sizes, self.source_list)
        self.buffer = ReadBuffer(sizes)
        self.feeder = UnitFeeder(sizes, into, engine.behaviour.length)
        self.units = UnitsUnderWay(sizes, faults=len(engine.faults))
        self.writer = ResultWriter(sizes, out, self.target_list)
        self.completer = JobCompleter(sizes, clear_row_bits=row_bits)
        self.reads = ReadMaster(sizes, clear_row_bits=row_bits)
        self.writes = WriteMaster(sizes, clear_row_bits=row_bits)
        self.coalescing = Coalescing()
        self.interface = self._interface()
        self.timing, self.behaviour = engine.timing, replace(engine.behaviour, influences=())
        super().__init__(self.interface.members())

    @property
    def registers(self):
        """The maps of the engine, and that of the master."""
        return (*self.engine.registers, self.map)

    def _interface(self) -> Interface:
        own = self.engine.interface
        return Interface(
            (
                *(channel for channel in own.channels if channel.name not in ("i", "o")),
                *axi_lite_channels("dma", self.map.address_bits),
                *axi4_channels("m", BLOCK_BITS),
            ),
            own.controls,
        )

    # Hardware

    def elaborate(self, platform):
        m = Module()
        running = Signal()
        stopping = Signal(init=1)
        clear_row = Signal(range(self.sizes.rows))
        windows = Signal(WINDOW_SET)
        self._submodules(m, stopping)
        self._ports(m)
        self._state(m, running, stopping, clear_row)
        self._jobs(m)
        self._units(m)
        self._registers(m, running, stopping, windows)
        lists = (self.source_list, self.target_list)
        cleared = (self.fetch, self.completer, self.buffer, *lists, *self.queues.values())
        m.d.comb += [part.clear.eq(stopping) for part in (*cleared, self.feeder)]
        m.d.comb += [part.clear_row.eq(clear_row) for part in (*cleared, self.reads, self.writes)]
        runs = (self.fetch, *lists, self.reader, self.feeder, self.writer, self.completer, self.reads, self.writes)
        m.d.comb += [part.run.eq(running) for part in runs]
        looks = (self.fetch, self.judge, *lists, self.reader, self.writer, self.completer)
        m.d.comb += [part.windows.eq(windows) for part in looks]
        return m

    def _submodules(self, m: Module, stopping: Value) -> None:
        """The parts; a halt resets those that hold no memory and no beat of the bus or the engine."""
        for name in ("engine", "bus", "file", "buffer", "feeder", "units", "reads", "writes"):
            m.submodules[name] = getattr(self, name)
        for name, queue in self.queues.items():
            m.submodules[name] = queue
        for name in ("fetch", "judge", "source_list", "target_list", "reader", "writer", "completer", "coalescing"):
            m.submodules[name] = ResetInserter(stopping)(getattr(self, name))

    def _ports(self, m: Module) -> None:
        """Connects the engine, the bus of registers and the master with the ports."""
        engine = self.engine
        pass_ports(m, engine, self, but=("i", "o", "irq"))
        for name in AXI_LITE:
            connect(m, flipped(getattr(self, f"dma_{name}")), getattr(self.bus, name))
        for master, names in ((self.reads, ("ar", "r")), (self.writes, ("aw", "w", "b"))):
            for name in names:
                connect(m, getattr(master, name), flipped(getattr(self, f"m_{name}")))
        connect(m, self.bus.access, self.file.bus)
        connect(m, self.feeder.units, engine.i)
        connect(m, engine.o, self.writer.results)

    def _state(self, m: Module, running: Signal, stopping: Signal, clear_row: Signal) -> None:
        """Running, stopping until all bursts are finished and all rows are clear, idle."""
        file, completer = self.file, self.completer
        fresh = Signal(init=1)  # since reset
        cleared = Signal(name="rows_cleared")
        halt = Signal(4, name="halt_cause")
        ends = Signal(name="stopping_ends")
        fails = completer.written & completer.failing & file.policy_stop_on_error
        m.d.comb += [
            ends.eq(stopping & cleared & self.reads.idle & self.writes.idle & ~self.units.valid),
            self.reads.clear.eq(fresh),
            self.writes.clear.eq(fresh),
            self.units.forget.eq(~self.engine.ready),
            file.set_irq_status_halted.eq(ends & ~fresh),
            file.set_irq_status_error.eq(completer.written & completer.failing),
            file.status_halt.eq(halt),
        ]
        m.d.sync += clear_row.eq(clear_row + 1)
        with m.If(stopping & clear_row.all()):
            m.d.sync += cleared.eq(1)
        with m.If(ends):
            m.d.sync += [stopping.eq(0), cleared.eq(0), fresh.eq(0)]
        with m.If(file.control_start):
            m.d.sync += [running.eq(1), halt.eq(HaltCause.NONE)]
        causes = (
            (~self.engine.ready, HaltCause.CLEARED),
            (completer.lost, HaltCause.COMPLETION),
            (fails, HaltCause.JOB),
            (file.control_stop, HaltCause.STOP),
        )
        for happens, cause in reversed(causes):
            with m.If(running & happens):
                m.d.sync += [running.eq(0), stopping.eq(1), clear_row.eq(0), halt.eq(cause)]

    def _jobs(self, m: Module) -> None:
        """Jobs from the ring through the queues."""
        fetch, judge, reads, writes = self.fetch, self.judge, self.reads, self.writes
        connect(m, fetch.reads, reads.descriptors)
        connect(m, self.source_list.reads, reads.source_list)
        connect(m, self.target_list.reads, reads.target_list)
        connect(m, self.reader.reads, reads.units)
        connect(m, self.writer.writes, writes.units)
        connect(m, self.completer.writes, writes.completions)
        connect(m, writes.responses, self.completer.responses)
        connect(m, self.writer.given_up, self.reader.given_up, self.feeder.given_up)
        m.d.comb += [
            judge.beat.eq(fetch.beat),
            judge.valid.eq(fetch.valid),
            judge.denied.eq(fetch.denied),
            judge.denied_at.eq(fetch.denied_at),
            fetch.take.eq(judge.take),
            fetch.passed.eq(judge.passed),
            fetch.retired.eq(self.completer.retired),
            self.completer.put.eq(self.writer.done),
            self.completer.finished.eq(self.writer.finished),
            self.writer.bad.eq(writes.responses.unit & writes.responses.error),
            self.writer.bad_job.eq(writes.responses.job),
            self.reader.quiet.eq(reads.idle),
            self.coalescing.completed.eq(self.completer.written),
        ]
        for name, part, enters in (
            ("read", self.reader, judge.good),
            ("feed", self.feeder, judge.good),
            ("write", self.writer, judge.put),
        ):
            queue = self.queues[f"to_{name}er" if name != "write" else "to_writer"]
            m.d.comb += [
                queue.put.eq(enters),
                queue.new.eq(getattr(judge, name)),
                part.job.eq(queue.head),
                part.valid.eq(queue.valid),
                queue.take.eq(part.take),
            ]

    def _units(self, m: Module) -> None:
        """Blocks to the engine, units in the engine, and what the writer must know of each."""
        reader, buffer, feeder, units, writer = self.reader, self.buffer, self.feeder, self.units, self.writer
        bits = self.sizes.place_bits
        over = Signal(self.sizes.jobs, name="job_over")
        known = Signal(self.sizes.jobs, name="job_error_known")
        m.submodules.errors = errors = memory.Memory(shape=FIRST_ERROR.size, depth=self.sizes.jobs, init=[])
        shown = errors.read_port(domain="comb")
        new = self.judge.write.job[:bits]
        failed = reader.failed_job[:bits]
        first = reader.failed & ~known.bit_select(failed, 1)
        error, noted = Signal(FIRST_ERROR, name="error_now"), Signal(FIRST_ERROR, name="error_of_job")
        m.d.comb += [error.at.eq(reader.failed_at), error.why.eq(reader.failed_why), noted.eq(shown.data)]
        store(m, errors, failed, error.as_value(), first, clear=buffer.clear, clear_row=buffer.clear_row[:bits])
        with m.If(reader.failed):
            m.d.sync += known.bit_select(failed, 1).eq(1)
        with m.If(feeder.fed):
            m.d.sync += over.bit_select(feeder.number[:bits], 1).eq(1)
        with m.If(self.judge.put):
            m.d.sync += [over.bit_select(new, 1).eq(0), known.bit_select(new, 1).eq(0)]
        m.d.comb += [
            *(getattr(buffer, name).eq(getattr(reader, name)) for name in ("promise", "promised", "put", "new")),
            reader.free.eq(buffer.free),
            feeder.block.eq(buffer.head),
            feeder.ready.eq(buffer.valid),
            buffer.take.eq(feeder.pop),
            *(getattr(units, name).eq(getattr(feeder, name)) for name in ("begin", "absent", "spoil")),
            units.job.eq(feeder.number),
            units.faults.eq(self.engine.fault),
            units.retire.eq(writer.retire),
            feeder.room.eq(units.room),
            *(getattr(writer, name).eq(getattr(units, name)) for name in ("silent", "refused", "unread", "cause")),
            writer.present.eq(units.valid),
            writer.unit_job.eq(units.oldest_job),
            writer.over.eq(over.bit_select(writer.number[:bits], 1)),
            shown.addr.eq(writer.number[:bits]),
            writer.read_error.eq(noted.at),
            writer.read_why.eq(noted.why),
        ]

    def _registers(self, m: Module, running: Value, stopping: Value, windows) -> None:
        """Registers as values of the parts, and writes that are refused."""
        file, fetch, completer = self.file, self.fetch, self.completer
        idle = Signal()
        mask = Signal(16, name="ring_mask")
        events = ("done", "error", "halted")
        pending = [getattr(file, f"irq_status_{name}") & getattr(file, f"irq_enable_{name}") for name in events]
        m.d.comb += [
            idle.eq(~running & ~stopping),
            mask.eq((1 << file.ring_size) - 1),
            file.status_running.eq(running),
            file.status_stopping.eq(stopping),
            file.status_idle.eq(idle),
            file.head_fetched.eq(fetch.index),
            file.head_completed.eq(completer.index),
            file.set_irq_status_done.eq(self.coalescing.due),
            self.coalescing.count.eq(file.coalesce_count),
            self.coalescing.time.eq(file.coalesce_time),
            self.coalescing.cycles.eq(file.clock_cycles),
            self.irq.eq(self.engine.irq | Cat(pending).any()),
            *(part.mask.eq(mask) for part in (fetch, completer)),
            fetch.tail.eq(file.doorbell_tail),
            fetch.ring.eq(Cat(0, 0, file.submission_lo_address, file.submission_hi_address)),
            completer.ring.eq(Cat(0, 0, file.completion_lo_address, file.completion_hi_address)),
            completer.strict.eq(file.policy_stop_on_error),
            *(part.attributes.prot.eq(file.attributes_prot) for part in (self.reads, self.writes)),
            self.reads.attributes.cache.eq(file.attributes_read_cache),
            self.writes.attributes.cache.eq(file.attributes_write_cache),
        ]
        for number in range(WINDOWS):
            window, part = windows[number], f"{number}_page"
            m.d.comb += [
                *(window[flag].eq(getattr(file, f"window_base_lo{number}_{flag}")) for flag in ("read", "write")),
                *(
                    window[end].eq(
                        Cat(getattr(file, f"window_{end}_lo{part}"), getattr(file, f"window_{end}_hi{part}"))
                    )
                    for end in ("base", "last")
                ),
            ]
        m.d.comb += file.stop.eq(self._refused(idle))

    def _refused(self, idle: Value) -> Value:
        """Whether the write of this cycle must not take effect."""
        access, file = self.bus.access, self.file

        def within(*names: str) -> Value:
            registers = [self.map.register(name) for name in names]
            words = [each.offset // REGISTER_BYTES + index for each in registers for index in range(each.count)]
            return Cat(access.write_address == word for word in words).any()

        control = self.map.register("CONTROL")
        starts = within("CONTROL") & access.write_strobe[0] & (access.write_data & control.field("START").mask).any()
        return (
            (within(*_STILL) & ~idle)
            | (within(*_OF_WINDOWS) & (~idle | file.lock_windows))
            | (within("ATTRIBUTES") & file.lock_attributes)
            | (starts & ~(idle & self.engine.ready))
        )
