# SPDX-License-Identifier: Apache-2.0
"""A sector core in simulation: keys and sectors in, sectors out, many cycles a call."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wideblock.drive.core import CoreSimulation, zeroize_at
from wideblock.drive.sector.encoding import Encoding
from wideblock.drive.sector.shape import SectorCore, check_sector, check_tweak, shape
from wideblock.drive.sector.traffic import Bytes, Key, Request, SectorRecord, SectorScript
from wideblock.simulation.bench import SimulationError
from wideblock.simulation.structures import PlayOutcome

__all__ = ["SectorSimulation", "StatedForged"]


class StatedForged(SimulationError):
    """A core with sealed sectors states a forged sector."""


class SectorSimulation(CoreSimulation[SectorCore]):
    """A sector core in simulation. Raises UserError for a core without streams."""

    def __init__(self, core: SectorCore, **model: Any):
        core.expect_streams()
        super().__init__(core, **model)
        self.shape = shape(core)
        self._encoding = Encoding(self.shape, self.simulation.ports)
        self._keep = self.simulation.ports.outputs["o"].stream.port("keep") if self.shape.partial else ""

    def zeroize(self) -> None:
        """Pulses ``zeroize`` and waits until it is done; afterwards no key is loaded."""
        self.play(self.script(events=[zeroize_at(0)], quiet=self.core.timing.zeroize + 1))

    def load_key(self, key: bytes, slot: int = 0) -> int:
        """Loads a key; cycles until it was accepted. Raises ValueError for a wrong length.

        ``slot`` is that of the key, for a core with slots; the core must not have a key.
        """
        self.expect_key(key)
        record = self.play(self.script(keys=[Key(key, slot=slot)], quiet=0))
        self.expect_done(record)
        return int(record.key_taken[0])

    def script(
        self,
        sectors: Sequence[bytes] | Bytes = (),
        tweaks: Sequence[bytes] | Bytes = (),
        decrypt: bool | Sequence[bool] | Bytes = False,
        icvs: Sequence[bytes] | Bytes = (),
        **more: Any,
    ) -> SectorScript:
        """A script of sectors, as of :meth:`Encoding.script`, with the patience for the core."""
        patience = self.patience(more.get("offer", 1.0), more.get("take", 1.0))
        return self._encoding.script(sectors, tweaks, decrypt, icvs, **{"patience": patience, **more})

    def requests(self, requests: Sequence[Request], **more: Any) -> SectorScript:
        """A script of requests; ``more`` as for :meth:`script`."""
        return self.script(
            [r.data for r in requests],
            [r.tweak for r in requests],
            [r.decrypt for r in requests],
            [r.icv for r in requests],
            stated=[r.stated for r in requests],
            keeps=[r.keep for r in requests],
            slots=[r.slot for r in requests],
            **more,
        )

    def play(self, script: SectorScript, *, seed: int = 0) -> SectorRecord:
        """The record of one script; the end is in the ``outcome``, never an exception."""
        return SectorRecord(script, self.simulation.play(script, seed), self._keep)

    def expect_done(self, record: SectorRecord) -> None:
        """Raises :class:`SimulationError` for a call with a wrong end."""
        if record.violation is not None:
            raise SimulationError(f"{self.core.module}: {record.violation}, cycle {record.violation_cycle}")
        if record.outcome == PlayOutcome.RECORD_FULL:
            raise SimulationError(f"{self.core.module} gives more beats than it took")
        if record.outcome != PlayOutcome.DONE:
            want = record.script.wanted["o"]
            raise SimulationError(
                f"{self.core.module} is stuck after {record.cycles} cycles: {int(record.taken_in.sum())} beats taken, "
                f"{len(record.out)} given{f' of {want}' if want else ''}"
            )

    def run(
        self,
        sectors: Sequence[bytes] | Bytes,
        tweaks: Sequence[bytes] | Bytes,
        decrypt: bool | Sequence[bool] | Bytes = False,
        icvs: Sequence[bytes] | Bytes = (),
        *,
        slots: int | Sequence[int] = 0,
        offer: float = 1.0,
        take: float = 1.0,
        seed: int = 0,
        noise: bool = False,
    ) -> SectorRecord:
        """Sends sectors of valid lengths through the core under the loaded key, or under the keys of ``slots``.

        offer, take: chances a cycle that a beat is valid and accepted; ``seed`` makes the pattern reproducible
        Raises :class:`StatedForged` if the core states a forged sector, and :class:`SimulationError` unless exactly the
        given sectors leave, each whole.
        """
        for size in {len(sector) for sector in sectors}:
            check_sector(self.core, size)
        for size in {len(tweak) for tweak in tweaks}:
            check_tweak(self.core, size)
        more = {"slots": slots, "offer": offer, "take": take, "noise": noise}
        script = self.script(sectors, tweaks, decrypt, icvs, **more)
        script.wanted = {"o": script.beats}
        record = self.play(script, seed=seed)
        if len(record.forged):
            raise StatedForged(f"{self.core.module}: a sector is stated as forged in cycle {record.forged[0]}")
        self.expect_done(record)
        self._expect_whole(record)
        return record

    def patience(self, offer: float, take: float) -> int:
        """Cycles without activity after which the core must be stuck, with a wide margin."""
        t = self.core.timing
        return 4 * (t.latency + t.interval + t.setup + t.zeroize) + 1000 + int(200 / max(min(offer, take), 1e-4))

    def expect_key(self, key: bytes) -> None:
        """Raises ValueError for a key of a wrong length."""
        if len(key) != self.shape.key_bytes:
            raise ValueError(f"key must be {self.shape.key_bytes} bytes, got {len(key)}")

    def _expect_whole(self, record: SectorRecord) -> None:
        module, script = self.core.module, record.script
        if record.faults:
            cycle, cause = record.faults[0]
            raise SimulationError(f"{module}: fault {cause} in cycle {cycle}, but every sector is whole")
        n, beats = len(script.counts), script.beats
        if len(record.out) != beats or not np.array_equal(np.flatnonzero(record.out_last), script.ends - 1):
            raise SimulationError(
                f"{module}: {len(record.out)} beats left, {int(record.out_last.sum())} of them the last of a sector; "
                f"right are {beats} and {n}"
            )
        tails = record.out_bytes[script.ends - 1]
        for number in np.flatnonzero(tails != script.tails).tolist():
            raise SimulationError(
                f"{module}: sector {number} left with {int(tails[number])} bytes in its last "
                f"beat, right are {int(script.tails[number])}"
            )
        if len(record.computed) != n:
            raise SimulationError(f"{module}: computed pulsed {len(record.computed)} times for {n} sectors")
