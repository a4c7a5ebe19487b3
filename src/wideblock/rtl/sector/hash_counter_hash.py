# SPDX-License-Identifier: Apache-2.0
"""The family hash-counter-hash: what FAST, XCB and HMCH share.

    i -> front hash -+-> sector ring -> counter mode -+-> result ring -> o
                     +-> R, G, Z (two single AES calls) +-> back hash

Each stage works on the oldest sector that is ready for it. What a sector carries from stage to stage stands in small
memories with a row for each sector under way; a pointer a stage says whose turn it is.
"""

from collections.abc import Sequence

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import connect, flipped

from wideblock.rtl.aes.pipelined import PipelinedEncryption
from wideblock.rtl.hash.products import Block, Product
from wideblock.rtl.hash.program import Arrival, Program, schedule
from wideblock.rtl.hash.unit import HashUnit

from .entrance import Entrance
from .exit import Exit
from .key_unit import KeyUnit
from .parameters import Parameters, SectorTiming
from .queue import PromisedQueue
from .signature import sector_members
from .storage import Ring, Slots

__all__ = ["HashCounterHash"]


def _power_of_two(n: int) -> int:
    return 1 << max(1, (n - 1).bit_length())


class HashCounterHash(wiring.Component):
    """A sector core of the family; a scheme states ``specials``, ``front``, ``back`` and its equations.

    Without ``overlap`` one hash unit serves both passes of one sector at a time; with it each pass has its own, and
    the sectors follow each other as fast as the lanes take them.

    Timing: see :class:`SectorTiming`; the same for every sector, whatever its data, key and tweak.
    Paths:  none combinational from an input stream to an output.
    """

    title: str
    security: str
    specials: int

    def __init__(self, parameters: Parameters):
        self.parameters = p = parameters
        self.check(p)
        self.multipliers = p.width if p.hash == "horner" else max(1, p.width // 2)
        self.decimation = self.multipliers * p.mult_stages
        self.cipher_latency = 1 + (10 if p.key_bits == 128 else 14) * p.round_stages
        self.lane_steps = p.m // p.lanes
        self.front_program, self.back_program = self._programs()
        self.programs = {"front": self.front_program, "back": self.back_program}
        self.units = self._hash_units()
        self.slots, self.timing = self._timing()
        self.entrance = Entrance(width=p.width, beats=p.beats)
        super().__init__(sector_members(p.width, self.key_port_bits(p)))

    # What a scheme states

    @staticmethod
    def check(p: Parameters) -> None:
        """Raises ValueError if the scheme does not exist for these parameters."""
        raise NotImplementedError

    @staticmethod
    def key_port_bits(p: Parameters) -> int:
        """Width of the key port: AES key, and after it what else the scheme has as key words."""
        return p.key_bits

    def front(self, X: Sequence[Block]) -> list[Product]:
        """Products of the first pass; ``"Q"`` gives R, and its right operand is Q."""
        raise NotImplementedError

    def back(self, Y: Sequence[Block]) -> list[Product]:
        """Products of the second pass: those that raise ``"tauW"`` and ``"h"``. Y[0] stands for W."""
        raise NotImplementedError

    # Schedules and timing

    def _hash_units(self) -> dict[str, HashUnit]:
        """The hash unit of each pass; without overlap both are the same one."""
        p, taps = self.parameters, {"Q": ("front", "Q")}
        if p.overlap:
            return {
                name: HashUnit(
                    {name: program}, width=p.width, taps=taps if name == "front" else {}, leaf=p.leaf, squares=p.squares
                )
                for name, program in self.programs.items()
            }
        return dict.fromkeys(
            self.programs, HashUnit(self.programs, width=p.width, taps=taps, leaf=p.leaf, squares=p.squares)
        )

    def _arrivals(self, specials: Sequence[str]) -> list[Arrival]:
        """Blocks by their place in the stream, and after them the specials, one a step."""
        p = self.parameters
        banks = p.width if p.hash == "horner" else max(2, p.width)
        return [
            *(Arrival(b, b // p.width, b % banks) for b in range(p.m)),
            *(Arrival(name, p.beats + k, 0) for k, name in enumerate(specials)),
        ]

    def _programs(self) -> tuple[Program, Program]:
        """Both passes, with the shortest period at which they can be scheduled."""
        p = self.parameters
        X = list(range(p.m))
        front, back = self.front(X), self.back(X)
        specials = ["T", "Xa"]
        least = p.beats + len(specials)

        def build(products, names, urgent, steps, period):
            used = {b for product in products for b in (product.left, product.right)}
            arrivals = [a for a in self._arrivals(names) if a.block in used]
            return schedule(
                products,
                arrivals,
                latency=p.mult_stages,
                multipliers=self.multipliers,
                beats=p.beats,
                steps=steps,
                period=period,
                urgent=urgent,
            )

        error = None
        for period in range(least, 2 * least + 64) if p.overlap else (None,):
            try:
                return (
                    build(front, specials, ("D", "Q"), period or least, period),
                    build(back, specials[:1], ("D",), period or least, period),
                )
            except ValueError as failed:
                error = failed
        raise ValueError(f"no schedule for {p.m} blocks, width {p.width}, mult_stages {p.mult_stages}: {error}")

    def _timing(self) -> tuple[int, SectorTiming]:
        """Sectors under way, and the cycle contract, from the schedules."""
        p, A = self.parameters, self.cipher_latency
        registered = 1  # the input beat
        queued = 1 if p.overlap else 0
        first_counter = registered + self.front_program.done("R") + A + 1
        first_result = first_counter + A + queued
        compute = first_result + p.beats * (p.width // p.lanes - 1) + self.back_program.done("h")
        latency = compute + 1 + p.beats
        interval = max(self.front_program.steps, self.back_program.steps, self.lane_steps + 1) if p.overlap else compute
        slots = _power_of_two(-(-latency // interval))
        self.ring_depth = slots * _power_of_two(p.beats)
        unit = self.units["front"]
        self.clear_rows = _power_of_two(
            max(self.ring_depth, A + p.mult_stages + 2, unit.depth, self.units["back"].depth, self.queue_depth)
        )
        self.key_unit = KeyUnit(key_bits=p.key_bits, sbox=p.sbox, rows=self.clear_rows, round_stages=p.round_stages)
        powers = max(u.setup for u in self.units.values())
        setup = self.key_unit.expansion.timing.latency + A + powers + 2
        return slots, SectorTiming(compute, latency, interval, setup, 2 * self.clear_rows + 1)

    @property
    def queue_depth(self) -> int:
        """Beats between the lanes and the back hash: what the lanes hold, and what may wait for a multiplier."""
        return _power_of_two(self.cipher_latency + 8)

    # Hardware

    def elaborate(self, platform):
        m = Module()
        p = self.parameters
        slot_bits = self.slots.bit_length() - 1
        m.submodules.key_unit = keys = self.key_unit
        clear, clear_row = keys.clear, keys.clear_row

        def pointer(name, advance):
            """The sector whose turn it is at a stage, with one bit more to tell none from all."""
            value = Signal(slot_bits + 1, name=f"{name}_sector")
            with m.If(clear):
                m.d.sync += value.eq(0)
            with m.Elif(advance):
                m.d.sync += value.eq(value + 1)
            return value

        def slots(name, width=128):
            return Slots(m, name, width=width, slots=self.slots, clear=clear, clear_row=clear_row)

        def ring(name):
            return Ring(m, name, width=128 * p.width, depth=self.ring_depth, clear=clear, clear_row=clear_row)

        beat_bits = len(self.entrance.number)

        def row(number, sector):
            """Address of a beat in a ring; ``number`` has no bits where a sector is one beat."""
            return Cat(number, Const(0, beat_bits - len(number)), sector[:slot_bits])

        front, back = self.units["front"], self.units["back"]
        m.submodules.front_hash = front
        if p.overlap:
            m.submodules.back_hash = back
        units = [front, back] if p.overlap else [front]
        m.submodules.lanes = lanes = PipelinedEncryption(
            key_bits=p.key_bits, round_stages=p.round_stages, sbox=p.sbox, lanes=p.lanes
        )
        E = _blocks(lanes.o.payload, p.lanes)

        # What a sector carries from stage to stage
        tweak, direction = slots("tweak"), slots("direction", 1)
        X = [slots(f"X{k + 1}") for k in range(self.specials)]
        Q, R, G, Z, W = (slots(name) for name in "QRGZW")
        outer, inner = slots("outer"), slots("inner")
        sector_ring, result_ring = ring("sector_ring"), ring("result_ring")

        # Entrance and front hash
        m.submodules.entrance = entrance = self.entrance
        connect(m, flipped(self.i), entrance.i)
        x = entrance.x
        admit = Signal()
        front_sector = pointer("front", front.front_last)
        m.d.comb += [
            entrance.open.eq(keys.running),
            entrance.hold.eq(keys.waiting),
            entrance.clear.eq(clear),
            front.front_beat.eq(entrance.valid & admit),
            entrance.take.eq(front.front_beat & front.front_ready),
            self.fault.eq(entrance.fault),
            front.front_restart.eq(entrance.fault.any()),
        ]
        opening = entrance.take & front.front_first
        tweak.write(front_sector, x.tweak, opening)
        direction.write(front_sector, x.decrypt, opening)
        for k, block in enumerate(X):
            block.write(front_sector, x.data[k % p.width], entrance.take & (entrance.number == k // p.width))
        sector_ring.write(row(entrance.number, front_sector), x.data, entrance.take)
        m.d.comb += front.special_Xa.eq(self.Xa([b.read(front_sector) for b in X], direction.read(front_sector)))

        # First single call: R
        q_sector = pointer("q", front.issue_Q)
        Q.write(q_sector, front.operand_Q, front.issue_Q)
        r_sector = pointer("r", front.event_R)
        r_value = Signal(128)
        m.d.comb += r_value.eq(self.R([b.read(r_sector) for b in X], direction.read(r_sector), front.result_R))
        R.write(r_sector, r_value, front.event_R)

        # What is in the lanes: nothing, a single call, the call that makes tau, or a step of the counter mode
        step_go = Signal()
        arriving, arrived = self._tags(m, clear, single=front.event_R, tau=keys.derive, step=step_go)

        # Its result: G, and Z for the counter mode
        g_sector = pointer("g", arrived.single)
        g_value = Signal(128)
        m.d.comb += g_value.eq(self.G(Q.read(g_sector), E[0]))
        G.write(g_sector, g_value, arrived.single)
        Z.write(g_sector, self.Z(R.read(g_sector), g_value), arrived.single)

        # Counter mode: lane k of a step takes block step * lanes + k; block 0 is the second single call
        room = Signal()
        step, last_step = self._steps(m, "step", step_go, clear)
        lane_sector = pointer("lane", last_step)
        m.d.comb += step_go.eq((lane_sector != g_sector) & ~front.event_R & room)
        counter_input, second_call = Z.read(lane_sector), G.read(lane_sector)
        for k, c in enumerate(_blocks(lanes.i.payload, p.lanes)):
            index = Signal(range(p.m + 1), name=f"counter{k}")
            m.d.comb += [
                index.eq(step * p.lanes + (k + 1 - self.specials) % (1 << len(index))),
                c.eq(self.counter(counter_input, index)),
            ]
            if k == 0:
                with m.If(step == 0):
                    m.d.comb += c.eq(second_call)
                with m.If(front.event_R):
                    m.d.comb += c.eq(r_value)
                with m.If(keys.derive | clear):
                    m.d.comb += c.eq(0)

        # Its result: X_i + E(..), and W in the place of block 0
        parts = p.width // p.lanes
        part_bits = parts.bit_length() - 1
        x_step, last_x = self._steps(m, "x_step", arriving.step, clear)
        x_sector = pointer("x", last_x)
        x_blocks = _blocks(sector_ring.read(row(x_step[part_bits:], x_sector), 1), p.width)
        y_step, last_y = self._steps(m, "y_step", arrived.step, clear)
        y_sector = pointer("y", last_y)
        y = []
        for k in range(p.lanes):
            plain = _select(x_blocks[k :: p.lanes], y_step[:part_bits])
            if k == 0:
                plain = Mux(y_step == 0, R.read(y_sector), plain)
            block = Signal(128, name=f"y{k}")
            m.d.comb += block.eq((E[k] ^ plain) & ~clear.replicate(128))
            y.append(block)
        W.write(y_sector, y[0], arrived.step & (y_step == 0))
        y_beat, y_valid = self._beat(m, y, y_step[:part_bits], arrived.step, clear)
        result_ring.write(row(y_step[part_bits:], y_sector), y_beat, y_valid)

        # Back hash
        back_sector = pointer("back", back.back_last)
        m.d.comb += [back.back_decrypt.eq(direction.read(back_sector)), back.special_T.eq(tweak.read(back_sector))]
        if p.overlap:
            m.submodules.queue = queue = PromisedQueue(
                width=len(y_beat), depth=self.queue_depth, parts=parts, clear_row_bits=len(clear_row)
            )
            m.d.comb += [
                front.front_decrypt.eq(direction.read(front_sector)),
                front.special_T.eq(tweak.read(front_sector)),
                front.blocks.eq(x.data),
                queue.step.eq(step_go),
                room.eq(queue.room),
                queue.write.eq(y_valid),
                queue.data.eq(y_beat),
                queue.clear.eq(clear),
                queue.clear_row.eq(clear_row),
                back.blocks.eq(queue.beat),
                back.back_beat.eq(queue.valid),
                queue.read.eq(back.back_beat & back.back_ready),
            ]
        else:
            m.d.comb += [
                front.front_decrypt.eq(back.back_decrypt),
                room.eq(1),
                back.back_beat.eq(y_valid),
                back.blocks.eq(Mux(y_valid, y_beat, x.data)),
            ]

        # The blocks that are known last
        outer_sector = pointer("outer", back.event_tauW)
        outer.write(outer_sector, self.outer(G.read(outer_sector), back.result_tauW), back.event_tauW)
        inner_sector = pointer("inner", back.event_h)
        inner.write(inner_sector, self.inner(W.read(inner_sector), back.result_h), back.event_h)
        m.d.comb += self.computed.eq(back.event_h)

        # Exit
        m.submodules.exit = leaving = Exit(width=p.width, beats=p.beats, sector_bits=slot_bits + 1)
        connect(m, leaving.o, flipped(self.o))
        blocks = _blocks(result_ring.read(row(leaving.number, leaving.sector), leaving.advance), p.width)
        shown = leaving.shown
        finished = self.order(direction.read(shown), outer.read(shown), inner.read(shown))
        for k, block in enumerate(finished):
            lane = k % p.width
            blocks[lane] = Mux(leaving.shown_number == k // p.width, block, blocks[lane])
        m.d.comb += [
            leaving.clear.eq(clear),
            leaving.pending.eq(leaving.sector != inner_sector),
            leaving.data.eq(Cat(blocks)),
        ]

        # Admission: room for the result, and one sector at a time; with overlap, one an interval
        under_way = Signal(slot_bits + 1)
        m.d.comb += under_way.eq(front_sector - leaving.sector)
        all_computed = front_sector == inner_sector
        free = under_way < self.slots
        if p.overlap:
            pace = Signal(range(self.timing.interval))
            with m.If(clear):
                m.d.sync += pace.eq(0)
            with m.Elif(opening):
                m.d.sync += pace.eq(self.timing.interval - 1)
            with m.Elif(pace != 0):
                m.d.sync += pace.eq(pace - 1)
            free = free & (pace == 0)
        else:
            free = free & all_computed
        m.d.comb += admit.eq(~front.front_first | free)

        # Keys
        connect(m, flipped(self.key), keys.key)
        loaded = Signal(len(units))
        m.d.sync += loaded.eq(Mux(keys.derive, 0, loaded | Cat(unit.loaded for unit in units)))
        m.d.comb += [
            keys.zeroize.eq(self.zeroize),
            keys.idle.eq(entrance.between & front.front_first & all_computed),
            keys.derived.eq(loaded.all()),
            lanes.round_keys.eq(keys.round_keys),
            self.ready.eq(keys.running),
        ]
        for unit in units:
            m.d.comb += [
                unit.tau.eq(E[0]),
                unit.load.eq(arrived.tau),
                unit.clear.eq(clear),
                unit.clear_row.eq(clear_row),
            ]
        return m

    def _tags(self, m: Module, clear: Value, **entering: Value):
        """Flags that go along with the lanes: those one cycle before the lanes' output, and those beside it."""
        layout = data.StructLayout(dict.fromkeys(entering, 1))
        tag = Signal(layout, name="entering")
        m.d.comb += [tag[name].eq(value) for name, value in entering.items()]
        arriving = tag
        for k in range(self.cipher_latency):
            arriving, tag = tag, Signal(layout, name=f"tag{k}")
            m.d.sync += tag.eq(arriving)
            with m.If(clear):
                m.d.sync += tag.eq(0)
        return arriving, tag

    def _steps(self, m: Module, name: str, go: Value, clear: Value) -> tuple[Signal, Value]:
        """A counter of a sector's steps that ``go`` advances, and whether it does so for the last one."""
        step = Signal(range(self.lane_steps), name=name)
        final = step == self.lane_steps - 1
        with m.If(clear):
            m.d.sync += step.eq(0)
        with m.Elif(go):
            m.d.sync += step.eq(Mux(final, 0, step + 1))
        return step, go & final

    def _beat(self, m: Module, y: list[Signal], part: Value, go: Value, clear: Value) -> tuple[Value, Value]:
        """A beat of ``width`` blocks from as many steps as it takes, and whether it is whole."""
        parts = self.parameters.width // len(y)
        held: list[Value] = []
        for q in range(parts - 1):
            for k, block in enumerate(y):
                register = Signal(128, name=f"held{q}_{k}")
                with m.If((go & (part == q)) | clear):
                    m.d.sync += register.eq(block)
                held.append(register)
        return Cat(*held, *y), go & (part == parts - 1) if parts > 1 else go


def _select(values: Sequence[Value], index: Value) -> Value:
    result = values[0]
    for k, value in enumerate(values[1:], 1):
        result = Mux(index == k, value, result)
    return result


def _blocks(beat: Value, width: int) -> list[Value]:
    return [beat[128 * k : 128 * k + 128] for k in range(width)]
