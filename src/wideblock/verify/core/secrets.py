# SPDX-License-Identifier: Apache-2.0
"""The check that no port of a core shows a secret, in any cycle, whatever the kind of core."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from wideblock.drive.core import reset_at, zeroize_at
from wideblock.simulation.bench import SimulationError
from wideblock.simulation.script import Record, Script, ScriptEvent
from wideblock.spec.values import Values
from wideblock.verify.core.check import Check
from wideblock.verify.core.report import Finding, failed, passed
from wideblock.verify.core.twins import Play, Twins

__all__ = ["PACES", "TAIL", "SecretsPlan", "inputs", "moments", "random_event", "secrets_on_ports", "watched"]

BUDGET = 500
"""Cycles of plays with an event in each cycle, for each sector or message that a check is told to try."""

TAIL = 8
"""Cycles that are watched after clearing."""

PACES = ((1.0, 1.0), (0.5, 0.5), (1.0, 0.2), (0.3, 1.0))
"""Chances that a word is valid, and accepted."""


@dataclass(frozen=True, kw_only=True)
class SecretsPlan:
    """A play but for its secrets; ``str`` is the play in words.

    events: in order      limit: cycles      offer, take: chances that a word is valid in a cycle, and accepted
    """

    events: Sequence[ScriptEvent]
    limit: int
    offer: float = 1.0
    take: float = 1.0


P = TypeVar("P", bound=SecretsPlan)


def secrets_on_ports(
    check: Check[Any],
    data: str,
    sweep: Sequence[P],
    random: Sequence[P],
    draw: Callable[[P, int], Callable[[Any], Play]],
    where: str,
) -> Finding:
    """The finding on plans with zeroize in each cycle and on random ones, each played by two instances of a core.

    data:  field of the output channels that has the data
    draw:  from a plan and a seed, secrets, and with them a play of a simulation
    where: "of a sector", the cycles of the sweep
    """
    core, plans = check.simulation, [*sweep, *random]
    twins, plays, difference = Twins(core.simulation.ports, data), [], None
    with core.fresh() as one, core.fresh() as other:  # of the same past
        for done, plan in enumerate(plans):
            seed = check.play_seed()
            first, second = draw(plan, seed), draw(plan, seed)
            plays.append(first)
            if difference := twins.add((first(one), second(other)), str(plan), plan.events):
                break
            check.progress(done, len(plans))
    if difference := difference or twins.found():
        plays[twins.failing](core)  # the last play of the check's own instance is the one that a waveform shows
        return failed(difference)
    return passed(f"{twins}; zeroize in {len(sweep)} cycles {where}, and {len(random)} plays with random events")


def watched(check: Check[Any], core: Any, plan: SecretsPlan, script: Script, seed: int, played: int) -> Record:
    """The record of a plan's ``script``, with each state of the outputs' ports, counted as ``played`` messages.

    Raises :class:`~wideblock.simulation.bench.SimulationError` if it breaks a rule of streams.
    """
    core.reset()
    script.events, script.limit, script.watched = plan.events, plan.limit, plan.limit + 1
    with check.timed():
        record = core.simulation.play(script, seed)
    if record.violation is not None:
        raise SimulationError(f"{check.subject.module}: {record.violation}, cycle {record.cycles}")
    check.count(record.cycles, played)
    return record


def moments(check: Check[Any], cycles: int, besides: int, share: float = 1.0) -> list[int]:
    """Cycles from 0 on, below ``cycles``, in which an event comes: each, or as few as the budget allows.

    besides: cycles of a play before and after the watched cycles
    share:   part of the budget for the plays
    """
    plays = share * BUDGET * check.amount / (2 * (besides + cycles / 2))
    step = max(1.0, cycles / max(16.0, plays))
    return np.arange(check.rng.random() * (step - 1), cycles, step).astype(int).tolist()


def random_event(check: Check[Any], number: int, last: int) -> ScriptEvent | None:
    """The event of random play ``number``, in a cycle up to ``last``: none, zeroize, a reset, and so on."""
    if not number % 3:
        return None
    return (zeroize_at, reset_at)[number % 3 - 1](check.number(1, last), check.number(1, 3))


def inputs(name: str, data: bytes, size: int) -> Values:
    """The blocks of an input, of ``size`` bytes."""
    return ((f"block {at // size} of {name}", data[at : at + size]) for at in range(0, len(data), size))
