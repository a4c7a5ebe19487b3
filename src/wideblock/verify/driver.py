# SPDX-License-Identifier: Apache-2.0
"""Runs the exported Verilog of a sector core as a compiled model, from numpy arrays, many cycles a call."""

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wideblock.verify.verilator import build

__all__ = [
    "Core",
    "CycleContract",
    "Event",
    "Key",
    "Measured",
    "Outcome",
    "Record",
    "Reset",
    "Result",
    "Rule",
    "Simulation",
    "SimulationError",
    "Stimulus",
    "Units",
    "Zeroize",
    "beats_per_sector",
    "directions_of",
    "measure",
    "units_of",
]

Bytes = NDArray[np.uint8]
Cycles = NDArray[np.int64]

_NEVER = 1 << 60
_POINTERS = {
    "beats",
    "counts",
    "tails",
    "tweaks",
    "decrypt",
    "keys",
    "key_sector",
    "key_cycle",
    "event_cycle",
    "event_length",
    "event_kind",
    "out",
    "out_last",
    "out_bytes",
    "out_cycle",
    "first_in",
    "last_in",
    "taken_in",
    "key_taken",
    "fault_cycle",
    "fault_cause",
    "ready_cycle",
    "ready_value",
    "computed_cycle",
}
_FIELDS = """
    beats counts tails tweaks decrypt sectors keys key_sector key_cycle n_keys
    event_cycle event_length event_kind n_events offer take noise want tail patience limit until_taken
    out out_last out_bytes out_cycle out_capacity first_in last_in taken_in key_taken
    fault_cycle fault_cause ready_cycle ready_value computed_cycle log_capacity
    sector beat offset key event n_out n_fault n_ready n_computed violation violation_cycle cycle
""".split()


class CycleContract(Protocol):
    """Cycles of a sector core: first beat in to the last result block known, to the last beat out; sector to sector;
    key to first beat; zeroize to everything cleared."""

    @property
    def compute(self) -> int: ...
    @property
    def latency(self) -> int: ...
    @property
    def interval(self) -> int: ...
    @property
    def setup(self) -> int: ...
    @property
    def zeroize(self) -> int: ...


class Core(Protocol):
    """What a simulation knows about a sector core: its Verilog, the module's name, its shape, its cycle contract."""

    @property
    def verilog(self) -> str: ...
    @property
    def top(self) -> str: ...
    @property
    def width(self) -> int: ...
    @property
    def key_bits(self) -> int: ...
    @property
    def sector_bytes(self) -> int: ...
    @property
    def timing(self) -> CycleContract: ...


@dataclass(frozen=True)
class Units:
    """What a core for units of any length takes: from ``least`` to ``most`` bytes, in some ``directions``.

    directions: values of decrypt that the core serves
    """

    least: int
    most: int
    directions: tuple[bool, ...]


def units_of(core: Core) -> Units | None:
    """The ``units`` of a core that takes them; None if it takes whole sectors of one size, in both directions."""
    return getattr(core, "units", None)


def directions_of(core: Core) -> tuple[bool, ...]:
    """Values of decrypt that a core serves."""
    units = units_of(core)
    return units.directions if units else (False, True)


class SimulationError(RuntimeError):
    """The model did not do what its ports promise; the message is one line that says what and when."""


class Outcome(IntEnum):
    """Why a call ended."""

    DONE = 0
    STUCK = 1
    LIMIT = 2
    RECORD_FULL = 3
    VIOLATION = 4


class Rule(IntEnum):
    """Rules of AXI4-Stream that the output is held to. Source: AMBA AXI4-Stream, 2.2.1 and 2.7.2."""

    VALID_DROPPED = 1
    PAYLOAD_CHANGED = 2
    VALID_IN_RESET = 3
    KEEP_BROKEN = 4

    def __str__(self) -> str:
        return {
            1: "m_axis_tvalid fell before m_axis_tready took the beat",
            2: "m_axis_tdata or m_axis_tlast changed before m_axis_tready took the beat",
            3: "m_axis_tvalid is high while aresetn is low",
            4: "m_axis_tkeep is not a run from byte 0, or not full before the last beat",
        }[self]


@dataclass(frozen=True)
class Key:
    """A key beat: offered from ``cycle`` on; sector ``before``, if given, is not offered until the key is taken."""

    key: bytes
    before: int | None = None
    cycle: int = 0


@dataclass(frozen=True)
class Event:
    """An input high for ``length`` cycles from ``cycle`` on."""

    cycle: int
    length: int = 1


@dataclass(frozen=True)
class Zeroize(Event):
    """A ``zeroize`` pulse; the source goes on with the sector it is in."""


@dataclass(frozen=True)
class Reset(Event):
    """``aresetn`` low; the source goes on with the next whole sector."""


@dataclass
class Stimulus:
    """What one call plays.

    beats:    (beats, 16 width) the beats of all sectors, one after another
    counts:   beats of each sector; tlast is on the last of them
    tails:    bytes of each sector's last beat; fewer than it has only where the core has tkeep, and there 0 for none
              and -1 for two with a hole between them, which are faults
    tweaks:   (sectors, 16)
    decrypt:  one a sector
    keys, events: in order; their cycles count from the call
    offer, take: chance that a beat is offered, and that one is taken, in a cycle
    noise:    random values on inputs that no rule lets the core read
    want:     output beats to wait for
    tail:     quiet cycles after which nothing more is expected
    patience: quiet cycles after which the core is stuck
    until_taken: return once all is taken, even if results are still inside
    """

    beats: Bytes
    counts: Cycles
    tails: Cycles
    tweaks: Bytes
    decrypt: Bytes
    keys: Sequence[Key] = ()
    events: Sequence[Event] = ()
    offer: float = 1.0
    take: float = 1.0
    noise: bool = False
    want: int = 0
    tail: int = 16
    patience: int = 10_000
    limit: int = _NEVER
    until_taken: bool = False


@dataclass
class Record:
    """What the ports did: cycles count from the call, -1 where nothing happened.

    first_in, last_in, taken_in: first and last beat taken of each sector, and how many
    key_taken: of each key
    out, out_last, out_bytes, out_cycle: each beat that left, and how many bytes of it count
    faults, ready: (cycle, cause) of each cycle with a cause, (cycle, value) of each change
    computed: each pulse
    """

    outcome: Outcome
    first_in: Cycles
    last_in: Cycles
    taken_in: Cycles
    key_taken: Cycles
    out: Bytes
    out_last: Bytes
    out_bytes: Cycles
    out_cycle: Cycles
    faults: list[tuple[int, int]]
    ready: list[tuple[int, int]]
    computed: Cycles
    cycles: int
    violation: Rule | None = None
    violation_cycle: int = -1


@dataclass(frozen=True)
class Result:
    """Sectors as they left, and the cycles of each: first and last beat in and out, last block known inside.

    ``sectors`` has a row of bytes for each; cycles count from the call.
    """

    sectors: Sequence[Bytes]
    first_in: Cycles
    last_in: Cycles
    first_out: Cycles
    last_out: Cycles
    computed: Cycles
    cycles: int


class _Job(ctypes.Structure):
    _fields_ = [
        (
            name,
            ctypes.c_void_p if name in _POINTERS else ctypes.c_uint64 if name in ("offer", "take") else ctypes.c_int64,
        )
        for name in _FIELDS
    ]


@dataclass
class _Call:
    """A job with the arrays that its pointers point into."""

    job: _Job
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)

    def point(self, **arrays: NDArray[Any]) -> None:
        for name, array in arrays.items():
            assert array.flags.c_contiguous
            self.arrays[name] = array
            setattr(self.job, name, array.ctypes.data)


def beats_per_sector(core: Core) -> int:
    """Beats of a sector. A last beat that is not full is none of the ports' business: width divides the blocks."""
    beat = 16 * core.width
    if core.sector_bytes % beat:
        raise ValueError(f"a sector must be whole beats of {beat} bytes, got {core.sector_bytes} bytes")
    return core.sector_bytes // beat


class Simulation:
    """One instance of the compiled model of ``core``, out of reset.

    verilog: texts to simulate in the place of the core's own, such as a netlist and its cell models
    Raises :class:`~wideblock.verify.verilator.BuildError` if the model cannot be built.
    """

    def __init__(self, core: Core, *, verilog: Iterable[str] | None = None):
        self.core = core
        self.beats = beats_per_sector(core)
        self._library = build([core.verilog] if verilog is None else verilog, core.top)
        for name, result, arguments in [
            ("bench_new", ctypes.c_void_p, []),
            ("bench_delete", None, [ctypes.c_void_p]),
            ("bench_seed", None, [ctypes.c_void_p, ctypes.c_uint64]),
            ("bench_run", ctypes.c_int32, [ctypes.c_void_p, ctypes.POINTER(_Job)]),
            ("bench_cycle", ctypes.c_int64, [ctypes.c_void_p]),
            ("beat_bytes", ctypes.c_int64, []),
            ("has_keep", ctypes.c_int32, []),
            ("job_bytes", ctypes.c_int64, []),
        ]:
            function = getattr(self._library, name)
            function.restype, function.argtypes = result, arguments
        if self._library.job_bytes() != ctypes.sizeof(_Job):
            raise SimulationError("the harness and its driver differ in their interface: remove the cached models")
        if self._library.beat_bytes() != 16 * core.width:
            raise SimulationError(
                f"{core.top} has beats of {self._library.beat_bytes()} bytes, its width of "
                f"{core.width} blocks means {16 * core.width}"
            )
        if bool(self._library.has_keep()) != (units_of(core) is not None):
            raise SimulationError(f"{core.top} must have tkeep if and only if it takes units of any length")
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
        record = self.play(self.stimulus([], [], False, keys=[Key(self._key(key))], tail=0))
        self._expect_done(record)
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
        beat = 16 * self.core.width
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
        call = self._call(stimulus, len(stimulus.beats) * 2 + 4 * self.beats + 64)
        base = self.cycle
        outcome = Outcome(self._library.bench_run(self._bench, call.job))
        return self._record(call, outcome, base)

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
        self._expect_done(record, want=want)
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
        left = np.zeros((0, 16 * self.core.width), np.uint8)
        empty = np.zeros((0, self.core.sector_bytes), np.uint8), np.zeros((0, 16), np.uint8)
        for sectors, tweaks in _then(chunks, empty):
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
            call = self._call(stimulus, inside + 1)
            base = self.cycle
            record = self._record(call, Outcome(self._library.bench_run(self._bench, call.job)), base)
            self._expect_done(record, want=inside if last else None)
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
                yield beats[:whole].reshape(-1, self.core.sector_bytes)
        if inside:
            raise SimulationError(f"{inside} beats never left the core")

    def patience(self, offer: float, take: float) -> int:
        """Quiet cycles after which the core must be stuck, with a wide margin."""
        t = self.core.timing
        return 4 * (t.latency + t.interval + t.setup + t.zeroize) + 1000 + int(200 / max(min(offer, take), 1e-4))

    def _call(self, stimulus: Stimulus, out_capacity: int) -> _Call:
        s, base = stimulus, self.cycle
        key_bytes = self.core.key_bits // 8
        for key in s.keys:
            self._key(key.key)
        n, log = len(s.counts), 4 * len(s.counts) + 256
        call = _Call(
            _Job(
                sectors=n,
                n_keys=len(s.keys),
                n_events=len(s.events),
                offer=_chance(s.offer),
                take=_chance(s.take),
                noise=s.noise,
                want=s.want,
                tail=s.tail,
                patience=s.patience,
                limit=s.limit,
                until_taken=s.until_taken,
                out_capacity=out_capacity,
                log_capacity=log,
            )
        )
        keys = np.frombuffer(b"".join(key.key for key in s.keys), np.uint8).reshape(-1, key_bytes)
        numbers = {
            "key_sector": [-1 if key.before is None else key.before for key in s.keys],
            "key_cycle": [base + key.cycle for key in s.keys],
            "event_cycle": [base + event.cycle for event in s.events],
            "event_length": [event.length for event in s.events],
        }
        call.point(
            beats=np.ascontiguousarray(s.beats),
            counts=np.ascontiguousarray(s.counts, np.int64),
            tails=np.ascontiguousarray(s.tails, np.int64),
            tweaks=s.tweaks,
            decrypt=s.decrypt,
            keys=np.ascontiguousarray(keys),
            event_kind=np.array([isinstance(event, Reset) for event in s.events], np.uint8),
            **{name: np.array(values, np.int64) for name, values in numbers.items()},
            out=np.empty((out_capacity, 16 * self.core.width), np.uint8),
            out_last=np.empty(out_capacity, np.uint8),
            out_bytes=np.empty(out_capacity, np.int64),
            fault_cause=np.empty(log, np.uint8),
            ready_value=np.empty(log, np.uint8),
            first_in=np.full(n, -1, np.int64),
            last_in=np.full(n, -1, np.int64),
            taken_in=np.zeros(n, np.int64),
            key_taken=np.full(len(s.keys), -1, np.int64),
            out_cycle=np.empty(out_capacity, np.int64),
            fault_cycle=np.empty(log, np.int64),
            ready_cycle=np.empty(log, np.int64),
            computed_cycle=np.empty(log, np.int64),
        )
        return call

    @staticmethod
    def _record(call: _Call, outcome: Outcome, base: int) -> Record:
        a, job = call.arrays, call.job

        def since(cycles: Cycles) -> Cycles:
            return np.where(cycles < 0, -1, cycles - base)

        def log(cycle: str, value: str, n: int) -> list[tuple[int, int]]:
            return list(zip(since(a[cycle][:n]).tolist(), a[value][:n].tolist(), strict=True))

        broken = outcome == Outcome.VIOLATION
        return Record(
            outcome,
            since(a["first_in"]),
            since(a["last_in"]),
            a["taken_in"],
            since(a["key_taken"]),
            a["out"][: job.n_out],
            a["out_last"][: job.n_out],
            a["out_bytes"][: job.n_out],
            since(a["out_cycle"][: job.n_out]),
            log("fault_cycle", "fault_cause", job.n_fault),
            log("ready_cycle", "ready_value", job.n_ready),
            since(a["computed_cycle"][: job.n_computed]),
            job.cycle - base,
            Rule(job.violation) if broken else None,
            job.violation_cycle - base if broken else -1,
        )

    def _expect_done(self, record: Record, *, want: int | None = None) -> None:
        if record.outcome == Outcome.VIOLATION:
            raise SimulationError(f"{self.core.top}: {record.violation}, cycle {record.violation_cycle}")
        if record.outcome == Outcome.RECORD_FULL:
            raise SimulationError(f"{self.core.top} gives more beats than it took")
        if record.outcome != Outcome.DONE:
            taken = int(record.taken_in.sum())
            raise SimulationError(
                f"{self.core.top} is stuck after {record.cycles} cycles: {taken} beats taken, "
                f"{len(record.out)} given{'' if want is None else f' of {want}'}"
            )

    def _expect_whole(self, record: Record, stimulus: Stimulus) -> None:
        if record.faults:
            cycle, cause = record.faults[0]
            raise SimulationError(f"{self.core.top}: fault {cause} in cycle {cycle}, but every sector is whole")
        n, beats = len(stimulus.counts), int(stimulus.counts.sum())
        ends = np.cumsum(stimulus.counts) - 1
        if len(record.out) != beats or not np.array_equal(np.flatnonzero(record.out_last), ends):
            raise SimulationError(
                f"{self.core.top}: {len(record.out)} beats left, m_axis_tlast on "
                f"{int(record.out_last.sum())}; right are {beats} and {n}"
            )
        for number in np.flatnonzero(record.out_bytes[ends] != stimulus.tails).tolist():
            raise SimulationError(
                f"{self.core.top}: unit {number} left with {int(record.out_bytes[ends[number]])} bytes in its last "
                f"beat, right are {int(stimulus.tails[number])}"
            )

    def _key(self, key: bytes) -> bytes:
        if len(key) * 8 != self.core.key_bits:
            raise ValueError(f"key must be {self.core.key_bits // 8} bytes, got {len(key)}")
        return key

    def _sector(self, size: int) -> None:
        units = units_of(self.core)
        if units and not units.least <= size <= units.most:
            raise ValueError(f"a unit must be {units.least} to {units.most} bytes, got {size}")
        if not units and size != self.core.sector_bytes:
            raise ValueError(f"sector must be {self.core.sector_bytes} bytes, got {size}")


def _then(chunks: Iterable, last: Any) -> Iterator:
    yield from chunks
    yield last


def _chance(probability: float) -> int:
    if not 0 < probability <= 1:
        raise ValueError(f"the chance of a beat must be over 0 and at most 1, got {probability!r}")
    return round(probability * (1 << 32))


@dataclass(frozen=True)
class Measured:
    """Cycles seen at the ports of the running model; the same meaning as :class:`CycleContract`."""

    compute: int
    latency: int
    interval: int
    setup: int


def measure(
    core: Core, *, sectors: int = 12, seed: int = 0, simulation: Simulation | None = None
) -> dict[str, Measured]:
    """Cycles of ``core`` in simulation: ``{"encrypt": Measured, "decrypt": Measured}``, or what it has of these.

    compute and latency: of single sectors into an idle core; a few must agree
    interval: between sectors offered back to back, with the core full before and after; all those gaps must agree,
              where sectors enter and where they leave
    setup: from the key beat to the first beat of a sector that was waiting, for a first key and for a next one
    Raises :class:`SimulationError` where cycles that must agree do not.
    """
    if sectors < 12:
        raise ValueError(f"interval needs at least 12 sectors to be steady, got {sectors}")
    rng = np.random.default_rng(seed)
    owned = simulation is None
    simulation = simulation or Simulation(core)
    try:
        return {
            ("encrypt", "decrypt")[decrypt]: _measure(simulation, decrypt, sectors, rng)
            for decrypt in directions_of(core)
        }
    finally:
        if owned:
            simulation.close()


def _measure(simulation: Simulation, decrypt: bool, n: int, rng: np.random.Generator) -> Measured:
    core = simulation.core

    def random(*shape: int) -> Bytes:
        return rng.integers(0, 256, shape, np.uint8)

    def only(values: Iterable[int], what: str) -> int:
        seen = sorted({int(value) for value in values})
        if len(seen) != 1:
            raise SimulationError(f"{core.top}: {what} is not one number of cycles: {', '.join(map(str, seen))}")
        return seen[0]

    simulation.reset()
    setups = []
    for _ in range(2):
        stimulus = simulation.stimulus(
            random(1, core.sector_bytes),
            random(1, 16),
            decrypt,
            want=simulation.beats,
            keys=[Key(random(core.key_bits // 8).tobytes(), before=0)],
            patience=simulation.patience(1, 1),
        )
        record = simulation.play(stimulus)
        simulation._expect_done(record, want=simulation.beats)
        setups.append(record.first_in[0] - record.key_taken[0])
    single = [simulation.run(random(1, core.sector_bytes), random(1, 16), decrypt) for _ in range(3)]
    # while the core fills and empties, what shares a resource with a neighbour may go a cycle earlier
    edge = 2 * (1 + core.timing.latency // core.timing.interval)
    full = simulation.run(random(n + 2 * edge, core.sector_bytes), random(n + 2 * edge, 16), decrypt)
    gaps = [*np.diff(full.first_in)[edge:-edge], *np.diff(full.last_out)[edge:-edge]]
    return Measured(
        compute=only((run.computed[0] - run.first_in[0] for run in single), "compute"),
        latency=only((run.last_out[0] - run.first_in[0] for run in single), "latency"),
        interval=only(gaps, "interval"),
        setup=only(setups, "setup"),
    )
