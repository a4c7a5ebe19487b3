# SPDX-License-Identifier: Apache-2.0
"""What a simulation is told to play, and what it saw."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

__all__ = ["Event", "Key", "Outcome", "Record", "Reset", "Result", "Rule", "Stimulus", "Zeroize"]

Bytes = NDArray[np.uint8]
Cycles = NDArray[np.int64]

NEVER = 1 << 60


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
    limit: int = NEVER
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
