# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The family hash-ECB-hash: HEH.

    i -> front hash -+-> sector ring -> code book -+-> result ring -> o
      -> E(T)        +-> U                         +-> back hash

A sector is m calls of the cipher, ``lanes`` at a time: call 0 gives V, and call i takes block i, i = 1..m-1. V comes
with the first results. The last block needs no call; V has the last block's place in the rings.

In a core with ICVs, call 1 takes the zeros in front of the sector, or the ICV, and all blocks come a call later. The
front hash takes the ICV behind the last beat; the result of call 1 is the ICV, or the verdict.
"""

from dataclasses import dataclass
from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value

from wideblock.rtl.aes.pipelined import PipelinedDecryption, PipelinedEncryption
from wideblock.rtl.flow.stage import After, Flow, Stage
from wideblock.rtl.gf128.field import GF128
from wideblock.rtl.hash.products import DIGEST, HashEvent, HashPlan
from wideblock.rtl.hash.program import Arrival, Program, schedule
from wideblock.rtl.hash.unit import HashPass
from wideblock.rtl.stream.stages import StageFrame, blocks, select
from wideblock.rtl.stream.storage import Ring, Slots

from ..keys import check_underived
from ..parameters import HashedParameters
from ..steps import Steps
from ..two_pass import TwoPass, raised, shortest, tail_meets
from .equations import BACK, FRONT, EcbEquations

__all__ = ["HashEcbHash"]


@dataclass(frozen=True)
class EcbCarried:
    """Values that a sector carries from stage to stage; the rings are divided into columns, a block wide.

    direction, b1:  of the input, b1 = E(T)
    icv, Y1:        in a core with ICVs: the ICV of the input, and the result of call 1
    back_psi:       of the back hash
    sector, result: rings, a column each
    """

    direction: Slots
    b1: Slots
    icv: Slots | None
    Y1: Slots | None
    back_psi: Slots
    sector: list[Ring]
    result: list[Ring]


@dataclass(frozen=True)
class EcbFrame(StageFrame):
    """Shared by all stages.

    E, D: results of encryption and decryption, a block a lane
    beat: blocks that the front hash takes
    """

    front: HashPass
    back: HashPass
    E: list[Value]
    D: list[Value]
    beat: list[Value]
    carried: EcbCarried


@dataclass(frozen=True)
class Results:
    """Blocks of the result: ``y`` a lane each, ``columns`` a column each; ``valid`` as they are there."""

    y: list[Signal]
    columns: list[Signal]
    valid: Value


class HashEcbHash(EcbEquations, TwoPass):
    """A sector core of the family, encryption and decryption in one; a scheme states its :class:`EcbEquations`.

    A sector takes an extra step of the lanes, for the tweak's call.

    Timing, Paths: as :class:`TwoPass`.
    """

    family = "hash ecb hash"

    def __init__(self, parameters: HashedParameters):
        check_underived(self, self.key_material(parameters))
        self.parameters = p = parameters
        lanes = {"key_bits": p.key_bits, "round_stages": p.round_stages, "sbox": p.sbox, "lanes": p.lanes}
        lanes |= {"travelling": p.slots > 0}
        self.ciphers = {"encryption": PipelinedEncryption(**lanes), "decryption": PipelinedDecryption(**lanes)}
        A = self.ciphers["encryption"].timing.latency
        self.leading = 1 + p.icv_bytes // 16  # calls before the call of a sector's first block
        self.lane_steps = p.m // p.lanes + self.leading - 1
        self.part_bits = (p.width // p.lanes).bit_length() - 1
        self.lane = [(j + self.leading) % p.lanes for j in range(p.width)]  # of the blocks of a column
        programs = self._programs()
        self.early = 0 if p.overlap else 1
        hashed = 1 + programs["front"].done(FRONT.U) + p.behind - self.early
        there = max(A + p.ahead, p.beats + p.behind) + 2  # E(T) and the last beat can be read
        self.direct = not p.overlap and hashed >= there  # call 0 goes with the hash
        self.wait = max(0, there - hashed - 1)
        super().__init__(
            p,
            programs,
            cipher_latency=A,
            flow=self._flow(programs, A),
            early=[] if p.overlap else [FRONT.U, BACK.Cm],
            ahead=p.ahead,
            key_used=dict.fromkeys(self.key_material(p).ciphers, 0),
            inverse_used=hashed,
        )

    def _flow(self, programs: dict[str, Program], cipher_latency: int) -> Flow:
        """The stages of a sector. In the lanes the tweak's call goes before the others."""
        p, early, front, back = self.parameters, self.early, programs["front"], programs["back"]
        waits = -early if self.direct else 1 + self.wait - early
        queued = 1 if p.overlap else 0
        lanes, U = ("lanes",) * self.lane_steps, raised("front", front, FRONT.U, delay=waits, behind=p.behind)
        return Flow(
            (
                Stage("enter", (None,) * (p.beats + p.behind)),
                Stage("front", (None,) * (front.steps + p.behind), 0, (After("enter", None, delay=0),)),
                Stage("tweak", ("lanes",), cipher_latency, (After("enter", 0, delay=0),), at="enter"),
                Stage("lane", lanes, p.ahead + cipher_latency, (U,)),
                Stage("back", (None,) * back.steps, 0, (After("lane", None, delay=queued),), at="last"),
                Stage("last", (None,), 0, (raised("back", back, BACK.Cm, delay=p.ahead - early),)),
                Stage("exit", ("exit",) * (p.beats + p.behind), 0, (After("last"),)),
            ),
            enters="enter",
            computes="last",
            leaves="exit",
        )

    def _programs(self) -> dict[str, Program]:
        """Both passes, with the shortest period at which they can be scheduled."""
        p = self.parameters
        banks = p.width if p.hash == "horner" else max(2, p.width)
        front = [Arrival(b, b // p.width, b % banks) for b in range(p.m - 1)]
        # the result of call 1 arrives as block -1
        back = [Arrival(b, (b + self.leading) // p.lanes, b % banks) for b in range(1 - self.leading, p.m - 1)]
        if p.icv_bytes:
            front.insert(0, Arrival(FRONT.X1, p.beats, 0))

        def build(plan: HashPlan, into: HashEvent, arrivals: list[Arrival], beats: int, steps: int, period: int | None):
            products = self.psi([arrival.block for arrival in arrivals], into)
            plan.check(products, type(self).__name__)
            return schedule(
                products,
                arrivals,
                latency=p.mult_stages,
                multipliers=p.multipliers,
                beats=beats,
                steps=period or steps,
                period=period,
                urgent=(DIGEST,),
                prompt=not p.overlap,
                earliest={DIGEST: beats},  # a sector that is cut short raises no event
            )

        def both(period: int | None) -> dict[str, Program] | None:
            made = {
                "front": build(FRONT, FRONT.U, front, p.beats, p.beats + 1, period),
                "back": build(BACK, BACK.Cm, back, self.lane_steps, self.lane_steps, period),
            }
            return None if period and tail_meets(made["front"], p.behind) else made

        return shortest(p, self.lane_steps + 1, both)

    # Hardware

    def elaborate(self, platform):
        m = Module()
        f = self._frame(m)
        # decided by a stage, awaited by those before it
        admit = Signal()  # a sector may begin
        go = Signal()  # a step of calls enters the lanes
        room = Signal()  # the back hash has a place for the result of a step

        opening, enter_sector = self._front_hash(f, admit)
        front_sector = f.stages.pointer("front", f.front.last)
        if FRONT.X1 in f.front.unit.specials:
            m.d.comb += f.front.unit.special(FRONT.X1).eq(self._X1(f, f.later("front_sector", front_sector)))
        arrived = self._tags(f, opening, enter_sector, go)
        calls = Steps(m, "lane", go, self.lane_steps, f.clear)
        lane_sector = f.stages.pointer("lane", go & calls.final)
        P = self._present(f, calls, go, lane_sector, enter_sector)
        psi, may_go = self._start(f, calls, lane_sector, opening, room)
        m.d.comb += go.eq(may_go)
        self._inputs(f, calls, lane_sector, P, psi, opening, go)
        results = self._results(f, arrived)
        last_sector = self._back_hash(f, results, go, room)
        left = self._exit(f, f.later("exit_ready_sector", last_sector))

        admission = self._admit(m, admit, f.front, opening, taken=front_sector, computed=last_sector, left=left)
        if self.parameters.slots:
            self._keys_of_sectors(f, Mux(opening, enter_sector, lane_sector), front_sector)
            m.d.comb += self.entrance.computed.eq(last_sector)
            self._connect_keys(m, idle=Const(1), derived=Const(1))
            return m
        self._hash_keys(m, self.units.values(), idle=self.entrance.between & f.front.first & admission.done)
        return m

    def _frame(self, m: Module) -> EcbFrame:
        """Key unit, hash units, ciphers, and the memories of what a sector carries."""
        p, stages = self.parameters, self._stages(m)
        front, back = self._hashes(m)
        for name, cipher in self.ciphers.items():
            m.submodules[name] = cipher
            if not p.slots:
                m.d.comb += cipher.round_keys.eq(self.key_unit.round_keys)
        E, D = (blocks(cipher.o.payload, p.lanes) for cipher in self.ciphers.values())
        carried = EcbCarried(
            direction=stages.slots("direction", 1),
            b1=stages.slots("b1"),
            icv=stages.slots("given_icv") if p.icv_bytes else None,
            Y1=stages.slots("Y1") if p.icv_bytes else None,
            back_psi=stages.slots("back_psi"),
            sector=[stages.ring(f"sector_ring{j}", 128) for j in range(p.width)],
            result=[stages.ring(f"result_ring{j}", 128) for j in range(p.width)],
        )
        beat = blocks(stages.later("arriving", Value.cast(self.entrance.x.data)), p.width)
        return EcbFrame(m, stages, self.key_unit.clear, front, back, E, D, beat, carried)

    # Stages, in the order of the data

    @property
    def _spoiled(self) -> Value:
        """With slots, also as a last beat is taken early: sectors stay in order whatever the gate's queue holds."""
        spoiled, x = super()._spoiled, self.entrance.x
        if not self.parameters.slots:
            return spoiled
        return spoiled | (self.entrance.take & x.last & (self.entrance.number != self.parameters.beats - 1))

    def _front_hash(self, f: EcbFrame, admit: Value) -> tuple[Value, Value]:
        """Takes the sector into the front hash and the ring. Returns ``opening``, and the entering sector."""
        opening = self._enter_front(f.m, f.front, admit)
        entrance, x = self.entrance, self.entrance.x
        final = entrance.number == self.parameters.beats - 1 if self.parameters.slots else x.last
        sector = f.stages.pointer("enter", entrance.take & final & ~entrance.fault.any())
        f.carried.direction.write(sector, x.decrypt, opening)
        self._tag(sector, opening)
        row, take = f.later("taken_row", f.stages.row(entrance.number, sector)), f.later("take", entrance.take)
        for block, column in zip(f.beat, f.carried.sector, strict=True):
            column.write(row, block, take)
        if f.carried.icv is not None:  # that of the last beat stays
            f.carried.icv.write(f.later("taken_sector", sector), f.later("taken_icv", x.icv), take)
        return opening, sector

    def _X1(self, f: EcbFrame, sector: Value) -> Value:
        """The block in front of ``sector``: zeros to encrypt, the ICV to decrypt."""
        assert f.carried.icv is not None
        return f.carried.icv.read(sector) & f.carried.direction.read(sector).replicate(128)

    def _tags(self, f: EcbFrame, opening: Value, enter_sector: Value, go: Value) -> Any:
        """Flags of the lanes' contents: the call of a tweak, entering as the sector opens, a step, or nothing."""
        *_, arrived = f.stages.delayed("tag", self.cipher_latency, tweak=opening, sector=enter_sector, lane=go)
        f.carried.b1.write(f.later("b1_sector", arrived.sector), f.E[0], f.later("b1", arrived.tweak))
        return arrived

    def _present(self, f: EcbFrame, calls: Steps, go: Value, lane_sector: Value, enter_sector: Value) -> list[Value]:
        """The blocks of the present step's calls, a column each, read a cycle before."""
        following_sector = Signal.like(lane_sector, name="lane_following_sector")
        f.m.d.comb += following_sector.eq(lane_sector + (go & calls.final))
        present = f.later("present", following_sector != enter_sector) | f.clear
        groups = [self._group(calls.following, lane)[self.part_bits :] for lane in self.lane]
        return [
            column.read(f.later(f"present{j}", f.stages.row(group, following_sector)), present)
            for j, (column, group) in enumerate(zip(f.carried.sector, groups, strict=True))
        ]

    def _start(self, f: EcbFrame, calls: Steps, lane_sector: Value, opening: Value, room: Value) -> tuple[Value, Value]:
        """Returns the front hash of the next step's sector, and whether the step may enter the lanes."""
        unit = f.front.unit
        if self.direct:
            return unit.result(FRONT.U), unit.event(FRONT.U) | ~calls.first
        hashed_sector = f.stages.pointer("front_U", unit.event(FRONT.U))
        front_psi = f.stages.slots("front_psi")
        front_psi.write(
            f.later("front_U_sector", hashed_sector), unit.result(FRONT.U), f.later("front_U", unit.event(FRONT.U))
        )
        psi = front_psi.read(f.later("lane_sector", lane_sector))
        *_, hashed = f.stages.delayed("front_tag", self.wait, U=unit.event(FRONT.U))
        ready_sector = f.stages.pointer("lane_ready", hashed.U)
        return psi, (lane_sector != ready_sector) & room & ~opening

    def _inputs(
        self, f: EcbFrame, calls: Steps, lane_sector: Value, P: list[Value], psi: Value, opening: Value, go: Value
    ) -> None:
        """The calls of a step into the lanes of both ciphers; lane 0 also takes the tweak's."""
        m, p = f.m, self.parameters
        first, moves = f.later("lane_first", calls.first), f.later("lane_go", go)
        tweak, enters = f.later("tweak", self.entrance.x.tweak), f.later("opening", opening)
        before, _ = self.betas(f.carried.b1.read(lane_sector), f.carried.direction.read(lane_sector))
        masks = self._masks(f, "call_mask", f.later("before", before), first, moves)
        U = self._held(f, "U", self.U(P[-1], psi), first, moves)
        for k, mask in enumerate(masks):
            block = Signal(128, name=f"call{k}")
            part = f.later(f"call{k}_part", self._group(calls.step, k)[: self.part_bits])
            plain = select([P[j] for j in range(p.width) if self.lane[j] == k], part)
            if self.leading > 1 and k == 1 % p.lanes:
                leads, X1 = f.later("leads", calls.step == 1 // p.lanes), f.later("X1", self._X1(f, lane_sector))
                plain = Mux(leads, X1, plain)
            m.d.comb += block.eq(self.call(plain, U, mask))
            if k == 0:
                with m.If(first):
                    m.d.comb += block.eq(self.first_call(U, mask))
                with m.If(enters):
                    m.d.comb += block.eq(tweak)
            with m.If(f.clear):
                m.d.comb += block.eq(0)
            for cipher in self.ciphers.values():
                m.d.comb += blocks(cipher.i.payload, p.lanes)[k].eq(block)

    def _results(self, f: EcbFrame, arrived: Any) -> Results:
        """V and the blocks of the result, into the result ring."""
        c, m, p = f.carried, f.m, self.parameters
        steps = Steps(m, "lane_done", arrived.lane, self.lane_steps, f.clear)
        sector = f.stages.pointer("lane_done", arrived.lane & steps.final)
        first, go = f.later("lane_done_first", steps.first), f.later("lane_done_go", arrived.lane)
        _, after = self.betas(c.b1.read(sector), c.direction.read(sector))
        masks = self._masks(f, "result_mask", f.later("after", after), first, go)
        sector, decrypt = f.later("lane_done_sector", sector), f.later("lane_done_decrypt", c.direction.read(sector))
        CC = [Mux(decrypt, d, e) for e, d in zip(f.E, f.D, strict=True)]
        V = self._held(f, "V", self.V(CC[0], masks[0]), first, go)
        y = []
        for k, mask in enumerate(masks):
            block = Signal(128, name=f"y{k}")
            m.d.comb += block.eq(self.result(CC[k], V, mask))
            if k == 0:
                with m.If(first):
                    m.d.comb += block.eq(V)
            elif k == 1 and c.Y1 is not None:  # V has the place of the last block
                with m.If(f.later("lane_done_final", steps.final)):
                    m.d.comb += block.eq(V)
            with m.If(f.clear):
                m.d.comb += block.eq(0)
            y.append(block)
        if c.Y1 is not None:
            c.Y1.write(sector, y[1 % p.lanes], f.later("led", arrived.lane & (steps.step == 1 // p.lanes)))
        columns = [y[k] for k in self.lane]
        for j, column in enumerate(c.result):
            group = f.later(f"result{j}_group", self._group(steps.step, self.lane[j]))
            mine = Signal(name=f"result{j}_mine")
            m.d.comb += mine.eq(go & (group[: self.part_bits] == j // p.lanes))
            if c.Y1 is not None:
                mine = mine & ~f.later(f"result{j}_empty", steps.step == self._empty_step(self.lane[j]))
            column.write(f.stages.row(group[self.part_bits :], sector), columns[j], mine)
        return Results(y, columns, go)

    def _back_hash(self, f: EcbFrame, results: Results, go: Value, room: Value) -> Value:
        """Feeds both hashes, and drives ``room``. Returns the first sector without a back hash."""
        m, front, back = f.m, f.front, f.back
        if self.parameters.overlap:
            queue = self._queue(m, parts=1, step=go, write=results.valid, beat=Cat(results.y))
            m.d.comb += [
                front.unit.blocks.eq(Cat(f.beat)),
                room.eq(queue.room),
                back.unit.blocks.eq(Cat(blocks(queue.beat, self.parameters.lanes)[k] for k in self.lane)),
                back.beat.eq(queue.valid),
                queue.read.eq(back.beat & back.ready),
            ]
        else:
            m.d.comb += [
                room.eq(1),
                back.beat.eq(results.valid),
                back.unit.blocks.eq(
                    Mux(f.later("back_beat", results.valid), f.later("back_data", Cat(results.columns)), Cat(f.beat))
                ),
            ]
        Cm = back.unit.event(BACK.Cm)
        sector = f.stages.pointer("last", Cm)
        known, whose = f.later("last_known", Cm), f.later("last_sector", sector)
        f.carried.back_psi.write(whose, back.unit.result(BACK.Cm), known)
        if f.carried.Y1 is not None:
            self._judged(m, f.carried.Y1.read(whose), f.carried.direction.read(whose), whose, known)
        m.d.comb += self.computed.eq(known)
        return sector

    def _keys_of_sectors(self, f: EcbFrame, whose: Value, front_sector: Value) -> None:
        """Calls of sector ``whose`` enter the lanes with the sector's key, and the passes read the powers of theirs."""
        (K,), sector = self.key_unit.material.ciphers, f.later("key_sector", whose)
        for name, cipher in self.ciphers.items():
            f.m.d.comb += cipher.key.eq(self.copies.read(K, sector, last=name == "decryption"))
        back_sector = f.stages.pointer("back", f.back.last)
        for hash_pass, passing in ((f.front, front_sector), (f.back, back_sector)):
            assert hash_pass.bank is not None, "the powers of a sector are in a bank"
            f.m.d.comb += hash_pass.bank.eq(passing)
            self.copies.powers(hash_pass.unit)

    def _exit(self, f: EcbFrame, computed: Value) -> Value:
        """Reads results from the ring; the last block is V and the back hash. Returns the sector that leaves."""
        c, m = f.carried, f.m
        leaving = self._leave(m, f.stages, computed)
        address = f.stages.row(leaving.number, leaving.sector)
        beat = [column.read(address, leaving.load) for column in c.result]
        leaving_psi = self._beside(m, leaving, "leaving_psi", c.back_psi.read(leaving.sector))
        finished = self.last(beat[-1], leaving_psi)
        if c.Y1 is not None:
            encrypts = ~c.direction.read(leaving.sector)
            self._leave_judged(m, leaving, c.Y1.read(leaving.sector) & encrypts.replicate(128))
        final = leaving.shown_number == self.parameters.beats - 1
        m.d.comb += leaving.data.eq(Cat(*beat[:-1], Mux(final, finished, beat[-1])))
        return leaving.sector

    def _masks(self, f: EcbFrame, name: str, b: Value, first: Value, go: Value) -> list[Value]:
        """x^i b for the calls i of a step."""
        mask, held = Signal(128, name=name), Signal(128, name=f"held_{name}")
        f.m.d.comb += mask.eq(Mux(first, b, held))
        f.stages.hold(held, GF128.shift(mask, self.parameters.lanes), go)
        return [GF128.shift(mask, k) for k in range(self.parameters.lanes)]

    def _held(self, f: EcbFrame, name: str, value: Value, first: Value, go: Value) -> Signal:
        """A ``value`` of a sector's ``first`` step, for all its steps."""
        signal, held = Signal(128, name=name), Signal(128, name=f"held_{name}")
        f.m.d.comb += signal.eq(Mux(first, value, held))
        f.stages.hold(held, signal, go)
        return signal

    def _group(self, step: Signal, lane: int) -> Value:
        """The group of ``lanes`` blocks with a lane's block at ``step``; before the lane's first block the last group:
        V has the last block's place.
        """
        lanes = self.parameters.lanes
        behind = -(-max(0, self.leading - lane) // lanes)  # steps before the lane's first block
        last = self.parameters.m // lanes - 1
        return Mux(step < behind if behind > 1 else step == 0, last, step - behind)[: len(step)] if behind else step

    def _empty_step(self, lane: int) -> int:
        """The step in which a ``lane`` has no result for the ring, in a core with ICVs."""
        lanes = self.parameters.lanes
        return 1 if lanes == 1 else 0 if lane < 2 else self.lane_steps - 1
