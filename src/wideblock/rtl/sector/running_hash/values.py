# SPDX-License-Identifier: Apache-2.0
"""Values that several stages of running hash share."""

from dataclasses import dataclass

from amaranth import Signal, Value

from wideblock.rtl.stream.stages import StageFrame
from wideblock.rtl.stream.storage import Ring, Slots

__all__ = ["Carried", "RunningFrame", "SingleCall"]


@dataclass(frozen=True)
class Carried:
    """Values of a message, from the writing stage to the reading stages.

    X:       first block; front -> hashed
    decrypt: direction; front -> single, called
    last_byte: number of the last byte in the message; front -> lane, y, back, exit
    tweak:   tweak and size; front -> back
    R:       hashed -> single, called
    G:       result of the single call; called -> inner
    Z:       start of the counter mode; called -> lane
    inner:   Y_1; inner -> exit
    """

    X: Slots
    decrypt: Slots
    last_byte: Slots
    tweak: Slots
    R: Slots
    G: Slots
    Z: Slots
    inner: Slots


@dataclass(frozen=True)
class RunningFrame(StageFrame):
    """Shared by all stages: memories of messages, rings of beats, results ``E`` of the lanes."""

    carried: Carried
    input: Ring
    result: Ring
    E: list[Value]


@dataclass(frozen=True)
class SingleCall:
    """The single call: ``block`` of ``message`` enters with ``go``; ``called`` is the first message without a Z."""

    block: Value
    go: Value
    called: Signal
    message: Signal
