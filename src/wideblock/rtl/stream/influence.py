# SPDX-License-Identifier: Apache-2.0
"""Influences on the cycles of a core: inputs, beside clock, reset, handshakes and controls, on which handshakes and
status may depend.

A core declares them with its behaviour; a proof holds it to them. Signals are named as seen from the core:
``key_unit.refused``.
"""

from collections.abc import Collection
from dataclasses import dataclass

from amaranth.lib.wiring import In

from .interface import Interface

__all__ = ["EqualHalves", "FieldInfluence", "HeaderWords", "Influence", "OutcomeInfluence", "lengths"]


@dataclass(frozen=True)
class FieldInfluence:
    """A field of an input channel."""

    channel: str
    field: str
    reason: str

    def __str__(self) -> str:
        return f"{self.channel}.{self.field}"


@dataclass(frozen=True)
class EqualHalves:
    """Equality of the two halves of a key, which is the value of a signal; ``register`` keeps the comparison."""

    key: str
    register: str
    reason: str

    def __str__(self) -> str:
        return f"equality of the halves of {self.key}, in {self.register}"


@dataclass(frozen=True)
class HeaderWords:
    """Words of a field that are instructions and headers, by their place in a message.

    role:   signal of the place of the present word; with ``values`` it is such a word
    state:  signal of the state of the part that reads them
    states: each state in which it does, and the value of ``role`` that it implies
    """

    channel: str
    field: str
    role: str
    values: tuple[int, ...]
    state: str
    states: tuple[tuple[int, int], ...]
    reason: str

    def __str__(self) -> str:
        return f"instructions and headers in {self.channel}.{self.field}, by {self.role}"


@dataclass(frozen=True)
class OutcomeInfluence:
    """A value made of data, public once known; ``signal`` has it."""

    signal: str
    meaning: str
    reason: str

    def __str__(self) -> str:
        return f"{self.meaning}, in {self.signal}"


Influence = FieldInfluence | EqualHalves | HeaderWords | OutcomeInfluence

_LENGTHS = {
    "last": "the length of a message or key is public",
    "keep": "the length of a message is public",
    "size": "the length of a message is public",
    "tweak_size": "the length of a tweak is public",
}


def lengths(interface: Interface, fields: Collection[str] = tuple(_LENGTHS)) -> tuple[FieldInfluence, ...]:
    """Those of ``fields`` of the input channels that state lengths or mark ends."""
    return tuple(
        FieldInfluence(channel.name, field.name, _LENGTHS[field.name])
        for channel in interface.channels
        if channel.flow is In
        for field in channel.fields
        if field.name in _LENGTHS and field.name in fields
    )
