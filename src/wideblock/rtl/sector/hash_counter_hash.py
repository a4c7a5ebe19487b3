# SPDX-License-Identifier: Apache-2.0
"""The family hash-counter-hash: what FAST, XCB and HMCH share.

    i -> front hash -+-> sector ring -> counter mode -+-> result ring -> o
                     +-> R, G, Z (single AES calls) ----+-> back hash

Each stage works on the oldest sector that is ready for it. What a sector carries from stage to stage stands in small
memories with a row for each sector under way; a pointer a stage says whose turn it is.
"""

from collections.abc import Sequence

from amaranth import Cat, Module, Mux, Signal, Value

from wideblock.rtl.aes.iterative import IterativeDecryption
from wideblock.rtl.aes.pipelined import PipelinedEncryption
from wideblock.rtl.hash.products import Block, Product
from wideblock.rtl.hash.program import Arrival, Program, schedule
from wideblock.rtl.hash.unit import HashUnit
from wideblock.rtl.stream.behaviour import SectorTiming
from wideblock.rtl.stream.stages import Stages, blocks, power_of_two, select

from .parameters import HashedParameters
from .two_pass import TwoPass

__all__ = ["HashCounterHash"]


class HashCounterHash(TwoPass):
    """A sector core of the family; a scheme states its equations, ``front``, ``back``, and how it differs:

    specials:     blocks at the beginning that the counter mode does not encipher and that are known last
    first:        number of the block in lane 0's first step; 0, which is a special, stands for a second single call
    tweak_call:   a call of its own enciphers the tweak while the front hash runs
    inverse_call: when decrypting, the first single call is one of inverse AES, by an iterative core
    shortcuts:    without overlap, values skip the registers between two stages: a block is multiplied as it arrives,
                  and what the first single call and the back hash give is used as it enters their last register

    Timing, Paths: those of :class:`TwoPass`.
    """

    rules = "hash_counter_hash"  # module of formal rules: wideblock.verify.formal.rules
    key_parts = "the AES key"
    specials: int
    first = 0
    tweak_call = False
    inverse_call = False
    shortcuts = False

    # What a scheme states

    @staticmethod
    def key_port_bits(p: HashedParameters) -> int:
        """Width of the key port: AES key, and after it what else the scheme has as key words."""
        return p.key_bits

    def front(self, X: Sequence[Block]) -> list[Product]:
        """Products of the first pass; ``"Q"`` gives R, and its right operand is Q."""
        raise NotImplementedError

    def back(self, Y: Sequence[Block]) -> list[Product]:
        """Products of the second pass: those that raise ``"h"`` and ``"tauW"``. Y[0] stands for W."""
        raise NotImplementedError

    # Schedules and timing

    def _lay_out(self) -> None:
        p = self.parameters
        self.parts = p.width // p.lanes
        self.back_beats = -(-(p.m - self.first) // p.width)
        self.lane_steps = self.back_beats * self.parts
        # block j is in lane (j - first) mod lanes, that is, in step j // lanes less the shift of its bank j mod lanes
        shifts = [(self.first + (bank - self.first) % p.lanes) // p.lanes for bank in range(p.lanes)]
        self.shifts = shifts if len(set(shifts)) > 1 else shifts[:1]
        self.shortcut = self.shortcuts and not p.overlap
        self.least_interval = self.lane_steps + (2 if self.tweak_call else 1)
        if self.inverse_call:
            self.inverse = IterativeDecryption(key_bits=p.key_bits, sbox="lut" if p.sbox == "bram" else p.sbox)
            self.least_interval = max(self.least_interval, self.inverse.timing.interval)

    def _hash_units(self) -> dict[str, HashUnit]:
        taps = any(issue.product.name == "Q" for issue in self.programs["front"].issues)
        return self._make_units({"Q": ("front", "Q")} if taps else {}, ahead=["h"] if self.shortcut else [])

    def _arrivals(self, first: int, stride: int, specials: Sequence[str]) -> list[Arrival]:
        """Blocks from the ``first`` on by their place in the stream, and after them the specials, one a step."""
        p = self.parameters
        banks = p.width if p.hash == "horner" else max(2, p.width)
        beats = -(-(p.m - first) // p.width)
        return [
            *(Arrival(first + b, b // p.width * stride, b % banks) for b in range(p.m - first)),
            *(Arrival(name, (beats - 1) * stride + 1 + k, 0) for k, name in enumerate(specials)),
        ]

    def _programs(self) -> dict[str, Program]:
        """Both passes, with the shortest period at which they can be scheduled.

        Where the lanes let no sector in so soon, the period is theirs, or else no tail reaches into the next head.
        """
        p = self.parameters
        X = list(range(p.m))
        front, back = self.front(X), self.back(X)
        # what is known only at the end: with two blocks, the product of a sector cut short would be on its way
        prompt = self.shortcut and p.m > 2
        stride = self.parts if self.shortcut else 1

        def used(products):
            return {b for product in products for b in (product.left, product.right)}

        def build(products, first, stride, period):
            names = [name for name in ("T", "Xa") if name in used(products)]
            beats = -(-(p.m - first) // p.width)
            return schedule(
                products,
                [a for a in self._arrivals(first, stride, names) if a.block in used(products)],
                latency=p.mult_stages,
                multipliers=self.multipliers,
                beats=beats,
                steps=period or (beats - 1) * stride + 1 + len(names),
                period=period,
                urgent=[product.name for product in products if product.name in ("D", "Q")],
                prompt=prompt,
                stride=stride,
            )

        least = p.beats + len({"T", "Xa"} & used(front))

        def both(period):
            programs = {"front": build(front, 0, 1, period), "back": build(back, self.first, stride, period)}
            bound = self.least_interval
            fits = period is None or period >= bound or all(q.steps + q.tail <= bound for q in programs.values())
            return programs if fits else None

        return self._shortest(least, both)

    def _timing(self) -> tuple[int, SectorTiming]:
        """Sectors under way, and the cycle contract, from the schedules."""
        p, A = self.parameters, self.cipher_latency
        registered = 1  # the input beat
        queued = 1 if p.overlap else 0
        saved = 1 if self.shortcut else 0
        first_counter = registered + self.programs["front"].done("R") + A + 1 - 2 * saved
        first_result = first_counter + A + queued
        waits = self.parts - 1 if self.shortcut else self.back_beats * (self.parts - 1)
        compute = first_result + waits + self.programs["back"].done("h") - saved
        latency = compute + 1 + p.beats
        interval = compute
        if p.overlap:
            interval = max(self.programs["front"].steps, self.programs["back"].steps, self.least_interval)
        # a sector counts as left when its last beat is in the output register, but what finishes that beat must stay
        self.leaving_slots = 1 if (self.specials - 1) // p.width == p.beats - 1 else 0
        slots = power_of_two(-(-latency // interval) + self.leaving_slots)
        port_bits = self.key_port_bits(p)
        self.derives = port_bits == p.key_bits
        self.key_unit = self._key_unit(slots, word_bits=port_bits - p.key_bits)
        powers = max(u.setup for u in self.units.values())
        expansion = self.key_unit.expansion.timing.latency
        setup = expansion + A + powers + 2 if self.derives else max(expansion, powers) + 2
        return slots, SectorTiming(compute, latency, interval, setup, 2 * self.clear_rows + 1)

    # Hardware

    def elaborate(self, platform):
        m = Module()
        p = self.parameters
        m.submodules.key_unit = keys = self.key_unit
        clear, clear_row = keys.clear, keys.clear_row

        stages = Stages(m, slots=self.slots, rows=p.beats, clear=clear, clear_row=clear_row)
        pointer, slots, row = stages.pointer, stages.slots, stages.row
        banks = len(self.shifts)

        def ring(name):
            names = [name] if banks == 1 else [f"{name}{bank}" for bank in range(banks)]
            return [stages.ring(n, 128 * p.width // banks) for n in names]

        front, back = self._hashes(m)
        m.submodules.lanes = lanes = PipelinedEncryption(
            key_bits=p.key_bits, round_stages=p.round_stages, sbox=p.sbox, lanes=p.lanes, ahead=self.shortcut
        )
        E = blocks(lanes.o.payload, p.lanes)
        single_result = lanes.ahead[:128] if self.shortcut else E[0]

        # What a sector carries from stage to stage
        tweak, direction = slots("tweak"), slots("direction", 1)
        X = [slots(f"X{k + 1}") for k in range(self.specials)]
        R, G, Z, inner = slots("R"), slots("G"), slots("Z"), slots("inner")
        Q = slots("Q") if front.taps else None
        W = slots("W") if self.first == 0 else None
        B = slots("B") if self.tweak_call else None
        outer = slots("outer") if "tauW" in back.events else None
        sector_ring, result_ring = ring("sector_ring"), ring("result_ring")

        # Entrance and front hash
        opening, admit = self._enter(m, front)
        entrance, x = self.entrance, self.entrance.x
        front_sector = pointer("front", front.front_last)
        tweak.write(front_sector, x.tweak, opening)
        direction.write(front_sector, x.decrypt, opening)
        for k, block in enumerate(X):
            block.write(front_sector, x.data[k % p.width], entrance.take & (entrance.number == k // p.width))
        for bank, memory in enumerate(sector_ring):
            part = [x.data[b] for b in range(bank, p.width, banks)]
            memory.write(row(entrance.number, front_sector), Cat(part), entrance.take)
        if "Xa" in front.specials:
            m.d.comb += front.special_Xa.eq(self.Xa([b.read(front_sector) for b in X], direction.read(front_sector)))

        # First single call: R
        if Q is not None:
            q_sector = pointer("q", front.issue_Q)
            Q.write(q_sector, front.operand_Q, front.issue_Q)
        r_sector = pointer("r", front.event_R)
        r_value = Signal(128)
        decrypt = direction.read(r_sector)
        m.d.comb += r_value.eq(self.R([b.read(r_sector) for b in X], decrypt, front.result_R))
        R.write(r_sector, r_value, front.event_R)

        # What is in the lanes: nothing, a single call, the call that makes tau, or a step of the counter mode
        step_go = Signal()
        tweak_go = Signal()
        tau_go = keys.derive & self.derives
        calls = {"single": front.event_R, "tau": tau_go, "step": step_go}
        if B is not None:
            calls |= {"tweak": tweak_go, "tweak_row": front_sector[: stages.slot_bits]}
        *_, arriving, arrived = stages.delayed("tag", self.cipher_latency, **calls)
        results = arriving if self.shortcut else arrived

        # The tweak's call as the sector opens, or, if the lanes are taken, in the next cycle
        tweak_value = x.tweak
        if B is not None:
            m.d.comb += tweak_go.eq(opening)
            if p.overlap:
                late = Signal()
                m.d.comb += tweak_go.eq((opening | late) & ~front.event_R)
                m.d.sync += late.eq(opening & front.event_R & ~clear)
                tweak_value = Mux(late, tweak.read(front_sector), x.tweak)
            B.write(results.tweak_row, single_result, results.tweak)

        # Its result: G, and Z for the counter mode
        g_sector = pointer("g", results.single)
        called = Signal(128)
        m.d.comb += called.eq(single_result)
        if self.inverse_call:
            inverse = self._inverse(m, r_value, front.event_R & decrypt, clear, slots, r_sector, g_sector)
            with m.If(direction.read(g_sector)):
                m.d.comb += called.eq(inverse)
        g_value = Signal(128)
        z_value = Signal(128)
        from_tweak = [B.read(g_sector)] if B is not None else []
        m.d.comb += [
            g_value.eq(called if Q is None else self.G(Q.read(g_sector), called)),
            z_value.eq(self.Z(R.read(g_sector), g_value, *from_tweak)),
        ]
        G.write(g_sector, g_value, results.single)
        Z.write(g_sector, z_value, results.single)

        # Counter mode: lane k of a step takes block first + step * lanes + k; block 0 is the second single call
        room = Signal()
        step, last_step = self._steps(m, "step", step_go, clear)
        lane_sector = pointer("lane", last_step)
        counter_input, second_call = Z.read(lane_sector), G.read(lane_sector)
        if self.shortcut:
            counter_input = Mux(results.single, z_value, counter_input)
            second_call = Mux(results.single, g_value, second_call)
        waiting = (lane_sector != g_sector) | (results.single & self.shortcut)
        m.d.comb += step_go.eq(waiting & ~front.event_R & ~tweak_go & room)
        indices = self._indices(m, step, step_go, B.read(lane_sector) if B is not None else None, clear)
        for k, c in enumerate(blocks(lanes.i.payload, p.lanes)):
            m.d.comb += c.eq(self.counter(counter_input, indices[k]))
            if k == 0:
                if W is not None:
                    with m.If(step == 0):
                        m.d.comb += c.eq(second_call)
                if B is not None:
                    with m.If(tweak_go):
                        m.d.comb += c.eq(tweak_value)
                with m.If(front.event_R):
                    m.d.comb += c.eq(r_value)
                with m.If(tau_go | clear):
                    m.d.comb += c.eq(0)

        # Its result: X_i + E(..), and W in the place of block 0
        parts = self.parts
        part_bits = parts.bit_length() - 1
        x_step, last_x = self._steps(m, "x_step", arriving.step, clear)
        x_sector = pointer("x", last_x)
        x_rows = [(x_step + shift)[part_bits:] for shift in self.shifts]
        x_beats = [memory.read(row(n, x_sector), 1) for memory, n in zip(sector_ring, x_rows, strict=True)]
        y_step, last_y = self._steps(m, "y_step", arrived.step, clear)
        y_sector = pointer("y", last_y)
        y_places = [y_step + shift for shift in self.shifts]
        y = []
        for k in range(p.lanes):
            lane = (self.first + k) % p.lanes  # of the beat
            bank = lane % banks
            choice = blocks(x_beats[bank], p.width // banks)[lane // banks :: p.lanes // banks]
            plain = select(choice, y_places[bank][:part_bits])
            if k == 0 and W is not None:
                plain = Mux(y_step == 0, R.read(y_sector), plain)
            block = Signal(128, name=f"y{k}")
            m.d.comb += block.eq((E[k] ^ plain) & ~clear.replicate(128))
            y.append(block)
        if W is not None:
            W.write(y_sector, y[0], arrived.step & (y_step == 0))
        history = self._history(m, y, arrived.step, clear)
        y_beat, y_valid = Cat(history), arrived.step & (y_step[:part_bits] == parts - 1)
        for bank, (memory, place) in enumerate(zip(result_ring, y_places, strict=True)):
            part = [step[(lane - self.first) % p.lanes] for step in history for lane in range(bank, p.lanes, banks)]
            whole = place[:part_bits] == parts - 1
            if any(self.shifts):  # the last step may be past the sector's end
                whole = whole & (place < p.beats * parts)
            memory.write(row(place[part_bits:], y_sector), Cat(part), arrived.step & whole)

        # Back hash
        back_sector = pointer("back", back.back_last)
        m.d.comb += back.back_decrypt.eq(direction.read(back_sector))
        if "T" in back.specials:
            m.d.comb += back.special_T.eq(tweak.read(back_sector))
        if p.overlap:
            if "T" in front.specials:
                m.d.comb += front.special_T.eq(tweak.read(front_sector))
            queue = self._queue(m, parts, step_go, y_valid, y_beat)
            m.d.comb += [
                front.front_decrypt.eq(direction.read(front_sector)),
                front.blocks.eq(x.data),
                room.eq(queue.room),
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
        if outer is not None:
            outer_sector = pointer("outer", back.event_tauW)
            outer.write(outer_sector, self.outer(G.read(outer_sector), back.result_tauW), back.event_tauW)
        inner_sector = pointer("inner", back.event_h)
        before = (G if W is None else W).read(inner_sector)
        inner.write(inner_sector, self.inner(before, back.result_h), back.event_h)
        m.d.comb += self.computed.eq(back.event_h)

        # Exit
        leaving = self._leave(m, stages, inner_sector)
        leaving_row = row(leaving.number, leaving.sector)
        read = [blocks(memory.read(leaving_row, leaving.advance), p.width // banks) for memory in result_ring]
        beat = [read[b % banks][b // banks] for b in range(p.width)]
        shown = leaving.shown
        last = [memory.read(shown) for memory in (outer, inner) if memory is not None]
        finished = self.order(direction.read(shown), *last)
        for k, block in enumerate(finished):
            lane = k % p.width
            beat[lane] = Mux(leaving.shown_number == k // p.width, block, beat[lane])
        m.d.comb += leaving.data.eq(Cat(beat))

        sectors = {"taken": front_sector, "computed": inner_sector, "left": leaving.sector}
        admission = self._admission(m, front, opening, admit, room=self.slots - self.leaving_slots, **sectors)
        m.d.comb += lanes.round_keys.eq(keys.round_keys)
        if self.derives:
            self._keys(m, admission, fresh=keys.derive, load=arrived.tau, tau=E[0])
        else:
            self._keys(m, admission, fresh=keys.taken, load=keys.taken, tau=keys.words)
        return m

    def _steps(self, m: Module, name: str, go: Value, clear: Value) -> tuple[Signal, Value]:
        """A counter of a sector's steps that ``go`` advances, and whether it does so for the last one."""
        step = Signal(range(self.lane_steps), name=name)
        final = step == self.lane_steps - 1
        with m.If(clear):
            m.d.sync += step.eq(0)
        with m.Elif(go):
            m.d.sync += step.eq(Mux(final, 0, step + 1))
        return step, go & final

    def _indices(self, m: Module, step: Value, go: Value, power: Value | None, clear: Value) -> list[Value]:
        """What tells the blocks of a step apart: their numbers, or with a tweak's call the powers of x times it."""
        p = self.parameters
        if power is None:
            indices = [Signal(range(p.m + 1), name=f"counter{k}") for k in range(p.lanes)]
            for k, index in enumerate(indices):
                m.d.comb += index.eq(step * p.lanes + (self.first + k + 1 - self.specials) % (1 << len(index)))
            return indices
        following = Signal(128)
        powers = [Signal(128, name=f"power{k}") for k in range(p.lanes)]
        m.d.comb += powers[0].eq(Mux(step == 0, power, following))
        m.d.comb += [powers[k].eq(self.advance(powers[0], k)) for k in range(1, p.lanes)]
        with m.If(go | clear):
            m.d.sync += following.eq(Mux(clear, 0, self.advance(powers[0], p.lanes)))
        return powers

    def _inverse(self, m: Module, block: Value, go: Value, clear: Value, slots, r_sector, g_sector) -> Value:
        """Inverse AES of ``block`` when the lanes' call that entered with it is back."""
        m.submodules.inverse = inverse = self.inverse
        m.d.comb += [
            inverse.i.payload.eq(block),
            inverse.i.valid.eq(go),
            inverse.o.ready.eq(1),
            inverse.round_keys.eq(self.key_unit.round_keys),
            inverse.clear.eq(clear),
        ]
        if self.cipher_latency == inverse.timing.latency:
            return inverse.ahead if self.shortcut else inverse.o.payload
        if not self.parameters.overlap:
            return inverse.o.payload  # which stays there until the next one
        done, sector = slots("inverse_done"), Signal.like(r_sector)
        with m.If(go | clear):
            m.d.sync += sector.eq(Mux(clear, 0, r_sector))
        done.write(sector, inverse.o.payload, inverse.o.valid)
        return done.read(g_sector)

    def _history(self, m: Module, y: list[Signal], go: Value, clear: Value) -> list[list[Value]]:
        """The blocks of as many steps as make a beat, the oldest first, the present one last."""
        history: list[list[Value]] = [list(y)]
        for q in reversed(range(self.parts - 1)):
            held = [Signal(128, name=f"held{q}_{k}") for k in range(len(y))]
            with m.If(go | clear):
                m.d.sync += [register.eq(block) for register, block in zip(held, history[0], strict=True)]
            history.insert(0, list(held))
        return history
