# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The family encrypt-mix-encrypt: EME2.

    i -> first layer -+-> ring of PPP -> second layer -> result ring -> o
      -> T*           +-> MP, MC (mixing call) -> masks

Both layers, the tweak's call, the mixing call and calls to refresh a mask share a set of lanes, with a call or a step
of ``lanes`` blocks a cycle. The mixing call has the highest priority, then tweak and first layer, then the second
layer. A sector passes the first layer without a pause; the second layer of the sector before uses the remaining cycles.

In the second layer lane q of step t takes block t lanes + q + 1. The last lane of the last step takes block 0, known
last: the sum of all other blocks. In a core with ICVs block 0 is in no beat: zeros, or the ICV to decrypt. Its
call in the first layer goes behind the last beat's, with which the ICV comes; its result is the ICV, or the verdict.

Flags, counters and pointers of sectors on the way into the lanes are of the control. With overlap, and with two or more
stages a round, the control is a cycle ahead: registers take decisions and the entrance's beat to the lanes.
"""

from functools import reduce
from operator import xor
from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value

from wideblock.rtl.aes.pipelined import both_ways
from wideblock.rtl.flow.cycles import cycles_of
from wideblock.rtl.keys.context import Context
from wideblock.rtl.keys.material import KeyWord
from wideblock.rtl.stream.stages import Stages, blocks

from ..parameters import EncryptMixEncryptParameters
from ..steps import Steps
from ..store_and_forward import StoreAndForward
from .calls import EmeCalls
from .equations import EmeEquations, Words
from .schedule import EmeSchedule
from .values import Call, EmeCarried, EmeFrame, Mixed, Mixing, Rest

__all__ = ["EncryptMixEncrypt"]


class EncryptMixEncrypt(EmeEquations, StoreAndForward):
    """A sector core of the family, encryption and decryption in one; a scheme states its :class:`EmeEquations`.

    Timing: see :class:`SectorTiming` and :class:`EmeSchedule`. With ``overlap``, ``compute`` and ``latency`` hold for
            an idle core; behind another sector, a sector waits for the lanes.
    Paths:  as :class:`StoreAndForward`.
    """

    family = "encrypt mix encrypt"

    def __init__(self, parameters: EncryptMixEncryptParameters):
        p = parameters
        more = {"sbox": p.sbox, "lanes": p.lanes, "travelling": p.slots > 0}
        self.ciphers = both_ways(key_bits=p.key_bits, round_stages=p.round_stages, **more)
        A = next(iter(self.ciphers.values())).timing.latency
        self.leading = leading = p.icv_bytes // 16
        blocks, rest = p.m + leading, p.sector_bytes % 16
        self.schedule = s = EmeSchedule(blocks, rest, p.lanes, self.period, p.ahead + A, leading > 0, p.behind)
        self.flow = s.flow
        super().__init__(
            p,
            cipher_latency=A,
            cycles=cycles_of(self.flow, overlap=p.overlap, held=1, queue=p.gate_beats),
            held=0 if p.slots else 1,  # in the entrance, while the tweak's call takes its turn
            ahead=p.ahead,
            context=self._context(p) if p.slots else None,
        )

    def _context(self, p: EncryptMixEncryptParameters) -> Context:
        """The context of a slot: the calls of the tweak and of the first beat take all that the key port has."""
        material = self.key_material(p)
        return Context.of(material, used=dict.fromkeys(material.port, p.ahead), powers={}, inverse=p.ahead)

    # Hardware

    def elaborate(self, platform):
        m = Module()
        f = self._frame(m)
        # decided by a stage, awaited by those before it
        free = Signal()  # a sector may begin
        go = Signal()  # a call of the second layer enters the lanes

        tweak, step, last, first_sector = self._first_layer(f, free)
        calls = EmeCalls(m, self.schedule, go, f.clear)
        arrived = self._tags(f, tweak, step, last.go, calls, go)
        MP, first_done_sector = self._sum(f, arrived)
        mixed = self._mix(f, arrived, MP, first_done_sector)
        second = self._second_layer(f, calls, go, first_done_sector, mixed)
        enters = second.go & ~f.mixing.valid & ~tweak.go & ~step.go
        m.d.comb += go.eq(enters & ~last.go if self.leading else enters)
        self._inputs(f, tweak, step, last, second)
        second_done_sector = self._results(f, arrived, mixed)
        left = self._exit(f, second_done_sector)

        admission = self._admission(m, tweak.go, taken=first_sector, computed=second_done_sector, left=left)
        m.d.comb += free.eq(admission.free)
        if self.parameters.slots:
            m.d.comb += self.entrance.computed.eq(second_done_sector)
            self._connect_keys(m, idle=Const(1), derived=Const(1))
            return m
        self._connect_keys(m, idle=self.entrance.between & admission.done & ~self._leads, derived=Const(1))
        return m

    def _frame(self, m: Module) -> EmeFrame:
        """Key unit, ciphers, and the memories of what a sector carries."""
        p, s, stages, keys = self.parameters, self.schedule, self._stages(m), self.key_unit
        E = [Signal(128, name=f"E{k}") for k in range(p.lanes)]
        carried = EmeCarried(
            direction=stages.slots("direction", 1),
            T_star=stages.slots("T_star"),
            MP=stages.slots("MP"),
            base=stages.slots("base"),
            masks=stages.slots("masks", values=1 + s.refreshes),
            MP_j=stages.slots("MP_j", values=s.refreshes) if s.refreshes else None,
            rest=Rest(stages.slots("rest"), stages.slots("rest_result"), s.rest, p.m % p.width) if s.rest else None,
            middle=[stages.ring(f"middle_ring{k}", 128) for k in range(p.width)],
            icv=stages.slots("made_icv") if p.icv_bytes else None,
            result=[stages.ring(f"result_ring{k}", 128) for k in range(p.width)],
        )
        mixing = Mixing(
            block=Signal(128, name="mix_call_block"),
            valid=Signal(name="mix_call_valid"),
            final=Signal(name="mix_call_final") if s.rest else Const(1),
            decrypt=Signal(name="mix_call_decrypt"),
            sector=Signal(stages.slot_bits + 1, name="mix_call_sector"),
        )
        words = None if p.slots else self._key_words(stages)
        return EmeFrame(m, stages, keys.clear, E, carried, mixing, words, self.copies if p.slots else None)

    def _key_words(self, stages: Stages) -> Words:
        """The words of the one key."""
        keys = self.key_unit
        words: dict[KeyWord, Value] = {}
        for word in keys.material.raw:
            words[word] = register = Signal(word.bits, name=word.name)
            stages.hold(register, keys.word(word), keys.taken)
        return words | {word: keys.value(word) for word in keys.material.stored}

    # Stages, in the order of the data

    def _first_layer(self, f: EmeFrame, free: Value) -> tuple[Call, Call, Call, Value]:
        """The tweak's call before a sector, a step for each beat, and the call of a leading block behind them.

        Returns call, step, the last call of a well-formed sector, which may be a step, and the entering sector.
        """
        m, stages, entrance, x, slots = f.m, f.stages, self.entrance, self.entrance.x, self.parameters.slots
        self._leads = leads = Signal(name="leads") if self.leading else Const(0)
        first, ready = entrance.number == 0, ~f.mixing.valid
        tweak_go, tweaked, waits = Signal(name="tweak_go"), Signal(name="tweaked"), Signal(name="beat_waits")
        opening = self._enter(m, admit=~first | tweaked, offer=waits, ready=ready, first=first)
        m.d.comb += tweak_go.eq(entrance.valid & first & ~tweaked & free & ready & ~leads)
        m.d.sync += tweaked.eq((tweak_go | tweaked) & ~entrance.take & ~f.clear)
        whole = entrance.take & x.last & ~entrance.fault.any()
        last_go = leads & ready if self.leading else whole
        sector = stages.pointer("first", last_go)
        self._tag(sector, opening)
        f.carried.direction.write(sector, x.decrypt, tweak_go)
        if (rest := f.carried.rest) is not None:
            padded = Cat(x.data[rest.column][: 8 * rest.size], Const(0x80, 128 - 8 * rest.size))
            rest.padded.write(sector, padded, whole)
        words = f.words(sector, entering="first")
        take, begins = stages.later("take", entrance.take), stages.later("first", first)
        ends = (
            stages.later("ends", (entrance.number == self.schedule.beats - 1) | entrance.fault.any()) if slots else None
        )
        offsets = self._offsets(f, "offset", words, begins, take, ends=ends)
        beat = blocks(stages.later("entering", Value.cast(x.data)), self.parameters.width)
        mine = offsets[1:] if self.leading else offsets[:-1]
        steps = [self.enter(block, offset) for block, offset in zip(beat, mine, strict=True)]
        tweak = Call(tweak_go, [self.tweak_call(stages.later("tweak", x.tweak), words)], Const(0), sector)
        decrypt, lead = f.carried.direction.read(sector), []
        if self.leading:
            m.d.sync += leads.eq((whole | leads & ~ready) & ~f.clear)
            icv = Signal(128, name="given_icv")  # of the last beat; stays until the tweak of the next sector is called
            stages.hold(icv, x.icv, entrance.take)
            judged = stages.later("lead_decrypt", decrypt)
            lead = [self.enter(icv & judged.replicate(128), self.first_offset(words))]
        return tweak, Call(entrance.take, steps, decrypt, sector), Call(last_go, lead, decrypt, sector), sector

    def _tags(self, f: EmeFrame, tweak: Call, step: Call, whole: Value, calls: EmeCalls, go: Value) -> Any:
        """Flags of the lanes' contents with the results; the key unit takes the results of derivations.

        ``whole``: the last call of a first layer enters.
        """
        final, keys = f.mixing.final, self.key_unit
        *_, arrived = f.stages.delayed(
            "tag",
            self.schedule.cipher_latency,
            tweak=tweak.go,
            first=step.go,
            whole=whole,
            halfway=f.mixing.valid & ~final,
            mix=f.mixing.valid & final,
            refresh=go & calls.refresh,
            second=calls.step,
            **({"derive": keys.derive} if keys.calls else {}),
        )
        if keys.calls:
            f.m.d.comb += [keys.returned.eq(arrived.derive), keys.result.eq(f.E[0])]
        return arrived

    def _sum(self, f: EmeFrame, arrived: Any) -> tuple[Value, Value]:
        """PPP into the ring, T* and MP = T* + their sum. Returns MP, and the first sector without it."""
        c, m, stages = f.carried, f.m, f.stages
        sector = stages.pointer("first_done", arrived.whole)
        row = Signal(range(self.parameters.beats), name="middle_row")
        stages.hold(row, Mux(arrived.tweak, 0, row + 1), arrived.tweak | arrived.first)
        for k, column in enumerate(c.middle):
            column.write(stages.row(row, sector), f.E[k], arrived.first)
        T_star, total = Signal(128, name="T_star_value"), Signal(128, name="total")
        held, MP = Signal(128, name="held_total"), Signal(128, name="MP_value")
        present = [
            PPP & ~arrived.whole.replicate(128) if self.leading and k else self._whole(PPP, k, arrived.whole)
            for k, PPP in enumerate(f.E)
        ]
        m.d.comb += [
            T_star.eq(self.T_star(f.E[0], f.words(sector))),
            total.eq(reduce(xor, present, held)),
            MP.eq(total if c.rest is None else total ^ c.rest.padded.read(sector)),
        ]
        stages.hold(held, Mux(arrived.tweak, T_star, total), arrived.tweak | arrived.first)
        c.T_star.write(sector, T_star, arrived.tweak)
        c.MP.write(sector, MP, arrived.whole)
        return MP, sector

    def _mix(self, f: EmeFrame, arrived: Any, MP: Value, first_done_sector: Value) -> Mixed:
        """The mixing calls, and of their results M_0 and the beginning of the sum CCC_0; the refreshed masks."""
        c, m, stages, call, E = f.carried, f.m, f.stages, f.mixing, f.E[0]
        sector = stages.pointer("mix_done", arrived.mix)
        halfway, rest = sector, None
        MC = E ^ c.T_star.read(sector)
        valid, following, whose = arrived.whole, MP, first_done_sector
        if c.rest is not None:
            halfway, rest = stages.pointer("halfway_done", arrived.halfway), Signal(128, name="rest_value")
            m.d.comb += rest.eq(c.rest.padded.read(halfway) ^ E[: 8 * c.rest.size])
            c.rest.result.write(halfway, rest, arrived.halfway)
            MC = MC ^ c.rest.result.read(sector)
            m.d.sync += call.final.eq(arrived.halfway & ~f.clear)
            valid = valid | arrived.halfway
            following, whose = Mux(arrived.whole, MP, E), Mux(arrived.whole, first_done_sector, halfway)
        m.d.sync += [
            call.valid.eq(valid & ~f.clear),
            call.block.eq(following & ~f.clear.replicate(128)),
            call.decrypt.eq(c.direction.read(whose) & ~f.clear),
        ]
        if self.parameters.slots:
            m.d.sync += call.sector.eq(Mux(f.clear, 0, whose))
        c.base.write(sector, MC, arrived.mix)
        return Mixed(sector, self._masks(f, arrived, sector), halfway, rest)

    def _masks(self, f: EmeFrame, arrived: Any, mixed_sector: Value) -> Value:
        """M_0 and the refreshed masks. Returns the first sector without all masks."""
        c, stages, count = f.carried, f.stages, self.schedule.refreshes
        sector, MP = mixed_sector, c.MP.read(mixed_sector)
        slot = stages.value(Const(0), mixed_sector, 1 + count)
        if c.MP_j is not None:
            steps = Steps(f.m, "second_refreshed", arrived.refresh, count, f.clear)
            sector = stages.pointer("second_refreshed", arrived.refresh & steps.final)
            MP = Mux(arrived.refresh, c.MP_j.read(stages.value(steps.step, sector, count)), MP)
            slot = Mux(arrived.refresh, stages.value(steps.step + 1, sector, 1 + count), slot)
        mask = Signal(128, name="mask_value")
        f.m.d.comb += mask.eq(self.mask(MP, f.E[0]))
        c.masks.write(slot, mask, arrived.mix | arrived.refresh)
        return sector

    def _second_layer(self, f: EmeFrame, calls: EmeCalls, go: Value, first_done_sector: Value, mixed: Mixed) -> Call:
        """The present call of the second layer: to refresh a mask, or a step."""
        c, m, stages, s, steps = f.carried, f.m, f.stages, self.schedule, calls.steps
        sector = stages.pointer("second", calls.done)
        following_sector = Signal.like(sector, name="second_following_sector")
        m.d.comb += following_sector.eq(sector + calls.done)
        present = stages.later("present", following_sector != first_done_sector) | f.clear
        following = stages.later("following", calls.following)
        following_sector = stages.later("second_following_sector", following_sector)
        row = following if s.leading else following + 1
        if s.refreshes:
            row = calls.last_lane(following, stages.later("following_refreshing", calls.following_refreshing))
        *others, last = c.middle if s.leading else (*c.middle[1:], c.middle[0])  # a lane each
        PPP = [
            *(column.read(stages.row(following, following_sector), present) for column in others),
            last.read(stages.row(row, following_sector), present),
        ]
        step, final = stages.later("second_go", calls.step), stages.later("second_final", steps.final)
        begins, base = stages.later("second_first", steps.first), stages.later("base", c.base.read(sector))
        M = stages.later("mask", c.masks.read(stages.value(calls.mask, sector, 1 + s.refreshes)))
        CCC = [Signal(128, name=f"CCC{q}") for q in range(s.lanes)]
        masks = self._block_masks(f, calls, M, begins, step)
        for block, X, mask in zip(CCC, PPP, masks, strict=True):
            m.d.comb += block.eq(self.inner(X, mask))
        CCC_0, held = Signal(128, name="CCC_0"), Signal(128, name="held_CCC_0")
        known = [self._whole(block, q + 1, final, steps=s.steps) for q, block in enumerate(CCC[:-1])]
        m.d.comb += CCC_0.eq(reduce(xor, known, Mux(begins, base, held)))
        stages.hold(held, CCC_0 ^ CCC[-1], step)
        inputs: list[Value] = [*CCC[:-1], Mux(final, CCC_0, CCC[-1])]
        waiting = sector != mixed.sector
        if c.MP_j is not None:
            MP_j = Signal(128, name="MP_j_value")
            m.d.comb += MP_j.eq(self.refresh(PPP[-1], M))
            slot = stages.later("refreshing", stages.value(calls.refreshing, sector, s.refreshes))
            c.MP_j.write(slot, MP_j, stages.later("refresh_go", go & calls.refresh))
            inputs[0] = Mux(stages.later("refresh", calls.refresh), MP_j, inputs[0])
            waiting &= (steps.step < s.steps_before_refresh) | (sector != mixed.refreshed)
        return Call(waiting, inputs, c.direction.read(sector), sector)

    def _block_masks(self, f: EmeFrame, calls: EmeCalls, M: Value, begins: Value, step: Value) -> list[Value]:
        """The masks of a step's blocks, a lane each; ``M`` is M_0 where a sector ``begins``, or a refreshed one."""
        lanes = self.parameters.lanes
        before, held = Signal(128, name="mask_before"), Signal(128, name="held_mask")
        f.m.d.comb += before.eq(Mux(begins, M, held))
        masks = [self.advance(before, q) for q in range(1, lanes + 1)]
        last = Signal(128, name="last_mask")
        refreshed = f.stages.later("refreshed_mask", calls.refreshed) if self.schedule.refreshes else Const(0)
        f.m.d.comb += last.eq(Mux(refreshed, M, masks[-1]))
        f.stages.hold(held, last, step)
        return [*masks[:-1], last]

    def _inputs(self, f: EmeFrame, tweak: Call, step: Call, last: Call, second: Call) -> None:
        """The calls into the lanes, and the lanes' results."""
        m, mixing, stages = f.m, f.mixing, f.stages
        lanes = [Signal(128, name=f"lane{k}") for k in range(self.parameters.lanes)]
        decrypts = Signal()
        m.d.comb += decrypts.eq(second.decrypt)
        m.d.comb += [lane.eq(block) for lane, block in zip(lanes, second.blocks, strict=True)]
        alone = Call(mixing.valid, [stages.later("mixing_block", mixing.block)], mixing.decrypt, mixing.sector)
        whose = second.sector
        leading = {"lead": last} if self.leading else {}
        for name, call in {"step": step, "tweak": tweak, **leading, "mixing": alone}.items():
            whose = Mux(call.go, call.sector, whose)
            enters = stages.later(f"{name}_go", call.go)
            with m.If(call.go):
                m.d.comb += decrypts.eq(call.decrypt)
            with m.If(enters):
                m.d.comb += [lane.eq(block) for lane, block in zip(lanes, call.blocks, strict=False)]
        if self.key_unit.calls:
            with m.If(self.key_unit.derive):  # no sector is under way
                m.d.comb += decrypts.eq(0)
            with m.If(stages.later("derive", self.key_unit.derive)):
                m.d.comb += lanes[0].eq(stages.later("derived", self.key_unit.block))
        with m.If(f.clear):
            m.d.comb += [decrypts.eq(0), *(lane.eq(0) for lane in lanes)]
        decrypt = stages.later("decrypts", decrypts)
        for name, cipher in self.ciphers.items():
            m.submodules[name] = cipher
            m.d.comb += cipher.i.payload.eq(Cat(lanes))
        self._lane_keys(f, whose, decrypt)
        result, *inverse = (cipher.o.payload for cipher in self.ciphers.values())
        if inverse:
            *_, way = f.stages.delayed("way", self.cipher_latency, decrypt=decrypt)
            result = Mux(way.decrypt, inverse[0], result)
        else:
            m.d.comb += self.ciphers["cipher"].decrypt.eq(decrypt)
        m.d.comb += [
            E.eq(block & ~f.clear.replicate(128)) for E, block in zip(f.E, blocks(result, len(lanes)), strict=True)
        ]

    def _lane_keys(self, f: EmeFrame, whose: Value, decrypt: Value) -> None:
        """The keys of calls: of the sector ``whose`` call enters, last round keys to ``decrypt``; or the single key."""
        m = f.m
        if f.copies is None:
            m.d.comb += [cipher.round_keys.eq(self.key_unit.round_keys) for cipher in self.ciphers.values()]
            return
        (K,), sector = self.key_unit.material.ciphers, f.stages.later("key_sector", whose)
        key, last = f.copies.read(K, sector), f.copies.read(K, sector, last=True)
        own = {"cipher": Mux(decrypt, last, key), "encryption": key, "decryption": last}
        m.d.comb += [cipher.key.eq(own[name]) for name, cipher in self.ciphers.items()]

    def _results(self, f: EmeFrame, arrived: Any, mixed: Mixed) -> Value:
        """The blocks of the result, and the rest, into the result ring. Returns the first sector not computed."""
        c, m, p, stages = f.carried, f.m, self.parameters, f.stages
        steps = Steps(m, "second_done", arrived.second, self.schedule.steps, f.clear)
        computed = arrived.second & steps.final
        sector = stages.pointer("second_done", computed)
        words, ends = f.words(sector), steps.final if p.slots else None
        offsets = self._offsets(f, "result_offset", words, steps.first, arrived.second, ends=ends)[1:]
        offsets[-1] = Mux(steps.final, self.first_offset(words), offsets[-1])
        y = [Signal(128, name=f"y{q}") for q in range(p.lanes)]
        m.d.comb += [block.eq(self.leave(E, L)) for block, E, L in zip(y, f.E, offsets, strict=True)]
        if c.icv is not None:
            c.icv.write(sector, self._judged(m, y[-1], c.direction.read(sector), sector, computed), computed)
        for k, column in enumerate(c.result):
            if self.leading:
                column.write(stages.row(steps.step, sector), y[k], arrived.second & ~steps.final)
                continue
            row = steps.step if k else Mux(steps.final, 0, steps.step + 1)
            address, block, enable = stages.row(row, sector), y[k - 1], arrived.second
            if k and self._is_absent(k, self.schedule.steps):
                enable = enable & ~steps.final
            if c.rest is not None and mixed.rest is not None and k == c.rest.column:
                end = stages.row(Const(p.m // p.width, 32), mixed.halfway)
                kept = mixed.rest[: 8 * c.rest.size]
                address, block = Mux(arrived.halfway, end, address), Mux(arrived.halfway, kept, block)
                enable = enable | arrived.halfway
            column.write(address, block, enable)
        m.d.comb += self.computed.eq(computed)
        return sector

    def _exit(self, f: EmeFrame, computed: Value) -> Value:
        """Reads results from the ring. Returns the sector that leaves."""
        leaving = self._leave(f.m, f.stages, computed)
        address = f.stages.row(leaving.number, leaving.sector)
        f.m.d.comb += leaving.data.eq(Cat(column.read(address, leaving.load) for column in f.carried.result))
        if (icv := f.carried.icv) is not None:
            self._leave_judged(f.m, leaving, icv.read(leaving.sector))
        return leaving.sector

    def _offsets(
        self, f: EmeFrame, name: str, words: Words, first: Value, go: Value, *, ends: Value | None
    ) -> list[Value]:
        """The offsets of a step's blocks, from the first block's offset on, and the offset of the next block.

        If each sector has a key, nothing is kept after the step that ``ends`` the sector.
        """
        start, held = Signal(128, name=name), Signal(128, name=f"held_{name}")
        f.m.d.comb += start.eq(Mux(first, self.first_offset(words), held))
        offsets = [start, *(self.offset(start, k) for k in range(1, self.parameters.lanes + 1))]
        following = offsets[-1] if ends is None else offsets[-1] & ~ends.replicate(128)
        f.stages.hold(held, following, go)
        return offsets

    def _is_absent(self, column: int, steps: int) -> bool:
        """Whether the last one of ``steps`` has no whole block in a column."""
        return (steps - 1) * self.parameters.width + column >= self.schedule.blocks

    def _whole(self, block: Value, column: int, final: Value, *, steps: int | None = None) -> Value:
        """A block, or zero where the last step, or without ``steps`` the last beat, has no whole block in a column."""
        if not self._is_absent(column, steps or self.parameters.beats):
            return block
        return block & ~final.replicate(128)
