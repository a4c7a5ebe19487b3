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
from amaranth.lib import wiring
from amaranth.lib.wiring import connect, flipped

from wideblock.rtl.aes.iterative import IterativeEncryption
from wideblock.rtl.aes.pipelined import PipelinedDecryption, PipelinedEitherWay, PipelinedEncryption
from wideblock.rtl.aes.planes import named
from wideblock.rtl.aes.rounds import ROUNDS

from .key_unit import KeyUnit
from .parameters import Parameters, SectorTiming
from .queue import PromisedQueue
from .signature import FAULT_KEY, sector_members
from .stages import blocks as blocks_of
from .stages import power_of_two, select
from .storage import Delay
from .unit_entrance import UnitEntrance

__all__ = ["SinglePass"]


class SinglePass(wiring.Component):
    """A core of the family, for units of any length from one block up; a scheme states its equations.

    ``sector_bytes`` is the length of the units for which ``timing`` is stated, no more. A core that only encrypts has
    one set of pipelines, which also encipher the tweaks, a cycle each; the others have a sequential AES for these.

    Timing: see :class:`SectorTiming`; the same for every unit of a length, whatever its data, key and tweak. A unit
            that ends in part of a block takes 2 cycles and the pipeline's latency longer.
    Paths:  none combinational from an input stream to an output.
    """

    title: str
    security: str
    max_blocks: int

    def __init__(self, parameters: Parameters):
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
        super().__init__(sector_members(p.width, self.key_port_bits(p), keep=True, faults=4))

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
    def check(p: Parameters) -> None:
        """Raises ValueError if the scheme does not exist for these parameters."""
        raise NotImplementedError

    @staticmethod
    def key_port_bits(p: Parameters) -> int:
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
        lane_bits = max(1, w.bit_length() - 1)  # a number of a lane, also where there is one only

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
        take, call, tweak_free = Signal(), Signal(), Signal()
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
        here, here_valid = Signal(entrance.layout), Signal()
        decrypt = here.decrypt if len(self.directions) == 2 else Const(self.directions[0], 1)
        behind, load, pop = Signal(entrance.layout), Signal(), Signal()
        m.d.comb += [
            behind.eq(arrivals.beat),
            load.eq(arrivals.valid & (~here_valid | pop)),
            arrivals.read.eq(load),
        ]
        with m.If(load):
            m.d.sync += [here.eq(behind), here_valid.eq(1)]
        with m.Elif(pop):
            m.d.sync += here_valid.eq(0)
        with m.If(clear):
            m.d.sync += [Value.cast(here).eq(0), here_valid.eq(0)]
        full = here.end[4:]  # whole blocks of a beat that ends in part of one
        ends_here = Signal()
        ends_behind = Signal()
        m.d.comb += [
            ends_here.eq(here.last & (here.end[:4] != 15) & (full != 0)),
            ends_behind.eq(~here.last & behind.last & (behind.end[:4] != 15) & (behind.end[4:] == 0)),
        ]

        # Its way into the pipelines: as it is; or, at a unit's end, held, then completed, then the rest
        T, T_valid = Signal(128), Signal()
        completing, rest = Signal(), Signal()
        together = Signal()  # the unit's last whole block and the part after it are in one beat
        lane = Signal(lane_bits)  # of the last whole block
        result_held = Signal()
        results = queue("results", len(Value.cast(self.o.payload.data)) + len(here.end) + 1, self.results_depth)
        go, hold, complete, finish, unit_end = Signal(), Signal(), Signal(), Signal(), Signal()
        lanes_free = ~call if self.shared else Value.cast(1)
        m.d.comb += [
            go.eq(
                here_valid & T_valid & ~completing & ~rest & (here.last | arrivals.valid) & results.room & lanes_free
            ),
            hold.eq(go & (ends_here | ends_behind)),
            complete.eq(completing & result_held & here_valid & lanes_free),
            finish.eq(rest & (results.room | together)),
            results.step.eq(go | (finish & ~together)),
            unit_end.eq((go & ~hold & here.last) | finish),
            pop.eq((go & ~(hold & ends_here)) | finish),
        ]
        with m.If(hold):
            m.d.sync += [completing.eq(1), together.eq(ends_here), lane.eq(Mux(ends_here, full - 1, w - 1))]
        with m.If(complete):
            m.d.sync += [completing.eq(0), rest.eq(1)]
        with m.If(finish):
            m.d.sync += rest.eq(0)

        # Masks: T is that of the present beat's first block; with a held beat it stays
        masks = [T]
        for k in range(w):
            masks.append(named(m, f"T{k + 1}", self.following(masks[-1])))
        with m.If(unit_end | ~T_valid):
            m.d.sync += [T.eq(tweaks.beat), T_valid.eq(tweaks.valid)]
        with m.Elif(go & ~hold):
            m.d.sync += T.eq(masks[w])
        m.d.comb += tweaks.read.eq(tweaks.valid & (unit_end | ~T_valid))
        holding = Mux(ends_here, full - 1, w - 1)[:lane_bits]
        pairs = [self.stealing_masks(masks[k], masks[k + 1], decrypt) for k in range(w)]
        used = [named(m, f"mask{k}", Mux(hold & (holding == k), pairs[k][0], masks[k])) for k in range(w)]
        used[0] = named(m, "mask", Mux(complete, select([pair[1] for pair in pairs], lane), used[0]))

        # The block that is completed: what there is of it, then the end of the held result before it
        held = [Signal(128, name=f"held{k}") for k in range(w)]
        stolen = named(m, "stolen", select(held, lane))
        part = select([here.data[k] for k in range(w)], Mux(together, full, 0)[:lane_bits])
        inside = _up_to(here.end[:4])
        completed = Cat(Mux(inside[k], part[8 * k : 8 * k + 8], stolen[8 * k : 8 * k + 8]) for k in range(16))
        blocks = [self.enter(here.data[k], used[k]) for k in range(w)]
        blocks[0] = self.enter(Mux(complete, completed, here.data[0]), used[0])
        E = self._ciphers(m, call, go | complete, Cat(blocks), tweaks, tweak_free, decrypt)

        # What comes out of the pipelines
        tags = {"beat": go & ~hold, "held": hold, "completed": complete, "rest": finish & ~together}
        arrived = self._tags(m, clear, tags)
        about = Cat(
            Mux(complete & ~together, (1 << len(here.end)) - 1, here.end), here.last & ~(complete & ~together), lane
        )
        beside = Delay(
            m,
            "beside",
            Cat(*used, about, together),
            cycles=self.cipher_latency,
            clear=clear,
            clear_row=clear_row,
        ).value
        then = beside[128 * w :]
        end, last = then[: len(here.end)], then[len(here.end)]
        then_lane, then_together = then[len(here.end) + 1 : -1], then[-1]
        y = [named(m, f"y{k}", kept(self.leave(E[k], beside[128 * k : 128 * k + 128]))) for k in range(w)]
        for k in range(w):
            with m.If(arrived["held"]):
                m.d.sync += held[k].eq(y[k])
        with m.If(arrived["held"]):
            m.d.sync += result_held.eq(1)
        with m.Elif(complete):
            m.d.sync += result_held.eq(0)
        beat = []
        for k in range(w):
            in_its_place = Mux(then_lane == k, y[0], held[k])
            if k:
                in_its_place = Mux(then_together & (then_lane == k - 1), held[k - 1], in_its_place)
            block = Mux(arrived["completed"], in_its_place, y[k])
            if k == 0:
                block = Mux(arrived["rest"], held[w - 1], block)
            beat.append(block)
        keep = _up_to(end)
        data = Cat(beat)
        data = Cat(data[8 * k : 8 * k + 8] & keep[k].replicate(8) for k in range(16 * w))
        m.d.comb += [
            results.write.eq(arrived["beat"] | arrived["completed"] | arrived["rest"]),
            results.data.eq(kept(Cat(data, end, last))),
            self.computed.eq(results.write & last),
        ]

        # Exit
        size = 128 * w
        m.d.comb += [
            self.o.valid.eq(results.valid & ~clear),
            results.read.eq(self.o.valid & self.o.ready),
            self.o.payload.data.eq(results.beat[:size]),
            self.o.payload.keep.eq(_up_to(results.beat[size:-1])),
            self.o.payload.last.eq(results.beat[-1]),
        ]

        # Keys
        connect(m, flipped(self.key), keys.key)
        units = Signal(range(self.arrivals_depth + self.cipher_latency + 8))  # entered and not yet computed
        m.d.sync += units.eq(units + call - self.computed)
        m.d.comb += [
            keys.zeroize.eq(self.zeroize),
            keys.idle.eq(entrance.between & (units == 0)),
            keys.derived.eq(1),
            self.ready.eq(keys.running),
            self.fault.eq(entrance.fault | (keys.refused << FAULT_KEY)),
        ]
        with m.If(clear):
            m.d.sync += [s.eq(0) for s in (T, T_valid, completing, rest, together, lane, result_held, units) if len(s)]
            m.d.sync += [block.eq(0) for block in held]
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


def _up_to(end: Value) -> Value:
    """A bit for each byte: those up to number ``end`` are high."""
    return Cat(end >= k for k in range(1 << len(end)))
