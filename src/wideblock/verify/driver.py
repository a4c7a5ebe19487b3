# SPDX-License-Identifier: Apache-2.0
"""Runs the exported Verilog of a sector core as a compiled model, from numpy arrays, many cycles a call."""

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from wideblock.export.contract import Contract
from wideblock.verify.job import Call, Job
from wideblock.verify.stimulus import Bytes, Key, Outcome, Record, Reset, Result, Stimulus, Zeroize
from wideblock.verify.subject import beats_per_sector, key_bits_of, units_of
from wideblock.verify.verilator import build

__all__ = ["Simulation", "SimulationError"]


class SimulationError(RuntimeError):
    """The model did not do what its ports promise; the message is one line that says what and when."""


class Simulation:
    """One instance of the compiled model of ``core``, out of reset.

    verilog: texts to simulate in the place of the core's own, such as a netlist and its cell models
    Raises :class:`~wideblock.verify.verilator.BuildError` if the model cannot be built.
    """

    def __init__(self, core: Contract, *, verilog: Iterable[str] | None = None):
        self.core = core
        self.beats = beats_per_sector(core)
        self._library = build([core.verilog] if verilog is None else verilog, core.module)
        for name, result, arguments in [
            ("bench_new", ctypes.c_void_p, []),
            ("bench_delete", None, [ctypes.c_void_p]),
            ("bench_seed", None, [ctypes.c_void_p, ctypes.c_uint64]),
            ("bench_run", ctypes.c_int32, [ctypes.c_void_p, ctypes.POINTER(Job)]),
            ("bench_cycle", ctypes.c_int64, [ctypes.c_void_p]),
            ("beat_bytes", ctypes.c_int64, []),
            ("has_keep", ctypes.c_int32, []),
            ("job_bytes", ctypes.c_int64, []),
        ]:
            function = getattr(self._library, name)
            function.restype, function.argtypes = result, arguments
        if self._library.job_bytes() != ctypes.sizeof(Job):
            raise SimulationError("the harness and its driver differ in their interface: remove the cached models")
        if self._library.beat_bytes() != 16 * core.parameters.width:
            raise SimulationError(
                f"{core.module} has beats of {self._library.beat_bytes()} bytes, its width of "
                f"{core.parameters.width} blocks means {16 * core.parameters.width}"
            )
        if bool(self._library.has_keep()) != (units_of(core) is not None):
            raise SimulationError(f"{core.module} must have tkeep if and only if it takes units of any length")
        self._bench = self._library.bench_new()
        self.reset()

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the model."""
        bench, self._bench = self._bench, None
        if bench:
            self._library.bench_delete(bench)

    def __del__(self) -> None:
        if getattr(self, "_bench", None):
            self.close()

    @property
    def cycle(self) -> int:
        """Cycles since the model was made."""
        return self._library.bench_cycle(self._bench)

    def reset(self, cycles: int = 2) -> None:
        """Holds ``aresetn`` low for some cycles; afterwards no key is loaded."""
        self.play(self.stimulus([], [], False, events=[Reset(0, cycles)], tail=1))

    def zeroize(self) -> None:
        """Pulses ``zeroize`` and waits until it is done; afterwards no key is loaded."""
        self.play(self.stimulus([], [], False, events=[Zeroize(0)], tail=self.core.timing.zeroize + 1))

    def load_key(self, key: bytes) -> int:
        """Loads a key; cycles until it was taken. Raises ValueError for a wrong length."""
        record = self.play(self.stimulus([], [], False, keys=[Key(key)], tail=0))
        self.expect_done(record)
        return int(record.key_taken[0])

    def stimulus(
        self,
        sectors: Sequence[bytes] | Bytes,
        tweaks: Sequence[bytes] | Bytes,
        decrypt: bool | Sequence[bool] | Bytes,
        **more: Any,
    ) -> Stimulus:
        """A stimulus of sectors of any whole number of beats, some of them perhaps too short or too long.

        Where the core has tkeep, they are of any number of bytes.
        """
        beat = 16 * self.core.parameters.width
        tails = None
        if isinstance(sectors, np.ndarray):
            counts = np.full(len(sectors), sectors.shape[1] // beat, np.int64)
            data = np.ascontiguousarray(sectors, np.uint8).reshape(-1, beat)
        elif units_of(self.core):
            if not all(len(sector) for sector in sectors):
                raise ValueError("a unit must have at least one byte, got none")
            counts = np.array([-(-len(sector) // beat) for sector in sectors], np.int64)
            tails = np.array([(len(sector) - 1) % beat + 1 for sector in sectors], np.int64)
            padded = b"".join(sector + bytes(beat - int(tail)) for sector, tail in zip(sectors, tails, strict=True))
            data = np.frombuffer(padded, np.uint8).reshape(-1, beat)
        else:
            for sector in sectors:
                if not sector or len(sector) % beat:
                    raise ValueError(f"a sector must be whole beats of {beat} bytes, got {len(sector)} bytes")
            counts = np.array([len(sector) // beat for sector in sectors], np.int64)
            data = np.frombuffer(b"".join(sectors), np.uint8).reshape(-1, beat)
        if not isinstance(tweaks, np.ndarray):
            for tweak in tweaks:
                if len(tweak) != 16:
                    raise ValueError(f"a tweak must be 16 bytes, got {len(tweak)}")
            tweaks = np.frombuffer(b"".join(tweaks), np.uint8).reshape(-1, 16)
        if len(tweaks) != len(counts):
            raise ValueError(f"every sector needs one tweak, got {len(counts)} sectors and {len(tweaks)} tweaks")
        directions = np.broadcast_to(np.asarray(decrypt, np.uint8), len(counts))
        if tails is None:
            tails = np.full(len(counts), beat, np.int64)
        return Stimulus(data, counts, tails, np.ascontiguousarray(tweaks), np.ascontiguousarray(directions), **more)

    def play(self, stimulus: Stimulus, *, seed: int = 0) -> Record:
        """The record of one stimulus; how it ended is in its ``outcome``, never an exception."""
        self._library.bench_seed(self._bench, seed & (1 << 64) - 1)
        return self._play(stimulus, len(stimulus.beats) * 2 + 4 * self.beats + 64)

    def expect_done(self, record: Record, *, want: int | None = None) -> None:
        """Raises :class:`SimulationError` for a call that did not end as it was told to; ``want`` beats were due."""
        if record.outcome == Outcome.VIOLATION:
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
        """Whole sectors, or units of any lengths that the core takes, through it under the key that is loaded.

        offer, take: chances a cycle that a beat is offered and taken; ``seed`` makes the pattern reproducible
        Raises :class:`SimulationError` if not exactly these sectors leave, each whole.
        """
        n = len(sectors)
        for sector in sectors:
            self._sector(len(sector))
        stimulus = self.stimulus(
            sectors,
            tweaks,
            decrypt,
            offer=offer,
            take=take,
            noise=noise,
            patience=self.patience(offer, take),
        )
        stimulus.want = want = int(stimulus.counts.sum())
        record = self.play(stimulus, seed=seed)
        self.expect_done(record, want=want)
        self._expect_whole(record, stimulus)
        ends = np.cumsum(stimulus.counts)
        starts = ends - stimulus.counts
        if len(record.computed) != n:
            raise SimulationError(f"computed pulsed {len(record.computed)} times for {n} sectors")
        beat = record.out.shape[1]
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

    def crypt_stream(self, chunks: Iterable[tuple[Bytes, Bytes]], decrypt: bool = False) -> Iterator[Bytes]:
        """Sectors as they leave, for chunks of ``(sectors, tweaks)`` as they come; the core never runs empty between.

        Memory is bounded by the largest chunk. Sectors in are (n, sector_bytes), tweaks (n, 16), sectors out
        (any number, sector_bytes).
        """
        self._library.bench_seed(self._bench, 0)
        inside = 0
        left = np.zeros((0, 16 * self.core.parameters.width), np.uint8)
        empty = np.zeros((0, self.core.behaviour.usual), np.uint8), np.zeros((0, 16), np.uint8)
        for sectors, tweaks in chain(chunks, [empty]):
            last = len(sectors) == 0
            if not last:
                self._sector(sectors.shape[1])
            inside += len(sectors) * self.beats
            stimulus = self.stimulus(
                sectors,
                tweaks,
                decrypt,
                until_taken=not last,
                tail=0,
                want=inside if last else 0,
                patience=self.patience(1, 1),
            )
            record = self._play(stimulus, inside + 1)
            self.expect_done(record, want=inside if last else None)
            if record.faults:
                raise SimulationError(f"fault {record.faults[0][1]} at a sector that is neither short nor long")
            inside -= len(record.out)
            ends = np.flatnonzero(record.out_last)
            expected = np.arange(self.beats - 1 - len(left), len(record.out), self.beats)
            if not np.array_equal(ends, expected):
                raise SimulationError(f"m_axis_tlast is not on every {self.beats}th beat")
            beats = np.concatenate([left, record.out])
            whole = len(beats) // self.beats * self.beats
            left = beats[whole:]
            if whole:
                yield beats[:whole].reshape(-1, self.core.behaviour.usual)
        if inside:
            raise SimulationError(f"{inside} beats never left the core")

    def patience(self, offer: float, take: float) -> int:
        """Quiet cycles after which the core must be stuck, with a wide margin."""
        t = self.core.timing
        return 4 * (t.latency + t.interval + t.setup + t.zeroize) + 1000 + int(200 / max(min(offer, take), 1e-4))

    def _play(self, stimulus: Stimulus, out_capacity: int) -> Record:
        key_bytes = key_bits_of(self.core) // 8
        for key in stimulus.keys:
            if len(key.key) != key_bytes:
                raise ValueError(f"key must be {key_bytes} bytes, got {len(key.key)}")
        call = Call(
            stimulus,
            beat_bytes=16 * self.core.parameters.width,
            key_bytes=key_bytes,
            base=self.cycle,
            out_capacity=out_capacity,
        )
        return call.record(Outcome(self._library.bench_run(self._bench, call.job)))

    def _expect_whole(self, record: Record, stimulus: Stimulus) -> None:
        if record.faults:
            cycle, cause = record.faults[0]
            raise SimulationError(f"{self.core.module}: fault {cause} in cycle {cycle}, but every sector is whole")
        n, beats = len(stimulus.counts), int(stimulus.counts.sum())
        ends = np.cumsum(stimulus.counts) - 1
        if len(record.out) != beats or not np.array_equal(np.flatnonzero(record.out_last), ends):
            raise SimulationError(
                f"{self.core.module}: {len(record.out)} beats left, m_axis_tlast on "
                f"{int(record.out_last.sum())}; right are {beats} and {n}"
            )
        for number in np.flatnonzero(record.out_bytes[ends] != stimulus.tails).tolist():
            raise SimulationError(
                f"{self.core.module}: unit {number} left with {int(record.out_bytes[ends[number]])} bytes in its last "
                f"beat, right are {int(stimulus.tails[number])}"
            )

    def _sector(self, size: int) -> None:
        units = units_of(self.core)
        if units and not units.least <= size <= units.most:
            raise ValueError(f"a unit must be {units.least} to {units.most} bytes, got {size}")
        if not units and size != self.core.behaviour.usual:
            raise ValueError(f"sector must be {self.core.behaviour.usual} bytes, got {size}")
