# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The family Feistel-mix-Feistel: AEZ-core.

    i -> first layer -> ring of W, X -> second layer -> result ring -> o
              +-> S_x, S_y (mix) -> S

A step is a call for each of ``lanes`` pairs. A step leaving the lanes enters again with the next call of the pairs,
until the pairs have all calls of the layer. The calls of a pair are as many cycles apart as a call takes, so a pair
needs a delay and no memory between calls. A new step takes a cycle without a returning step: a step of the second
layer, else a step of the first.

The last pair is in the last used lane of the last step. Calls of the step that the last pair does not need in the paper
are used otherwise: in the first layer the second call is the tweak's call, and the mix is a third call of the last step
alone.
"""

from functools import reduce
from operator import xor

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data

from wideblock.rtl.aes.pipelined import PipelinedEncryption
from wideblock.rtl.flow.cycles import cycles_of
from wideblock.rtl.keys.context import Context
from wideblock.rtl.pipeline import later
from wideblock.rtl.stream.stages import blocks
from wideblock.rtl.stream.storage import Delay

from ..parameters import FeistelMixFeistelParameters
from ..steps import Steps
from ..store_and_forward import StoreAndForward
from .equations import FmfEquations, Mask
from .multiples import Multiples, Numbers, StoredNumbers
from .schedule import FmfSchedule
from .values import PAIR, FmfCarried, FmfFrame, FmfStep, Masks, job_layout

__all__ = ["FeistelMixFeistel"]


class FeistelMixFeistel(FmfEquations, StoreAndForward):
    """A sector core of the family, encryption and decryption in one; a scheme states its :class:`FmfEquations`.

    Timing: see :class:`SectorTiming` and :class:`FmfSchedule`. With ``overlap``, ``compute`` and ``latency`` hold for
            an idle core; behind another sector, a sector waits for the lanes.
    Paths:  as :class:`StoreAndForward`.
    """

    family = "feistel mix feistel"

    def __init__(self, parameters: FeistelMixFeistelParameters):
        p = parameters
        more = {"sbox": p.sbox, "lanes": p.lanes, "travelling": p.slots > 0}
        self.cipher = PipelinedEncryption(key_bits=p.key_bits, round_stages=p.round_stages, **more)
        self.schedule = s = FmfSchedule(p.pairs, p.lanes, self.cipher.timing.latency)
        self.flow = s.flow
        super().__init__(
            p,
            cipher_latency=s.cipher_latency,
            cycles=cycles_of(self.flow, overlap=p.overlap, queue=p.gate_beats),
            rows=s.steps,
            loading=s.steps if p.masks == "stored" else 0,
            context=self._context(p) if p.slots else None,
        )

    def _context(self, p: FeistelMixFeistelParameters) -> Context:
        """The context of a slot. J is read with the first beat; the rest with the call, at the second beat."""
        material, call = self.key_material(p), min(1, p.beats - 1)
        used = {self.J: 0} | dict.fromkeys((*material.ciphers, self.I), call)
        return Context.of(material, used=used, powers={})

    # Hardware

    def elaborate(self, platform):
        m = Module()
        f = self._frame(m)
        # decided by a stage, awaited by those before it
        free = Signal()  # a sector may begin
        vacant = Signal()  # a new step may enter the lanes

        first, opening, W_sector = self._first_layer(f, free, vacant)
        soon = f.arriving
        comes_back = soon.W | (soon.X & soon.final) | soon.YZ | soon.Cp  # a step, in the next cycle
        returning = self._returning(f, comes_back)
        Sy_done_sector = self._mix(f)
        second = self._second_layer(f, Sy_done_sector, comes_back, vacant)
        self._inputs(f, first, second, returning)
        C_done_sector = self._results(f)
        left = self._exit(f, C_done_sector)

        admission = self._admission(m, opening, taken=W_sector, computed=C_done_sector, left=left)
        m.d.comb += free.eq(admission.free)
        if f.masks is None:
            m.d.comb += self.entrance.computed.eq(C_done_sector)
            self._connect_keys(m, idle=Const(1), derived=Const(1))
            return m
        self._connect_keys(m, idle=self.entrance.between & admission.done, derived=f.masks.numbers.loaded)
        return m

    def _frame(self, m: Module) -> FmfFrame:
        """Key unit, lanes with the delay beside them, and the memories of what a sector carries."""
        p, s, keys = self.parameters, self.schedule, self.key_unit
        stages = self._stages(m)
        layout = job_layout(len(Signal(range(s.steps))), stages.slot_bits + 1, derives=not p.slots)
        entering = Signal(layout, name="entering")
        tags = {name: entering[name] for name, _ in layout}
        *_, arriving, arrived = stages.delayed("tag", self.cipher_latency, **tags)
        into = [Signal(PAIR, name=f"pair{q}") for q in range(p.lanes)]
        delay = {"cycles": self.cipher_latency, "clear": keys.clear, "clear_row": keys.clear_row}
        old = [data.View(PAIR, Delay(m, f"delay{q}", Value.cast(pair), **delay).value) for q, pair in enumerate(into)]
        E = [Signal(128, name=f"E{q}") for q in range(p.lanes)]
        new = [Signal(128, name=f"new{q}") for q in range(p.lanes)]
        m.submodules.cipher = self.cipher
        for q, block in enumerate(blocks(self.cipher.o.payload, p.lanes)):
            m.d.comb += [E[q].eq(block & ~keys.clear.replicate(128)), new[q].eq(old[q].left ^ E[q])]
        masks = None
        if not p.slots:
            m.d.comb += [keys.returned.eq(arrived.key), keys.result.eq(E[0])]
            I, J = (Multiples(m, word.name, keys.value(word), self.reading) for word in (self.I, self.J))  # noqa: E741
            masks = Masks(I, J, self._numbered(m, J))
        carried = FmfCarried(
            direction=stages.slots("direction", 1),
            S=stages.slots("S"),
            Delta=stages.slots("Delta") if p.tweak_bytes else None,
            middle=[stages.ring(f"middle_ring{q}", 256) for q in range(p.lanes)],
            result=[stages.ring(f"result_ring{q}", 256) for q in range(p.lanes)],
        )
        return FmfFrame(m, stages, keys.clear, masks, entering, arriving, arrived, into, old, E, new, carried)

    def _masks(self, f: FmfFrame, name: str, sector: Value, *, ahead: int = 0) -> Masks:
        """The masks for calls of ``sector``, a pointer ``ahead`` of the call; the numbers are not delayed."""
        if f.masks is not None:
            return f.masks
        words = self.copies.words(sector)
        numbers = self._numbered(f.m, Multiples(f.m, f"{name}_early_J", words[self.J], self.reading))
        late = [
            later(f.m, f"{name}_{word.name}", words[word], cycles=ahead, clear=f.clear) for word in (self.I, self.J)
        ]
        I, J = (  # noqa: E741
            Multiples(f.m, f"{name}_{word.name}", value, self.reading)
            for word, value in zip((self.I, self.J), late, strict=True)
        )
        return Masks(I, J, numbers)

    def _numbered(self, m: Module, J: Multiples) -> Numbers:
        """The multiples for the numbers of the pairs, by the parameters."""
        s, keys = self.schedule, self.key_unit
        if self.parameters.masks == "on-the-fly":
            return Numbers(m, J, lanes=s.lanes, steps=s.steps)
        return StoredNumbers(
            m,
            J,
            lanes=s.lanes,
            steps=s.steps,
            load=keys.returned,
            enable=keys.running | keys.clear,
            clear=keys.clear,
            clear_row=keys.clear_row,
        )

    # Stages, in the order of the data

    def _first_layer(self, f: FmfFrame, free: Value, vacant: Value) -> tuple[FmfStep, Value, Value]:
        """A step for two beats, or for a single last beat.

        Returns the step, ``opening``, high as a sector's first beat is taken, and the entering sector.
        """
        entrance, z = self.entrance, self.schedule.last_lane
        row, complete = entrance.number[1:], entrance.number[0]
        begins, opens, ends, after, over = self._place(f)
        if self.parameters.beats % 2:
            complete = complete | ends
        waits = Signal(name="beat_waits")
        opening = self._enter(f.m, admit=~begins | free, offer=waits, ready=~complete | vacant, first=begins)
        go = entrance.take & complete
        # with slots sectors stay in order whatever the gate's queue holds
        final = entrance.number == self.parameters.beats - 1 if self.parameters.slots else entrance.x.last
        whole = go & final & ~entrance.fault.any()
        sector = f.stages.pointer("W", whole)
        self._tag(sector, opening)
        masks = self._masks(f, "W", sector)
        decrypt, tweak = self._request(f, begins)
        left, right = self._collected(f, entrance.take & ~complete, ends)
        kept = go if f.masks is not None else entrance.take & (complete | over)
        numbers = self._numbers(f, masks, "W", opens, after, kept, over)
        calls: list[Value] = [M ^ masks.mask(self.outer, jJ) for M, jJ in zip(right, numbers, strict=True)]
        calls[z] = Mux(ends, right[z] ^ self._last_mask(masks, self.last_outer, decrypt), calls[z])
        numbers[z] = Mux(ends, tweak, numbers[z])
        pairs = [Cat(*pair) for pair in zip(left, right, numbers, strict=True)]
        fields = {"W": Const(1), "row": row, "first": opens, "final": whole, "sector": sector, "decrypt": decrypt}
        return FmfStep(go, calls, pairs, fields), opening, sector

    def _place(self, f: FmfFrame) -> tuple[Signal, Signal, Signal, Signal, Value]:
        """Whether the present beat is the first, is in the first row, is the last; 1 + the beat's row; and whether
        the sector ends with the beat.

        The flags follow from the entrance's number, and are registers, as the lanes' inputs depend on them.
        """
        entrance, beats = self.entrance, self.parameters.beats
        begins, opens = Signal(name="W_begins", init=1), Signal(name="W_first", init=1)
        ends = Signal(name="W_ends", init=beats == 1)
        after = Signal(range(self.schedule.steps + 1), name="W_after", init=1)
        over = ends | entrance.x.last
        if self.parameters.slots or self.tail is not None:  # a fault of byte qualifiers ends a sector at any beat
            over = over | entrance.fault.any()
        with f.m.If(entrance.take):
            f.m.d.sync += [
                begins.eq(over),
                opens.eq(over | begins),
                ends.eq(Mux(over, ends.init, entrance.number == beats - 2)),
                after.eq(Mux(over, 1, after + entrance.number[0])),
            ]
        with f.m.If(f.clear):
            f.m.d.sync += [register.eq(register.init) for register in (begins, opens, ends, after)]
        return begins, opens, ends, after, over

    def _collected(self, f: FmfFrame, half: Value, last: Value) -> tuple[list[Value], list[Value]]:
        """The left and the right blocks of a step's pairs.

        From the beat present with ``half`` and from the present beat. The ``last`` of an odd number of beats is a step
        alone.
        """
        p, data = self.parameters, Value.cast(self.entrance.x.data)
        held = Signal(128 * p.width, name="half_step")
        f.stages.hold(held, data, half)
        beat, before = blocks(data, p.width), blocks(held, p.width)
        if p.beats % 2:
            before = [Mux(last, b, a) for a, b in zip(before, beat, strict=True)]
        step = [*before, *beat]
        return step[::2], step[1::2]

    def _request(self, f: FmfFrame, begins: Value) -> tuple[Value, Value]:
        """Direction and tweak of the entering sector; registers follow the entrance's up to the first beat."""
        x, decrypt, tweak = self.entrance.x, Signal(name="W_decrypt"), Signal(128, name="W_tweak")
        if self.parameters.beats == 1:
            f.m.d.comb += [decrypt.eq(x.decrypt), tweak.eq(x.tweak)]
        else:
            f.stages.hold(decrypt, x.decrypt, begins)
            f.stages.hold(tweak, x.tweak, begins)
        return decrypt, tweak

    def _numbers(
        self, f: FmfFrame, masks: Masks, name: str, first: Value, after: Value, go: Value, ends: Value
    ) -> list[Value]:
        """j J of the pairs of a step, the ``first`` of a sector or not; ``after`` is 1 + the row of the next cycle.

        In the first layer ``after`` is 1 + the present row: steps are two cycles apart. A last step of a single beat
        may follow at once, without a pair in the last lane. If each sector has a key, nothing is kept after the beat or
        the step that ``ends`` the sector.
        """
        before, held = Signal(128, name=f"{name}_number"), Signal(128, name=f"held_{name}_number")
        last = masks.numbers.last(name, after)
        f.m.d.comb += before.eq(held & ~first.replicate(128))
        f.stages.hold(held, last if f.masks is not None else last & ~ends.replicate(128), go)
        return [*(before ^ masks.J.times(q + 1) for q in range(self.schedule.lanes - 1)), last]

    def _returning(self, f: FmfFrame, comes_back: Value) -> FmfStep:
        """The step leaving the lanes, with the next calls of the pairs, if the layer has more calls."""
        a, z = f.arrived, self.schedule.last_lane
        masks = self._masks(f, "returning", a.sector)
        inner = masks.mask(self.inner)
        calls, pairs = [], []
        for old, new, E in zip(f.old, f.new, f.E, strict=True):
            right = Mux(a.YZ, old.right ^ E, new)
            pairs.append(Cat(Mux(a.YZ, new, old.right), right, old.number))
            calls.append(right ^ Mux(a.Cp, masks.mask(self.outer, old.number), inner))
        call, pair = self._last_pair(f, masks)
        calls[z], pairs[z] = Mux(a.final, call, calls[z]), Mux(a.final, pair, pairs[z])
        again = Signal(name="again")  # a register, as it decides what enters everywhere
        f.m.d.sync += again.eq(comes_back & ~f.clear)
        following = {"X": a.W, "Sy": a.X, "Cp": a.YZ, "C": a.Cp}
        same = {name: a[name] for name in ("row", "first", "final", "sector", "decrypt")}
        return FmfStep(again, calls, pairs, following | same)

    def _last_pair(self, f: FmfFrame, masks: Masks) -> tuple[Value, Value]:
        """The next call of the last pair, and the pair: (M_y, W), (M_y, S_x); (S_x, S_y), (S_y, C_y).

        W is M_x plus the result of the first call. The results of the tweak's call and of the call for S, which the
        last pair does not take part in, do not go into the pair.
        """
        m, a, z = f.m, f.arrived, self.schedule.last_lane
        old, new, Delta = f.old[z], f.new[z], Signal(128, name="Delta_value")
        X, Y = self._sum(f, "X", a.X), self._sum(f, "Y", a.YZ)
        if (slots := f.carried.Delta) is not None:
            slots.write(a.sector, f.E[z], a.X & a.final)
            m.d.comb += Delta.eq(Mux(a.X, f.E[z], slots.read(a.sector)))
        S_x = Signal(128, name="S_x")
        m.d.comb += S_x.eq(old.right ^ X ^ Delta)
        feistel = Cat(old.right, new, old.number)
        pair = Mux(a.X, Cat(old.left, S_x, old.number), Mux(a.YZ, Cat(old.left, old.right, Y ^ Delta), feistel))
        right = Mux(a.X, S_x, Mux(a.YZ, old.right, new))
        inner = self._last_mask(masks, self.last_inner, a.decrypt ^ ~a.X)
        call = right ^ Mux(a.Cp, self._last_mask(masks, self.last_outer, ~a.decrypt), inner)
        if f.carried.Delta is not None:
            call = Mux(a.W, old.number ^ masks.mask(self.delta), call)
        return call, pair

    def _last_mask(self, masks: Masks, pair: tuple[Mask, Mask], second: Value) -> Value:
        return Mux(second, masks.mask(pair[1]), masks.mask(pair[0]))

    def _sum(self, f: FmfFrame, name: str, go: Value) -> Value:
        """The sum of ``new`` over the pairs but the last, from a sector's first step to the present one."""
        total, held = Signal(128, name=f"sum_{name}"), Signal(128, name=f"held_sum_{name}")
        a, z = f.arrived, self.schedule.last_lane
        present = [*f.new[:z], *(block & ~a.final.replicate(128) for block in f.new[z:])]
        f.m.d.comb += total.eq(reduce(xor, present, held & ~a.first.replicate(128)))
        f.stages.hold(held, total, go)
        return total

    def _mix(self, f: FmfFrame) -> Value:
        """W and X, and S_x, S_y and their sum S, for the second layer. Returns the first sector without S."""
        c, a, z = f.carried, f.arrived, self.schedule.last_lane
        sector = f.stages.pointer("Sy_done", a.Sy)
        for q, (column, old, new) in enumerate(zip(c.middle, f.old, f.new, strict=True)):
            enable = (a.X & ~a.final) | a.Sy if q == z else a.X
            column.write(f.stages.row(a.row, a.sector), Cat(old.right, new), enable)
        c.S.write(a.sector, f.old[z].right ^ f.new[z], a.Sy)
        c.direction.write(a.sector, a.decrypt, a.Sy)
        return sector

    def _second_layer(self, f: FmfFrame, Sy_done_sector: Value, comes_back: Value, vacant: Signal) -> FmfStep:
        """The present step of the second layer: the calls of S for its pairs. Drives ``vacant``, a register, too."""
        c, m, stages, s = f.carried, f.m, f.stages, self.schedule
        go, goes, S = Signal(name="YZ_go"), Signal(name="YZ_goes"), Signal(128, name="S_value")
        # counted a cycle early, so that registers choose what is read for the next cycle, and what it is
        coming = Steps(m, "YZ", goes, s.steps, f.clear)
        coming_sector = stages.pointer("YZ", goes & coming.final)
        after = Steps(m, "YZ_after", goes, s.steps, f.clear, start=1).step
        counted = {"step": coming.step, "first": coming.first, "final": coming.final, "sector": coming_sector}
        step, first, final, sector = (
            later(m, f"YZ_{name}", value, cycles=1, clear=f.clear) for name, value in counted.items()
        )
        present = Signal(name="YZ_follows")
        m.d.comb += [present.eq(coming_sector != Sy_done_sector), goes.eq(present & ~comes_back)]
        m.d.sync += [go.eq(goes & ~f.clear), vacant.eq(~present & ~comes_back & ~f.clear)]
        stages.hold(S, c.S.read(coming_sector), present)
        row = stages.row(coming.step, coming_sector)
        masks = self._masks(f, "YZ", coming_sector, ahead=1)
        numbers = self._numbers(f, masks, "YZ", first, after, go, final)
        calls = [S ^ masks.mask(self.between, jJ) for jJ in numbers]
        pairs = [Cat(column.read(row, present | f.clear), jJ) for column, jJ in zip(c.middle, numbers, strict=True)]
        decrypt = c.direction.read(sector)
        fields = {"YZ": Const(1), "row": step, "first": first, "final": final, "sector": sector, "decrypt": decrypt}
        return FmfStep(go, calls, pairs, fields)

    def _inputs(self, f: FmfFrame, first: FmfStep, second: FmfStep, returning: FmfStep) -> None:
        """The calls into the lanes, with pairs and job. At most one step has ``go``."""
        m, p, keys = f.m, self.parameters, self.key_unit
        lanes = [Signal(128, name=f"lane{q}") for q in range(p.lanes)]
        m.d.comb += [lane.eq(call) for lane, call in zip(lanes, first.blocks, strict=True)]
        m.d.comb += [Value.cast(into).eq(pair) for into, pair in zip(f.into, first.pairs, strict=True)]
        for step in (first, second, returning):
            with m.If(step.go):
                m.d.comb += [f.entering[name].eq(value) for name, value in step.job.items()]
                m.d.comb += [lane.eq(call) for lane, call in zip(lanes, step.blocks, strict=True)]
                m.d.comb += [Value.cast(into).eq(pair) for into, pair in zip(f.into, step.pairs, strict=True)]
        m.d.comb += self.cipher.i.payload.eq(Cat(lanes))
        if p.slots:
            (K,) = keys.material.ciphers
            m.d.comb += self.cipher.key.eq(self.copies.read(K, f.entering.sector))
            return
        with m.If(keys.derive):  # a step that comes back then is of a malformed sector, and ends
            m.d.comb += [Value.cast(f.entering).eq(0), f.entering.key.eq(1), lanes[0].eq(keys.block)]
        m.d.comb += self.cipher.round_keys.eq(keys.round_keys)

    def _results(self, f: FmfFrame) -> Value:
        """C_i and C'_i into the result ring; C_x has Y + Delta added. Returns the first sector not computed."""
        a, z = f.arrived, self.schedule.last_lane
        computed = a.C & a.final
        sector = f.stages.pointer("C_done", computed)
        for q, (column, old, new) in enumerate(zip(f.carried.result, f.old, f.new, strict=True)):
            C = new ^ (old.number & a.final.replicate(128)) if q == z else new
            column.write(f.stages.row(a.row, a.sector), Cat(C, old.right), a.C)
        f.m.d.comb += self.computed.eq(computed)
        return sector

    def _exit(self, f: FmfFrame, computed: Value) -> Value:
        """Reads results from the ring, a row for two beats. Returns the sector that leaves."""
        leaving = self._leave(f.m, f.stages, computed)
        row = f.stages.row(leaving.number[1:], leaving.sector)
        step = Cat(column.read(row, leaving.load) for column in f.carried.result)
        half = len(step) // 2
        f.m.d.comb += leaving.data.eq(Mux(leaving.shown_number[0], step[half:], step[:half]))
        return leaving.sector
