# SPDX-License-Identifier: Apache-2.0
"""The behaviour of a core at its ports as a value: lengths, directions, keys, faults and the cycle contract."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, Flag, auto
from typing import ClassVar

from .influence import Influence

__all__ = [
    "Behaviour",
    "Cause",
    "Fault",
    "Figure",
    "FixedLength",
    "KeyRule",
    "Length",
    "LengthClass",
    "LengthRule",
    "MarkedLength",
    "Output",
    "SectorTiming",
    "StatedLength",
]


BLOCK = 16
"""Bytes of a block."""


@dataclass(frozen=True)
class Figure:
    """A figure of a cycle contract: name, cycles, exact or at most, first and last event of the count."""

    name: str
    cycles: int
    meaning: str
    exact: bool = True

    def keeps(self, seen: int) -> bool:
        """Whether ``seen`` cycles are as stated."""
        return seen == self.cycles or (seen < self.cycles and not self.exact)


@dataclass(frozen=True)
class SectorTiming:
    """Cycle contract of a sector core, for encryption and decryption, independent of data, key and tweak.

    compute:  first input beat accepted to the last result block known inside the core
    latency:  first input beat accepted to the last output beat valid
    busy:     most latency of a sector in a stream: accepted early, the sector may wait for calls of neighbours
    interval: sector to sector, back to back
    setup:    first word of a key accepted to ``ready``, when the first beat of a sector can be accepted
    zeroize:  ``zeroize`` (or reset) to the end of clearing, when a key can be accepted again
    key_words: words of a key on the key channel
    slots:    slots of keys; 0: a single key
    closing:  with slots, most cycles from the last sector of an ending slot to the next command

    With slots, setup is for an empty slot, from the first word offered to the first beat under the key accepted; the
    key is accepted a cycle before. Sectors and setup do not wait for each other.

    ``busy`` and ``eviction`` are upper bounds, all other figures are exact. Compute and latency hold for an idle core
    and for streams that do not stall; setup holds for a key accepted in ``key_words`` cycles.
    """

    compute: int
    latency: int
    busy: int
    interval: int
    setup: int
    zeroize: int
    key_words: int = 1
    slots: int = 0
    closing: int = 4

    holds = "the same for encryption and decryption, whatever the data, key and tweak"

    @property
    def preparation(self) -> int:
        """Cycles from the last word of a key accepted to ``ready``, or with slots to the first beat of a sector."""
        return 1 if self.slots else self.setup - (self.key_words - 1)

    @property
    def eviction(self) -> int:
        """Cycles, at most, from an eviction accepted until a command is looked at again: the sectors begun finish."""
        return self.busy + self.closing

    def figures(self) -> tuple[Figure, ...]:
        """The figures in order."""
        key = "key" if self.key_words == 1 else f"first of {self.key_words} words of a key, a word a cycle,"
        taken = "offered" if self.slots else "taken"
        text = "an eviction taken to the next command, at most, while results are taken"
        evicted = [Figure("eviction", self.eviction, text, exact=False)] if self.slots else []
        return (
            Figure("compute", self.compute, "first beat taken to the last result block known inside the core"),
            Figure("latency", self.latency, "first beat taken to the last result beat offered"),
            Figure("busy", self.busy, "the same at most, for a sector in a stream of them", exact=False),
            Figure("interval", self.interval, "sector to sector, back to back"),
            Figure("setup", self.setup, f"{key} {taken} to the first beat of a sector"),
            *evicted,
            Figure("zeroize", self.zeroize, "to clear every key, derived value, buffer and pipeline"),
        )


@dataclass(frozen=True)
class Length:
    """Bytes of a message or of a tweak: from ``least`` to ``most``."""

    least: int
    most: int

    def __post_init__(self):
        if not 0 <= self.least <= self.most or not self.most:
            raise ValueError(f"lengths must be in order and not all 0, got {self.least} to {self.most}")

    def __contains__(self, size: int) -> bool:
        return self.least <= size <= self.most

    def __str__(self):
        return str(self.least) if self.least == self.most else f"{self.least} to {self.most}"


@dataclass(frozen=True)
class LengthClass:
    """Messages handled alike: equal relation of the length to blocks and beats.

    name:   of the class, for reports
    sizes:  bytes of messages; a choice of sizes, if the class has many
    tweaks: bytes of tweaks, where a message states the tweak's length
    """

    name: str
    sizes: tuple[int, ...]
    tweaks: tuple[int, ...] = ()


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
    SLOT = auto()
    KEY_SLOT = auto()
    DAMAGE = auto()
    FORBIDDEN = auto()
    LIMIT = auto()


@dataclass(frozen=True)
class Fault:
    """A bit of ``fault``: cause, and meaning of a pulse."""

    cause: Cause
    meaning: str


@dataclass(frozen=True)
class LengthRule(Length):
    """Lengths of a core's messages, and the rule of a message's end.

    usual: bytes of a message for which the core's ``timing`` is stated
    """

    usual: int
    name: ClassVar[str]

    @property
    def sentence(self) -> str:
        """The messages for which the core's ``timing`` holds, for documents."""
        raise NotImplementedError

    @property
    def tweaks(self) -> Length | None:
        """Bytes of a tweak that a message may state; None: messages state no tweak length."""
        return None

    @property
    def late(self) -> int:
        """Extra cycles of latency for a message with a partial last block."""
        return 0

    def usual_tweak_of(self, room: int) -> int:
        """Bytes of the tweak for which the core's ``timing`` is stated, at ports for ``room`` bytes."""
        return room

    def statement(self, size: int) -> int | None:
        """Bytes stated by a message of ``size``; None: no message states any."""
        return None

    def due(self, stated: int | None) -> int | None:
        """Bytes required of a message with ``stated`` bytes in the header; None if the last beat decides."""
        return stated

    def fault(self, size: int, stated: int | None, tweak: int) -> Cause | None:
        """Cause of the fault of a message of ``size`` whole bytes under ``tweak`` bytes, or None."""
        due = size if stated is None else stated
        if due not in self:
            return Cause.SHORT if due < self.least else Cause.LONG
        if self.tweaks and tweak not in self.tweaks:
            return Cause.TWEAK
        return None if size == due else Cause.SHORT if size < due else Cause.LONG

    def examples(self) -> list[tuple[int, int]]:
        """Bytes of tweaks and of messages for further rows of cycles in a datasheet."""
        return []

    def timed(self, change: "Callable[[int, SectorTiming], SectorTiming]") -> "LengthRule":
        """The rule with contracts of :meth:`timing` changed; ``change`` takes bytes of a message, and a contract."""
        return self

    def timing(self, tweak: int, size: int) -> SectorTiming:
        """The cycle contract for messages of ``size`` bytes under ``tweak`` bytes.

        Raises ValueError where all messages have one length.
        """
        raise ValueError("messages have one length; the contract is for that")

    def classes(self, beat: int) -> tuple[LengthClass, ...]:
        """The classes of lengths, the usual length first, of a core with beats of ``beat`` bytes."""
        return (LengthClass("usual", (self.usual,)),)

    def _classes(self, *others: LengthClass) -> tuple[LengthClass, ...]:
        """The usual length and the ``others``, with the valid sizes."""
        usual = LengthRule.classes(self, 0)
        kept = (replace(each, sizes=tuple(size for size in each.sizes if size in self)) for each in others)
        return (*usual, *(each for each in kept if each.sizes))


class FixedLength(LengthRule):
    """All messages have the same length."""

    name = "fixed"

    def __init__(self, size: int):
        super().__init__(size, size, size)

    @property
    def sentence(self) -> str:
        return "Equal for encryption and decryption, and independent of data, key and tweak."

    def due(self, stated: int | None) -> int:
        return self.usual


@dataclass(frozen=True)
class MarkedLength(LengthRule):
    """The mark of the last beat ends a message.

    partial: extra cycles of latency for a message with a partial last block
    cycles:  cycle contract of a message, from its bytes
    """

    partial: int
    cycles: Callable[[int], SectorTiming]
    name = "marked"

    @property
    def sentence(self) -> str:
        return (
            f"For units of {self.usual} bytes, independent of data, key and tweak. A unit of another length takes a "
            f"cycle a beat more or fewer; one that ends in part of a block leaves {self.partial} cycles later, and so "
            "does what follows it."
        )

    @property
    def late(self) -> int:
        return self.partial

    def timing(self, tweak: int, size: int) -> SectorTiming:
        return self.cycles(size)

    def classes(self, beat: int) -> tuple[LengthClass, ...]:
        """Two ways to end: a partial block alone in a beat, or beside the last whole block."""
        few = range(0, 4 * beat, beat)
        return self._classes(
            LengthClass("shortest", (self.least,)),
            LengthClass("whole blocks", tuple(range(2 * BLOCK, 4 * beat + 1, BLOCK))),
            LengthClass("part alone in its beat", tuple(at + part for at in few[1:] for part in range(1, BLOCK))),
            LengthClass(
                "part beside whole blocks",
                tuple(at + part for at in few for part in range(BLOCK + 1, beat) if part % BLOCK),
            ),
            LengthClass("longest", (self.most,)),
        )


@dataclass(frozen=True)
class StatedLength(LengthRule):
    """The first beat of a message states the bytes of message and tweak.

    tweak:       bytes of a tweak
    usual_tweak: bytes of a tweak for the core's ``timing``
    cycles:      cycle contract of a message, from the bytes of tweak and message
    """

    tweak: Length
    usual_tweak: int
    cycles: Callable[[int, int], SectorTiming]
    name = "stated"

    @property
    def sentence(self) -> str:
        return (
            f"For sectors of {self.usual} bytes under tweaks of {self.usual_tweak}; equal for encryption and "
            "decryption, and independent of data, key and tweak. For other sizes:"
        )

    @property
    def tweaks(self) -> Length:
        return self.tweak

    def usual_tweak_of(self, room: int) -> int:
        return self.usual_tweak

    def statement(self, size: int) -> int:
        return size

    def examples(self) -> list[tuple[int, int]]:
        sizes = [size for size in (self.least, 512, 4096) if size in self]
        return [(tweak, size) for size in dict.fromkeys((*sizes, self.most)) for tweak in (0, self.tweak.most)]

    def timing(self, tweak: int, size: int) -> SectorTiming:
        return self.cycles(tweak, size)

    def timed(self, change: Callable[[int, SectorTiming], SectorTiming]) -> LengthRule:
        return replace(self, cycles=lambda tweak, size: change(size, self.cycles(tweak, size)))

    def classes(self, beat: int) -> tuple[LengthClass, ...]:
        """Ends of messages and of tweaks meet: whole blocks and parts of one, none and the most."""
        most = self.tweak.most
        whole, parts = ([n for n in range(most + 1) if (n % BLOCK > 0) == part] for part in (False, True))
        found = self._classes(
            LengthClass("shortest", (self.least,), (self.tweak.least,)),
            LengthClass("whole blocks", tuple(range(2 * BLOCK, 6 * BLOCK, BLOCK)), (*whole,)),
            LengthClass("part of a block behind one", tuple(range(BLOCK + 1, 2 * BLOCK)), (*parts,)),
            LengthClass(
                "blocks and part of one", tuple(size for size in range(2 * BLOCK, 6 * BLOCK) if size % BLOCK), (*parts,)
            ),
            LengthClass("longest", (self.most,), (most,)),
        )
        return (replace(found[0], tweaks=(self.usual_tweak,)), *found[1:])


@dataclass(frozen=True)
class Behaviour:
    """Facts of a core for checks and datasheets, beside the interface.

    length:     bytes of a message, and the rule of its end
    output:     earliest begin of a message's output
    directions: valid values of ``decrypt``
    keys:       refused keys
    faults:     the bits of ``fault``, from bit 0 up
    timing:     the cycle contract
    held:       cycles without ``ready`` after the first beat of a message, in an idle core
    influences: inputs, beside handshakes and controls, on which handshakes and status may depend
    erases:     whether an eviction leaves nothing of the key in any register or memory
    loaded:     bytes of a key loaded through registers; 0: keys come on the key channel
    """

    length: LengthRule
    output: Output
    directions: tuple[bool, ...]
    keys: KeyRule
    faults: tuple[Fault, ...]
    timing: SectorTiming
    held: int = 0
    influences: tuple[Influence, ...] = ()
    erases: bool = False
    loaded: int = 0

    @property
    def usual(self) -> int:
        """Bytes of a message for which ``timing`` is stated."""
        return self.length.usual

    def fault(self, cause: Cause) -> int:
        """The value of ``fault`` for a cause. Raises ValueError for a cause unknown to the core."""
        for bit, fault in enumerate(self.faults):
            if fault.cause is cause:
                return 1 << bit
        causes = ", ".join(str(fault.cause.name) for fault in self.faults)
        raise ValueError(f"the core has no fault {cause.name}, only {causes}")
