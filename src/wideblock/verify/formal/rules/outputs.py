# SPDX-License-Identifier: Apache-2.0
"""Allowed sources of the data of an output port, for the proof of secrecy."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from wideblock.export.contract import Contract
from wideblock.verify.formal.flat import DATAPATH

__all__ = ["Given", "OutputPlaces", "Queue", "damage", "tag_memory"]

Given = Mapping[str, int]
"""Values of signals of a core, by their names."""


@dataclass(frozen=True)
class OutputPlaces:
    """An output port with data in output registers: the read register of a ring, and registers beside the ring.

    places:  name prefixes of the memories that load the output registers
    erase:   signal, high from the second cycle of clearing on, that clears the output registers
    pending: signal, low while the exit has nothing to fetch
    fetch:   signal that loads the output registers
    address: signals of the fetched address
    begins:  signals that begin clearing, beside zeroize
    port:    values under which the port shows output registers alone, for words that need not be valid
    valid:   values under which a word of any source is valid, except while clearing
    closed:  closed submodules
    """

    places: tuple[str, ...]
    erase: str = "core.exit.erase"
    pending: str = "core.exit.pending"
    fetch: str = "core.exit.fetch"
    address: tuple[str, ...] = ("core.exit.number", "core.exit.sector")
    port: tuple[Given, ...] = field(default_factory=lambda: ({},))
    valid: tuple[Given, ...] = ()
    closed: tuple[str, ...] = DATAPATH
    begins: tuple[str, ...] = ()


@dataclass(frozen=True)
class Queue:
    """An output port with the oldest row of a queue, ``core.<name>``, read in the same cycle.

    closed: closed submodules
    begins: signals that begin clearing, beside zeroize
    """

    name: str
    closed: tuple[str, ...] = DATAPATH
    begins: tuple[str, ...] = ()

    @property
    def places(self) -> tuple[str, ...]:
        return (f"core.{self.name}.beats",)


def tag_memory(core: Contract) -> tuple[str, ...]:
    """The memory of tags, if sectors have tags."""
    return ("core.tag",) if core.parameters.tag_bits else ()


def damage(core: Contract) -> tuple[str, ...]:
    """Signals that begin clearing, beside zeroize: with key slots, damage of a stored key."""
    return ("core.key_unit.damaged",) if core.parameters.slots else ()
