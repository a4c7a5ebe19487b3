# SPDX-License-Identifier: Apache-2.0
"""A check under way, and the checks that every kind of core has."""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any, Generic, TypeVar

import numpy as np

from wideblock.drive.core import CoreSimulation, zeroize_at
from wideblock.export.contract import Contract
from wideblock.simulation.bench import State
from wideblock.simulation.script import ScriptEvent
from wideblock.verify.core.report import Finding, failed, nothing, passed

__all__ = [
    "Check",
    "Clear",
    "Progress",
    "clears",
    "differing",
    "gaps_and_back_pressure",
    "known_answers",
    "needs_state",
]

CHANCES = (1.0, 0.9, 0.5, 0.05)

Progress = Callable[[int, int], None]
"""Called with (done, total) of one check."""

S = TypeVar("S", bound=CoreSimulation[Any])


@dataclass(frozen=True)
class Clear:
    """A way to clear a core: the ``events`` of a record, and the ``cycles`` from the begin on after which nothing may
    be left.
    """

    name: str
    events: tuple[ScriptEvent, ...]
    cycles: int


def clears(moment: int, zeroize: int) -> tuple[Clear, ...]:
    """Ways to clear a core whose contract states ``zeroize``, from cycle ``moment`` on: the pulse first."""
    pulse, amid = zeroize_at(moment), zeroize // 2
    return (
        Clear("zeroize", (pulse,), zeroize),
        Clear("the begin of a level of zeroize", (zeroize_at(moment, 4 * zeroize),), zeroize),
        Clear("two pulses of zeroize", (pulse, zeroize_at(moment + amid)), amid + zeroize),
    )


class Check(Generic[S]):
    """One check under way: the core, its model, a stream of random choices, and counts of work.

    amount:  sectors or messages of the random check; further checks are scaled down with a small amount
    vectors: known answers
    played, cycles, seconds: sectors or messages so far, and cycles and time of the simulation
    """

    def __init__(
        self,
        subject: Contract[Any, Any],
        simulation: S,
        seed: int,
        amount: int,
        vectors: Sequence[Any] = (),
        progress: Progress | None = None,
    ):
        self.subject, self.seed, self.amount = subject, seed, amount
        self.simulation: S = simulation
        self.vectors, self.behaviour = vectors, subject.behaviour
        self.progress = progress or (lambda done, total: None)
        self.rng = np.random.default_rng(seed)
        self.played = self.cycles = 0
        self.seconds = 0.0

    def few(self, n: int) -> int:
        """Sectors or messages of a check with more need for variety than for number."""
        return min(n, max(4, self.amount // 4))

    def random(self, n: int) -> bytes:
        return self.rng.bytes(n)

    def number(self, least: int, most: int) -> int:
        """A number from ``least`` to ``most``."""
        return int(self.rng.integers(least, most, endpoint=True))

    def play_seed(self) -> int:
        """The seed of a play."""
        return int(self.rng.integers(1 << 62))

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Counts the time of the simulation."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - started

    def count(self, cycles: int, played: int) -> None:
        """Counts a play."""
        self.cycles += cycles
        self.played += played

    @contextmanager
    def fresh(self, power_on: int | None = None) -> Iterator[S]:
        """A new instance of the model in the place of the check's.

        ``power_on`` chooses the values of its registers before the reset; None: at random.
        """
        usual = self.simulation
        with usual.fresh(self.number(1, 1 << 30) if power_on is None else power_on) as self.simulation:
            try:
                yield self.simulation
            finally:
                self.simulation = usual


C = TypeVar("C", bound=Check[Any])


def known_answers(check: Check[Any], wrong: Callable[[Any], str | None], tried: str) -> Finding:
    """Published vectors; ``wrong`` plays a script and returns the first difference."""
    if not check.vectors:
        return nothing("no known answer for these parameters")
    for vector in check.vectors:
        if difference := wrong(vector):
            return failed(f"{vector.source}: {difference}")
    return passed(f"{len(check.vectors)} known answers, {tried}")


def gaps_and_back_pressure(words: str, wrong: Callable[[float, float], str | None]) -> Finding:
    """Pauses between words of the inputs, and outputs that are not accepted, from rare to nearly always.

    wrong: plays with chances of a valid and of an accepted word, and returns the first difference
    """
    for offer in CHANCES:
        for take in CHANCES:
            if difference := wrong(offer, take):
                return failed(
                    f"{difference} {words.capitalize()} were offered with chance {offer} and taken with chance {take}."
                )
    return passed(f"{words} offered and taken with every pair of chances {', '.join(map(str, CHANCES))}")


def needs_state(body: Callable[[C], Finding]) -> Callable[[C], Finding]:
    """A check of a core's whole state, every register and memory, for models with access to the state."""

    @wraps(body)
    def whole(check: C) -> Finding:
        if not check.simulation.savable:
            return nothing("the model was built without access to its state")
        return body(check)

    return whole


def differing(one: State, other: State) -> str:
    """The names of registers and memories whose values differ, the first few."""
    names = [name for name, value in one.items() if value != other[name]]
    names.sort(key=lambda name: (bool(re.search(r"_\d+_|\$", name)), name))  # names that only the compiler gave, last
    more = f" and {len(names) - 6} more" if len(names) > 6 else ""
    return f"{', '.join(names[:6])}{more}"
