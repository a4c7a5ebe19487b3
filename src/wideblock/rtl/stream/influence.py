# SPDX-License-Identifier: Apache-2.0
"""Influences on the cycles of a core: inputs, beside clock, reset, handshakes and controls, on which handshakes and
status may depend.

A core declares influences with its behaviour, and a proof verifies the declaration. Signals are named from the core:
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
    """Equality of the two halves of a key in a signal; ``register`` keeps the comparison."""

    key: str
    register: str
    reason: str

    def __str__(self) -> str:
        return f"equality of the halves of {self.key}, in {self.register}"


@dataclass(frozen=True)
class HeaderWords:
    """Words of a field with instructions and headers, by place in a message.

    role:   signal of the place of the present word; with ``values`` the word is an instruction or a header
    state:  state signal of the reading part
    states: each reading state, with the implied value of ``role``
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
    """A value made of data in ``signal``, public once known."""

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
    """Fields of the input channels, among ``fields``, with lengths or marks of ends."""
    return tuple(
        FieldInfluence(channel.name, field.name, _LENGTHS[field.name])
        for channel in interface.channels
        if channel.flow is In
        for field in channel.fields
        if field.name in _LENGTHS and field.name in fields
    )
