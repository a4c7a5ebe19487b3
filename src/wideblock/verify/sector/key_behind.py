# SPDX-License-Identifier: Apache-2.0
"""The check of keys that come while units are under way, for cores of a single key."""

from wideblock.drive.sector.traffic import Key
from wideblock.verify.core.report import Finding, failed, nothing, passed
from wideblock.verify.sector.check import SectorCheck
from wideblock.verify.sector.judge import judge

__all__ = ["key_behind"]

DISTANCES = 64
"""Distances of the second unit that are played, at most."""


def key_behind(check: SectorCheck) -> Finding:
    """Pairs of short sectors, the second one each possible number of cycles behind the first, then at once a key.

    A key is taken only with nothing under way, whatever happens in the same cycle: the second begins in each cycle of
    the first's work.
    """
    if check.shape.slots:
        return nothing("a key comes while sectors of other slots are under way")
    kind = min(check.classes, key=lambda kind: max(kind.sizes))
    t = check.timing(kind)
    distances = _distances(check, t.latency + 2, {t.interval, t.compute, t.latency})
    pairs = len(distances)
    requests = check.of(kind, 2 * pairs + 1)
    keys = [Key(check.key(), before=2 * pair) for pair in range(pairs + 1)]
    check.simulation.reset()
    script = check.script(requests, keys)
    begin = check.keyed + t.setup
    for pair, distance in enumerate(distances):
        script.words["i"]["earliest"][script.heads[2 * pair : 2 * pair + 2]] = begin, begin + distance
        begin += distance + t.latency + t.busy + t.setup + t.key_words + 8
    record = check.record(script, seed=check.play_seed(), played=len(requests))
    for pair, taken in enumerate(record.key_taken[1:].tolist(), 1):
        done = int((record.computed <= taken).sum())
        if done < 2 * pair:
            return failed(
                f"A key is taken in cycle {taken} while sector {done} is under way, which began "
                f"{distances[pair - 1]} cycles behind the one before: computed has pulsed {done} times by then, right "
                f"are {2 * pair}."
            )
    if difference := judge(check.subject, check.pool, requests, record):
        return failed(f"{difference} A key came behind every second sector.")
    return passed(
        f"{pairs} keys, each as soon as two sectors were taken, of which the second began {distances[0]} to "
        f"{distances[-1]} cycles behind the first"
    )


def _distances(check: SectorCheck, most: int, marks: set[int]) -> list[int]:
    """Numbers of cycles from 1 to ``most``: all, or those around the ``marks`` and some between."""
    if most <= DISTANCES:
        return list(range(1, most + 1))
    near = {mark + more for mark in marks for more in range(-4, 3)} & set(range(1, most + 1))
    others = check.rng.permutation(sorted(set(range(1, most + 1)) - near)).tolist()
    return sorted([*near, *others[: DISTANCES - len(near)]])
