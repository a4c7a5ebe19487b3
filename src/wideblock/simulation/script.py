# SPDX-License-Identifier: Apache-2.0
"""Input of a call of the bench, and its record: words of channels and values of controls, by their names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideblock.simulation.structures import PlayOutcome, StreamRule

__all__ = ["NEVER", "RESET", "Cycles", "Record", "Script", "ScriptEvent", "Violation", "Words"]

Words = NDArray[Any]
"""Words of a channel, (n,), of the channel's structured type."""
Cycles = NDArray[np.int64]
Changes = list[tuple[int, int]]

NEVER = 1 << 60
RESET = "reset"
"""Name of the reset in events, whatever its port is called."""


@dataclass(frozen=True)
class ScriptEvent:
    """``control`` has ``value`` for ``length`` cycles from ``cycle`` on; otherwise 0.

    control: name of a control input, or :data:`RESET`, which has no value
    clears:  whether it may end words under way: the rules of streams do not hold in these cycles. True for a reset.
    """

    control: str
    cycle: int
    length: int = 1
    value: int = 1
    clears: bool = False


@dataclass
class Script:
    """Input of one call; cycles count from its start.

    words:    of each input channel, in order; a channel that is left out stays idle
    events:   in order of their cycles for each control
    ready:    chance that an output channel's ready is high in a cycle; 1 if left out
    wanted:   words of an output channel without which the call is not done
    capacity: words of an output channel that can be recorded
    noise:    random bits on idle inputs
    quiet:    cycles without activity after which nothing more is expected
    patience: cycles without activity after which the core is stuck
    limit:    cycles of the call
    consumed: return when all input is accepted, whatever is still inside
    watched:  states of an output channel's ports, valid or not, that can be recorded; 0: none is
    """

    words: Mapping[str, Words] = field(default_factory=dict)
    events: Sequence[ScriptEvent] = ()
    ready: Mapping[str, float] = field(default_factory=dict)
    wanted: Mapping[str, int] = field(default_factory=dict)
    capacity: int = 1
    noise: bool = False
    quiet: int = 0
    patience: int = 10_000
    limit: int = NEVER
    consumed: bool = False
    watched: int = 0


@dataclass(frozen=True)
class Violation:
    """A broken rule of streams; ``port`` is the payload port that changed, or None."""

    rule: StreamRule
    cycle: int
    valid: str
    ready: str
    reset: str
    port: str

    def __str__(self) -> str:
        return {
            StreamRule.VALID_DROPPED: f"{self.valid} fell before {self.ready} took the word",
            StreamRule.PAYLOAD_CHANGED: f"{self.port} changed before {self.ready} took the word",
            StreamRule.VALID_IN_RESET: f"{self.valid} is high during {self.reset}",
        }[self.rule]


@dataclass
class Record:
    """Record of one call; cycles count from its start.

    accepted: cycle in which each input word was accepted; -1: never
    words:    accepted words of each output channel, with their ``cycle``
    levels:   (cycle, value) of each control output that is a level: in the first cycle and at each change
    pulses:   (cycle, value) of each further control output, in each cycle outside reset with a value other than 0
    shown:    states of each output channel's ports, in the first cycle and at each change, if the script asks for them
    """

    outcome: PlayOutcome
    cycles: int
    accepted: dict[str, Cycles]
    words: dict[str, Words]
    levels: dict[str, Changes]
    pulses: dict[str, Changes]
    shown: dict[str, Words]
    violation: Violation | None
