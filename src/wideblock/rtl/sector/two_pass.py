# SPDX-License-Identifier: Apache-2.0
"""A sector core that hashes, enciphers and hashes again: what does not depend on how it enciphers."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import connect, flipped

from wideblock.rtl.aes.rounds import ROUNDS
from wideblock.rtl.hash.program import Program
from wideblock.rtl.hash.unit import HashUnit
from wideblock.rtl.keys.unit import KeyUnit
from wideblock.rtl.stream.admission import Admission
from wideblock.rtl.stream.behaviour import Behaviour, KeyRule, Length, Output, SectorTiming
from wideblock.rtl.stream.entrance import FAULTS, Entrance
from wideblock.rtl.stream.exit import Exit
from wideblock.rtl.stream.queue import PromisedQueue
from wideblock.rtl.stream.sector import sector_interface
from wideblock.rtl.stream.stages import Stages, power_of_two

from .parameters import HashedParameters

__all__ = ["TwoPass"]


class TwoPass(wiring.Component):
    """What the families with a front and a back hash share: schedules, hash units, way in and out, admission, keys.

    Without ``overlap`` one hash unit serves both passes of one sector at a time; with it each pass has its own, and
    the sectors follow each other as fast as the lanes take them.

    Timing: see :class:`SectorTiming`; the same for every sector, whatever its data, key and tweak.
    Paths:  none combinational from an input stream to an output.
    """

    title: str
    key_parts: str  # what a word of the key channel is made of

    def __init__(self, parameters: HashedParameters):
        self.parameters = p = parameters
        self.check(p)
        self.multipliers = p.width if p.hash == "horner" else max(1, p.width // 2)
        self.decimation = self.multipliers * p.mult_stages
        self.cipher_latency = 1 + ROUNDS[p.key_bits] * p.round_stages
        self._lay_out()
        self.programs = self._programs()
        self.units = self._hash_units()
        self.slots, self.timing = self._timing()
        self.entrance = Entrance(width=p.width, beats=p.beats)
        self.interface = sector_interface(p.width, self.key_port_bits(p), FAULTS, key_parts=self.key_parts)
        self.behaviour = Behaviour(
            length=Length(p.sector_bytes, p.sector_bytes),
            usual=p.sector_bytes,
            output=Output.AFTER_WHOLE,
            directions=(False, True),
            keys=KeyRule.ANY,
            faults=FAULTS,
            timing=self.timing,
        )
        super().__init__(self.interface.members())

    @staticmethod
    def check(p: HashedParameters) -> None:
        """Raises ValueError if the scheme does not exist for these parameters."""
        raise NotImplementedError

    @staticmethod
    def key_port_bits(p: HashedParameters) -> int:
        """Width of the key port: AES key, and after it what else the scheme has as key words."""
        raise NotImplementedError

    # Schedules and timing; what is not here is a family's

    def _lay_out(self) -> None:
        """Sets what the schedules depend on."""
        raise NotImplementedError

    def _programs(self) -> dict[str, Program]:
        """Both passes: ``"front"`` and ``"back"``."""
        raise NotImplementedError

    def _timing(self) -> tuple[int, SectorTiming]:
        """Sectors under way, and the cycle contract, from the schedules."""
        raise NotImplementedError

    def _shortest(self, least: int, make: Callable[[int | None], dict[str, Program] | None]) -> dict[str, Program]:
        """The first programs that ``make`` has for a period, from ``least`` on; without overlap there is no period."""
        p = self.parameters
        error = None
        for period in range(least, 2 * least + 64) if p.overlap else (None,):
            try:
                if programs := make(period):
                    return programs
            except ValueError as failed:
                error = failed
        raise ValueError(f"no schedule for {p.m} blocks, width {p.width}, mult_stages {p.mult_stages}: {error}")

    def _hash_units(self) -> dict[str, HashUnit]:
        """The hash unit of each pass: :meth:`_make_units`."""
        raise NotImplementedError

    def _make_units(self, taps: Mapping[str, Any] | None = None, ahead: Sequence[str] = ()) -> dict[str, HashUnit]:
        """The hash unit of each pass; without overlap both are the same one. ``taps`` are of the front hash."""
        p = self.parameters

        def unit(programs, taps):
            return HashUnit(programs, width=p.width, taps=taps or {}, leaf=p.leaf, squares=p.squares, ahead=ahead)

        if p.overlap:
            front, back = self.programs["front"], self.programs["back"]
            return {"front": unit({"front": front}, taps), "back": unit({"back": back}, None)}
        return dict.fromkeys(self.programs, unit(self.programs, taps))

    def _key_unit(self, slots: int, word_bits: int) -> KeyUnit:
        """The key unit, which clears as many rows as the deepest memory has; ``word_bits`` come after the AES key."""
        p = self.parameters
        self.clear_rows = power_of_two(
            max(
                slots * power_of_two(p.beats),
                self.cipher_latency + p.mult_stages + 2,
                *(unit.depth for unit in self.units.values()),
                self.queue_depth,
            )
        )
        return KeyUnit(
            key_bits=p.key_bits, sbox=p.sbox, rows=self.clear_rows, round_stages=p.round_stages, word_bits=word_bits
        )

    @property
    def queue_depth(self) -> int:
        """Beats between the lanes and the back hash: what the lanes hold, and what may wait for a multiplier."""
        return power_of_two(self.cipher_latency + 8)

    # Hardware

    def _hashes(self, m: Module) -> tuple[HashUnit, HashUnit]:
        """The hash units of both passes."""
        front, back = self.units["front"], self.units["back"]
        m.submodules.front_hash = front
        if self.parameters.overlap:
            m.submodules.back_hash = back
        return front, back

    def _enter(self, m: Module, front: HashUnit) -> tuple[Signal, Signal]:
        """The way in, up to the front hash. Returns what says that a sector begins, and what has to let it."""
        keys = self.key_unit
        m.submodules.entrance = entrance = self.entrance
        connect(m, flipped(self.i), entrance.i)
        admit = Signal()
        opening = Signal()
        m.d.comb += [
            entrance.open.eq(keys.running),
            entrance.hold.eq(keys.waiting),
            entrance.clear.eq(keys.clear),
            front.front_beat.eq(entrance.valid & admit),
            entrance.take.eq(front.front_beat & front.front_ready),
            opening.eq(entrance.take & front.front_first),
            self.fault.eq(entrance.fault),
            front.front_restart.eq(entrance.fault.any()),
        ]
        return opening, admit

    def _queue(self, m: Module, parts: int, step: Value, write: Value, beat: Value) -> PromisedQueue:
        """What waits for the back hash; ``parts`` steps of the lanes make a ``beat``."""
        keys = self.key_unit
        m.submodules.queue = queue = PromisedQueue(
            width=len(beat), depth=self.queue_depth, parts=parts, clear_row_bits=len(keys.clear_row)
        )
        m.d.comb += [
            queue.step.eq(step),
            queue.write.eq(write),
            queue.data.eq(beat),
            queue.clear.eq(keys.clear),
            queue.clear_row.eq(keys.clear_row),
        ]
        return queue

    def _leave(self, m: Module, stages: Stages, computed: Value) -> Exit:
        """The way out of sectors up to number ``computed``."""
        p = self.parameters
        m.submodules.exit = leaving = Exit(width=p.width, beats=p.beats, sector_bits=stages.slot_bits + 1)
        connect(m, leaving.o, flipped(self.o))
        m.d.comb += [
            leaving.clear.eq(self.key_unit.clear),
            leaving.pending.eq(leaving.sector != computed),
        ]
        return leaving

    def _admission(
        self, m: Module, front: HashUnit, opening: Value, admit: Signal, *, room: int, **sectors: Value
    ) -> Admission:
        """Lets ``room`` sectors be under way; ``sectors`` tell which one is ``taken``, ``computed`` and ``left``."""
        m.submodules.admission = admission = Admission(
            slots=self.slots, interval=self.timing.interval if self.parameters.overlap else None, room=room
        )
        m.d.comb += [
            admission.opening.eq(opening),
            *(getattr(admission, name).eq(sector) for name, sector in sectors.items()),
            admission.clear.eq(self.key_unit.clear),
            admit.eq(~front.front_first | admission.free),
        ]
        return admission

    def _keys(self, m: Module, admission: Admission, *, fresh: Value, load: Value, tau: Value) -> None:
        """The key port, and ``tau`` for the hash units with ``load``; ``fresh`` says that theirs is no longer right."""
        keys = self.key_unit
        connect(m, flipped(self.key), keys.key)
        units = list(dict.fromkeys(self.units.values()))
        loaded = Signal(len(units))
        m.d.sync += loaded.eq(Mux(fresh, 0, loaded | Cat(unit.loaded for unit in units)))
        m.d.comb += [
            keys.zeroize.eq(self.zeroize),
            keys.idle.eq(self.entrance.between & self.units["front"].front_first & admission.done),
            keys.derived.eq(loaded.all()),
            self.ready.eq(keys.running),
        ]
        for unit in units:
            m.d.comb += [
                unit.tau.eq(tau),
                unit.load.eq(load),
                unit.clear.eq(keys.clear),
                unit.clear_row.eq(keys.clear_row),
            ]
