# SPDX-License-Identifier: Apache-2.0
"""The check of an engine's whole state while it clears itself: pulses, levels, and pulses amid a clear."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from wideblock.drive.core import zeroize_at
from wideblock.drive.sector.engine import EngineSimulation
from wideblock.simulation.bench import State
from wideblock.simulation.script import NEVER
from wideblock.verify.core.check import differing, needs_state
from wideblock.verify.core.report import Finding, failed, passed
from wideblock.verify.engine.check import EngineCheck

__all__ = ["clearing"]

KEYS = 16
"""Slots, at most, that have a key."""


@needs_state
def clearing(check: EngineCheck) -> Finding:
    """Two engines with different keys and data, cleared in the same cycle, hold equal state: no key, no data.

    The level of zeroize is held, or comes as pulses; a pulse may come amid the clear. The state is taken as many
    cycles as a clear has after the level began, while it is high, or after the last pulse.
    """
    z, t = check.subject.timing.zeroize, check.subject.timing
    moments = sorted({0, 1, *(check.number(2, t.load + t.latency) for _ in range(max(1, check.amount // 64)))})
    tried = 0
    for moment in moments:
        amid = check.number(2, z - 1)
        for about, clears, end in (
            ("a level", [(moment, 4 * z)], moment + z),
            ("a pulse", [(moment, 1)], moment + z),
            ("a pulse amid the clear", [(moment, 1), (moment + amid, 1)], moment + amid + z),
        ):
            seed = check.play_seed()
            one, other = (_life(check, seed, clears, end, secret=secret) for secret in (1, 2))
            if one != other:
                return failed(
                    f"{z} cycles after {about} of zeroize in cycle {moment} of a load beside sectors, "
                    f"{differing(one, other)} depend on keys or data."
                )
            tried += 1
    size = sum(map(len, one.values()))
    return passed(f"{size} bytes of state, the same for other keys and data in {tried} clears: levels, pulses, both")


def _life(check: EngineCheck, seed: int, clears: Sequence[tuple[int, int]], end: int, *, secret: int) -> State:
    """The state of a new engine, ``end`` cycles after a load began beside sectors; ``secret`` chooses all secrets."""
    usual, check.rng = check.rng, np.random.default_rng([secret, seed & 0xFFFFFFFF])
    try:
        with check.fresh(power_on=0) as core:
            assert isinstance(core, EngineSimulation)
            check.restart()
            used = range(min(KEYS, check.number_of_slots - 1))
            for slot in used:
                check.command("LOAD", slot, check.key())
            size = check.behaviour.usual
            request = check.usual(check.least, check.behaviour.directions[0])
            core.window(used[0], request.data, request.tweak, decrypt=request.decrypt)
            start = core.prepare("LOAD", len(used), check.key())
            requests = [replace(check.usual(size, request.decrypt), slot=used[n % len(used)]) for n in range(24)]
            script = core.requests(requests, events=[zeroize_at(*clear) for clear in clears], quiet=NEVER, limit=end)
            script.words = {**script.words, **check.start_word(0, start)}
            check.record(script, seed=seed, played=len(requests))
            return core.simulation.save()
    finally:
        check.rng = usual
