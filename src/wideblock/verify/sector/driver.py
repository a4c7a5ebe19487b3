# SPDX-License-Identifier: Apache-2.0
"""A sector core in simulation: keys and sectors in, sectors out, many cycles a call."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from wideblock.export.contract import Contract
from wideblock.simulation.bench import SimulationError
from wideblock.simulation.script import Record as WordRecord
from wideblock.simulation.script import Script
from wideblock.simulation.structures import Outcome
from wideblock.verify.driver import CoreSimulation
from wideblock.verify.sector.encoding import Encoding
from wideblock.verify.sector.stimulus import Bytes, Key, Record, Request, Result, Stimulus, Zeroize

__all__ = ["SectorSimulation", "SimulationError"]


class SectorSimulation(CoreSimulation):
    """A sector core in simulation."""

    def __init__(self, core: Contract, **model: Any):
        super().__init__(core, **model)
        self.encoding = Encoding(core, self.simulation.ports)
        self.shape = self.encoding.shape

    def zeroize(self) -> None:
        """Pulses ``zeroize`` and waits until it is done; afterwards no key is loaded."""
        self.play(self.stimulus([], [], False, events=[Zeroize(0)], quiet=self.core.timing.zeroize + 1))

    def load_key(self, key: bytes) -> int:
        """Loads a key; cycles until it was accepted. Raises ValueError for a wrong length."""
        if len(key) != self.shape.key_bytes:
            raise ValueError(f"key must be {self.shape.key_bytes} bytes, got {len(key)}")
        record = self.play(self.stimulus([], [], False, keys=[Key(key)], quiet=0))
        self.expect_done(record)
        return int(record.key_taken[0])

    def stimulus(
        self,
        sectors: Sequence[bytes] | Bytes,
        tweaks: Sequence[bytes] | Bytes,
        decrypt: bool | Sequence[bool] | Bytes,
        **more: Any,
    ) -> Stimulus:
        """A stimulus of sectors, as :meth:`Encoding.stimulus` has it."""
        return self.encoding.stimulus(sectors, tweaks, decrypt, **more)

    def requests(self, requests: Sequence[Request], **more: Any) -> Stimulus:
        """A stimulus of requests; ``more`` are the other fields of :class:`Stimulus`."""
        return self.stimulus(
            [r.data for r in requests],
            [r.tweak for r in requests],
            [r.decrypt for r in requests],
            stated=[r.stated for r in requests],
            keeps=[r.keep for r in requests],
            **more,
        )

    def play(self, stimulus: Stimulus, *, seed: int = 0, capacity: int | None = None) -> Record:
        """The record of one stimulus; how it ended is in its ``outcome``, never an exception.

        ``capacity`` is the number of output beats that can be recorded.
        """
        script = self._script(stimulus, capacity)
        return self.encoding.record(stimulus, self.simulation.play(script, seed))

    def watch(self, stimulus: Stimulus, limit: int, *, seed: int = 0) -> WordRecord:
        """The record in words of at most ``limit`` cycles of a stimulus, with each state of the outputs' ports."""
        return self.simulation.play(replace(self._script(stimulus), limit=limit, watched=limit + 1), seed)

    def _script(self, stimulus: Stimulus, capacity: int | None = None) -> Script:
        if capacity is None:
            capacity = len(stimulus.beats) * 2 + 4 * self.shape.beats + 64
        return self.encoding.script(stimulus, capacity)

    def expect_done(self, record: Record, *, want: int | None = None) -> None:
        """Raises :class:`SimulationError` for a call that did not end as it should; ``want`` beats were due."""
        if record.violation is not None:
            raise SimulationError(f"{self.core.module}: {record.violation}, cycle {record.violation_cycle}")
        if record.outcome == Outcome.RECORD_FULL:
            raise SimulationError(f"{self.core.module} gives more beats than it took")
        if record.outcome != Outcome.DONE:
            taken = int(record.taken_in.sum())
            raise SimulationError(
                f"{self.core.module} is stuck after {record.cycles} cycles: {taken} beats taken, "
                f"{len(record.out)} given{'' if want is None else f' of {want}'}"
            )

    def run(
        self,
        sectors: Sequence[bytes] | Bytes,
        tweaks: Sequence[bytes] | Bytes,
        decrypt: bool | Sequence[bool] | Bytes = False,
        *,
        offer: float = 1.0,
        take: float = 1.0,
        seed: int = 0,
        noise: bool = False,
    ) -> Result:
        """Sends sectors of lengths that the core takes through it under the loaded key.

        offer, take: chances a cycle that a beat is valid and accepted; ``seed`` makes the pattern reproducible
        Raises :class:`SimulationError` if not exactly these sectors leave, each whole.
        """
        for sector in sectors:
            self.expect_length(len(sector))
        patience = self.patience(offer, take)
        stimulus = self.stimulus(sectors, tweaks, decrypt, offer=offer, take=take, noise=noise, patience=patience)
        stimulus.want = want = len(stimulus.beats)
        record = self.play(stimulus, seed=seed)
        self.expect_done(record, want=want)
        self._expect_whole(record, stimulus)
        starts, ends, beat = stimulus.starts, stimulus.ends, self.shape.beat_bytes
        out = record.out.reshape(-1)
        left = [
            out[beat * start : beat * end - beat + tail]
            for start, end, tail in zip(starts.tolist(), ends.tolist(), stimulus.tails.tolist(), strict=True)
        ]
        return Result(
            left,
            record.first_in,
            record.last_in,
            record.out_cycle[starts],
            record.out_cycle[ends - 1],
            record.computed,
            record.cycles,
        )

    def patience(self, offer: float = 1, take: float = 1) -> int:
        """Cycles without activity after which the core must be stuck, with a wide margin."""
        t = self.core.timing
        return 4 * (t.latency + t.interval + t.setup + t.zeroize) + 1000 + int(200 / max(min(offer, take), 1e-4))

    def expect_length(self, size: int) -> None:
        """Raises ValueError if the core does not take sectors of ``size`` bytes."""
        length = self.core.behaviour.length
        if size not in length:
            right = length.least if length.fixed else f"{length.least} to {length.most}"
            raise ValueError(f"sector must be {right} bytes, got {size}")

    def _expect_whole(self, record: Record, stimulus: Stimulus) -> None:
        module = self.core.module
        if record.faults:
            cycle, cause = record.faults[0]
            raise SimulationError(f"{module}: fault {cause} in cycle {cycle}, but every sector is whole")
        n, beats = len(stimulus.counts), len(stimulus.beats)
        if len(record.out) != beats or not np.array_equal(np.flatnonzero(record.out_last), stimulus.ends - 1):
            raise SimulationError(
                f"{module}: {len(record.out)} beats left, {int(record.out_last.sum())} of them the last of a sector; "
                f"right are {beats} and {n}"
            )
        tails = record.out_bytes[stimulus.ends - 1]
        for number in np.flatnonzero(tails != stimulus.tails).tolist():
            raise SimulationError(
                f"{module}: sector {number} left with {int(tails[number])} bytes in its last "
                f"beat, right are {int(stimulus.tails[number])}"
            )
        if len(record.computed) != n:
            raise SimulationError(f"{module}: computed pulsed {len(record.computed)} times for {n} sectors")
