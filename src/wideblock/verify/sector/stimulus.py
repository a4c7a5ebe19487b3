# SPDX-License-Identifier: Apache-2.0
"""Input of a simulation of a sector core in sectors, keys and events, and its record in the same terms."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from wideblock.simulation.structures import Outcome
from wideblock.spec.values import Values

__all__ = ["Bytes", "Cycles", "Event", "Key", "Record", "Request", "Reset", "Result", "Specification", "Stimulus"]
__all__ += ["Zeroize"]

Bytes = NDArray[np.uint8]
Cycles = NDArray[np.int64]


class Specification(Protocol):
    """A scheme under one key.

    key_values:   secret values that the key alone determines, for sectors of so many blocks
    tweak_values: those that the key and a sector's tweak determine
    """

    def encrypt(self, tweak: bytes, sector: bytes) -> bytes: ...
    def decrypt(self, tweak: bytes, sector: bytes) -> bytes: ...
    def key_values(self, blocks: int) -> Values: ...
    def tweak_values(self, tweak: bytes, blocks: int) -> Values: ...


@dataclass(frozen=True)
class Request:
    """A sector as it is sent, of any length that the ports can carry.

    stated: bytes that it states to have, where it states any; None: as many as it has
    keep:   of each beat, where that does not follow from the length; ``data`` are then the whole beats
    """

    data: bytes
    tweak: bytes
    decrypt: bool
    stated: int | None = None
    keep: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Bytes that the core must take it to have."""
        return len(self.data) if self.stated is None else self.stated


@dataclass(frozen=True)
class Key:
    """A key, valid from ``cycle`` on; sector ``before``, if given, is not sent until the key is accepted.

    Where a key has several words, ``key`` may have too few or too many. ``last``: the last one is valid from then on.
    """

    key: bytes
    before: int | None = None
    cycle: int = 0
    last: int = 0


@dataclass(frozen=True)
class Event:
    """An input asserted for ``length`` cycles from ``cycle`` on."""

    cycle: int
    length: int = 1


@dataclass(frozen=True)
class Zeroize(Event):
    """A ``zeroize`` pulse; the source goes on with the sector it is in."""


@dataclass(frozen=True)
class Reset(Event):
    """A reset; the source goes on with the next whole sector."""


@dataclass
class Stimulus:
    """Input of one call; cycles count from its start.

    beats:    (beats, beat_bytes) the beats of all sectors, one after another
    counts:   (sectors,) beats of each sector; last is high on the last of them
    tails:    (sectors,) bytes of each sector's last beat
    tweaks:   (sectors, tweak_room)
    decrypt:  (sectors,)
    sizes:    (sectors,) bytes that each sector states to have; read by cores whose sectors state it, as
    tweak_sizes: (sectors,) those of its tweak
    keeps:    (sectors,) ``keep`` of each sector's beats, empty where it follows from the length
    keys, events: in order
    offer, take: chance that a beat becomes valid, and that one is accepted, in a cycle
    noise:    random values on inputs that no rule lets the core read
    want:     output beats without which the call is not done
    quiet:    cycles without activity after which nothing more is expected
    patience: cycles without activity after which the core is stuck
    limit:    cycles of the call; None: any number
    consumed: return once all input is accepted, even if results are still inside
    """

    beats: Bytes
    counts: Cycles
    tails: Cycles
    tweaks: Bytes
    decrypt: Bytes
    sizes: Cycles
    tweak_sizes: Cycles
    keeps: Sequence[tuple[int, ...]] = ()
    keys: Sequence[Key] = ()
    events: Sequence[Event] = ()
    offer: float = 1.0
    take: float = 1.0
    noise: bool = False
    want: int = 0
    quiet: int = 16
    patience: int = 10_000
    limit: int | None = None
    consumed: bool = False

    @property
    def ends(self) -> Cycles:
        """(sectors,) number of the beat after each sector's last."""
        return np.cumsum(self.counts)

    @property
    def starts(self) -> Cycles:
        """(sectors,) number of each sector's first beat."""
        return self.ends - self.counts


@dataclass
class Record:
    """Record of one call; cycles count from its start, -1 where nothing happened.

    beats_in: (beats,) each input beat
    first_in, last_in, taken_in: (sectors,) first and last beat accepted of each sector, and how many
    key_first, key_taken: (keys,) first and last word accepted of each key; no last one if an event cut it off
    out, out_last, out_bytes, out_cycle: each output beat, and how many bytes of it count
    faults, ready: (cycle, cause) of each pulse, (cycle, value) in the first cycle and at each change
    computed: each pulse
    violation, violation_cycle: the first broken rule of the output stream, if one was
    """

    outcome: Outcome
    beats_in: Cycles
    first_in: Cycles
    last_in: Cycles
    taken_in: Cycles
    key_first: Cycles
    key_taken: Cycles
    out: Bytes
    out_last: Bytes
    out_bytes: Cycles
    out_cycle: Cycles
    faults: list[tuple[int, int]]
    ready: list[tuple[int, int]]
    computed: Cycles
    cycles: int
    violation: str | None = None
    violation_cycle: int = -1


@dataclass(frozen=True)
class Result:
    """Sectors as they left, and the cycles of each: first and last beat in and out, last block known inside.

    ``sectors`` has a row of bytes for each; cycles count from the start of the call.
    """

    sectors: Sequence[Bytes]
    first_in: Cycles
    last_in: Cycles
    first_out: Cycles
    last_out: Cycles
    computed: Cycles
    cycles: int
