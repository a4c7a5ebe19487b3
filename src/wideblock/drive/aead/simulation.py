# SPDX-License-Identifier: Apache-2.0
"""An authenticated cipher in simulation: messages in, words of the CAESAR Hardware API out, many cycles a call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal

import numpy as np

from wideblock.drive.aead.caesar import AeadCore, CaesarFormat
from wideblock.drive.aead.exchange import Exchange
from wideblock.drive.core import CoreSimulation
from wideblock.simulation.script import NEVER, Record, Script, ScriptEvent, Violation
from wideblock.simulation.structures import PlayOutcome

__all__ = ["AeadSimulation", "PlayedMessages"]


@dataclass(frozen=True)
class PlayedMessages:
    """Record of one call; cycles count from its start.

    accepted: cycle in which each word of ``pdi`` and ``sdi`` was accepted; -1: never
    out:      words of ``do``, accepted in the cycles ``left``
    last:     places of the last words of packets; None if the port has no packets
    """

    outcome: PlayOutcome
    cycles: int
    accepted: dict[str, list[int]]
    out: list[int]
    left: list[int]
    last: list[int] | None
    violation: Violation | None

    def taken(self, channel: str) -> int:
        """Words of an input that were accepted."""
        return sum(cycle >= 0 for cycle in self.accepted[channel])


class AeadSimulation(CoreSimulation[AeadCore]):
    """An authenticated cipher in simulation."""

    def __init__(self, core: AeadCore, **model: Any):
        super().__init__(core, **model)
        self.api = CaesarFormat.of(core)
        self.packets = core.interface.channel("pdi").last is not None
        # of a word's bytes from the low bits of its port up; at the ports of the API the last one is lowest
        self._order: Literal["little", "big"] = "big" if "word" in core.shell.swapped else "little"

    def play(self, exchanges: Sequence[Exchange], *, seed: int = 0, **how: Any) -> PlayedMessages:
        """The record of one call; ``seed`` makes its pattern reproducible, all else is as for :meth:`script`."""
        return self.played(self.simulation.play(self.script(exchanges, **how), seed))

    def script(
        self,
        exchanges: Sequence[Exchange],
        *,
        ends: Mapping[str, Sequence[int]] | None = None,
        wanted: int | None = None,
        offer: float = 1.0,
        take: float = 1.0,
        events: Sequence[ScriptEvent] = (),
        after: int = 0,
        limit: int = NEVER,
    ) -> Script:
        """A call that ends some cycles after all input was accepted and all wanted output left.

        ends:        places of the last words of packets in ``pdi`` and ``sdi``; None: those of the exchanges
        wanted:      words of output; None: the right words of all exchanges; none with a limit
        offer, take: chances that a word is valid in a cycle, and accepted
        after:       cycle before which no word is valid
        limit:       cycles of the call
        """
        t, words, right = self.core.behaviour.timing, {}, sum(len(each.right) for each in exchanges)
        longest = t.message(self.core.behaviour.ad_bytes, self.core.behaviour.data_bytes, decrypt=True)
        for port in ("pdi", "sdi"):
            parts: list[Sequence[int]] = [getattr(each, port) for each in exchanges]
            values = [value for part in parts for value in part]
            words[port] = self.simulation.words(port, len(values))
            size = self.api.word_bits // 8
            data = b"".join(value.to_bytes(size, self._order) for value in values)
            words[port]["word"] = np.frombuffer(data, np.uint8).reshape(-1, size)
            words[port]["chance"], words[port]["earliest"] = offer, after
            if self.packets:
                words[port]["last"][_ends(parts) if ends is None else ends[port]] = 1
        return Script(
            words=words,
            events=events,
            ready={"do": take},
            wanted={"do": (right if limit == NEVER else 0) if wanted is None else wanted},
            capacity=max(right, wanted or 0) + len(words["pdi"]) + 64,
            noise=True,
            quiet=64 if limit == NEVER else NEVER,
            patience=longest + 2 * t.zeroize + 1000 + int(200 / min(offer, take)),
            limit=limit,
        )

    def played(self, record: Record) -> PlayedMessages:
        """A record of words as one of words of the API."""
        out = record.words["do"]
        return PlayedMessages(
            record.outcome,
            record.cycles,
            {name: cycles.tolist() for name, cycles in record.accepted.items()},
            [int.from_bytes(word.tobytes(), self._order) for word in out["word"]],
            out["cycle"].tolist(),
            np.flatnonzero(out["last"]).tolist() if self.packets else None,
            record.violation,
        )


def _ends(parts: Sequence[Sequence[int]]) -> list[int]:
    """Places of the last words of parts that are put together; one without a word has none."""
    return [end - 1 for part, end in zip(parts, accumulate(map(len, parts)), strict=True) if part]
