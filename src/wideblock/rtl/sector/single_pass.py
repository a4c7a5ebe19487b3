# SPDX-License-Identifier: Apache-2.0
"""The family single pass: every block enciphered once, under masks that its unit's tweak and its place give.

    i -> arrivals -> present beat --(+)-> AES pipeline(s) --(+)-> results -> o
            |                        |                       |
         tweak's own AES call -> T, T x^width, ..  -- delay --

A unit's tweak goes to its cipher when the unit's first beat enters the queue of arrivals, so that its masks are there
when that beat becomes the present one. Nothing after the queue waits for the output: a beat enters the pipelines only
when its result is sure of a place.

A last block that is not whole is completed with the end of the result before it. That result is held, the completed
block follows it into the pipelines, and what is left of it leaves last.
"""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import connect, flipped

from wideblock.rtl.aes.iterative import IterativeEncryption
from wideblock.rtl.aes.pipelined import PipelinedDecryption, PipelinedEitherWay, PipelinedEncryption
from wideblock.rtl.aes.planes import named
from wideblock.rtl.aes.rounds import ROUNDS
from wideblock.rtl.keys.unit import REFUSED, KeyUnit
from wideblock.rtl.stream.behaviour import Behaviour, KeyRule, Length, Output, SectorTiming
from wideblock.rtl.stream.queue import PromisedQueue
from wideblock.rtl.stream.sector import sector_interface
from wideblock.rtl.stream.stages import blocks as blocks_of
from wideblock.rtl.stream.stages import power_of_two, select
from wideblock.rtl.stream.storage import Delay
from wideblock.rtl.stream.unit_entrance import FAULTS, UnitEntrance

from .parameters import SinglePassParameters
from .stealing import StealingControl, StealingData, up_to

__all__ = ["SinglePass"]


class SinglePass(wiring.Component):
    """A core of the family, for units of any length from one block up; a scheme states its equations.

    ``sector_bytes`` is the length of the units for which ``timing`` is stated, no more. A core that only encrypts has
    one set of pipelines, which also encipher the tweaks, a cycle each; the others have a sequential AES for these.

    Timing: see :class:`SectorTiming`; the same for every unit of a length, whatever its data, key and tweak. A unit
            that ends in part of a block takes 2 cycles and the pipeline's latency longer.
    Paths:  none combinational from an input stream to an output.
    """

    rules = "single_pass"  # module of formal rules: wideblock.verify.formal.rules
    title: str
    max_blocks: int

    def __init__(self, parameters: SinglePassParameters):
        self.parameters = p = parameters
        self.check(p)
        self.directions = {"encrypt": (False,), "decrypt": (True,), "both": (False, True)}[p.direction]
        self.shared = p.direction == "encrypt"
        rounds = ROUNDS[p.key_bits]
        self.cipher_latency = A = 1 + rounds * p.round_stages
        self.tweak_latency = A if self.shared else 1 + rounds
        self.entrance = UnitEntrance(width=p.width, beats=self.max_blocks // p.width, directions=self.directions)
        self.arrivals_depth = self.tweak_latency + 2  # as many as arrive while a tweak is enciphered, and not more
        self.results_depth = A + 2
        self.key_unit = KeyUnit(
            key_bits=p.key_bits,
            sbox=p.sbox,
            rows=2 * power_of_two(max(self.arrivals_depth, self.results_depth)),
            round_stages=p.round_stages,
            keys=2,
        )
        self.timing = self._timing()
        faults = (*FAULTS, REFUSED)
        self.interface = sector_interface(
            p.width, self.key_port_bits(p), faults, key_parts="Key1 for the data, then Key2 for the tweak", keep=True
        )
        self.behaviour = Behaviour(
            length=Length(16, 16 * self.max_blocks),
            usual=p.sector_bytes,
            output=Output.CUT_THROUGH,
            directions=self.directions,
            keys=KeyRule.HALVES_DIFFER,
            faults=faults,
            timing=self.timing,
            partial=A + 2,
        )
        super().__init__(self.interface.members())

    def _timing(self) -> SectorTiming:
        p = self.parameters
        registered, masks = 1, 2  # the input beat; the enciphered tweak in its queue, and in the register of masks
        compute = registered + self.tweak_latency + masks - 1 + self.cipher_latency + p.beats
        return SectorTiming(
            compute=compute,
            latency=compute + 1,
            interval=p.beats + 1 if self.shared else max(p.beats, self.tweak_latency),
            setup=2 * self.key_unit.expansion.timing.latency + 2,
            zeroize=2 * self.key_unit.rows + 1,
        )

    # What a scheme states

    @staticmethod
    def check(p: SinglePassParameters) -> None:
        """Raises ValueError if the scheme does not exist for these parameters."""
        raise NotImplementedError

    @staticmethod
    def key_port_bits(p: SinglePassParameters) -> int:
        """Width of the key port: that of the data's key, in the low bits, and of the tweak's."""
        return 2 * p.key_bits

    def following(self, T: Value) -> Value:
        """The mask of the block after that of ``T``."""
        raise NotImplementedError

    def enter(self, block: Value, T: Value) -> Value:
        """What the cipher takes for a block."""
        raise NotImplementedError

    def leave(self, E: Value, T: Value) -> Value:
        """The block's result, from what the cipher gives."""
        raise NotImplementedError

    def stealing_masks(self, T: Value, following: Value, decrypt: Value) -> tuple[Value, Value]:
        """Masks of the last whole block and of the completed one, of the last two masks of a unit."""
        raise NotImplementedError

    # Hardware

    def elaborate(self, platform):
        m = Module()
        w = self.parameters.width
        m.submodules.key_unit = keys = self.key_unit
        clear, clear_row = keys.clear, keys.clear_row

        def kept(value: Value) -> Value:
            return value & ~clear.replicate(len(value))

        def queue(name, width, depth):
            m.submodules[name] = q = PromisedQueue(width=width, depth=depth, parts=1, clear_row_bits=len(clear_row))
            m.d.comb += [q.clear.eq(clear), q.clear_row.eq(clear_row)]
            return q

        # Entrance
        m.submodules.entrance = entrance = self.entrance
        connect(m, flipped(self.i), entrance.i)
        arrivals = queue("arrivals", entrance.layout.size, self.arrivals_depth)
        tweaks = queue("tweaks", 128, self.arrivals_depth)
        take = Signal()
        call = Signal()
        tweak_free = Signal()
        m.d.comb += [
            entrance.open.eq(keys.running),
            entrance.hold.eq(keys.waiting),
            entrance.clear.eq(clear),
            take.eq(entrance.valid & arrivals.room & (~entrance.first | (tweaks.room & tweak_free))),
            call.eq(take & entrance.first),
            entrance.take.eq(take),
            arrivals.step.eq(take),
            arrivals.write.eq(take),
            arrivals.data.eq(kept(entrance.x.as_value())),
            tweaks.step.eq(call),
        ]

        # The present beat and the one behind it
        m.submodules.control = control = StealingControl(width=w)
        here = Signal(entrance.layout)
        here_valid = Signal()
        behind = Signal(entrance.layout)
        load = Signal()
        decrypt = here.decrypt if len(self.directions) == 2 else Const(self.directions[0], 1)
        m.d.comb += [
            behind.eq(arrivals.beat),
            load.eq(arrivals.valid & (~here_valid | control.pop)),
            arrivals.read.eq(load),
        ]
        with m.If(load):
            m.d.sync += [here.eq(behind), here_valid.eq(1)]
        with m.Elif(control.pop):
            m.d.sync += here_valid.eq(0)
        with m.If(clear):
            m.d.sync += [Value.cast(here).eq(0), here_valid.eq(0)]

        # Its way into the pipelines
        T = Signal(128)
        T_valid = Signal()
        results = queue("results", len(Value.cast(self.o.payload.data)) + len(here.end) + 1, self.results_depth)
        go, hold, complete = control.go, control.hold, control.complete
        entering = {
            "beat": go & ~hold,
            "held": hold,
            "completed": complete,
            "rest": control.finish & ~control.together,
        }
        arrived = self._tags(m, clear, entering)
        m.d.comb += [
            control.present.eq(here_valid),
            control.last.eq(here.last),
            control.end.eq(here.end),
            control.next_present.eq(arrivals.valid),
            control.next_last.eq(behind.last),
            control.next_end.eq(behind.end),
            control.masked.eq(T_valid),
            control.room.eq(results.room),
            control.free.eq(~call if self.shared else 1),
            control.held.eq(arrived["held"]),
            control.clear.eq(clear),
            results.step.eq(go | entering["rest"]),
        ]

        # Masks: T is that of the present beat's first block; with a held beat it stays
        masks = [T]
        for k in range(w):
            masks.append(named(m, f"T{k + 1}", self.following(masks[-1])))
        with m.If(control.unit_end | ~T_valid):
            m.d.sync += [T.eq(tweaks.beat), T_valid.eq(tweaks.valid)]
        with m.Elif(entering["beat"]):
            m.d.sync += T.eq(masks[w])
        with m.If(clear):
            m.d.sync += [T.eq(0), T_valid.eq(0)]
        m.d.comb += tweaks.read.eq(tweaks.valid & (control.unit_end | ~T_valid))
        pairs = [self.stealing_masks(masks[k], masks[k + 1], decrypt) for k in range(w)]
        used = [named(m, f"mask{k}", Mux(hold & (control.holding == k), pairs[k][0], masks[k])) for k in range(w)]
        used[0] = named(m, "mask", Mux(complete, select([pair[1] for pair in pairs], control.lane), used[0]))

        # The pipelines
        m.submodules.stealing = stealing = StealingData(width=w)
        m.d.comb += [
            stealing.blocks.eq(here.data.as_value()),
            stealing.lane.eq(control.lane),
            stealing.whole.eq(control.whole),
            stealing.together.eq(control.together),
            stealing.end.eq(here.end),
            stealing.clear.eq(clear),
        ]
        blocks = [self.enter(here.data[k], used[k]) for k in range(w)]
        blocks[0] = self.enter(Mux(complete, stealing.completed, here.data[0]), used[0])
        E = self._ciphers(m, call, go | complete, Cat(blocks), tweaks, tweak_free, decrypt)

        # What comes out of them, and what is known about it
        amid = complete & ~control.together  # the last whole block's place is not at its unit's end
        about = data.StructLayout({"end": len(here.end), "last": 1, "lane": len(control.lane), "together": 1})
        beside = Delay(
            m,
            "beside",
            Cat(*used, Mux(amid, -1, here.end)[: len(here.end)], here.last & ~amid, control.lane, control.together),
            cycles=self.cipher_latency,
            clear=clear,
            clear_row=clear_row,
        ).value
        then = about(beside[128 * w :])
        y = [named(m, f"y{k}", kept(self.leave(E[k], beside[128 * k : 128 * k + 128]))) for k in range(w)]
        m.d.comb += [
            stealing.y.eq(Cat(y)),
            stealing.y_held.eq(arrived["held"]),
            stealing.y_completed.eq(arrived["completed"]),
            stealing.y_rest.eq(arrived["rest"]),
            stealing.y_together.eq(then.together),
            stealing.y_lane.eq(then.lane),
            stealing.y_end.eq(then.end),
            results.write.eq(arrived["beat"] | arrived["completed"] | arrived["rest"]),
            results.data.eq(kept(Cat(stealing.beat, then.end, then.last))),
            self.computed.eq(results.write & then.last),
        ]

        # Exit
        size = 128 * w
        m.d.comb += [
            self.o.valid.eq(results.valid & ~clear),
            results.read.eq(self.o.valid & self.o.ready),
            self.o.payload.data.eq(results.beat[:size]),
            self.o.payload.keep.eq(up_to(results.beat[size:-1])),
            self.o.payload.last.eq(results.beat[-1]),
        ]

        # Keys
        connect(m, flipped(self.key), keys.key)
        units = Signal(range(self.arrivals_depth + self.cipher_latency + 8))  # entered and not yet computed
        m.d.sync += units.eq(Mux(clear, 0, units + call - self.computed))
        m.d.comb += [
            keys.zeroize.eq(self.zeroize),
            keys.idle.eq(entrance.between & (units == 0)),
            keys.derived.eq(1),
            self.ready.eq(keys.running),
            self.fault.eq(entrance.fault | (keys.refused << len(FAULTS))),
        ]
        return m

    def _ciphers(self, m: Module, call: Value, valid: Value, blocks: Value, tweaks, tweak_free, decrypt):
        """What the pipelines give for ``blocks``; and the enciphered tweaks, from them or from an AES of their own."""
        p, keys, entrance = self.parameters, self.key_unit, self.entrance
        parameters = {"key_bits": p.key_bits, "round_stages": p.round_stages, "sbox": p.sbox, "lanes": p.lanes}
        half = len(keys.round_keys) // 2
        if self.shared:
            m.submodules.lanes = lanes = PipelinedEncryption(key_sets=2, **parameters)
            m.d.comb += [
                lanes.i.payload.eq(blocks),
                lanes.i.valid.eq(valid | call),
                lanes.second.eq(call),
                lanes.round_keys.eq(keys.round_keys),
                tweak_free.eq(1),
            ]
            with m.If(call):
                m.d.comb += lanes.i.payload[:128].eq(entrance.tweak)
            m.d.comb += [
                tweaks.write.eq(self._tags(m, keys.clear, {"tweak": call})["tweak"]),
                tweaks.data.eq(lanes.o.payload[:128] & ~keys.clear.replicate(128)),
            ]
            return blocks_of(lanes.o.payload, p.lanes)
        m.submodules.tweak_cipher = own = IterativeEncryption(
            key_bits=p.key_bits, sbox="lut" if p.sbox == "bram" else p.sbox
        )
        m.d.comb += [
            own.i.payload.eq(entrance.tweak),
            own.i.valid.eq(call),
            own.round_keys.eq(keys.round_keys[half:]),
            own.clear.eq(keys.clear),
            own.o.ready.eq(1),
            tweak_free.eq(own.i.ready),
            tweaks.write.eq(own.o.valid),
            tweaks.data.eq(own.o.payload & ~keys.clear.replicate(128)),
        ]
        separate = {False: PipelinedEncryption, True: PipelinedDecryption}
        both = len(self.directions) == 2
        # the inversion in GF(2^8) can serve both directions, but not where S-boxes are block RAM, which has no gates
        if both and p.sbox != "bram":
            pipelines = {"cipher": PipelinedEitherWay(**parameters)}
            m.d.comb += pipelines["cipher"].decrypt.eq(decrypt)
        else:
            pipelines = {"decryption" if way else "encryption": separate[way](**parameters) for way in self.directions}
        for name, pipeline in pipelines.items():
            m.submodules[name] = pipeline
            m.d.comb += [
                pipeline.i.payload.eq(blocks),
                pipeline.i.valid.eq(valid),
                pipeline.round_keys.eq(keys.round_keys[:half]),
            ]
        given, *other = (pipeline.o.payload for pipeline in pipelines.values())
        if other:
            given = named(m, "given", Mux(self._tags(m, keys.clear, {"way": decrypt})["way"], other[0], given))
        return blocks_of(given, p.lanes)

    def _tags(self, m: Module, clear: Value, entering: dict[str, Value]) -> dict[str, Value]:
        """Flags that go along with the pipelines, as they are beside its output."""
        tags = {}
        for name, value in entering.items():
            tag = Signal(self.cipher_latency, name=f"{name}_tag")
            m.d.sync += tag.eq(Mux(clear, 0, Cat(value, tag[:-1])))
            tags[name] = tag[-1]
        return tags
