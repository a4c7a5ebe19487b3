# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The shell of a store-and-forward core: everything but the work on a sector."""

from collections.abc import Iterable, Sequence
from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.hdl import ValueLike
from amaranth.lib import wiring
from amaranth.lib.wiring import connect, flipped

from wideblock.errors import UserError
from wideblock.rtl.flow.cycles import Cycles
from wideblock.rtl.flow.stage import Flow
from wideblock.rtl.gf128.reading import WireReading
from wideblock.rtl.keys.context import Context
from wideblock.rtl.keys.contexts import ContextUnit
from wideblock.rtl.keys.material import KeyMaterial
from wideblock.rtl.keys.unit import KeyUnit
from wideblock.rtl.pipeline import later
from wideblock.rtl.stream.admission import Admission
from wideblock.rtl.stream.behaviour import Behaviour, Fault, FixedLength, Output, SectorTiming
from wideblock.rtl.stream.entrance import Entrance
from wideblock.rtl.stream.exit import Exit
from wideblock.rtl.stream.influence import FieldInfluence, Influence, OutcomeInfluence, lengths
from wideblock.rtl.stream.interface import Interface
from wideblock.rtl.stream.sector import sector_interface
from wideblock.rtl.stream.slot_gate import SlotGate
from wideblock.rtl.stream.stages import Stages, power_of_two

from .copies import Copies, Words
from .keys import connect_keys, connect_slots, key_collector, key_faults, with_key_faults
from .parameters import SectorParameters

__all__ = ["StoreAndForward"]


class StoreAndForward(wiring.Component):
    """Entrance, admission, exit, key unit and clearing of a core, for sectors of one size by default.

    A family computes the cycles before the construction.

    cipher_latency: cycles of a call of the cipher
    cycles:         of sectors; ``interval`` and ``residence`` give the number of ``slots``, sectors under way
    held:           as in :class:`Behaviour`
    rows:           rows of a sector in a ring; None: a row a beat
    depths:         rows of memories, and cycles until a pipeline is empty: clearing goes over all
    loading:        cycles to load the hash key or, without a hash, the last derived word; see
                    :meth:`KeyUnit.setup`
    ahead:          cycles by which the control is ahead of the data
    context:        of a slot; None: the core has one key
    slots:          sectors under way, a power of two; None: as ``interval`` and ``residence`` give
    least:          cycles of the shortest interval of any sector; None: the interval of ``cycles``

    With slots, sectors wait in a gate behind the entrance for copies of the key's words.

    A family's ``elaborate`` calls the stages below in the order of the data: :meth:`_stages`, :meth:`_enter`, stages of
    the family, :meth:`_leave`, :meth:`_admission`, :meth:`_connect_keys`.

    Timing: see :class:`SectorTiming`; equal for every sector, independent of data, key and tweak.
    Paths:  none combinational from an input stream to an output.
    """

    title: str
    """Scheme and family in a phrase."""

    reading = WireReading.LE
    """Reading of a block as an element of the hash's field, for a scheme with a hash."""

    flow: Flow | None = None
    """The stages of a sector; None if its cycles are stated otherwise."""

    @staticmethod
    def key_material(p) -> KeyMaterial:
        """The words of the key port and the values derived from them, for parameters ``p``."""
        raise NotImplementedError

    def __init__(
        self,
        parameters: SectorParameters,
        *,
        cipher_latency: int,
        cycles: Cycles,
        held: int = 0,
        rows: int | None = None,
        depths: Sequence[int] = (),
        loading: int = 0,
        ahead: int = 0,
        context: Context | None = None,
        slots: int | None = None,
        least: int | None = None,
    ):
        self.parameters = p = parameters
        self.cipher_latency, self.ahead = cipher_latency, ahead
        period = cycles.interval or cycles.compute
        self.pace, self.rows = cycles.pace, rows or p.beats
        self.slots = slots or self.under_way(cycles, ahead)
        self.tail = p.unit_bytes % p.beat_bytes or None  # bytes of the last beat, if it is not whole
        self.entrance = self._make_entrance()
        material = self.key_material(p)
        faults = (*self.entrance.faults, *key_faults(p, material))
        self.key_collector = key_collector(p, material)
        key_words = self.key_collector.words if self.key_collector else 1
        moved = ahead if material.hash_key in material.raw else 0  # from the port into the hash units, as all data
        # in the two passes of clearing, a slot that follows from another one is cleared a round of the slots after it,
        # and what the pipelines took from either has to leave them
        two_passes = 3 * self.slots + ahead + cipher_latency + 2
        depth = power_of_two(
            max(self.slots * power_of_two(self.rows), cipher_latency + 2, -(-two_passes // 2), *depths)
        )
        self.gate_wait = SlotGate.wait + context.lead if context else 0  # cycles of a sector alone
        if context:
            self._make_slots(material, context, cycles, least or period, rows=depth)
        else:
            self.key_unit = KeyUnit(material, sbox=p.sbox, rows=depth, round_stages=p.round_stages)
            setup = self.key_unit.setup(call=ahead + cipher_latency, loading=moved + loading)
            self.timing = SectorTiming(
                compute=cycles.compute,
                latency=cycles.latency,
                busy=cycles.busy,
                interval=period,
                setup=key_words - 1 + setup,
                zeroize=self.key_unit.clearing,
                key_words=key_words,
            )
        self.interface = self._make_interface(material, faults)
        self.behaviour = self._make_behaviour(material, faults, held)
        super().__init__(self.interface.members())

    @staticmethod
    def under_way(cycles: Cycles, ahead: int) -> int:
        """Sectors that are under way at most, a power of two: a slot is free a cycle later, or two."""
        return power_of_two(-(-(1 + ahead + cycles.residence) // (cycles.interval or cycles.compute)))

    def _make_slots(self, material: KeyMaterial, context: Context, cycles: Cycles, shortest: int, *, rows: int) -> None:
        """The key unit, the gate and the cycles of a core with key slots."""
        p, interval, wait = self.parameters, cycles.interval or cycles.compute, self.gate_wait
        if (least := max(len(context.words) + 1, wait + SlotGate.turn)) > shortest:
            raise UserError(
                f"slots must be 0 for an interval of {shortest} cycles, as the words of a sector's key take {least}, "
                f"got {p.slots}"
            )
        self.key_unit = keys = ContextUnit(
            material,
            context,
            slots=p.slots,
            places=self.slots,
            interval=shortest,
            sbox=p.sbox,
            rows=rows,
            reading=self.reading,
        )
        self.entrance = SlotGate(
            self.entrance,
            places=self.slots,
            depth=p.gate_beats,
            slot_bits=keys.bits,
            clear_row_bits=len(keys.clear_row),
        )
        key_words = self.key_collector.words if self.key_collector else 1
        self.timing = SectorTiming(
            compute=cycles.compute + wait,
            latency=cycles.latency + wait,
            busy=cycles.busy + wait,
            interval=interval,
            setup=key_words - 1 + keys.load + 1,
            zeroize=keys.clearing,
            key_words=key_words,
            slots=p.slots,
            closing=4 + keys.overwriting,
        )

    # Ports and behaviour of sectors of one size

    def _make_entrance(self) -> Any:
        p = self.parameters
        more = {"slots": p.slots > 0, "tag_bits": p.tag_bits, "icv_bits": p.icv_beside, "behind": p.behind}
        return Entrance(width=p.width, beats=p.beats, tweak_bits=8 * p.tweak_bytes, tail=self.tail, **more)

    def _make_exit(self, sector_bits: int) -> Any:
        p = self.parameters
        more = {"tail": self.tail, "tag_bits": p.tag_bits, "icv_bits": p.icv_beside, "behind": p.behind}
        return Exit(width=p.width, beats=p.beats, sector_bits=sector_bits, **more)

    def _make_interface(self, material: KeyMaterial, faults: tuple[Fault, ...]) -> Interface:
        p = self.parameters
        keep, tweak_bits = self.tail is not None, 8 * p.tweak_bytes
        return sector_interface(
            p.width,
            material.bits,
            faults,
            key_parts=material.text,
            key_width=p.key_width,
            keep=keep,
            tweak_bits=tweak_bits,
            slots=p.slots > 0,
            tag_bits=p.tag_bits,
            icv_bits=p.icv_beside,
            behind=p.sector_bytes if p.stride else 0,
        )

    def _make_behaviour(self, material: KeyMaterial, faults: tuple[Fault, ...], held: int) -> Behaviour:
        return Behaviour(
            length=FixedLength(self.parameters.unit_bytes),
            output=Output.AFTER_WHOLE,
            directions=(False, True),
            keys=material.rule,
            faults=faults,
            timing=self.timing,
            influences=(*lengths(self.interface), *self._influences()),
            erases=self.parameters.slots > 0,
            held=held,
        )

    def _influences(self) -> tuple[Influence, ...]:
        """Inputs beside lengths that may matter to handshakes, in a core with key slots."""
        p = self.parameters
        tag: list[Influence] = [FieldInfluence("i", "tag", "a tag leaves as it came")] if p.tag_bits else []
        if p.icv_bytes:
            tag.append(
                OutcomeInfluence("wrong", "the verdict on a sector", "a forged sector is stated, and does not leave")
            )
        if not p.slots:
            return tuple(tag)
        return (
            *tag,
            FieldInfluence("i", "slot", "a sector of a slot without a key is refused"),
            FieldInfluence("key", "slot", "which slots have keys is public"),
            FieldInfluence("key", "evict", "which slots have keys is public"),
            OutcomeInfluence("key_unit.store.wrong", "damage of a stored key", "the core clears itself"),
        )

    # Stages, in the order of the data

    def _stages(self, m: Module) -> Stages:
        """The key unit, and the maker of registers and memories, cleared by the key unit."""
        m.submodules.key_unit = keys = self.key_unit
        more = {"clear": keys.clear, "clear_row": keys.clear_row, "ahead": self.ahead}
        stages = Stages(m, slots=self.slots, rows=self.rows, **more)
        if self.parameters.slots:
            self.copies = Copies(m, stages, keys, self.entrance)
        self.tags = stages.slots("tag", self.parameters.tag_bits) if self.parameters.tag_bits else None
        self.verdicts = stages.slots("verdicts", 1) if self.parameters.icv_bytes else None
        return stages

    def _enter(self, m: Module, *, admit: Value, offer: Value, ready: ValueLike, first: Value) -> Signal:
        """The way in: drives ``offer``, high while ``entrance.x`` is a beat of a sector, and ``entrance.take``.

        ``admit``: a beat may enter; ``ready``: the core takes a beat; ``first``: the beat is a sector's first.
        Returns ``opening``: a sector's first beat is taken.
        """
        keys, opening = self.key_unit, Signal(name="opening")
        m.submodules.entrance = entrance = self.entrance
        connect(m, flipped(self.i), entrance.i)
        if not self.parameters.slots:
            m.d.comb += [
                entrance.open.eq(keys.running),
                entrance.hold.eq(keys.waiting),
                entrance.clear.eq(keys.clear),
            ]
        port = entrance.entrance if self.parameters.slots else entrance  # a queue behind the port delays no fault
        if tag := self.parameters.tag_bits:
            m.d.comb += self.fault_tag.eq(port.x.tag & port.fault.any().replicate(tag))
        m.d.comb += [
            offer.eq(entrance.valid & admit),
            entrance.take.eq(offer & ready),
            opening.eq(entrance.take & first),
            self.fault.eq(with_key_faults(self, port.fault)),
        ]
        return opening

    @property
    def _spoiled(self) -> Value:
        """High as a beat is taken that shows a fault of its sector."""
        return self.entrance.spoiled if self.parameters.slots else self.entrance.fault.any()

    def _words(self, sector: Value) -> Words:
        """Words of the key of ``sector``, no AES keys; with a single key the derived words, no hash key."""
        if self.parameters.slots:
            return self.copies.words(sector)
        return {word: self.key_unit.value(word) for word in self.key_unit.material.stored}

    def _tag(self, sector: Value, opening: Value) -> None:
        """Keeps the tag of ``sector`` as the first beat is taken, in a core with tags."""
        if self.tags is not None:
            self.tags.write(sector, self.entrance.x.tag, opening)

    def _judged(self, m: Module, block: Value, decrypt: Value, sector: Value, known: Value) -> Value:
        """The ICV of ``sector``: ``block``, ``known`` in this cycle; zeros to ``decrypt``, where it is the verdict.

        In a core without ICVs the block itself.
        """
        if self.verdicts is None:
            return block
        wrong = Signal(name="wrong")  # zeros stand in front of a right sector
        m.d.comb += [wrong.eq(decrypt & block.any()), self.forged.eq(known & wrong & ~self.key_unit.clear)]
        self.verdicts.write(sector, wrong, known)
        if self.tags is not None:
            shown = self.forged.replicate(self.parameters.tag_bits)
            m.d.comb += self.forged_tag.eq(self.tags.read(sector) & shown)
        return block & ~decrypt.replicate(128)

    def _leave_judged(self, m: Module, leaving: Any, icv: Value) -> None:
        """Drives the verdict on the sector that leaves, and its ``icv``, in a core with ICVs."""
        assert self.verdicts is not None
        m.d.comb += [
            leaving.refused.eq(self.verdicts.read(leaving.sector)),
            leaving.icv.eq(self._beside(m, leaving, "icv", icv)),
        ]

    def _leave(self, m: Module, stages: Stages, computed: Value) -> Any:
        """The way out of sectors up to number ``computed``, the first unfinished sector."""
        m.submodules.exit = leaving = self._make_exit(stages.slot_bits + 1)
        connect(m, leaving.o, flipped(self.o))
        m.d.comb += [
            leaving.clear.eq(self.key_unit.clear),
            leaving.pending.eq(leaving.sector != computed),
        ]
        if self.tags is not None:
            m.d.comb += leaving.tag.eq(self._beside(m, leaving, "tag", self.tags.read(leaving.sector)))
        return leaving

    def _beside(self, m: Module, leaving: Exit, name: str, value: Value) -> Signal:
        """An output register beside the rings' registers: ``value`` of the sector of the last fetched beat."""
        register = Signal(len(value), name=name, reset_less=True)
        with m.If(leaving.erase):
            m.d.sync += register.eq(0)
        with m.Elif(leaving.load if self.parameters.icv_bytes else leaving.fetch):
            m.d.sync += register.eq(value)
        return register

    def _admission(
        self, m: Module, opening: Value, *, taken: Value, computed: Value, left: Value, registered: bool = False
    ) -> Admission:
        """Says when a sector may begin. ``opening`` is high as one does; for the rest see :class:`Admission`."""
        m.submodules.admission = admission = Admission(
            slots=self.slots,
            interval=self.pace,
            registered=registered,
        )
        m.d.comb += [
            admission.opening.eq(opening),
            admission.taken.eq(taken),
            admission.computed.eq(computed),
            admission.left.eq(left),
            admission.clear.eq(self.key_unit.clear),
        ]
        return admission

    def _connect_keys(self, m: Module, *, idle: Value, derived: Value) -> None:
        """The key port, ``zeroize`` and ``ready``; see :class:`KeyUnit` for ``idle`` and ``derived``."""
        if self.parameters.slots:
            m.d.comb += self.key_unit.computed.eq(self.computed)
            connect_slots(m, self)
            return
        connect_keys(m, self, idle=idle, derived=derived)

    def _hash_keys(
        self,
        m: Module,
        units: Iterable[Any],
        *,
        idle: Value,
        returned: Value | None = None,
        result: Value | None = None,
    ) -> None:
        """The key port and the hash key of ``units``, which is a word of the port, or the ``result`` of a derivation.

        ``returned``: the cipher's output for a call of the key unit is in ``result``, or will be ``ahead`` cycles
        later.
        """
        keys, units = self.key_unit, list(dict.fromkeys(units))
        hash_key = keys.material.hash_key

        def moved(name: str, flag: Value) -> Value:
            return later(m, name, flag, cycles=self.ahead, clear=keys.clear)

        if keys.sequenced:
            m.d.comb += [keys.returned.eq(moved("returned", returned)), keys.result.eq(result)]
        derived = hash_key not in keys.material.raw
        if derived:
            load, key = moved("load", returned & keys.hash_key_next if keys.sequenced else returned), result
        else:
            load, key = moved("load", keys.taken), moved("hash_key", keys.word(hash_key))
        fresh = keys.derive if derived and not keys.sequenced else keys.taken
        loaded = Signal(len(units))  # none from the cycle of ``fresh`` on
        m.d.sync += loaded.eq(Mux(fresh, 0, loaded | Cat(unit.loaded for unit in units)))
        self._connect_keys(m, idle=idle, derived=loaded.all())
        for unit in units:
            m.d.comb += [
                unit.tau.eq(key),
                unit.load.eq(load),
                unit.clear.eq(keys.clear),
                unit.clear_row.eq(keys.clear_row),
            ]
