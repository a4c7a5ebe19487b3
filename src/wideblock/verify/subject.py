# SPDX-License-Identifier: Apache-2.0
"""What is verified: a core, its shape and cycle contract, beside its specification."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

__all__ = [
    "Core",
    "CycleContract",
    "KnownAnswer",
    "Request",
    "Specification",
    "Subject",
    "Units",
    "beats_per_sector",
    "directions_of",
    "units_of",
]


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


def beats_per_sector(core: Core) -> int:
    """Beats of a sector. A last beat that is not full is none of the ports' business: width divides the blocks."""
    beat = 16 * core.width
    if core.sector_bytes % beat:
        raise ValueError(f"a sector must be whole beats of {beat} bytes, got {core.sector_bytes} bytes")
    return core.sector_bytes // beat


class Specification(Protocol):
    """A scheme under one key."""

    def encrypt(self, tweak: bytes, sector: bytes) -> bytes: ...
    def decrypt(self, tweak: bytes, sector: bytes) -> bytes: ...


class Subject(Core, Protocol):
    """A core and what it must compute.

    ``specification(key)`` is called in other processes: it must be picklable, as classes, module-level functions and
    ``functools.partial`` of them are.
    """

    @property
    def specification(self) -> Callable[[bytes], Specification]: ...


@dataclass(frozen=True)
class KnownAnswer:
    """One published or independently computed answer; ``source`` says whose."""

    source: str
    key: bytes
    tweak: bytes
    plaintext: bytes
    ciphertext: bytes


@dataclass(frozen=True)
class Request:
    """A sector as it was offered, of any number of beats, or of bytes where the core takes that."""

    data: bytes
    tweak: bytes
    decrypt: bool
