# SPDX-License-Identifier: Apache-2.0
"""The family hash-ECB-hash: HEH.

    i -> front hash -+-> sector ring -> code book -+-> result ring -> o
      -> E(T)        +-> U                         +-> back hash

A sector is m calls of the cipher, ``lanes`` at a time: call 0 gives V, and call i takes block i, i = 1..m-1. So V is
there with the first results. The last block needs no call, and its place in the rings belongs to call 0.
"""

from collections.abc import Sequence

from amaranth import Cat, Module, Mux, Signal, Value

from wideblock.rtl.aes.pipelined import PipelinedDecryption, PipelinedEncryption
from wideblock.rtl.gf128.field import GF128
from wideblock.rtl.hash.products import Block, Product
from wideblock.rtl.hash.program import Arrival, Program, schedule
from wideblock.rtl.hash.unit import HashUnit
from wideblock.rtl.stream.behaviour import SectorTiming
from wideblock.rtl.stream.stages import Stages, blocks, power_of_two, select

from .parameters import HashedParameters
from .two_pass import TwoPass

__all__ = ["HashEcbHash"]


class HashEcbHash(TwoPass):
    """A sector core of the family, encryption and decryption in one; a scheme states its equations.

    A sector takes one step of the lanes more than its blocks do, for the tweak's call.

    Timing, Paths: those of :class:`TwoPass`.
    """

    rules = "hash_ecb_hash"  # module of formal rules: wideblock.verify.formal.rules
    key_parts = "the AES key, then the hash key"

    # What a scheme states

    @staticmethod
    def key_port_bits(p: HashedParameters) -> int:
        """Width of the key port: the AES key, and after it the hash key."""
        return p.key_bits + 128

    def psi(self, X: Sequence[Block], into: str) -> list[Product]:
        """Products of the hash of all blocks but the last. That of name ``"D"`` is the last and raises ``into``."""
        raise NotImplementedError

    def betas(self, b1: Value, decrypt: Value) -> tuple[Value, Value]:
        """What masks the blocks before and after the cipher."""
        raise NotImplementedError

    def U(self, Pm: Value, psi: Value) -> Value:
        """What is added to all blocks, from the last block and the hash of the others."""
        raise NotImplementedError

    def first_call(self, U: Value, mask: Value) -> Value:
        """The cipher's input for V."""
        raise NotImplementedError

    def call(self, P: Value, U: Value, mask: Value) -> Value:
        """The cipher's input for a block."""
        raise NotImplementedError

    def V(self, CC: Value, mask: Value) -> Value:
        """V from the cipher's output."""
        raise NotImplementedError

    def result(self, CC: Value, V: Value, mask: Value) -> Value:
        """A block of the result from the cipher's output."""
        raise NotImplementedError

    def last(self, V: Value, psi: Value) -> Value:
        """The last block of the result, from V and the hash of the others."""
        raise NotImplementedError

    # Schedules and timing

    def _lay_out(self) -> None:
        self.lane_steps = self.parameters.m // self.parameters.lanes

    def _programs(self) -> dict[str, Program]:
        """Both passes, with the shortest period at which they can be scheduled."""
        p = self.parameters
        banks = p.width if p.hash == "horner" else max(2, p.width)
        hashed = range(p.m - 1)
        front = [Arrival(b, b // p.width, b % banks) for b in hashed]
        back = [Arrival(b, (b + 1) // p.lanes, b % banks) for b in hashed]

        def build(into, arrivals, beats, steps, period):
            return schedule(
                self.psi(hashed, into),
                arrivals,
                latency=p.mult_stages,
                multipliers=self.multipliers,
                beats=beats,
                steps=period or steps,
                period=period,
                urgent=("D",),
                prompt=not p.overlap,
                earliest={"D": beats},  # a sector that is cut short raises no event
            )

        return self._shortest(
            self.lane_steps + 1,
            lambda period: {
                "front": build("U", front, p.beats, p.beats + 1, period),
                "back": build("Cm", back, self.lane_steps, self.lane_steps, period),
            },
        )

    def _hash_units(self) -> dict[str, HashUnit]:
        return self._make_units(ahead=() if self.parameters.overlap else ("U", "Cm"))

    def _timing(self) -> tuple[int, SectorTiming]:
        """Sectors under way, and the cycle contract, from the schedules."""
        p, A = self.parameters, self.cipher_latency
        front, back = self.programs["front"], self.programs["back"]
        registered = 1  # the input beat
        queued = 1 if p.overlap else 0
        ahead = 0 if p.overlap else 1
        hashed = registered + front.done("U") - ahead
        there = max(A, p.beats) + 2  # E(T) and the last beat can be read
        self.direct = not p.overlap and hashed >= there
        self.wait = max(0, there - hashed - 1)
        first_call = hashed + (0 if self.direct else self.wait + 1)
        compute = first_call + A + queued + back.done("Cm") - ahead
        latency = compute + 1 + p.beats
        interval = max(front.steps, back.steps, self.lane_steps + 1) if p.overlap else compute
        slots = power_of_two(-(-latency // interval))
        self.key_unit = self._key_unit(slots, word_bits=128)
        powers = max(u.setup for u in self.units.values())
        setup = max(self.key_unit.expansion.timing.latency, powers) + 2
        return slots, SectorTiming(compute, latency, interval, setup, 2 * self.clear_rows + 1)

    # Hardware

    def elaborate(self, platform):
        m = Module()
        p = self.parameters
        parts = p.width // p.lanes
        part_bits = parts.bit_length() - 1
        lane = [(j + 1) % p.lanes for j in range(p.width)]  # of the blocks of a column
        m.submodules.key_unit = keys = self.key_unit
        clear, clear_row = keys.clear, keys.clear_row
        stages = Stages(m, slots=self.slots, rows=p.beats, clear=clear, clear_row=clear_row)

        front, back = self._hashes(m)
        ciphers = []
        for name, cipher in (("encryption", PipelinedEncryption), ("decryption", PipelinedDecryption)):
            lanes = cipher(key_bits=p.key_bits, round_stages=p.round_stages, sbox=p.sbox, lanes=p.lanes)
            m.submodules[name] = lanes
            m.d.comb += lanes.round_keys.eq(keys.round_keys)
            ciphers.append(lanes)
        encryption, decryption = ciphers
        E, D = (blocks(lanes.o.payload, p.lanes) for lanes in ciphers)

        # What a sector carries from stage to stage; the rings are divided into columns, a block wide
        direction, b1 = stages.slots("direction", 1), stages.slots("b1")
        back_psi = stages.slots("back_psi")
        sector_ring = [stages.ring(f"sector_ring{j}", 128) for j in range(p.width)]
        result_ring = [stages.ring(f"result_ring{j}", 128) for j in range(p.width)]

        # Entrance and front hash; the tweak's call goes with the first beat
        opening, admit = self._enter(m, front)
        entrance, x = self.entrance, self.entrance.x
        front_sector = stages.pointer("front", entrance.take & x.last & ~entrance.fault.any())
        direction.write(front_sector, x.decrypt, opening)
        for j, column in enumerate(sector_ring):
            column.write(stages.row(entrance.number, front_sector), x.data[j], entrance.take)

        # What is in the lanes: nothing, the call of a tweak, or a step of a sector
        go = Signal()
        *_, arrived = stages.delayed("tag", self.cipher_latency, tweak=opening, sector=front_sector, step=go)
        b1.write(arrived.sector, E[0], arrived.tweak)

        # Calls
        calls = _Steps(m, "call", go, self.lane_steps, clear)
        call_sector = stages.pointer("call", calls.final)
        following_sector = Signal.like(call_sector)
        m.d.comb += following_sector.eq(call_sector + calls.final)
        present = (following_sector != front_sector) | clear
        P = [
            column.read(stages.row(calls.following(lane[j])[part_bits:], following_sector), present)
            for j, column in enumerate(sector_ring)
        ]
        room = Signal()
        if self.direct:
            psi = front.result_U
            m.d.comb += go.eq(front.event_U | ~calls.first)
        else:
            hashed_sector = stages.pointer("hashed", front.event_U)
            front_psi = stages.slots("front_psi")
            front_psi.write(hashed_sector, front.result_U, front.event_U)
            psi = front_psi.read(call_sector)
            *_, hashed = stages.delayed("hashed", self.wait, psi=front.event_U)
            ready_sector = stages.pointer("ready", hashed.psi)
            m.d.comb += go.eq((call_sector != ready_sector) & room & ~opening)
        before, _ = self.betas(b1.read(call_sector), direction.read(call_sector))
        masks = self._masks(m, stages, "call_mask", before, calls.first, go)
        U, held_U = Signal(128, name="U"), Signal(128, name="held_U")
        m.d.comb += U.eq(Mux(calls.first, self.U(P[-1], psi), held_U))
        stages.hold(held_U, U, go)
        for k, mask in enumerate(masks):
            block = Signal(128, name=f"call{k}")
            plain = select([P[j] for j in range(p.width) if lane[j] == k], calls.group(k)[:part_bits])
            m.d.comb += block.eq(self.call(plain, U, mask))
            if k == 0:
                with m.If(calls.first):
                    m.d.comb += block.eq(self.first_call(U, mask))
                with m.If(opening):
                    m.d.comb += block.eq(x.tweak)
            with m.If(clear):
                m.d.comb += block.eq(0)
            for cipher in (encryption, decryption):
                m.d.comb += blocks(cipher.i.payload, p.lanes)[k].eq(block)

        # Results
        results = _Steps(m, "result", arrived.step, self.lane_steps, clear)
        result_sector = stages.pointer("result", results.final)
        decrypt = direction.read(result_sector)
        _, after = self.betas(b1.read(result_sector), decrypt)
        masks = self._masks(m, stages, "result_mask", after, results.first, arrived.step)
        CC = [Mux(decrypt, d, e) for e, d in zip(E, D, strict=True)]
        V, held_V = Signal(128, name="V"), Signal(128, name="held_V")
        m.d.comb += V.eq(Mux(results.first, self.V(CC[0], masks[0]), held_V))
        stages.hold(held_V, V, arrived.step)
        y = []
        for k, mask in enumerate(masks):
            block = Signal(128, name=f"y{k}")
            m.d.comb += block.eq(self.result(CC[k], V, mask))
            if k == 0:
                with m.If(results.first):
                    m.d.comb += block.eq(V)
            with m.If(clear):
                m.d.comb += block.eq(0)
            y.append(block)
        columns = [y[k] for k in lane]
        for j, column in enumerate(result_ring):
            group = results.group(lane[j])
            mine = Signal(name=f"result{j}_mine")
            m.d.comb += mine.eq(arrived.step & (group[:part_bits] == j // p.lanes))
            column.write(stages.row(group[part_bits:], result_sector), columns[j], mine)

        # Back hash
        if p.overlap:
            queue = self._queue(m, 1, go, arrived.step, Cat(y))
            m.d.comb += [
                front.blocks.eq(x.data),
                room.eq(queue.room),
                back.blocks.eq(Cat(blocks(queue.beat, p.lanes)[k] for k in lane)),
                back.back_beat.eq(queue.valid),
                queue.read.eq(back.back_beat & back.back_ready),
            ]
        else:
            m.d.comb += [
                room.eq(1),
                back.back_beat.eq(arrived.step),
                back.blocks.eq(Mux(arrived.step, Cat(columns), x.data)),
            ]
        computed_sector = stages.pointer("computed", back.event_Cm)
        back_psi.write(computed_sector, back.result_Cm, back.event_Cm)
        m.d.comb += self.computed.eq(back.event_Cm)

        # Exit: the last block is V and the back hash
        leaving = self._leave(m, stages, computed_sector)
        address = stages.row(leaving.number, leaving.sector)
        beat = [column.read(address, leaving.advance) for column in result_ring]
        leaving_psi = Signal(128)  # the sector's slot may be another's by the time its last beat is taken
        with m.If(leaving.advance):
            m.d.sync += leaving_psi.eq(back_psi.read(leaving.sector))
        finished = self.last(beat[-1], leaving_psi)
        m.d.comb += leaving.data.eq(Cat(*beat[:-1], Mux(leaving.shown_number == p.beats - 1, finished, beat[-1])))

        sectors = {"taken": front_sector, "computed": computed_sector, "left": leaving.sector}
        admission = self._admission(m, front, opening, admit, room=self.slots, **sectors)
        self._keys(m, admission, fresh=keys.taken, load=keys.taken, tau=keys.words)
        return m

    def _masks(self, m: Module, stages: Stages, name: str, b: Value, first: Value, go: Value) -> list[Value]:
        """x^i b for the calls i of a step."""
        mask, held = Signal(128, name=name), Signal(128, name=f"held_{name}")
        m.d.comb += mask.eq(Mux(first, b, held))
        stages.hold(held, GF128.shift(mask, self.parameters.lanes), go)
        return [GF128.shift(mask, k) for k in range(self.parameters.lanes)]


class _Steps:
    """Counts the steps of a sector as ``go`` says, and knows which blocks they are.

    ``first`` and ``final`` tell the first and, with ``go``, the last step of a sector. A group is ``lanes`` blocks.
    """

    def __init__(self, m: Module, name: str, go: Value, count: int, clear: Value):
        self._step = Signal(range(count), name=f"{name}_step")
        self._following = Signal.like(self._step, name=f"{name}_following")
        self._count = count
        self.first = self._step == 0
        self.final = go & (self._step == count - 1)
        m.d.comb += self._following.eq(Mux(go, Mux(self.final, 0, self._step + 1), self._step))
        m.d.sync += self._step.eq(self._following)
        with m.If(clear):
            m.d.sync += self._step.eq(0)

    def group(self, lane: int) -> Value:
        """The group of the block in a lane: call 0 takes the last block's place, so lane 0 is a group behind."""
        return self._of(self._step, lane)

    def following(self, lane: int) -> Value:
        """The same for the next cycle."""
        return self._of(self._following, lane)

    def _of(self, step: Signal, lane: int) -> Value:
        return Mux(step == 0, self._count - 1, step - 1)[: len(step)] if lane == 0 else step
