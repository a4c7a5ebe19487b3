# SPDX-License-Identifier: Apache-2.0
"""A measured point: a core on a target, with everything to measure the core again."""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from wideblock.evidence.record import Evidence, EvidenceKind, named
from wideblock.synth.targets import target as target_of

__all__ = ["SAME_FUNCTION", "Clock", "Failure", "Figures", "Identity", "Origin", "Point", "point_of", "throughput"]

T = TypeVar("T")

SAME_FUNCTION = frozenset({"sbox", "round_stages", "mult_stages", "leaf", "squares"})
"""Parameters that change figures and never the function."""


def throughput(size: int, interval: int, mhz: float) -> float:
    """Gb/s (10^9 bits a second) of a core that takes ``size`` bytes every ``interval`` cycles at ``mhz``."""
    for name, value in (("size", size), ("interval", interval), ("mhz", mhz)):
        if value <= 0:
            raise ValueError(f"{name} must be positive, got {value!r}")
    return size * 8 / interval * mhz / 1000


@dataclass(frozen=True)
class Origin:
    """Where Verilog comes from that is not ours.

    repository: its address           commit: of its files, with "-dirty" where they were changed since
    licence:    SPDX identifier       top:    the module that was measured
    """

    repository: str
    commit: str
    licence: str
    top: str


@dataclass(frozen=True)
class Identity:
    """The measured core, and the tools.

    preset:     name of the preset or part; of a peer repository and module
    changed:    parameters that differ from the preset's own
    parameters: all parameters of the core; empty for a peer
    target:     name of the target
    options:    arguments of the synthesis pass beyond the target's own
    route_options: those of place and route beyond device and clock; empty where nothing is placed
    seed:       of the placer; None where nothing is placed
    aim_mhz:    clock that the tools were asked for; None where they take none
    tools:      each tool with its version
    version, commit: of wideblock; commit None outside a repository, with "-dirty" where the code was changed since
    origin:     of a peer's Verilog; None for ours
    circuit:    digest of the measured circuit, as in :class:`~wideblock.evidence.record.Evidence`; None before the
                measurement, after a failure, and in points without a note
    """

    preset: str
    changed: Mapping[str, str | int | bool]
    parameters: Mapping[str, Any]
    target: str
    options: tuple[str, ...]
    seed: int | None
    aim_mhz: float | None
    tools: tuple[str, ...]
    version: str
    commit: str | None
    origin: Origin | None = None
    circuit: str | None = None
    route_options: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Preset and changes in a line, for example "fast-brw-1 sbox=composite"."""
        return named(self.preset, self.changed)

    @property
    def method(self) -> tuple[Any, ...]:
        """Target, options and tools: figures of two cores compare where these are equal."""
        return self.target, self.options, self.route_options, self.tools

    @property
    def kind(self) -> EvidenceKind:
        """The kind of evidence that the point is: whether the tools are asked for a clock."""
        return EvidenceKind.AREA if self.aim_mhz is None and self.seed is None else EvidenceKind.CLOCK

    @property
    def settings(self) -> dict[str, Any]:
        """The method of the evidence that the point is."""
        return {
            "options": list(self.options),
            "route_options": list(self.route_options),
            "seed": self.seed,
            "aim_mhz": self.aim_mhz,
            "origin": dataclasses.asdict(self.origin) if self.origin else None,
        }

    @property
    def flow(self) -> str:
        """Equal for points that differ in their seed, version, commit or digest alone."""
        changed = sorted(self.changed.items())
        origin = [dataclasses.astuple(self.origin)] if self.origin else []
        return json.dumps([self.preset, changed, self.method, self.aim_mhz, *origin])

    @property
    def key(self) -> str:
        """Equal for two measurements of the same point, perhaps of an older and a newer netlist."""
        return json.dumps([self.flow, self.seed])


@dataclass(frozen=True)
class Clock:
    """The clock of a core, and the limiting path.

    mhz:          highest clock that the slowest path from register to register allows
    wires:        True after routing; False before layout: cells alone, no delay of wires
    start, end:   registers at the ends of the path; empty where the tool does not say
    logic_ns:     delay of the cells, those of the registers included
    routing_ns:   delay of the wires
    registers_ns: share of ``logic_ns`` for clock to output and setup, where the tool separates both
    levels:       cells between the registers; None where the tool does not say
    checked_mhz, checked_by: a second tool's clock of the netlist, and the tool; None where it is not installed
    """

    mhz: float
    wires: bool
    start: str
    end: str
    logic_ns: float
    routing_ns: float
    levels: int | None
    registers_ns: float | None = None
    checked_mhz: float | None = None
    checked_by: str | None = None

    def __post_init__(self):
        _numbers(self)
        _positive(self, "mhz")


@dataclass(frozen=True)
class Figures:
    """The measured values.

    part:         device, package, speed grade; of a cell library its corner
    area, unit:   the one figure to compare within a target
    luts ... memory_bits: see :class:`wideblock.synth.yosys.AreaReport`; ``memory_bits`` are of memories that stay
    memories on an ASIC
    cells:        every cell type with its number
    bytes, interval, latency: what the core takes, every how many cycles, and from first beat in to last beat out;
                  None where that has no meaning
    seconds:      run time of the tools, with the emission of the Verilog; None if not measured
    command:      of the tools
    """

    part: str
    area: float
    unit: str
    luts: int
    ffs: int
    lutram: int
    shift_registers: int
    wide_muxes: int
    block_rams: float
    dsps: int
    memory_bits: int
    cells: Mapping[str, int]
    clock: Clock | None
    bytes: int | None
    interval: int | None
    latency: int | None
    seconds: float | None
    command: str

    def __post_init__(self):
        _numbers(self)
        _positive(self, "area")

    @property
    def mhz(self) -> float | None:
        """The measured clock."""
        return self.clock.mhz if self.clock else None

    @property
    def gbps(self) -> float | None:
        """Throughput at the measured clock, Gb/s."""
        if self.clock is None or not self.bytes or not self.interval:
            return None
        return throughput(self.bytes, self.interval, self.clock.mhz)

    @property
    def bits_a_cycle(self) -> float | None:
        """Throughput at any clock, bits a cycle."""
        return 8 * self.bytes / self.interval if self.bytes and self.interval else None

    @property
    def mbps_per_area(self) -> float | None:
        """Throughput over area: Mb/s for each unit of area."""
        return None if self.gbps is None else 1000 * self.efficiency

    @property
    def rate(self) -> float:
        """Throughput in Gb/s; without a clock in bits a cycle, to compare cores at one clock. 0 if unknown."""
        return (self.gbps if self.clock else self.bits_a_cycle) or 0

    @property
    def efficiency(self) -> float:
        """:attr:`rate` over area."""
        return self.rate / self.area

    @property
    def latency_ns(self) -> float | None:
        """Latency at the measured clock."""
        return None if self.clock is None or self.latency is None else 1000 * self.latency / self.clock.mhz


@dataclass(frozen=True)
class Failure:
    """Why a point has no figures: the tool's reason in a line, and the end of the log."""

    reason: str
    log: str


@dataclass(frozen=True)
class Point:
    """Identity with figures or with a failure; ``date`` of the measurement, ISO 8601, None where not noted."""

    identity: Identity
    figures: Figures | None
    failure: Failure | None = None
    date: str | None = None

    def __post_init__(self):
        if (self.figures is None) == (self.failure is None):
            raise ValueError("a point has figures or a failure, one of them")

    @property
    def name(self) -> str:
        return self.identity.name

    @property
    def found(self) -> Figures:
        """The figures of a point known to have figures."""
        assert self.figures is not None, self.failure
        return self.figures

    @property
    def evidence(self) -> Evidence:
        """The point as the store has it."""
        known = self.identity
        result = dataclasses.asdict(self.figures or self.failure)  # pyright: ignore[reportArgumentType]
        return Evidence(
            kind=known.kind,
            subject=known.target,
            core=known.preset,
            changed=known.changed,
            parameters=known.parameters,
            method=known.settings,
            circuit=known.circuit,
            code=None,
            tools=known.tools,
            version=known.version,
            commit=known.commit,
            date=self.date,
            seconds=result.pop("seconds", None),
            outcome="passed" if self.figures else "failed",
            result=result,
        )


def point_of(evidence: Evidence) -> Point | None:
    """The point that :attr:`Point.evidence` wrote; None for evidence of another kind.

    Raises ValueError for a fault, and for an unknown target.
    """
    if evidence.kind not in (EvidenceKind.AREA, EvidenceKind.CLOCK):
        return None
    method, result = dict(evidence.method), dict(evidence.result)
    target_of(evidence.subject)
    try:
        identity = Identity(
            preset=evidence.core,
            changed=evidence.changed,
            parameters=evidence.parameters,
            target=evidence.subject,
            options=tuple(method["options"]),
            seed=method["seed"],
            aim_mhz=method["aim_mhz"],
            tools=evidence.tools,
            version=evidence.version,
            commit=evidence.commit,
            origin=_made(Origin, method["origin"]),
            circuit=evidence.circuit,
            route_options=tuple(method["route_options"]),
        )
        if evidence.outcome == "failed":
            return Point(identity, None, Failure(**result), evidence.date)
        figures = Figures(**result | {"clock": _made(Clock, result["clock"]), "seconds": evidence.seconds})
        return Point(identity, figures, None, evidence.date)
    except KeyError as error:
        raise ValueError(f"field {error} is missing") from None
    except (TypeError, AttributeError) as error:
        raise ValueError(str(error)) from None


def _made(kind: type[T], values: Mapping[str, Any] | None) -> T | None:
    return None if values is None else kind(**values)


def _numbers(value: Any) -> None:
    for field in dataclasses.fields(value):
        given = getattr(value, field.name)
        if field.type in (int, float, int | None, float | None) and not isinstance(given, field.type | int):
            raise ValueError(f"{field.name} must be a number, got {given!r}")


def _positive(value: Any, name: str) -> None:
    if not getattr(value, name) > 0:
        raise ValueError(f"{name} must be positive, got {getattr(value, name)!r}")
