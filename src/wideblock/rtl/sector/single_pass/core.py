# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The family single pass: every block enciphered once, under masks from the unit's tweak and the block's place.

    i -> arrivals -> present beat --(+)-> AES pipeline(s) --(+)-> results -> o
            |                        |                       |
         tweak's own AES call -> T, T x^width, ..  -- delay --

A unit's tweak goes to the tweak's cipher when the unit's first beat enters the queue of arrivals: the masks are ready
when the first beat becomes the present beat. Nothing after the queue waits for the output: a beat enters the pipelines
only with a reserved place for the result.

A partial last block is completed with the end of the result before. The result before is held, the completed block
follows into the pipelines, and the rest of the held result leaves last.

With two or more stages a round the control decides a cycle before the data move, on the tags of the beats alone.
Registers take the decision to the data: beat, masks and the choice of masks come from registers.
"""

from dataclasses import replace

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import connect, flipped

from wideblock.rtl.aes.planes import named
from wideblock.rtl.bytes import up_to
from wideblock.rtl.keys.slots import SlotUnit
from wideblock.rtl.keys.unit import KeyUnit
from wideblock.rtl.stream.behaviour import Behaviour, KeyRule, MarkedLength, Output, SectorTiming
from wideblock.rtl.stream.influence import EqualHalves, FieldInfluence, Influence, OutcomeInfluence, lengths
from wideblock.rtl.stream.queue import PromisedQueue
from wideblock.rtl.stream.sector import sector_interface
from wideblock.rtl.stream.stages import blocks as blocks_of
from wideblock.rtl.stream.stages import power_of_two, select
from wideblock.rtl.stream.storage import Delay
from wideblock.rtl.stream.unit_entrance import FAULTS, UNKNOWN, UnitEntrance

from ..keys import check_underived, connect_keys, connect_slots, key_collector, key_faults, with_key_faults
from ..parameters import SinglePassParameters
from .ciphers import Ciphers
from .equations import SinglePassEquations
from .slots import UnitSlots
from .stealing import StealingControl, StealingData
from .values import Decision, Present, SinglePassFrame

__all__ = ["SinglePass"]


class SinglePass(SinglePassEquations, wiring.Component):
    """A core of the family, for units of any length from one block up.

    A scheme states the :class:`SinglePassEquations`.

    ``sector_bytes``: length of units for ``timing``, no limit. A core that only encrypts has a set of pipelines for
    blocks and tweaks, a cycle a tweak; other cores encipher tweaks in a sequential AES.

    Timing: see :class:`SectorTiming`; equal for every unit of a length, independent of data, key and tweak. A partial
            block at a unit's end takes up to 2 cycles and the pipeline's latency.
    Paths:  none combinational from an input stream to an output.
    """

    family = "single pass"

    def __init__(self, parameters: SinglePassParameters):
        self.parameters = p = parameters
        self.directions = {"encrypt": (False,), "decrypt": (True,), "both": (False, True)}[p.direction]
        self.ciphers = Ciphers(p)
        self.cycles = cycles = self.ciphers.cycles
        beats, slots = self.max_blocks // p.width, p.slots > 0
        self.entrance = UnitEntrance(
            width=p.width, beats=beats, directions=self.directions, slots=slots, tag_bits=p.tag_bits
        )
        rows = 2 * power_of_two(max(cycles.arrivals, cycles.results))
        material = self.key_material(p)
        check_underived(self, material)
        faults = (*FAULTS, *((UNKNOWN,) if slots else ()), *key_faults(p, material))
        self.key_collector = key_collector(p, material)
        if slots:
            most = cycles.arrivals + cycles.results + 8
            self.key_unit = SlotUnit(material, slots=p.slots, ways=self.directions, sbox=p.sbox, rows=rows, most=most)
        else:
            self.key_unit = KeyUnit(material, sbox=p.sbox, rows=rows, round_stages=p.round_stages)
        self.timing = self.cycles_of(p.sector_bytes)
        self.interface = sector_interface(
            p.width,
            material.bits,
            faults,
            key_parts=material.text,
            key_width=p.key_width,
            keep=True,
            slots=slots,
            tag_bits=p.tag_bits,
        )
        self.behaviour = Behaviour(
            length=MarkedLength(16, 16 * self.max_blocks, p.sector_bytes, cycles.partial, self.cycles_of),
            output=Output.CUT_THROUGH,
            directions=self.directions,
            keys=material.rule,
            faults=faults,
            timing=self.timing,
            influences=self._influences(),
            erases=slots,
        )
        super().__init__(self.interface.members())

    def cycles_of(self, size: int) -> SectorTiming:
        """The cycle contract for units of ``size`` bytes."""
        cycles = replace(self.cycles, parameters=replace(self.parameters, sector_bytes=size))
        key_words = self.key_collector.words if self.key_collector else 1
        return SectorTiming(
            compute=cycles.compute,
            latency=cycles.compute + 1,
            busy=cycles.busy,
            interval=cycles.interval,
            setup=key_words - 1 + self._key_setup,
            zeroize=self.key_unit.clearing,
            key_words=key_words,
            slots=self.parameters.slots,
        )

    @property
    def _key_setup(self) -> int:
        """Cycles from a key accepted, or with slots offered, to the first beat of a unit under it."""
        unit = self.key_unit
        return unit.load + 1 if isinstance(unit, SlotUnit) else unit.setup(call=self.cycles.cipher, loading=0)

    def _influences(self) -> tuple[Influence, ...]:
        """Inputs that may matter to handshakes: a unit of a direction not served, and a key, may be refused."""
        found: list[Influence] = list(lengths(self.interface))
        if len(self.directions) == 1:
            found.append(FieldInfluence("i", "decrypt", "a unit of the other direction is refused"))
        if self.parameters.tag_bits:
            found.append(FieldInfluence("i", "tag", "a tag leaves as it came"))
        if self.key_unit.material.rule is KeyRule.HALVES_DIFFER:
            key = "key_collector.o__payload" if self.key_collector else "key__payload"
            unit, why = self.key_unit, "a key of two equal halves is refused"
            if isinstance(unit, SlotUnit):
                found += [
                    FieldInfluence("i", "slot", "a unit of a slot without a key is refused"),
                    FieldInfluence("key", "slot", "which slots have keys is public"),
                    FieldInfluence("key", "evict", "which slots have keys is public"),
                    EqualHalves("key_unit.key__payload", "key_unit.equal", why),
                    OutcomeInfluence("data_keys.wrong", "damage of a stored key", "the core clears itself"),
                    OutcomeInfluence("tweak_keys.wrong", "damage of a stored key", "the core clears itself"),
                ]
            else:
                found.append(EqualHalves(key, "key_unit.refused", why))
        return tuple(found)

    # Hardware

    def elaborate(self, platform):
        m = Module()
        f = self._frame(m)
        # decided by a stage, awaited by those before it
        call = Signal()  # a tweak enters its cipher
        called = Signal()  # and is taken

        self._enter(f, call, called)
        present = self._present(f)
        results = self._queue(f.m, "results", self._result_bits, self.cycles.results)
        decision = self._decide(f, present, results, call)
        masks = self._masks(f, decision)
        stealing = self._stealing(f, present, decision)
        blocks = [self.enter(present.here.data[k], mask) for k, mask in enumerate(masks)]
        blocks[0] = self.enter(stealing.first, masks[0])
        E = self.ciphers.connect(f, blocks, decision, tweak=self.entrance.tweak, call=call, called=called)
        self._results(f, decision, masks, stealing, E, results)
        self._leave(f, results)
        if tag := self.parameters.tag_bits:
            pulse = self.entrance.fault.any()
            m.d.comb += self.fault_tag.eq(self.entrance.x.tag & pulse.replicate(tag))
        m.d.comb += self.fault.eq(with_key_faults(self, self.entrance.fault))
        return m

    def _frame(self, m: Module) -> SinglePassFrame:
        """Key unit, entrance, the queues behind it, and the control."""
        m.submodules.key_unit = keys = self.key_unit
        m.submodules.entrance = entrance = self.entrance
        connect(m, flipped(self.i), entrance.i)
        depth, late = self.cycles.arrivals, self.cycles.ahead > 0
        size = entrance.layout.size
        arrivals = self._queue(m, "arrivals", size, depth, late=entrance.layout["data"].width if late else 0)
        slots = None
        if isinstance(keys, SlotUnit):
            slots = UnitSlots(m, keys, entrance, cycles=self.cycles.cipher, ahead=self.cycles.ahead)
        mask = 128 + (len(slots.row) if slots else 0)
        tweaks = self._queue(m, "tweaks", mask, depth, late=mask if late else 0)
        m.submodules.control = control = StealingControl(width=self.parameters.width)
        round_keys = Const(0) if slots else keys.round_keys
        return SinglePassFrame(m, self.cycles, keys.clear, keys.clear_row, round_keys, arrivals, tweaks, control, slots)

    def _queue(self, m: Module, name: str, width: int, depth: int, late: int = 0) -> PromisedQueue:
        keys = self.key_unit
        queue = PromisedQueue(width=width, depth=depth, parts=1, clear_row_bits=len(keys.clear_row), late=late)
        m.submodules[name] = queue
        m.d.comb += [queue.clear.eq(keys.clear), queue.clear_row.eq(keys.clear_row)]
        return queue

    @property
    def _tag(self) -> tuple[str, ...]:
        """Name of the tag among the fields of a beat, if any."""
        return ("tag",) if self.parameters.tag_bits else ()

    @property
    def _result_bits(self) -> int:
        """Bits of a beat in the queue of results: data, leaving bytes, tag, mark of a last beat."""
        return len(Value.cast(self.o.payload.as_value()))

    # Stages, in the order of the data

    def _enter(self, f: SinglePassFrame, call: Signal, called: Value) -> None:
        """Beats into the queue of arrivals, and the tweak of each unit into its cipher, from the beat's register.

        ``call``: register, set if the queue of tweaks has a free place as the beat enters the entrance.
        """
        keys, entrance, m = self.key_unit, self.entrance, f.m
        waiting = Signal(name="tweak_waiting")  # a tweak without a place
        wanted = Signal(name="call_wanted")
        reserved = Signal(name="call_reserved")
        opening = Signal()
        m.d.comb += [
            entrance.open.eq(~f.clear if f.slots else keys.running),
            *([] if f.slots else [entrance.hold.eq(keys.waiting)]),
            entrance.clear.eq(f.clear),
            wanted.eq(entrance.opening | waiting),
            reserved.eq(wanted & f.tweaks.room & ~call),  # never two in a row: beats enter in between
            f.tweaks.step.eq(called),
            # while the tweak is not taken its unit's first beat stays, and so does the tweak
            entrance.permit.eq(f.arrivals.room & ~waiting & ~(call & ~called)),
            opening.eq(entrance.take & entrance.first),
            f.arrivals.step.eq(entrance.take),
            f.arrivals.write.eq(entrance.take),
            f.arrivals.data.eq(entrance.x.as_value()),
        ]
        m.d.sync += [waiting.eq(wanted & ~reserved), call.eq(reserved | (call & ~called))]
        with m.If(f.clear):
            m.d.sync += [waiting.eq(0), call.eq(0)]
        if isinstance(keys, SlotUnit):
            m.d.comb += keys.computed.eq(self.computed)
            connect_slots(m, self)
            return
        units = Signal(range(self.cycles.arrivals + self.cycles.cipher + 8))  # entered and not yet computed
        m.d.sync += units.eq(Mux(f.clear, 0, units + opening - self.computed))
        connect_keys(m, self, idle=entrance.between & (units == 0), derived=Const(1))

    def _present(self, f: SinglePassFrame) -> Present:
        """The beat moved by the control, in a register; behind it, the oldest beat in the queue."""
        m, control = f.m, f.control
        here = Signal(self.entrance.layout)
        here_valid = Signal()
        behind = Signal(self.entrance.layout)
        load = Signal()
        ends = Signal(name="ends_before")
        decrypt = here.decrypt if len(self.directions) == 2 else Const(self.directions[0], 1)
        m.d.comb += [
            behind.eq(f.arrivals.beat),
            load.eq(f.arrivals.valid & (~here_valid | control.pop)),
            f.arrivals.read.eq(load | ends),
            # an empty beat makes the one before it, which has waited for it, the last one
            ends.eq(f.arrivals.valid & behind.empty),
            control.next_present.eq(f.arrivals.valid & ~behind.empty),
        ]
        with m.If(ends):
            m.d.sync += here.last.eq(1)
        with m.If(load):
            m.d.sync += [here[name].eq(behind[name]) for name in ("end", "last", "decrypt", *self._tag)]
            m.d.sync += here_valid.eq(1)
        with m.Elif(control.pop):
            m.d.sync += here_valid.eq(0)
        with m.If(f.later("load", load)):
            m.d.sync += here.data.eq(behind.data)
        with m.If(f.clear):
            m.d.sync += [Value.cast(here).eq(0), here_valid.eq(0)]
        return Present(here, here_valid, behind, decrypt)

    def _decide(self, f: SinglePassFrame, present: Present, results: PromisedQueue, call: Value) -> Decision:
        """Connects the inputs of the control. Returns the decisions, delayed to the data."""
        m, control, here = f.m, f.control, present.here
        masked = Signal()  # the masks of the present unit are there
        due = Signal(name="masks_due")
        m.d.comb += [
            control.present.eq(present.valid),
            control.last.eq(here.last),
            control.end.eq(here.end),
            control.next_last.eq(present.behind.last),
            control.next_end.eq(present.behind.end),
            control.masked.eq(masked),
            control.room.eq(results.room),
            control.free.eq(~call if self.cycles.shared else 1),
            control.clear.eq(f.clear),
            due.eq(control.unit_end | ~masked),
            f.tweaks.read.eq(f.tweaks.valid & due),
        ]
        with m.If(due):
            m.d.sync += masked.eq(f.tweaks.valid)
        with m.If(f.clear):
            m.d.sync += masked.eq(0)
        rest = control.finish & ~control.together
        m.d.comb += results.step.eq(control.go | rest)
        decided = {
            "enters": control.go | control.complete,
            "beat": control.go & ~control.hold,
            "held": control.hold,
            "completed": control.complete,
            "rest": rest,
            "due": due,
            "holding": control.holding,
            "lane": control.lane,
            "together": control.together,
            "part": Mux(control.complete & control.together, control.whole, 0),
            "bytes": up_to(here.end),
            "rest_bytes": up_to(here.end[:4]),
            "last": here.last,
            "decrypt": present.decrypt,
            "tag": here.tag if self._tag else Const(0, 0),
        }
        return Decision(**{name: f.later(name, value) for name, value in decided.items()})

    def _masks(self, f: SinglePassFrame, decision: Decision) -> list[Value]:
        """The mask of each lane. T is the mask of the present beat's first block, kept with a held beat."""
        m, w = f.m, self.parameters.width
        T = Signal(128)
        masks: list[Value] = [T]
        for k in range(w):
            masks.append(named(m, f"T{k + 1}", self.following(masks[-1])))
        with m.If(decision.due):
            m.d.sync += T.eq(f.tweaks.beat[:128])
        with m.Elif(decision.beat):
            m.d.sync += T.eq(masks[w])
        with m.If(f.clear):
            m.d.sync += T.eq(0)
        if f.slots:
            f.slots.loads(f.tweaks.beat[128:], decision.due)
        pairs = [self.stealing_masks(masks[k], masks[k + 1], decision.decrypt) for k in range(w)]
        used = []
        for k in range(w):
            held = decision.held & (decision.holding == k)
            used.append(named(m, f"mask{k}", Mux(held, pairs[k][0], masks[k])))
        completed = select([pair[1] for pair in pairs], decision.lane)
        return [named(m, "mask", Mux(decision.completed, completed, used[0])), *used[1:]]

    def _stealing(self, f: SinglePassFrame, present: Present, decision: Decision) -> StealingData:
        """The completed block, of the present beat and the held result."""
        f.m.submodules.stealing = stealing = StealingData(width=self.parameters.width)
        f.m.d.comb += [
            stealing.blocks.eq(present.here.data.as_value()),
            stealing.lane.eq(decision.lane),
            stealing.part.eq(decision.part),
            stealing.own.eq(decision.rest_bytes | ~decision.completed.replicate(16)),
            stealing.clear.eq(f.clear),
        ]
        return stealing

    def _results(
        self,
        f: SinglePassFrame,
        decision: Decision,
        masks: list[Value],
        stealing: StealingData,
        E: list[Value],
        results: PromisedQueue,
    ) -> None:
        """Unmasks what comes out of the pipelines, and puts beats of it into the queue of results."""
        m, w = f.m, self.parameters.width
        beat = f.tag("beat", decision.beat)
        held = f.tag("held", decision.held)
        completed = f.tag("completed", decision.completed)
        rest = f.tag("rest", decision.rest)
        amid = decision.completed & ~decision.together  # the last whole block's place is not at its unit's end
        keep = decision.bytes | amid.replicate(16 * w)
        tag = self.parameters.tag_bits
        about = data.StructLayout({"keep": 16 * w, "last": 1, "lane": len(decision.lane), "together": 1, "tag": tag})
        beside = Delay(
            m,
            "beside",
            Cat(*masks, keep, decision.last & ~amid, decision.lane, decision.together, decision.tag),
            cycles=self.cycles.cipher,
            clear=f.clear,
            clear_row=f.clear_row,
        )
        soon, then = about(beside.ahead[128 * w :]), about(beside.value[128 * w :])
        y = [named(m, f"y{k}", self.leave(E[k], mask)) for k, mask in enumerate(blocks_of(beside.value, w))]
        m.d.comb += [
            stealing.y.eq(Cat(y)),
            f.control.held.eq(held[-1 - f.cycles.ahead]),  # of results, too, the control is ahead
            stealing.y_held.eq(held[-1]),
            stealing.y_completed.eq(completed[-2]),
            stealing.y_rest.eq(rest[-2]),
            stealing.y_together.eq(soon.together),
            stealing.y_lane.eq(soon.lane),
            stealing.y_keep.eq(soon.keep),
            results.write.eq(beat[-1] | completed[-1] | rest[-1]),
            results.data.eq(Cat(stealing.beat, then.keep, then.tag, then.last)),
            self.computed.eq(results.write & then.last),
        ]

    def _leave(self, f: SinglePassFrame, results: PromisedQueue) -> None:
        """The oldest result, at the output."""
        size = 128 * self.parameters.width
        f.m.d.comb += [
            self.o.valid.eq(results.valid & ~f.clear),
            results.read.eq(results.valid & self.o.ready),
            self.o.payload.data.eq(results.beat[:size]),
            self.o.payload.keep.eq(results.beat[size:][: size // 8]),
            *(self.o.payload[name].eq(results.beat[size + size // 8 : -1]) for name in self._tag),
            self.o.payload.last.eq(results.beat[-1]),
        ]
