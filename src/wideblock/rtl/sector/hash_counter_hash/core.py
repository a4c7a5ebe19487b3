# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The cores of the family hash-counter-hash.

    i -> front hash -+-> sector ring -> counter mode -+-> result ring -> o
                     +-> R, G, Z (single AES calls) ----+-> back hash (-> inverse AES)

Each stage works on the oldest ready sector. Values of a sector between stages are in small memories with a row for each
sector under way; a pointer a stage is the number of the next sector.
"""

from dataclasses import replace

from amaranth import Cat, Const, Module, Mux, Signal, Value

from wideblock.rtl.aes.pipelined import PipelinedEncryption
from wideblock.rtl.hash.unit import HashUnit
from wideblock.rtl.stream.stages import blocks, select

from ..parameters import HashedParameters
from ..steps import Steps
from ..two_pass import TwoPass
from .calls import HchCalls
from .copied import keys_of_sectors
from .equations import BACK, FRONT, HchBackPlan, HchEquations, HchFrontPlan
from .placement import Placement
from .schedule import flow, programs
from .values import Beat, Entering, HchCarried, HchFrame, HchStep, Single, Start, Tags

__all__ = ["HashCounterHash"]


class HashCounterHash(HchEquations, TwoPass):
    """A sector core of the family; a scheme states its :class:`HchEquations`.

    Timing, Paths: as :class:`TwoPass`.
    """

    family = "hash counter hash"

    def __init__(self, parameters: HashedParameters):
        self.parameters = p = parameters
        sealed = p.icv_bytes // 16  # blocks of the input that are in no beat, and that no pass takes
        self.structure = structure = replace(self.structure, specials=self.structure.specials - sealed)
        self.shortcut = structure.shortcuts and not p.overlap
        self.lanes = PipelinedEncryption(
            key_bits=p.key_bits,
            round_stages=p.round_stages,
            sbox=p.sbox,
            lanes=p.lanes,
            ahead=self.shortcut,
            travelling=p.slots > 0,
        )
        cipher_latency = self.lanes.timing.latency
        self.place = Placement.of(p, structure)
        self.lane_steps = self.place.steps
        self.calls = HchCalls(p, structure, cipher_latency)
        least_interval = max(self.lane_steps + structure.lane_calls, self.calls.spacing)
        numbers = [*[0] * sealed, *range(p.m)]  # with a second call W is in the place of number 0
        front, back = self.front(numbers), self.back(numbers)
        FRONT.check(front, type(self).__name__)
        BACK.check(back, type(self).__name__)
        made = programs(p, front, back, self.place, self.calls, least_interval=least_interval)
        called, material = made["front"].done(FRONT.R), self.key_material(p)
        first_call, made_call = 0 if structure.tweak_call else called, called + self.calls.latency
        super().__init__(
            p,
            made,
            cipher_latency=cipher_latency,
            flow=flow(p, made, self.place, self.calls, structure),
            early=[BACK.h] if self.shortcut else [],
            ahead=p.ahead,
            key_used=dict.fromkeys(material.ciphers, first_call) | dict.fromkeys(material.stored, made_call),
            inverse_used=called if structure.inverse_call else None,
        )

    def elaborate(self, platform):
        m = Module()
        f = self._frame(m)
        # decided by a stage, awaited by those before it
        admit = Signal()  # a sector may begin
        step_go = Signal()  # a step of the counter mode enters the lanes
        tweak_go = Signal()  # the tweak's call does
        room = Signal()  # the back hash has a place for the result of a step

        opening, front_sector = self._front_hash(f, admit)
        single = self._single_call(f)
        entering = Entering(single, self._derivations(), tweak_go, step_go)
        tags = self._tags(f, entering, front_sector)
        tweak = self._tweak_call(f, entering, tags, opening, front_sector)
        start = self._single_result(f, single, tags)
        step = self._next_step(f, start, step_go)
        m.d.comb += step_go.eq(step.waiting & ~single.enters & ~tweak_go & room)
        self._lane_inputs(f, entering, step, tweak)
        beat = self._results(f, tags)
        back_sector = self._back_hash(f, beat, front_sector, step_go, room)
        inner_sector = self._known_last(f)
        left = self._exit(f, f.later("exit_ready_sector", inner_sector))

        admission = self._admit(m, admit, f.front, opening, taken=front_sector, computed=inner_sector, left=left)
        if self.parameters.slots:
            keys_of_sectors(f, self, entering, step, front_sector=front_sector, back_sector=back_sector)
            m.d.comb += self.entrance.computed.eq(inner_sector)
            self._connect_keys(m, idle=Const(1), derived=Const(1))
        else:
            m.d.comb += self.lanes.round_keys.eq(self.key_unit.round_keys)
            idle = self.entrance.between & f.front.first & admission.done
            self._hash_keys(m, self.units.values(), idle=idle, returned=tags.arrived.derive, result=f.E[0])
        return m

    def _derivations(self) -> Value:
        """A call of the key unit's derivations enters the lanes."""
        return Const(0) if self.parameters.slots else self.key_unit.derive & bool(self.key_unit.calls)

    def _frame(self, m: Module) -> HchFrame:
        """Key unit, hash units, lanes, and the memories of what a sector carries."""
        p = self.parameters
        stages = self._stages(m)
        front, back = self._hashes(m)
        m.submodules.lanes = self.lanes
        E = blocks(self.lanes.o.payload, p.lanes)
        carried = HchCarried.of(stages, p, self.structure, self.place, front.unit, back.unit)
        called = self.lanes.ahead[:128] if self.shortcut else E[0]
        beat = blocks(stages.later("arriving", Value.cast(self.entrance.x.data)), p.width)
        return HchFrame(m, stages, self.key_unit.clear, front, back, E, called, beat, carried)

    # Stages, in the order of the data

    def _front_hash(self, f: HchFrame, admit: Value) -> tuple[Value, Value]:
        """Takes the sector into the front hash and the ring. Returns ``opening``, and the entering sector."""
        c, place = f.carried, self.place
        opening = self._enter_front(f.m, f.front, admit)
        entrance, x = self.entrance, self.entrance.x
        sector = f.stages.pointer("front", f.front.last)
        c.tweak.write(sector, x.tweak, opening)
        c.direction.write(sector, x.decrypt, opening)
        self._tag(sector, opening)
        take, whose = f.later("take", entrance.take), f.later("taken_sector", sector)
        for block in c.X:
            for piece, slots in block.slots:
                row, column = divmod(piece.block, place.width)
                mine = f.later(f"take{piece.block}", entrance.take & (entrance.number == row))
                slots.write(whose, piece.of(f.beat[column]), mine)
        if c.icv is not None:  # that of the last beat stays
            c.icv.write(whose, f.later("taken_icv", x.icv), take)
        row = f.later("taken_row", f.stages.row(entrance.number, sector))
        for bank, memory in enumerate(c.sector):
            memory.write(row, Cat(f.beat[column] for column in place.columns(bank)), take)
        if FRONT.Xa in f.front.unit.specials:
            # it is read with the control: by then its blocks are stored
            taken = max(piece.block for block in c.X for piece, _ in block.slots) // place.width
            (arrives,) = (a.step for a in self.programs["front"].arrivals if a.block == FRONT.Xa)
            assert taken + 2 <= arrives
            decrypt = f.later("Xa_decrypt", c.direction.read(sector))
            value = f.later("Xa", self.Xa(c.known_last(sector, decrypt), decrypt))
            f.m.d.comb += f.front.unit.special(FRONT.Xa).eq(value)
        self._held_blocks(f, FRONT, f.front.unit, whose)
        if c.shared is not None:
            # known before the sector's head ends, so ``sector``, which enters, is still the one that it is of; that of
            # a sector which is cut short is written over by that of the next one
            event = f.later("shared", f.front.unit.event(FRONT.shared))
            c.shared.write(whose, f.front.unit.result(FRONT.shared), event)
        return opening, sector

    def _held_blocks(self, f: HchFrame, plan: HchFrontPlan | HchBackPlan, unit: HashUnit, sector: Value) -> None:
        """Drives the held blocks of ``sector``, stable until the end of the pass's head.

        A held block is constant, of the tweak, or chosen by plaintext or ciphertext.
        """
        c = f.carried
        if plan.header in unit.specials:
            f.m.d.comb += unit.special(plan.header).eq(self.header())
        tweak = [special for special in (plan.T1, plan.T2) if special in unit.specials]
        if tweak:
            f.m.d.comb += Cat(unit.special(special) for special in tweak).eq(c.tweak.read(sector))
        if plan.lengths in unit.specials:
            decrypt = c.direction.read(sector)
            f.m.d.comb += unit.special(plan.lengths).eq(self.lengths(decrypt if plan is FRONT else ~decrypt))

    def _hashed(self, f: HchFrame, result: Value, sector: Value) -> Value:
        """The ``result`` of a pass, with the part that both passes share."""
        shared = f.carried.shared
        return result if shared is None else result ^ shared.read(sector)

    def _single_call(self, f: HchFrame) -> Single:
        """R, as the front hash announces it."""
        c, unit = f.carried, f.front.unit
        go = unit.event(FRONT.R)
        if c.Q is not None:
            sector = f.stages.pointer("front_Q", unit.issue(FRONT.Q))
            c.Q.write(f.later("front_Q_sector", sector), unit.operand(FRONT.Q), f.later("front_Q", unit.issue(FRONT.Q)))
        sector = f.stages.pointer("single", go)
        r_value = Signal(128)
        decrypt = c.direction.read(sector)
        whose = f.later("single_sector", sector)
        hashed = self._hashed(f, unit.result(FRONT.R), whose)
        late_decrypt = f.later("single_decrypt", decrypt)
        X = c.known_last(whose, late_decrypt)
        f.m.d.comb += r_value.eq(self.R(X, late_decrypt, hashed))
        c.R.write(whose, r_value, f.later("single_go", go))
        enters = Const(0) if self.structure.end_calls else go
        return Single(self.called(X, r_value), go, sector, decrypt, enters)

    def _tags(self, f: HchFrame, entering: Entering, front_sector: Value) -> Tags:
        """The flags of the lanes' contents, and the sector of a tweak's call."""
        flags = {"single": entering.single.enters, "derive": entering.derive, "lane": entering.lane}
        if self.structure.tweak_call:
            flags |= {"tweak": entering.tweak, "tweak_sector": front_sector[: f.stages.slot_bits]}
        *_, arriving, arrived = f.stages.delayed("tag", self.cipher_latency, **flags)
        return Tags(arriving, arrived, arriving if self.shortcut else arrived)

    def _tweak_call(self, f: HchFrame, entering: Entering, tags: Tags, opening: Value, front_sector: Value) -> Value:
        """The tweak's call as the sector opens or, if the lanes are taken, in the next cycle. Returns its block."""
        c, m, tweak, taken = f.carried, f.m, self.entrance.x.tweak, entering.single.enters
        if c.B is None:
            return tweak
        m.d.comb += entering.tweak.eq(opening)
        if self.parameters.overlap:
            late = Signal()
            m.d.comb += entering.tweak.eq((opening | late) & ~taken)
            m.d.sync += late.eq(opening & taken & ~f.clear)
            tweak = Mux(late, c.tweak.read(front_sector), tweak)
        c.B.write(f.later("b", tags.called.tweak_sector), f.called, f.later("b_back", tags.called.tweak))
        return f.later("tweak", tweak)

    def _single_result(self, f: HchFrame, single: Single, tags: Tags) -> Start:
        """G, and Z for the counter mode, as the single call is back."""
        c, m = f.carried, f.m
        call = self.calls.single(f, single, tags, self._call_keys(f, single))
        g_value = Signal(128)
        z_value = Signal(128)
        whose, back = f.later("single_done_sector", call.sector), f.later("single_done", call.back)
        B = None if c.B is None else c.B.read(whose)
        m.d.comb += [
            g_value.eq(self.G(None if c.Q is None else c.Q.read(whose), call.result)),
            z_value.eq(self.Z(c.R.read(whose), g_value, B, self._words(whose))),
        ]
        if c.G is not None:
            c.G.write(whose, g_value, back)
        c.Z.write(whose, z_value, back)
        return Start(g_value, z_value, call.sector, call.back)

    def _call_keys(self, f: HchFrame, call: Single) -> tuple[Value, ...]:
        """Round keys of a single call, or of both calls at the ends; with slots the last round keys for the inverse."""
        keys = self.key_unit
        if self.parameters.slots:
            (K,) = keys.material.ciphers
            inverse = self.structure.inverse_call
            return (self.copies.read(K, f.later("inverse_key", call.sector), last=True),) if inverse else ()
        return tuple(map(keys.expanded, self.end_keys())) if self.structure.end_calls else (keys.round_keys,)

    def _next_step(self, f: HchFrame, start: Start, step_go: Value) -> HchStep:
        """The next step of the oldest sector with a Z; passes with ``step_go``."""
        c = f.carried
        steps = Steps(f.m, "lane", step_go, self.lane_steps, f.clear)
        sector = f.stages.pointer("lane", step_go & steps.final)
        whose = f.later("lane_sector", sector)
        Z, G = c.Z.read(whose), None if c.G is None else c.G.read(whose)
        if self.shortcut:
            back = f.later("start", start.back)
            Z = Mux(back, start.Z, Z)
            G = Mux(back, start.G, G)
        return HchStep(steps, sector, Z, G, (sector != start.sector) | (start.back & self.shortcut))

    def _lane_inputs(self, f: HchFrame, entering: Entering, step: HchStep, tweak: Value) -> None:
        """The blocks of a step into the lanes. Lane 0 takes the other calls, too, and G for a second single call."""
        c, m, single = f.carried, f.m, entering.single
        indices = self._indices(f, step, entering.lane)
        first, call = f.later("lane_first", step.steps.first), f.later("tweak_go", entering.tweak)
        enters, derive = f.later("single", single.enters), f.later("derive", entering.derive)
        derived = Const(0, 128) if self.parameters.slots else f.later("derived", self.key_unit.block)
        for k, block in enumerate(blocks(self.lanes.i.payload, self.place.lanes)):
            m.d.comb += block.eq(self.counter(step.Z, indices[k]))
            if k == 0:
                if c.W is not None:
                    with m.If(first):
                        m.d.comb += block.eq(step.G)
                if c.B is not None:
                    with m.If(call):
                        m.d.comb += block.eq(tweak)
                with m.If(enters):
                    m.d.comb += block.eq(single.block)
                with m.If(derive | f.clear):
                    m.d.comb += block.eq(derived)

    def _indices(self, f: HchFrame, step: HchStep, go: Value) -> list[Value]:
        """The index of each lane's block: its number, or with a tweak's call what ``advance`` makes of B."""
        m, lanes, structure, B = f.m, self.place.lanes, self.structure, f.carried.B
        if B is None:
            indices = [Signal(range(self.place.end + 1), name=f"counter{k}") for k in range(lanes)]
            for k, index in enumerate(indices):
                offset = (structure.first + k + structure.counts_from - structure.leading) % (1 << len(index))
                m.d.comb += index.eq(step.steps.step * lanes + offset)
            return [f.later(f"counter{k}", index) for k, index in enumerate(indices)]
        first, moves = f.later("first_index", step.steps.first), f.later("index_go", go)
        following = Signal(128)
        powers = [Signal(128, name=f"power{k}") for k in range(lanes)]
        m.d.comb += powers[0].eq(Mux(first, B.read(f.later("index_sector", step.sector)), following))
        m.d.comb += [powers[k].eq(self.advance(powers[0], k)) for k in range(1, lanes)]
        with m.If(moves | f.clear):
            m.d.sync += following.eq(Mux(f.clear, 0, self.advance(powers[0], lanes)))
        return powers

    def _results(self, f: HchFrame, tags: Tags) -> Beat:
        """Y_i = X_i + E(..), and W in the place of block 0, into the result ring. Returns whole beats of them."""
        c, m, place = f.carried, f.m, self.place
        x_beats = self._plain(f, tags.arriving.lane)
        arrived = tags.arrived.lane
        steps = Steps(m, "lane_done", arrived, self.lane_steps, f.clear)
        sector = f.later("lane_done_sector", f.stages.pointer("lane_done", arrived & steps.final))
        go, first = f.later("lane_done_go", arrived), f.later("lane_done_first", steps.first)
        step = f.later("lane_done_step", steps.step)
        places = [place.place(bank, step) for bank in range(place.banks)]
        last = place.end - 1 - place.first  # the last block, counted from lane 0's first
        y = []
        for k in range(place.lanes):
            bank, choice = place.read(k)
            plain = select(x_beats[bank][choice], places[bank].part)
            if k == 0 and c.W is not None:
                plain = Mux(first, c.R.read(sector), plain)
            block = Signal(128, name=f"y{k}")
            m.d.comb += block.eq((f.E[k] ^ plain) & ~f.clear.replicate(128))
            if place.tail < 16 and k == last % place.lanes:
                with m.If(step == last // place.lanes):
                    m.d.comb += block.eq(self.padded(f.E[k] ^ plain, place.tail) & ~f.clear.replicate(128))
            y.append(block)
        if c.W is not None:
            c.W.write(sector, y[0], go & first)
        history = self._history(f, y, go)
        beat = Beat(
            Cat(history), f.later("lane_done_beat", arrived & (steps.step[: place.part_bits] == place.parts - 1))
        )
        for bank, memory in enumerate(c.result):
            at, row = places[bank], Cat(results[k] for results in history for k in place.written(bank))
            whole = at.part == place.parts - 1
            if any(place.shifts):  # the last step may be past the sector's end
                whole = whole & (at.number < self.parameters.beats * place.parts)
            memory.write(f.stages.row(at.row, sector), row, go & whole)
        return beat

    def _plain(self, f: HchFrame, go: Value) -> list[list[Value]]:
        """The rows of the sector ring, a bank each, for the step that ``go`` says arrives in the next cycle."""
        place = self.place
        steps = Steps(f.m, "lane_due", go, self.lane_steps, f.clear)
        sector = f.stages.pointer("lane_due", go & steps.final)
        rows = [place.place(bank, steps.step).row for bank in range(place.banks)]
        beats = [
            f.later(f"lane_due_row{bank}", ring.read(f.stages.row(row, sector), 1))
            for bank, (ring, row) in enumerate(zip(f.carried.sector, rows, strict=True))
        ]
        return [blocks(beat, place.width // place.banks) for beat in beats]

    def _history(self, f: HchFrame, y: list[Signal], go: Value) -> list[list[Value]]:
        """The blocks of as many steps as make a beat, the oldest first, the present one last."""
        history: list[list[Value]] = [list(y)]
        for q in reversed(range(self.place.parts - 1)):
            held = [Signal(128, name=f"held{q}_{k}") for k in range(len(y))]
            with f.m.If(go | f.clear):
                f.m.d.sync += [register.eq(block) for register, block in zip(held, history[0], strict=True)]
            history.insert(0, list(held))
        return history

    def _back_hash(self, f: HchFrame, beat: Beat, front_sector: Value, step_go: Value, room: Value) -> Value:
        """Feeds both hashes. Drives ``room``: the result of a further step has a place.

        Returns the sector of the back hash.
        """
        c, m, front, back = f.carried, f.m, f.front, f.back
        x = self._arriving(f)
        sector = f.stages.pointer("back", back.last)
        m.d.comb += back.decrypt.eq(c.direction.read(sector))
        whose = f.later("back_sector", sector)
        self._held_blocks(f, BACK, back.unit, whose)
        if BACK.T in back.unit.specials:
            m.d.comb += back.unit.special(BACK.T).eq(c.tweak.read(whose))
        if self.parameters.overlap:
            if FRONT.T in front.unit.specials:
                entering = f.later("front_sector", front_sector)
                m.d.comb += front.unit.special(FRONT.T).eq(c.tweak.read(entering))
            queue = self._queue(m, parts=self.place.parts, step=step_go, write=beat.valid, beat=beat.data)
            m.d.comb += [
                front.decrypt.eq(c.direction.read(front_sector)),
                front.unit.blocks.eq(x),
                room.eq(queue.room),
                back.unit.blocks.eq(queue.beat),
                back.beat.eq(queue.valid),
                queue.read.eq(back.beat & back.ready),
            ]
        else:
            m.d.comb += [
                front.decrypt.eq(back.decrypt),
                room.eq(1),
                back.beat.eq(beat.valid),
                back.unit.blocks.eq(Mux(f.later("back_beat", beat.valid), f.later("back_data", beat.data), x)),
            ]
        return sector

    def _arriving(self, f: HchFrame) -> Value:
        """The beat at the entrance as the front hash takes it."""
        place, taken = self.place, list(f.beat)
        if place.tail < 16:
            row, column = divmod(place.end - 1, place.width)
            ends = f.later("last_row", self.entrance.number == row)
            taken[column] = Mux(ends, self.padded(taken[column], place.tail), taken[column])
        return Cat(taken)

    def _known_last(self, f: HchFrame) -> Value:
        """The outer and the inner block. Returns the first sector whose inner block is not known."""
        c, unit = f.carried, f.back.unit
        if c.outer is not None:
            assert c.G is not None, "a scheme with end calls has no outer block"
            tauW = unit.event(BACK.tauW)
            sector = f.later("back_tauW_sector", f.stages.pointer("back_tauW", tauW))
            c.outer.write(sector, self.outer(c.G.read(sector), unit.result(BACK.tauW)), f.later("back_tauW", tauW))
        known = unit.event(BACK.h)
        sector = f.stages.pointer("inner", known)
        whose = f.later("inner_sector", sector)
        inner = self.inner(c.before.read(whose), self._hashed(f, unit.result(BACK.h), whose))
        if self.structure.end_calls:
            decrypt = c.direction.read(sector)
            call = Single(inner, known, sector, decrypt, Const(0))
            inner, known = self.calls.closing(f, call, self._call_keys(f, call))
            sector = f.stages.pointer("inner_done", known)
            whose = f.later("inner_done_sector", sector)
        judged = f.later("judged", c.direction.read(sector)) if self.parameters.icv_bytes else Const(0)
        known = f.later("known", known)
        f.m.d.comb += self.computed.eq(known)
        c.inner.write(whose, self._judged(f.m, inner, judged, whose, known), known)
        return sector

    def _exit(self, f: HchFrame, computed: Value) -> Value:
        """Reads results from the ring, with the blocks known last in their places. Returns the sector that leaves."""
        c, place = f.carried, self.place
        leaving = self._leave(f.m, f.stages, computed)
        row = f.stages.row(leaving.number, leaving.sector)
        read = [blocks(ring.read(row, leaving.load), place.width // place.banks) for ring in c.result]
        beat: list[Value] = [read[bank][k] for bank, k in map(place.bank, range(place.width))]
        outer = None if c.outer is None else c.outer.read(leaving.sector)
        blocks_known = self.order(c.direction.read(leaving.sector), c.inner.read(leaving.sector), outer)
        if self.parameters.icv_bytes:
            icv, *blocks_known = blocks_known
            self._leave_judged(f.m, leaving, icv)
        known = [self._beside(f.m, leaving, f"known{k}", block) for k, block in enumerate(blocks_known)]
        f.m.d.comb += leaving.data.eq(Cat(place.with_specials(beat, leaving.shown_number, known)))
        return leaving.sector
