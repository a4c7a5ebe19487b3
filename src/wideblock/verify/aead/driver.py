# SPDX-License-Identifier: Apache-2.0
"""An authenticated cipher in simulation: words of the CAESAR Hardware API in, words out, many cycles a call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from wideblock.export.caesar import input_ends
from wideblock.simulation.script import NEVER, Event, Record, Script, Violation, Words
from wideblock.simulation.structures import Outcome
from wideblock.verify.driver import CoreSimulation

__all__ = ["AeadSimulation", "Played"]


@dataclass(frozen=True)
class Played:
    """Record of one call; cycles count from its start.

    accepted: cycle in which each word of ``pdi`` and ``sdi`` was accepted; -1: never
    out:      words of ``do``, accepted in the cycles ``left``
    last:     places of those that end a packet; None if the port has no packets
    """

    outcome: Outcome
    cycles: int
    accepted: dict[str, list[int]]
    out: list[int]
    left: list[int]
    last: list[int] | None
    violation: Violation | None

    def taken(self, channel: str) -> int:
        """Words of an input that were accepted."""
        return sum(cycle >= 0 for cycle in self.accepted[channel])


class AeadSimulation(CoreSimulation):
    """An authenticated cipher in simulation."""

    def play(self, pdi: Sequence[int], sdi: Sequence[int] = (), *, seed: int = 0, **how: Any) -> Played:
        """The record of one call; ``seed`` makes its pattern reproducible, all else is as for :meth:`script`."""
        return self.played(self.simulation.play(self.script(pdi, sdi, **how), seed))

    def script(
        self,
        pdi: Sequence[int],
        sdi: Sequence[int] = (),
        *,
        ends: Mapping[str, Sequence[int]] | None = None,
        wanted: int = 0,
        offer: float = 1.0,
        take: float = 1.0,
        zeroize: Sequence[int] = (),
        after: int = 0,
        limit: int = NEVER,
    ) -> Script:
        """A call that ends when all input is accepted and ``wanted`` words left, and some cycles.

        ends:        places of the last words of packets in ``pdi`` and ``sdi``; if left out, those of whole messages
        offer, take: chances that a word is valid in a cycle, and accepted
        zeroize:     cycles in which it is high
        after:       cycle before which no word is valid
        limit:       cycles of the call
        """
        t = self.core.timing
        longest = t.message(self.core.behaviour.ad_bytes, self.core.behaviour.data_bytes, decrypt=True)
        return Script(
            words={
                name: self._words(name, values, ends[name] if ends else None, offer, after)
                for name, values in (("pdi", pdi), ("sdi", sdi))
            },
            events=[Event("zeroize", cycle, clears=True) for cycle in zeroize],
            ready={"do": take},
            wanted={"do": wanted},
            capacity=wanted + len(pdi) + 64,
            noise=True,
            quiet=64 if limit == NEVER else NEVER,
            patience=longest + 2 * t.zeroize + 1000 + int(200 / min(offer, take)),
            limit=limit,
        )

    def played(self, record: Record) -> Played:
        """A record of words as one of words of the API."""
        out = record.words["do"]
        return Played(
            record.outcome,
            record.cycles,
            {name: cycles.tolist() for name, cycles in record.accepted.items()},
            [int.from_bytes(word.tobytes(), self._order) for word in out["word"]],
            out["cycle"].tolist(),
            np.flatnonzero(out["last"]).tolist() if self.core.parameters.packets else None,
            record.violation,
        )

    @property
    def _order(self) -> Literal["little", "big"]:
        """Order of a word's bytes from the low bits of its port up; at the ports of the API the last one is lowest."""
        return "big" if "word" in self.core.shell.swapped else "little"

    def _words(
        self, channel: str, values: Sequence[int], ends: Sequence[int] | None, chance: float, after: int
    ) -> Words:
        words = self.simulation.words(channel, len(values))
        size = self.core.parameters.word_bits // 8
        data = b"".join(value.to_bytes(size, self._order) for value in values)
        words["word"], words["chance"] = np.frombuffer(data, np.uint8).reshape(-1, size), chance
        words["earliest"] = after
        if self.core.parameters.packets:
            words["last"][input_ends(values, 8 * size) if ends is None else ends] = 1
        return words
