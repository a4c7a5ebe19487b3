# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The family single pass: every block enciphered once, under masks that its unit's tweak and its place give.

    i -> arrivals -> present beat --(+)-> AES pipeline(s) --(+)-> results -> o
            |                        |                       |
         tweak's own AES call -> T, T x^width, ..  -- delay --

A unit's tweak goes to its cipher when the unit's first beat enters the queue of arrivals, so that its masks are there
when that beat becomes the present one. Nothing after the queue waits for the output: a beat enters the pipelines only
if its result has a reserved place.

A last block that is not whole is completed with the end of the result before it. That result is held, the completed
block follows it into the pipelines, and what is left of it leaves last.
"""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import connect, flipped

from wideblock.rtl.aes.iterative import IterativeEncryption
from wideblock.rtl.aes.pipelined import PipelinedDecryption, PipelinedEncryption, both_ways
from wideblock.rtl.aes.planes import named
from wideblock.rtl.aes.sbox import logic_sbox
from wideblock.rtl.keys.unit import KeyUnit
from wideblock.rtl.stream.behaviour import Behaviour, Length, Output, SectorTiming
from wideblock.rtl.stream.queue import PromisedQueue
from wideblock.rtl.stream.sector import sector_interface
from wideblock.rtl.stream.stages import blocks as blocks_of
from wideblock.rtl.stream.stages import power_of_two, select
from wideblock.rtl.stream.storage import Delay
from wideblock.rtl.stream.unit_entrance import FAULTS, UnitEntrance

from ..keys import connect_keys, key_collector, key_faults, with_key_faults
from ..parameters import SinglePassParameters
from .equations import Equations
from .stealing import StealingControl, StealingData, up_to
from .values import Frame, Moves, Present

__all__ = ["SinglePass"]


class SinglePass(Equations, wiring.Component):
    """A core of the family, for units of any length from one block up; a scheme states its :class:`Equations`.

    ``sector_bytes`` is the length of the units for which ``timing`` is stated, no more. A core that only encrypts has
    one set of pipelines, which also encipher the tweaks, a cycle each; the others have a sequential AES for these.

    Timing: see :class:`SectorTiming`; the same for every unit of a length, whatever its data, key and tweak. A part of
            a block at a unit's end takes up to 2 cycles and the pipeline's latency.
    Paths:  none combinational from an input stream to an output.
    """

    rules = "single_pass"  # module of formal rules: wideblock.verify.formal.rules

    def __init__(self, parameters: SinglePassParameters):
        self.check(parameters)
        self.parameters = p = parameters
        self.directions = {"encrypt": (False,), "decrypt": (True,), "both": (False, True)}[p.direction]
        self.shared = p.direction == "encrypt"
        self.ciphers = self._ciphers()
        self.tweak_cipher = IterativeEncryption(key_bits=p.key_bits, sbox=logic_sbox(p.sbox))
        self.cipher_latency = A = next(iter(self.ciphers.values())).timing.latency
        self.tweak_latency = A if self.shared else self.tweak_cipher.timing.latency
        self.entrance = UnitEntrance(width=p.width, beats=self.max_blocks // p.width, directions=self.directions)
        self.arrivals_depth = self.tweak_latency + 2  # as many as arrive while a tweak is enciphered, and not more
        self.results_depth = A + 2
        rows = 2 * power_of_two(max(self.arrivals_depth, self.results_depth))
        material = self.key_material(p)
        faults = (*FAULTS, *key_faults(p, material))
        self.key_collector = key_collector(p, material)
        self.key_unit = KeyUnit(material, sbox=p.sbox, rows=rows, round_stages=p.round_stages)
        self.timing = self._timing()
        self.interface = sector_interface(
            p.width, material.bits, faults, key_parts=material.text, key_width=p.key_width, keep=True
        )
        self.behaviour = Behaviour(
            length=Length(16, 16 * self.max_blocks),
            usual=p.sector_bytes,
            output=Output.CUT_THROUGH,
            directions=self.directions,
            keys=material.rule,
            faults=faults,
            timing=self.timing,
            partial=A + 2,
        )
        super().__init__(self.interface.members())

    def _ciphers(self) -> dict[str, Any]:
        """The pipelines by name: one that serves all, one for both directions, or one for each direction."""
        p = self.parameters
        lanes = {"key_bits": p.key_bits, "round_stages": p.round_stages, "sbox": p.sbox, "lanes": p.lanes}
        if self.shared:
            return {"lanes": PipelinedEncryption(key_sets=2, **lanes)}
        if len(self.directions) == 2:
            return both_ways(**lanes)
        return {"decryption": PipelinedDecryption(**lanes)}

    def _timing(self) -> SectorTiming:
        """The cycle contract for units of ``sector_bytes``.

        In a unit that ends in part of a block, the last whole block comes out of the pipelines before the completed one
        goes in. Where they serve the tweaks, too, each unit takes them for one cycle more: that in which the tweak of a
        later unit goes in. In the steady state that is two cycles after a beat moved on and so made way for the last
        one of the unit before it, ``arrivals_depth`` + 1 beats later. It costs nothing if the beat that moves in
        between is the one with the last whole block, since the pipelines wait then. If the part is in that beat, too,
        the beat stays.
        """
        p, A = self.parameters, self.cipher_latency
        registered, masks = 1, 2  # the input beat; the enciphered tweak in its queue, and in the register of masks
        compute = registered + self.tweak_latency + masks - 1 + A + p.beats
        work = p.beats
        tweak = 1 if self.shared else 0
        if p.sector_bytes % 16:
            together = p.sector_bytes % p.beat_bytes > 16
            compute += A + 1
            work += A + 1 + together
            if (self.arrivals_depth - (not together)) % p.beats == 0:
                tweak = 0
        before = -(-(self.arrivals_depth + 2) // p.beats)  # units that end in the queue or a register before it
        waiting = before * (work + tweak - p.beats) + (0 if self.shared else max(0, self.tweak_latency - work))
        key_words = self.key_collector.words if self.key_collector else 1
        return SectorTiming(
            compute=compute,
            latency=compute + 1,
            busy=compute + 1 + tweak + waiting,
            interval=work + tweak if self.shared else max(work, self.tweak_latency),
            setup=key_words - 1 + self.key_unit.setup(call=A, loading=0),
            zeroize=self.key_unit.clearing,
            key_words=key_words,
        )

    # Hardware

    def elaborate(self, platform):
        m = Module()
        f = self._frame(m)
        # decided by a stage, awaited by those before it
        call = Signal()  # a tweak enters its cipher
        called = Signal()  # and is taken
        T_valid = Signal()  # the masks of the present unit are there

        self._enter(f, call, called)
        present = self._present(f)
        results = self._queue(f.m, "results", self._result_bits, self.results_depth)
        entering, arrived = self._moves(f, present, results, call, T_valid)
        masks = self._masks(f, present, entering, T_valid)
        stealing = self._stealing(f, present)
        blocks = [self.enter(present.here.data[k], mask) for k, mask in enumerate(masks)]
        blocks[0] = self.enter(Mux(f.control.complete, stealing.completed, present.here.data[0]), masks[0])
        encipher = self._shared_cipher if self.shared else self._separate_ciphers
        E = encipher(f, blocks, present, call, called)
        self._results(f, present, masks, stealing, E, arrived, results)
        self._leave(f, results)
        m.d.comb += self.fault.eq(with_key_faults(self, self.entrance.fault))
        return m

    def _frame(self, m: Module) -> Frame:
        """Key unit, entrance, the queues behind it, and the control."""
        m.submodules.key_unit = keys = self.key_unit
        m.submodules.entrance = entrance = self.entrance
        connect(m, flipped(self.i), entrance.i)
        arrivals = self._queue(m, "arrivals", entrance.layout.size, self.arrivals_depth)
        tweaks = self._queue(m, "tweaks", 128, self.arrivals_depth)
        m.submodules.control = control = StealingControl(width=self.parameters.width)
        return Frame(m, keys.clear, keys.clear_row, arrivals, tweaks, control)

    def _queue(self, m: Module, name: str, width: int, depth: int) -> PromisedQueue:
        keys = self.key_unit
        queue = PromisedQueue(width=width, depth=depth, parts=1, clear_row_bits=len(keys.clear_row))
        m.submodules[name] = queue
        m.d.comb += [queue.clear.eq(keys.clear), queue.clear_row.eq(keys.clear_row)]
        return queue

    @property
    def _result_bits(self) -> int:
        """Bits of a beat in the queue of results: its data, the number of its last byte, and whether it is the last."""
        return len(Value.cast(self.o.payload.data)) + self.entrance.layout["end"].width + 1

    # Stages, in the order of the data

    def _enter(self, f: Frame, call: Signal, called: Value) -> None:
        """Beats into the queue of arrivals, and the tweak of each unit into its cipher, from the register of the beat.

        ``call`` is itself a register: the tweak's place in its queue is reserved as the beat enters the entrance.
        """
        keys, entrance, take, m = self.key_unit, self.entrance, Signal(name="take"), f.m
        waiting = Signal(name="tweak_waiting")  # a tweak without a place
        wanted = Signal(name="call_wanted")
        reserved = Signal(name="call_reserved")
        opening = Signal()
        m.d.comb += [
            entrance.open.eq(keys.running),
            entrance.hold.eq(keys.waiting),
            entrance.clear.eq(f.clear),
            wanted.eq(entrance.opening | waiting),
            reserved.eq(wanted & f.tweaks.room & ~call),  # never two in a row: beats enter in between
            f.tweaks.step.eq(reserved),
            take.eq(entrance.valid & f.arrivals.room & ~(entrance.first & (waiting | (call & ~called)))),
            opening.eq(take & entrance.first),
            entrance.take.eq(take),
            f.arrivals.step.eq(take),
            f.arrivals.write.eq(take),
            f.arrivals.data.eq(f.kept(entrance.x.as_value())),
        ]
        m.d.sync += [waiting.eq(wanted & ~reserved), call.eq(reserved | (call & ~called))]
        with m.If(f.clear):
            m.d.sync += [waiting.eq(0), call.eq(0)]
        units = Signal(range(self.arrivals_depth + self.cipher_latency + 8))  # entered and not yet computed
        m.d.sync += units.eq(Mux(f.clear, 0, units + opening - self.computed))
        connect_keys(m, self, idle=entrance.between & (units == 0), derived=Const(1))

    def _present(self, f: Frame) -> Present:
        """The beat that the control moves, in a register; and the oldest one in the queue, behind it."""
        m, control = f.m, f.control
        here = Signal(self.entrance.layout)
        here_valid = Signal()
        behind = Signal(self.entrance.layout)
        load = Signal()
        decrypt = here.decrypt if len(self.directions) == 2 else Const(self.directions[0], 1)
        m.d.comb += [
            behind.eq(f.arrivals.beat),
            load.eq(f.arrivals.valid & (~here_valid | control.pop)),
            f.arrivals.read.eq(load),
        ]
        with m.If(load):
            m.d.sync += [here.eq(behind), here_valid.eq(1)]
        with m.Elif(control.pop):
            m.d.sync += here_valid.eq(0)
        with m.If(f.clear):
            m.d.sync += [Value.cast(here).eq(0), here_valid.eq(0)]
        return Present(here, here_valid, behind, decrypt)

    def _moves(
        self, f: Frame, present: Present, results: PromisedQueue, call: Value, T_valid: Value
    ) -> tuple[Moves, Moves]:
        """Tells the control what is there. Returns what enters the pipelines, and what comes out of them."""
        control = f.control
        entering = Moves(
            beat=control.go & ~control.hold,
            held=control.hold,
            completed=control.complete,
            rest=control.finish & ~control.together,
        )
        arrived = Moves(**{name: self._tag(f, name, flag) for name, flag in vars(entering).items()})
        f.m.d.comb += [
            control.present.eq(present.valid),
            control.last.eq(present.here.last),
            control.end.eq(present.here.end),
            control.next_present.eq(f.arrivals.valid),
            control.next_last.eq(present.behind.last),
            control.next_end.eq(present.behind.end),
            control.masked.eq(T_valid),
            control.room.eq(results.room),
            control.free.eq(~call if self.shared else 1),
            control.held.eq(arrived.held),
            control.clear.eq(f.clear),
            results.step.eq(control.go | entering.rest),
        ]
        return entering, arrived

    def _masks(self, f: Frame, present: Present, entering: Moves, T_valid: Value) -> list[Value]:
        """The mask of each lane. T is that of the present beat's first block; with a held beat it stays."""
        m, control, w = f.m, f.control, self.parameters.width
        T = Signal(128)
        masks: list[Value] = [T]
        for k in range(w):
            masks.append(named(m, f"T{k + 1}", self.following(masks[-1])))
        with m.If(control.unit_end | ~T_valid):
            m.d.sync += [T.eq(f.tweaks.beat), T_valid.eq(f.tweaks.valid)]
        with m.Elif(entering.beat):
            m.d.sync += T.eq(masks[w])
        with m.If(f.clear):
            m.d.sync += [T.eq(0), T_valid.eq(0)]
        m.d.comb += f.tweaks.read.eq(f.tweaks.valid & (control.unit_end | ~T_valid))
        pairs = [self.stealing_masks(masks[k], masks[k + 1], present.decrypt) for k in range(w)]
        used = []
        for k in range(w):
            held = control.hold & (control.holding == k)
            used.append(named(m, f"mask{k}", Mux(held, pairs[k][0], masks[k])))
        completed = select([pair[1] for pair in pairs], control.lane)
        return [named(m, "mask", Mux(control.complete, completed, used[0])), *used[1:]]

    def _stealing(self, f: Frame, present: Present) -> StealingData:
        """The completed block, of the present beat and the held result."""
        f.m.submodules.stealing = stealing = StealingData(width=self.parameters.width)
        f.m.d.comb += [
            stealing.blocks.eq(present.here.data.as_value()),
            stealing.lane.eq(f.control.lane),
            stealing.whole.eq(f.control.whole),
            stealing.together.eq(f.control.together),
            stealing.end.eq(present.here.end),
            stealing.clear.eq(f.clear),
        ]
        return stealing

    def _shared_cipher(
        self, f: Frame, blocks: list[Value], present: Present, call: Value, called: Value
    ) -> list[Value]:
        """One set of pipelines for blocks and tweaks. Returns its results."""
        m, lanes = f.m, self.ciphers["lanes"]
        m.submodules.lanes = lanes
        m.d.comb += [
            lanes.i.payload.eq(Cat(blocks)),
            lanes.i.valid.eq(f.control.go | f.control.complete | call),
            lanes.second.eq(call),
            lanes.round_keys.eq(self.key_unit.round_keys),
            called.eq(call),
        ]
        with m.If(call):
            m.d.comb += lanes.i.payload[:128].eq(self.entrance.tweak)
        m.d.comb += [
            f.tweaks.write.eq(self._tag(f, "tweak", call)),
            f.tweaks.data.eq(f.kept(lanes.o.payload[:128])),
        ]
        return blocks_of(lanes.o.payload, self.parameters.lanes)

    def _separate_ciphers(
        self, f: Frame, blocks: list[Value], present: Present, call: Value, called: Value
    ) -> list[Value]:
        """Pipelines for blocks, and a sequential AES for tweaks. Returns the results of the pipelines."""
        m, keys = f.m, self.key_unit
        half = len(keys.round_keys) // 2
        m.submodules.tweak_cipher = own = self.tweak_cipher
        m.d.comb += [
            own.i.payload.eq(self.entrance.tweak),
            own.i.valid.eq(call),
            own.round_keys.eq(keys.round_keys[half:]),
            own.clear.eq(f.clear),
            own.o.ready.eq(1),
            called.eq(call & own.i.ready),
            f.tweaks.write.eq(own.o.valid),
            f.tweaks.data.eq(f.kept(own.o.payload)),
        ]
        if "cipher" in self.ciphers:
            m.d.comb += self.ciphers["cipher"].decrypt.eq(present.decrypt)
        given, valid = Cat(blocks), f.control.go | f.control.complete
        for name, pipeline in self.ciphers.items():
            m.submodules[name] = pipeline
            m.d.comb += [
                pipeline.i.payload.eq(given),
                pipeline.i.valid.eq(valid),
                pipeline.round_keys.eq(keys.round_keys[:half]),
            ]
        result, *other = (pipeline.o.payload for pipeline in self.ciphers.values())
        if other:
            result = named(m, "given", Mux(self._tag(f, "way", present.decrypt), other[0], result))
        return blocks_of(result, self.parameters.lanes)

    def _results(
        self,
        f: Frame,
        present: Present,
        masks: list[Value],
        stealing: StealingData,
        E: list[Value],
        arrived: Moves,
        results: PromisedQueue,
    ) -> None:
        """Unmasks what comes out of the pipelines, and puts beats of it into the queue of results."""
        m, control, here, w = f.m, f.control, present.here, self.parameters.width
        amid = control.complete & ~control.together  # the last whole block's place is not at its unit's end
        end = Mux(amid, -1, here.end)[: len(here.end)]
        about = data.StructLayout({"end": len(here.end), "last": 1, "lane": len(control.lane), "together": 1})
        beside = Delay(
            m,
            "beside",
            Cat(*masks, end, here.last & ~amid, control.lane, control.together),
            cycles=self.cipher_latency,
            clear=f.clear,
            clear_row=f.clear_row,
        ).value
        then = about(beside[128 * w :])
        y = [named(m, f"y{k}", f.kept(self.leave(E[k], mask))) for k, mask in enumerate(blocks_of(beside, w))]
        m.d.comb += [
            stealing.y.eq(Cat(y)),
            stealing.y_held.eq(arrived.held),
            stealing.y_completed.eq(arrived.completed),
            stealing.y_rest.eq(arrived.rest),
            stealing.y_together.eq(then.together),
            stealing.y_lane.eq(then.lane),
            stealing.y_end.eq(then.end),
            results.write.eq(arrived.beat | arrived.completed | arrived.rest),
            results.data.eq(f.kept(Cat(stealing.beat, then.end, then.last))),
            self.computed.eq(results.write & then.last),
        ]

    def _leave(self, f: Frame, results: PromisedQueue) -> None:
        """The oldest result, at the output."""
        size = 128 * self.parameters.width
        f.m.d.comb += [
            self.o.valid.eq(results.valid & ~f.clear),
            results.read.eq(self.o.valid & self.o.ready),
            self.o.payload.data.eq(results.beat[:size]),
            self.o.payload.keep.eq(up_to(results.beat[size:-1])),
            self.o.payload.last.eq(results.beat[-1]),
        ]

    def _tag(self, f: Frame, name: str, entering: Value) -> Value:
        """A flag that goes along with the pipelines, as it is beside their output."""
        tag = Signal(self.cipher_latency, name=f"{name}_tag")
        f.m.d.sync += tag.eq(Mux(f.clear, 0, Cat(entering, tag[:-1])))
        return tag[-1]
