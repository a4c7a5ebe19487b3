# SPDX-License-Identifier: Apache-2.0
"""The family hash-counter-hash: what FAST, XCB and HMCH share.

    i -> front hash -+-> sector ring -> counter mode -+-> result ring -> o
                     +-> R, G, Z (two single AES calls) +-> back hash

Each stage works on the oldest sector that is ready for it. What a sector carries from stage to stage stands in small
memories with a row for each sector under way; a pointer a stage says whose turn it is.
"""

from collections.abc import Sequence

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, memory, wiring

from wideblock.rtl.aes.key_expansion import KeyExpansion
from wideblock.rtl.aes.pipelined import PipelinedEncryption
from wideblock.rtl.hash.products import Block, Product
from wideblock.rtl.hash.program import Arrival, Program, schedule
from wideblock.rtl.hash.unit import HashUnit

from .parameters import Parameters, SectorTiming
from .signature import FAULT_LONG, FAULT_SHORT, sector_members
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
        self.key_expansion = KeyExpansion(key_bits=p.key_bits, sbox="lut" if p.sbox == "bram" else p.sbox)
        self.slots, self.timing = self._timing()
        super().__init__(sector_members(p.width, p.key_bits))

    # What a scheme states

    @staticmethod
    def check(p: Parameters) -> None:
        """Raises ValueError if the scheme does not exist for these parameters."""
        raise NotImplementedError

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
            return {name: HashUnit({name: program}, width=p.width, taps=taps if name == "front" else {}, leaf=p.leaf, squares=p.squares)
                    for name, program in self.programs.items()}
        return dict.fromkeys(self.programs, HashUnit(self.programs, width=p.width, taps=taps, leaf=p.leaf, squares=p.squares))

    def _arrivals(self, specials: Sequence[str]) -> list[Arrival]:
        """Blocks by their place in the stream, and after them the specials, one a step."""
        p = self.parameters
        banks = p.width if p.hash == "horner" else max(2, p.width)
        return [*(Arrival(b, b // p.width, b % banks) for b in range(p.m)),
                *(Arrival(name, p.beats + k, 0) for k, name in enumerate(specials))]

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
            return schedule(products, arrivals, latency=p.mult_stages, multipliers=self.multipliers, beats=p.beats,
                            steps=steps, period=period, urgent=urgent)

        error = None
        for period in range(least, 2 * least + 64) if p.overlap else (None,):
            try:
                return (build(front, specials, ("D", "Q"), period or least, period),
                        build(back, specials[:1], ("D",), period or least, period))
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
        self.clear_rows = _power_of_two(max(self.ring_depth, A + p.mult_stages + 2, unit.depth,
                                            self.units["back"].depth, self.queue_depth))
        expansion = self.key_expansion.timing.latency
        powers = max(u.setup for u in self.units.values())
        setup = expansion + A + powers + 2
        return slots, SectorTiming(compute, latency, interval, setup, 2 * self.clear_rows + 1)

    @property
    def queue_depth(self) -> int:
        """Beats between the lanes and the back hash: what the lanes hold, and what may wait for a multiplier."""
        return _power_of_two(self.cipher_latency + 8)

    # Hardware

    def elaborate(self, platform):
        m = Module()
        p = self.parameters
        A = self.cipher_latency
        slot_bits = self.slots.bit_length() - 1
        beat_bits = _power_of_two(p.beats).bit_length() - 1

        clear = Signal()
        clear_row = Signal(range(self.clear_rows))
        running = Signal()

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

        front, back = self.units["front"], self.units["back"]
        m.submodules.front_hash = front
        if p.overlap:
            m.submodules.back_hash = back
        m.submodules.lanes = lanes = PipelinedEncryption(key_bits=p.key_bits, round_stages=p.round_stages, sbox=p.sbox,
                                                         lanes=p.lanes)

        # Input: one register, and the framing of sectors
        x_valid = Signal()
        x = Signal(data.StructLayout({"data": data.ArrayLayout(128, p.width), "tweak": 128, "decrypt": 1, "last": 1}))
        taken, beat, discard = Signal(), Signal(), Signal()
        between = Signal(init=1)
        key_waits = Signal()
        m.d.comb += self.i.ready.eq(running & (~x_valid | taken) & ~(between & key_waits))
        accept = Signal()
        m.d.comb += accept.eq(self.i.valid & self.i.ready)
        with m.If(taken):
            m.d.sync += x_valid.eq(0)
        with m.If(accept):
            m.d.sync += [x_valid.eq(1), x.eq(self.i.payload), between.eq(self.i.payload.last)]
        with m.If(clear):
            m.d.sync += [x_valid.eq(0), x.eq(0), between.eq(1)]

        # Front hash: its place in the sector, faults, admission
        front_sector = pointer("front", front.front_last)
        final_beat = Signal()
        beats_seen = Signal(range(max(2, p.beats)))
        consumed = Signal()
        admit = Signal()
        m.d.comb += [
            beat.eq(x_valid & admit & ~discard),
            front.front_beat.eq(beat),
            consumed.eq(beat & front.front_ready),
            taken.eq(consumed | (x_valid & discard)),
            final_beat.eq(beats_seen == p.beats - 1),
            self.fault[FAULT_SHORT].eq(consumed & x.last & ~final_beat),
            self.fault[FAULT_LONG].eq(consumed & final_beat & ~x.last),
            front.front_restart.eq(self.fault.any()),
        ]
        with m.If(consumed):
            m.d.sync += beats_seen.eq(Mux(final_beat | x.last, 0, beats_seen + 1))
        with m.If(self.fault[FAULT_LONG]):
            m.d.sync += discard.eq(1)
        with m.Elif(x_valid & x.last):
            m.d.sync += discard.eq(0)
        with m.If(clear):
            m.d.sync += [beats_seen.eq(0), discard.eq(0)]

        # The memories that a sector's values live in
        tweak, direction = slots("tweak"), slots("direction", 1)
        X = [slots(f"X{k + 1}") for k in range(self.specials)]
        Q, R, G, Z, W = (slots(name) for name in "QRGZW")
        outer, inner = slots("outer"), slots("inner")
        opening = consumed & front.front_first
        tweak.write(front_sector, x.tweak, opening)
        direction.write(front_sector, x.decrypt, opening)
        for k, block in enumerate(X):
            at_beat = consumed & (beats_seen == k // p.width)
            block.write(front_sector, x.data[k % p.width], at_beat)
        sector_ring = Ring(m, "sector_ring", width=128 * p.width, depth=self.ring_depth, clear=clear, clear_row=clear_row)
        sector_ring.write(Cat(beats_seen, front_sector[:slot_bits]), x.data, consumed)

        # First single call: R
        q_sector = pointer("q", front.issue_Q)
        Q.write(q_sector, front.operand_Q, front.issue_Q)
        r_sector = pointer("r", front.event_R)
        r_value = Signal(128)
        m.d.comb += r_value.eq(self.R([b.read(r_sector) for b in X], direction.read(r_sector), front.result_R))
        R.write(r_sector, r_value, front.event_R)

        # What is in the lanes: nothing, a single call, the call that makes tau, or a step of the counter mode
        tag_layout = data.StructLayout({"single": 1, "tau": 1, "step": 1})
        tags = [Signal(tag_layout, name=f"tag{k}") for k in range(A + 1)]
        for earlier, later in zip(tags, tags[1:]):
            m.d.sync += later.eq(earlier)
            with m.If(clear):
                m.d.sync += later.eq(0)
        arriving, arrived = tags[A - 1], tags[A]
        E = _blocks(lanes.o.payload, p.lanes)

        # Its result: G, and Z for the counter mode
        g_sector = pointer("g", arrived.single)
        g_value = Signal(128)
        m.d.comb += g_value.eq(self.G(Q.read(g_sector), E[0]))
        G.write(g_sector, g_value, arrived.single)
        Z.write(g_sector, self.Z(R.read(g_sector), g_value), arrived.single)

        # Counter mode: lane k of step j takes block j * lanes + k; block 0 is the second single call
        step = Signal(range(self.lane_steps))
        step_go = Signal()
        room = Signal()
        lane_sector = pointer("lane", step_go & (step == self.lane_steps - 1))
        making_tau = Signal()
        m.d.comb += [
            step_go.eq((lane_sector != g_sector) & ~front.event_R & room),
            tags[0].single.eq(front.event_R),
            tags[0].tau.eq(making_tau),
            tags[0].step.eq(step_go),
        ]
        with m.If(clear):
            m.d.sync += step.eq(0)
        with m.Elif(step_go):
            m.d.sync += step.eq(Mux(step == self.lane_steps - 1, 0, step + 1))
        z_value, g_again = Z.read(lane_sector), G.read(lane_sector)
        for k, c in enumerate(_blocks(lanes.i.payload, p.lanes)):
            # blocks of the counter mode count from 1: index j * lanes + k less specials, plus one
            index = Signal(range(p.m + 1), name=f"counter{k}")
            m.d.comb += index.eq(step * p.lanes + (k + 1 - self.specials) % (1 << len(index)))
            m.d.comb += c.eq(self.counter(z_value, index))
            if k == 0:
                with m.If(step == 0):
                    m.d.comb += c.eq(g_again)
                with m.If(front.event_R):
                    m.d.comb += c.eq(r_value)
                with m.If(making_tau | clear):
                    m.d.comb += c.eq(0)

        # Ciphertext: X_i + E(..), and W in the place of block 0
        y_step = Signal(range(self.lane_steps))
        y_sector = pointer("y", arrived.step & (y_step == self.lane_steps - 1))
        x_step = Signal(range(self.lane_steps))
        x_sector = pointer("x", arriving.step & (x_step == self.lane_steps - 1))
        for counter, event in ((y_step, arrived.step), (x_step, arriving.step)):
            with m.If(clear):
                m.d.sync += counter.eq(0)
            with m.Elif(event):
                m.d.sync += counter.eq(Mux(counter == self.lane_steps - 1, 0, counter + 1))
        parts = p.width // p.lanes
        part_bits = parts.bit_length() - 1
        x_beat = sector_ring.read(Cat(x_step[part_bits:], x_sector[:slot_bits]), 1)
        part = y_step[:part_bits]
        y = []
        for k in range(p.lanes):
            plain = _select([x_beat[128 * (q * p.lanes + k):][:128] for q in range(parts)], part)
            if k == 0:
                plain = Mux(y_step == 0, R.read(y_sector), plain)
            block = Signal(128, name=f"y{k}")
            m.d.comb += block.eq((E[k] ^ plain) & ~clear.replicate(128))
            y.append(block)
        W.write(y_sector, y[0], arrived.step & (y_step == 0))
        held: list[Value] = []
        for q in range(parts - 1):
            for k in range(p.lanes):
                register = Signal(128, name=f"held{q}_{k}")
                with m.If((arrived.step & (part == q)) | clear):
                    m.d.sync += register.eq(y[k])
                held.append(register)
        y_beat = Cat(*held, *y)
        y_valid = Signal()
        m.d.comb += y_valid.eq(arrived.step & (part == parts - 1) if parts > 1 else arrived.step)
        result_ring = Ring(m, "result_ring", width=128 * p.width, depth=self.ring_depth, clear=clear, clear_row=clear_row)
        result_ring.write(Cat(y_step[part_bits:], y_sector[:slot_bits]), y_beat, y_valid)

        # Back hash
        back_sector = pointer("back", back.back_last)
        m.d.comb += [back.back_decrypt.eq(direction.read(back_sector)), back.back_restart.eq(0)]
        if p.overlap:
            m.d.comb += front.front_decrypt.eq(direction.read(front_sector))
            m.d.comb += [front.special_T.eq(tweak.read(front_sector)), back.special_T.eq(tweak.read(back_sector)),
                         front.blocks.eq(x.data)]
            self._queue(m, y_beat, y_valid, step_go, room, back, clear, clear_row)
        else:
            m.d.comb += [front.front_decrypt.eq(back.back_decrypt), front.special_T.eq(tweak.read(back_sector)),
                         room.eq(1), back.back_beat.eq(y_valid), back.blocks.eq(Mux(y_valid, y_beat, x.data))]
        m.d.comb += front.special_Xa.eq(self.Xa([b.read(front_sector) for b in X], direction.read(front_sector)))

        # The last blocks
        outer_sector = pointer("outer", back.event_tauW)
        outer.write(outer_sector, self.outer(G.read(outer_sector), back.result_tauW), back.event_tauW)
        inner_sector = pointer("inner", back.event_h)
        inner.write(inner_sector, self.inner(W.read(inner_sector), back.result_h), back.event_h)
        m.d.comb += self.computed.eq(back.event_h)

        # Output: the ring's read register is the output register
        o_beat = Signal(beat_bits)
        o_first, o_last, o_valid = Signal(), Signal(), Signal()
        fetch, advance = Signal(), Signal()
        out_sector = pointer("out", fetch & (o_beat == p.beats - 1))
        shown = Signal.like(out_sector)
        m.d.comb += [
            advance.eq(~o_valid | self.o.ready),
            fetch.eq(advance & (out_sector != inner_sector)),
            self.o.valid.eq(o_valid),
            self.o.payload.last.eq(o_last),
        ]
        with m.If(advance):
            m.d.sync += [o_valid.eq(fetch), o_first.eq(o_beat == 0), o_last.eq(o_beat == p.beats - 1),
                         shown.eq(out_sector)]
        with m.If(fetch):
            m.d.sync += o_beat.eq(Mux(o_beat == p.beats - 1, 0, o_beat + 1))
        with m.If(clear):
            m.d.sync += [o_valid.eq(0), o_beat.eq(0), o_first.eq(0), o_last.eq(0)]
        blocks = _blocks(result_ring.read(Cat(o_beat, out_sector[:slot_bits]), advance | clear), p.width)
        finished = self.order(direction.read(shown), outer.read(shown), inner.read(shown))
        m.d.comb += self.o.payload.data.eq(Cat(self._finish(blocks, finished, o_first, o_beat)))

        # Admission: room for the result, and without overlap one sector at a time
        in_flight = Signal(slot_bits + 1)
        m.d.comb += in_flight.eq(front_sector - out_sector)
        free = in_flight < self.slots
        if not p.overlap:
            free = free & (front_sector == inner_sector)
        m.d.comb += admit.eq(~front.front_first | free)

        idle = running & ~x_valid & front.front_first & between & (front_sector == inner_sector)
        self._keys(m, lanes, clear=clear, clear_row=clear_row, running=running, key_waits=key_waits, idle=idle,
                   making_tau=making_tau, tau=E[0], tau_made=arrived.tau)
        return m

    def _finish(self, blocks: list[Value], finished: list[Value], first: Value, following_beat: Value) -> list[Value]:
        """The beat from the ring, with the blocks that were known last in their places."""
        p = self.parameters
        if self.specials <= p.width:
            return [Mux(first, finished[k], block) if k < self.specials else block for k, block in enumerate(blocks)]
        # narrower beats: the special blocks fill whole beats, told apart by the beat that follows
        value = blocks[0]
        for k in range(self.specials):
            value = Mux(following_beat == (k + 1) % p.beats, finished[k], value)
        return [value]

    def _queue(self, m, y_beat, y_valid, step_go, room, back, clear, clear_row) -> None:
        """Beats wait here when the back hash is held up; steps enter the lanes only if their beat will find room."""
        p = self.parameters
        depth = self.queue_depth
        queue = memory.Memory(shape=len(y_beat), depth=depth, init=[])
        m.submodules.queue = queue
        write, read = queue.write_port(), queue.read_port(domain="comb")
        head, tail = Signal(range(depth)), Signal(range(depth))
        waiting, promised = Signal(range(depth + 1)), Signal(range(depth + 1))
        parts = p.width // p.lanes
        pop, promise = Signal(), Signal()
        opening = Signal(range(max(2, parts)))
        m.d.comb += [
            write.addr.eq(tail), write.data.eq(y_beat), write.en.eq(y_valid),
            read.addr.eq(head), back.blocks.eq(read.data),
            back.back_beat.eq(waiting != 0),
            pop.eq(back.back_beat & back.back_ready),
            room.eq((promised != depth) | (opening != 0)),
            promise.eq(step_go & (opening == 0)),
        ]
        with m.If(step_go):
            m.d.sync += opening.eq(Mux(opening == parts - 1, 0, opening + 1))
        m.d.sync += [head.eq(head + pop), tail.eq(tail + y_valid), waiting.eq(waiting + y_valid - pop),
                     promised.eq(promised + promise - pop)]
        with m.If(clear):
            m.d.comb += [write.addr.eq(clear_row), write.en.eq(1)]
            m.d.sync += [signal.eq(0) for signal in (head, tail, waiting, promised, opening)]

    def _keys(self, m, lanes, *, clear, clear_row, running, key_waits, idle, making_tau, tau, tau_made) -> None:
        """Clearing, and what follows a new key: round keys, tau and its powers. A sector never sees two keys."""
        p = self.parameters
        m.submodules.key_expansion = expansion = self.key_expansion
        units = [self.units["front"], *([self.units["back"]] if p.overlap else [])]
        count = Signal(range(2 * self.clear_rows))
        m.d.comb += [clear_row.eq(count), expansion.clear.eq(clear), self.ready.eq(running),
                     expansion.key.payload.eq(self.key.payload)]
        m.d.comb += lanes.round_keys.eq(expansion.round_keys)
        for unit in units:
            m.d.comb += [unit.tau.eq(tau), unit.load.eq(tau_made), unit.clear.eq(clear), unit.clear_row.eq(clear_row)]
        loaded = Signal(len(units))
        m.d.sync += loaded.eq(loaded | Cat(unit.loaded for unit in units))
        m.d.sync += key_waits.eq(self.key.valid & running & ~(self.key.ready & self.key.valid))

        taken = Signal()
        m.d.comb += [taken.eq(self.key.valid & self.key.ready), expansion.key.valid.eq(taken)]
        with m.FSM():
            with m.State("clear"):
                m.d.comb += clear.eq(1)
                m.d.sync += count.eq(count + 1)
                with m.If(count == 2 * self.clear_rows - 1):
                    m.next = "no key"
            with m.State("no key"):
                m.d.comb += self.key.ready.eq(expansion.key.ready)
                with m.If(taken):
                    m.next = "expansion"
                self._zeroize(m, count)
            with m.State("expansion"):
                with m.If(expansion.ready):
                    m.d.comb += making_tau.eq(1)
                    m.d.sync += loaded.eq(0)
                    m.next = "powers"
                self._zeroize(m, count)
            with m.State("powers"):
                with m.If(loaded.all()):
                    m.next = "running"
                self._zeroize(m, count)
            with m.State("running"):
                m.d.comb += [running.eq(1), self.key.ready.eq(key_waits & idle & expansion.key.ready)]
                with m.If(taken):
                    m.next = "expansion"
                self._zeroize(m, count)

    def _zeroize(self, m: Module, count: Signal) -> None:
        with m.If(self.zeroize):
            m.d.sync += count.eq(0)
            m.next = "clear"


def _select(values: Sequence[Value], index: Value) -> Value:
    result = values[0]
    for k, value in enumerate(values[1:], 1):
        result = Mux(index == k, value, result)
    return result


def _blocks(beat: Value, width: int) -> list[Value]:
    return [beat[128 * k:128 * k + 128] for k in range(width)]
