# SPDX-License-Identifier: Apache-2.0
"""Places of which a core may make the data of its output port: those that the proof of secrecy lets it read."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from wideblock.export.contract import Contract
from wideblock.verify.formal.flat import DATAPATH

__all__ = ["Given", "OutputPlaces", "Queue", "damage"]

Given = Mapping[str, int]
"""Values of signals of a core, by their names."""


@dataclass(frozen=True)
class OutputPlaces:
    """An output port whose data are output registers: the read register of a ring, and registers beside it.

    places:  memories of which these are loaded, by the beginnings of their names
    erase:   the signal that says, from the second cycle of clearing on, that they are cleared
    pending: the signal without which the exit has nothing to fetch
    fetch:   the signal with which they are loaded
    address: signals that are the address of what is fetched
    begins:  signals that begin clearing, as zeroize does
    port:    for all words that need not be valid, values under which the port has output registers alone
    valid:   values under which the word is valid unless the core clears, whatever it is made of
    closed:  submodules that stay closed
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
    """An output port whose data are the oldest row of a queue, ``core.<name>``, read in the same cycle.

    closed: submodules that stay closed
    begins: signals that begin clearing, as zeroize does
    """

    name: str
    closed: tuple[str, ...] = DATAPATH
    begins: tuple[str, ...] = ()

    @property
    def places(self) -> tuple[str, ...]:
        return (f"core.{self.name}.beats",)


def damage(core: Contract) -> tuple[str, ...]:
    """Signals that begin clearing as zeroize does: of a core with key slots, damage of a stored key."""
    return ("core.key_unit.damaged",) if core.parameters.slots else ()
