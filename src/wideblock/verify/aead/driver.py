# SPDX-License-Identifier: Apache-2.0
"""An authenticated cipher in simulation: words of the CAESAR Hardware API in, words out, many cycles a call."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np

from wideblock.export.contract import Contract
from wideblock.simulation.bench import Exported, Simulation
from wideblock.simulation.script import NEVER, Event, Script, Violation, Words
from wideblock.simulation.structures import Outcome
from wideblock.simulation.verilator import Options

__all__ = ["AeadSimulation", "Played"]


@dataclass(frozen=True)
class Played:
    """Record of one call; cycles count from its start.

    accepted: cycle in which each word of ``pdi`` and ``sdi`` was accepted; -1: never
    out:      words of ``do``, accepted in the cycles ``left``
    """

    outcome: Outcome
    cycles: int
    accepted: dict[str, list[int]]
    out: list[int]
    left: list[int]
    violation: Violation | None

    def taken(self, channel: str) -> int:
        """Words of an input that were accepted."""
        return sum(cycle >= 0 for cycle in self.accepted[channel])


class AeadSimulation:
    """A core in simulation, out of reset, with no key. Parameters and errors as for a sector core's simulation."""

    def __init__(
        self,
        core: Contract,
        *,
        verilog: Iterable[str] | None = None,
        options: Options | None = None,
        simulation: Simulation | None = None,
    ):
        self.core = core
        exported = cast(Exported, core)  # a type checker takes no cached property for a property
        self.simulation = simulation or Simulation(exported, verilog=verilog, options=options or Options(savable=True))
        self.reset()

    def __enter__(self) -> "AeadSimulation":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the model."""
        self.simulation.close()

    def fresh(self, power_on: int = 0) -> "AeadSimulation":
        """Another instance of the model; ``power_on`` chooses values of registers without an initial one."""
        return AeadSimulation(self.core, simulation=self.simulation.fresh(power_on))

    def trace(self, path: Path) -> None:
        """Writes a waveform of each call from now on over that of the call before."""
        self.simulation.trace(path)

    @property
    def savable(self) -> bool:
        """Whether the model's state can be saved."""
        return self.simulation.options.savable

    @property
    def cycle(self) -> int:
        """Cycles of all calls so far."""
        return self.simulation.cycle

    def reset(self, cycles: int = 2) -> None:
        """Holds the reset for some cycles; afterwards no key is loaded."""
        self.simulation.reset(cycles)

    def play(
        self,
        pdi: Sequence[int],
        sdi: Sequence[int] = (),
        *,
        wanted: int = 0,
        offer: float = 1.0,
        take: float = 1.0,
        zeroize: Sequence[int] = (),
        after: int = 0,
        limit: int = NEVER,
        seed: int = 0,
    ) -> Played:
        """The record of one call, which ends when all input is accepted and ``wanted`` words left, and some cycles.

        offer, take: chances that a word is valid in a cycle, and accepted; ``seed`` makes the pattern reproducible
        zeroize:     cycles in which it is high
        after:       cycle before which no word is valid
        limit:       cycles of the call
        """
        t = self.core.timing
        longest = t.message(self.core.behaviour.ad_bytes, self.core.behaviour.data_bytes, decrypt=True)
        script = Script(
            words={"pdi": self._words("pdi", pdi, offer, after), "sdi": self._words("sdi", sdi, offer, after)},
            events=[Event("zeroize", cycle, clears=True) for cycle in zeroize],
            ready={"do": take},
            wanted={"do": wanted},
            capacity=wanted + len(pdi) + 64,
            noise=True,
            quiet=64 if limit == NEVER else NEVER,
            patience=longest + 2 * t.zeroize + 1000 + int(200 / min(offer, take)),
            limit=limit,
        )
        record = self.simulation.play(script, seed)
        out = record.words["do"]
        return Played(
            record.outcome,
            record.cycles,
            {name: cycles.tolist() for name, cycles in record.accepted.items()},
            [int.from_bytes(word.tobytes(), "little") for word in out["word"]],
            out["cycle"].tolist(),
            record.violation,
        )

    def _words(self, channel: str, values: Sequence[int], chance: float, after: int) -> Words:
        words = self.simulation.words(channel, len(values))
        size = self.core.parameters.word_bits // 8
        data = b"".join(value.to_bytes(size, "little") for value in values)
        words["word"], words["chance"] = np.frombuffer(data, np.uint8).reshape(-1, size), chance
        words["earliest"] = after
        return words
