# SPDX-License-Identifier: Apache-2.0
"""What is verified: a core, its shape and cycle contract, beside its specification."""

from dataclasses import dataclass
from typing import Protocol

from wideblock.export.contract import Contract

__all__ = ["Request", "Specification", "Units", "beats_per_sector", "directions_of", "key_bits_of", "units_of"]


@dataclass(frozen=True)
class Units:
    """What a core for units of any length takes: from ``least`` to ``most`` bytes, in some ``directions``.

    directions: values of decrypt that the core serves
    """

    least: int
    most: int
    directions: tuple[bool, ...]


def key_bits_of(core: Contract) -> int:
    """Width of the key channel."""
    return core.interface.channel("key").fields[0].width


def units_of(core: Contract) -> Units | None:
    """Lengths and directions of a core that takes units of any length; None if it takes whole sectors of one size."""
    length = core.behaviour.length
    return None if length.fixed else Units(length.least, length.most, core.behaviour.directions)


def directions_of(core: Contract) -> tuple[bool, ...]:
    """Values of decrypt that a core serves."""
    return core.behaviour.directions


def beats_per_sector(core: Contract) -> int:
    """Beats of a sector."""
    return core.parameters.beats


class Specification(Protocol):
    """A scheme under one key."""

    def encrypt(self, tweak: bytes, sector: bytes) -> bytes: ...
    def decrypt(self, tweak: bytes, sector: bytes) -> bytes: ...


@dataclass(frozen=True)
class Request:
    """A sector as it was offered, of any number of beats, or of bytes where the core takes that."""

    data: bytes
    tweak: bytes
    decrypt: bool
