# SPDX-License-Identifier: Apache-2.0
"""The behaviour of a core at its ports as a value: lengths, directions, keys, faults and the cycle contract."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, Flag, auto

from .influence import Influence

__all__ = ["Behaviour", "Cause", "Fault", "Figure", "KeyRule", "Length", "Output", "SectorTiming", "Stated"]


@dataclass(frozen=True)
class Figure:
    """One figure of a cycle contract: its name, its cycles, exact or at most, and from when to when they count."""

    name: str
    cycles: int
    meaning: str
    exact: bool = True

    def keeps(self, seen: int) -> bool:
        """Whether ``cycles`` are as stated."""
        return seen == self.cycles or (seen < self.cycles and not self.exact)


@dataclass(frozen=True)
class SectorTiming:
    """Cycle contract of a sector core, the same for encryption and decryption, whatever the data, key and tweak.

    compute:  first input beat accepted to the last result block known inside the core
    latency:  first input beat accepted to the last output beat valid
    busy:     the same, at most, for a sector in a stream: it is accepted early, and may wait for its neighbours' calls
    interval: sector to sector, back to back
    setup:    first word of a key accepted to ``ready``, when the first beat of a sector can be accepted
    zeroize:  ``zeroize`` (or reset) to the end of clearing, when a key can be accepted again
    key_words: words of a key on the key channel

    All but ``busy`` are exact, compute and latency for a sector that an idle core takes, without stalls;
    setup for a key whose words are accepted in ``key_words`` cycles.
    """

    compute: int
    latency: int
    busy: int
    interval: int
    setup: int
    zeroize: int
    key_words: int = 1

    holds = "the same for encryption and decryption, whatever the data, key and tweak"

    @property
    def preparation(self) -> int:
        """Cycles from the last word of a key accepted to ``ready``."""
        return self.setup - (self.key_words - 1)

    def figures(self) -> tuple[Figure, ...]:
        """The figures in order."""
        key = "key" if self.key_words == 1 else f"first of {self.key_words} words of a key, a word a cycle,"
        return (
            Figure("compute", self.compute, "first beat taken to the last result block known inside the core"),
            Figure("latency", self.latency, "first beat taken to the last result beat offered"),
            Figure("busy", self.busy, "the same at most, for a sector in a stream of them", exact=False),
            Figure("interval", self.interval, "sector to sector, back to back"),
            Figure("setup", self.setup, f"{key} taken to the first beat of a sector"),
            Figure("zeroize", self.zeroize, "to clear every key, derived value, buffer and pipeline"),
        )


@dataclass(frozen=True)
class Length:
    """Bytes of a message, or of a tweak, that the core takes: from ``least`` to ``most``."""

    least: int
    most: int

    def __post_init__(self):
        if not 0 <= self.least <= self.most or not self.most:
            raise ValueError(f"lengths must be in order and not all 0, got {self.least} to {self.most}")

    @property
    def fixed(self) -> bool:
        """Whether there is one length only."""
        return self.least == self.most

    def __contains__(self, size: int) -> bool:
        return self.least <= size <= self.most


class Output(Enum):
    """When the output of a message may begin."""

    AFTER_WHOLE = "after the last word of the message was accepted"
    CUT_THROUGH = "before the message was accepted whole"


class KeyRule(Enum):
    """Keys that a core refuses."""

    ANY = "none"
    HALVES_DIFFER = "keys of two equal halves"


class Cause(Flag):
    """Causes of a fault."""

    SHORT = auto()
    LONG = auto()
    DIRECTION = auto()
    KEY = auto()
    KEY_WORDS = auto()
    TWEAK = auto()
    KEEP = auto()


@dataclass(frozen=True)
class Fault:
    """One bit of ``fault``: its cause, and the meaning of a pulse."""

    cause: Cause
    meaning: str


@dataclass(frozen=True)
class Stated:
    """Sizes that each message states with its first beat: its own bytes, and those of its tweak.

    tweak:       bytes of a tweak
    usual_tweak: those for which the core's ``timing`` is stated
    timing:      from bytes of a tweak and of a message, the cycle contract for such messages
    """

    tweak: Length
    usual_tweak: int
    timing: Callable[[int, int], SectorTiming]


@dataclass(frozen=True)
class Behaviour:
    """Everything that a check or a datasheet must know of a core beside its interface.

    length:     of a message, in bytes
    usual:      length for which ``timing`` is stated, in bytes
    output:     when the output of a message may begin
    directions: values of ``decrypt`` that the core serves
    keys:       keys that the core refuses
    faults:     the bits of ``fault``, from bit 0 up
    timing:     the cycle contract
    partial:    cycles by which a message that ends in part of a block leaves later, or None if there is none such
    held:       cycles for which the first beat of a message, alone in an idle core, holds the second one off
    stated:     sizes that a message states, or None if it states none
    influences: inputs, beside handshakes and controls, on which handshakes and status may depend
    """

    length: Length
    usual: int
    output: Output
    directions: tuple[bool, ...]
    keys: KeyRule
    faults: tuple[Fault, ...]
    timing: SectorTiming
    partial: int | None = None
    held: int = 0
    stated: Stated | None = None
    influences: tuple[Influence, ...] = ()

    def fault(self, cause: Cause) -> int:
        """The value of ``fault`` for one cause. Raises ValueError for a cause that the core does not have."""
        for bit, fault in enumerate(self.faults):
            if fault.cause is cause:
                return 1 << bit
        causes = ", ".join(str(fault.cause.name) for fault in self.faults)
        raise ValueError(f"the core has no fault {cause.name}, only {causes}")
