# SPDX-License-Identifier: Apache-2.0
"""The cycle contract of a core, measured at the ports of its running model."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from wideblock.drive.core import zeroize_at
from wideblock.drive.sector.shape import SectorCore
from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.drive.sector.traffic import Bytes, Key, SectorRecord
from wideblock.export.contract import SectorContract
from wideblock.rtl.stream.behaviour import SectorTiming
from wideblock.simulation.bench import SimulationError

__all__ = ["Measured", "measure", "timing_of", "until_steady"]

T = TypeVar("T", int, tuple[int, ...])


@dataclass(frozen=True)
class Measured:
    """Cycles seen at the ports of the running model; the same meaning as :class:`SectorTiming`.

    taken, left: cycles of each beat of a sector alone, counted from its first
    """

    compute: int
    latency: int
    busy: int
    interval: int
    setup: int
    zeroize: int
    taken: tuple[int, ...]
    left: tuple[int, ...]
    eviction: int = 0


def measure(
    core: SectorContract,
    *,
    sectors: int = 30,
    seed: int = 0,
    simulation: SectorSimulation | None = None,
    sizes: tuple[int, int] | None = None,
) -> dict[str, Measured]:
    """Cycles of ``core`` in simulation: ``{"encrypt": Measured, "decrypt": Measured}``, or a part.

    sizes: bytes of each tweak and of each sector, if not the sizes of the core's stated timing

    compute, latency, taken and left: of single sectors into an idle core; a few must agree
    busy: the longest latency of sectors offered back to back
    interval: between sectors offered back to back, see :func:`until_steady`; gaps of ``sectors`` or more must agree.
              That they do for ever, no measurement shows: a stated interval follows from a repeated state
    setup: from a key's first word to the first beat of a waiting sector, for a first key and for a next key;
           without the cycles in which the last word of the next key waits
    zeroize: from a pulse to the first word of a key that was waiting, without a key and in the middle of a sector
    With slots, sectors of a stream name two slots at random, and:
    setup:    from a key offered for a slot to the first beat of a waiting sector, in two slots
    zeroize:  from a pulse to ``ready``
    eviction: the longest wait of a key offered behind an eviction, in a stream of sectors
    Raises :class:`SimulationError` where cycles that must agree do not.
    """
    if sectors < 12:
        raise ValueError(f"interval needs at least 12 sectors to be steady, got {sectors}")
    rng = np.random.default_rng(seed)
    owned = simulation is None
    simulation = simulation or SectorSimulation(core)
    try:
        return {
            ("encrypt", "decrypt")[decrypt]: _Measuring(core, simulation, decrypt, rng, sizes).measured(sectors)
            for decrypt in core.behaviour.directions
        }
    finally:
        if owned:
            simulation.close()


def timing_of(core: SectorCore, sizes: tuple[int, int] | None = None) -> SectorTiming:
    """The contract for sectors of ``sizes``, bytes of a tweak and of a sector, or for the stated sizes."""
    return core.behaviour.length.timing(*sizes) if sizes else core.timing


def until_steady(run: Callable[[int], SectorRecord], n: int) -> tuple[SectorRecord, list[int]]:
    """The record of sectors back to back, ``run`` of a number of them, and ``n`` gaps or more, in and out each.

    The gaps are of the second half of the sectors that left before the last sector was accepted. The half comes after
    the core is full, and no sector is faster for want of a next sector. Twice as many sectors are sent until these gaps
    are equal; in the end they may still differ.
    """
    units, gaps = 2 * n + 12, [0, 1]
    while len(set(gaps)) != 1 or len(gaps) < 2 * n:
        stream = run(units)
        known = int(np.searchsorted(stream.last_out, stream.first_in[-1]))
        half = slice(known // 2, known)
        gaps = [*np.diff(stream.first_in[half]).tolist(), *np.diff(stream.last_out[half]).tolist()]
        if units > 32 * n:
            break
        units *= 2
    return stream, gaps


class _Measuring:
    """Measurements of one direction; each begins with the core as left by the play before."""

    def __init__(
        self,
        core: SectorContract,
        simulation: SectorSimulation,
        decrypt: bool,
        rng: np.random.Generator,
        sizes: tuple[int, int] | None,
    ):
        self.core, self.simulation, self.shape = core, simulation, simulation.shape
        self.decrypt, self.rng = decrypt, rng
        self.tweak_size, self.size = sizes or (self.shape.tweak_bytes, self.core.behaviour.usual)
        self.timing = timing_of(self.core, sizes)
        self.keys: dict[int, bytes] = {}

    def measured(self, n: int) -> Measured:
        self.simulation.reset()
        setup, zeroize = self.setup(), self.zeroize()
        self.simulation.reset()
        for slot in self.slots:
            self.simulation.load_key(self.key(slot), slot)
        single = [self.play(1) for _ in range(3)]
        left = self.only((tuple((run.out_cycle - run.first_in[0]).tolist()) for run in single), "a sector's way out")
        full, gaps = until_steady(self.stream, n)
        return Measured(
            compute=self.only((int(run.computed[0] - run.first_in[0]) for run in single), "compute"),
            latency=left[-1],
            busy=int((full.last_out - full.first_in).max()),
            interval=self.only(gaps, "interval"),
            setup=setup,
            zeroize=zeroize,
            taken=self.only((tuple((run.beats_in - run.first_in[0]).tolist()) for run in single), "a sector's way in"),
            left=left,
            eviction=self.eviction() if self.shape.slots else 0,
        )

    def stream(self, units: int) -> SectorRecord:
        """The record of sectors offered back to back."""
        slots = self.rng.choice(self.slots, units).tolist()
        return self.simulation.run(*self.sectors(units, slots), slots=slots)

    @property
    def slots(self) -> list[int]:
        """Two slots, or 0 for a core with one key."""
        return sorted({0, max(0, self.shape.slots - 1)})

    def setup(self) -> int:
        if self.shape.slots:
            begin = self.timing.zeroize + 8
            keys = [Key(self.key(slot), before=0, cycle=begin, slot=slot) for slot in self.slots]
            return self.only((int(self.play(1, keys=[k], slots=k.slot).first_in[0]) - begin for k in keys), "setup")
        first, following = (self.play(1, keys=[Key(self.key(), before=0)]) for _ in range(2))
        words = int(first.key_taken[0] - first.key_first[0])
        return words + self.only((int(r.first_in[0] - r.key_taken[0]) for r in (first, following)), "setup")

    def zeroize(self) -> int:
        timing, cycles = self.timing, []
        for sectors, moment in ((0, 0), (1, timing.setup + timing.latency // 2)):
            self.simulation.reset()
            if sectors:
                self.simulation.load_key(self.key())
            given = self.sectors(sectors)
            keys, events = [Key(self.key(), cycle=moment + 1)], [zeroize_at(moment)]
            script = self.simulation.script(*given, keys=keys, events=events, quiet=0)
            record = self.simulation.play(script)
            if self.shape.slots:
                cycles.append(next(at for at, high in record.ready if high and at > moment) - moment)
            else:
                cycles.append(int(record.key_first[0]) - moment)
        return self.only(cycles, "zeroize")

    def eviction(self) -> int:
        """The longest of a few: sectors of the slot are offered back to back until it closes, and another key waits."""
        t, waits = self.timing, []
        load = t.setup - t.key_words
        for moment in (t.busy + self.rng.integers(0, t.interval, 4)).tolist():
            evict = Key(self.key(), cycle=moment, evict=True)
            units = 2 + (moment + t.eviction) // t.interval
            sectors = self.sectors(units)
            script = self.simulation.script(*sectors, keys=[evict, Key(self.key())])
            record = self.simulation.play(script)
            evicted, loaded = record.key_taken.tolist()
            waits.append(loaded - evicted - load)
        return max(waits)

    def play(self, n: int, **more: Any) -> SectorRecord:
        """The record of random sectors, all of which must leave."""
        simulation, want = self.simulation, n * self.shape.beats_of(self.size)
        script = simulation.script(*self.sectors(n, more.get("slots", 0)), want=want, **more)
        record = simulation.play(script)
        simulation.expect_done(record)
        return record

    def sectors(self, n: int, slots: int | Sequence[int] = 0) -> tuple[Any, Bytes, bool, Any]:
        """Random sectors and tweaks, the direction, and the ICVs of sectors sealed under the last keys of ``slots``."""
        data, tweaks = (self.rng.integers(0, 256, (n, size), np.uint8) for size in (self.size, self.tweak_size))
        if not (self.core.parameters.icv_bytes and self.decrypt):
            return data, tweaks, self.decrypt, ()
        keyed = {slot: self.core.specification(key) for slot, key in self.keys.items()}
        given = zip(np.broadcast_to(slots, n).tolist(), tweaks, data, strict=True)
        sealed = [keyed[slot].encrypt(tweak.tobytes(), sector.tobytes()) for slot, tweak, sector in given]
        return [each[: self.size] for each in sealed], tweaks, self.decrypt, [each[self.size :] for each in sealed]

    def key(self, slot: int = 0) -> bytes:
        """A random key, from now on the last one of ``slot``."""
        self.keys[slot] = self.rng.bytes(self.shape.key_bytes)
        return self.keys[slot]

    def only(self, values: Iterable[T], what: str) -> T:
        """The common value of all. Raises :class:`SimulationError`."""
        seen = sorted(set(values))
        if len(seen) != 1:
            cycles = ", ".join(map(str, seen))
            raise SimulationError(f"{self.core.module}: {what} is not one number of cycles: {cycles}")
        return seen[0]
