# SPDX-License-Identifier: Apache-2.0
"""Cycles of sectors through a core: a sector alone, and a steady stream of sectors."""

from dataclasses import dataclass, replace
from functools import lru_cache

from .play import Played, Playing, play
from .stage import Flow

__all__ = ["Cycles", "alone", "cycles_of", "streaming"]


@dataclass(frozen=True)
class Cycles:
    """Cycles of sectors of one size; the first four as in :class:`~wideblock.rtl.stream.behaviour.SectorTiming`.

    compute, latency: of a sector in an idle core
    interval:  from sector to sector; None: a sector at a time
    busy:      at most, of a sector in a stream; behind a queue without the cycles that an idle queue adds
    pace:      least cycles from the begin of a sector to the begin of the next; None: no least distance
    residence: at most, from the first step of a sector until the slot is free
    """

    compute: int
    latency: int
    interval: int | None
    busy: int
    pace: int | None
    residence: int

    @classmethod
    def stated(
        cls,
        *,
        compute: int,
        beats: int,
        interval: int | None,
        held: int = 0,
        residence: int | None = None,
    ) -> "Cycles":
        """Cycles of a core with known ``compute`` and ``interval``, for sectors of ``beats``.

        held:      cycles without ``ready`` after a sector's first beat
        residence: default: the latency of a sector alone
        """
        latency = compute + 1 + beats
        # a first beat is taken into the entrance as the last one before it leaves that
        busy = latency + max(0, (interval or compute) - beats - held)
        return cls(compute, latency, interval, busy, interval, residence or latency)


def cycles_of(flow: Flow, *, overlap: bool, held: int = 0, queue: int = 0) -> Cycles:
    """Cycles of overlapping sectors behind a ``queue`` of beats, or of a sector at a time (:func:`alone`)."""
    return streaming(flow, queue) if overlap else alone(flow, held=held)


@lru_cache(maxsize=256)
def alone(flow: Flow, held: int = 0) -> Cycles:
    """Cycles of sectors at a time; ``held``: cycles without ``ready`` after a sector's first beat."""
    played, beats = play(flow, 1), flow[flow.leaves].steps
    return Cycles.stated(compute=played.computed[0], beats=beats, interval=None, held=held)


@lru_cache(maxsize=256)
def streaming(flow: Flow, queue: int = 0) -> Cycles:
    """Cycles of sectors in a stream behind a ``queue`` of beats, at the least pace with a steady interval.

    Tries the pace of the stages without a resource first; often no pace is needed. If sectors would overtake the work
    of earlier sectors, the pace is the least from a sector's ``work`` on. Raises ValueError if no pace gives a steady
    interval.
    """
    one = alone(flow)
    beats = flow[flow.leaves].steps
    free = max(beats, *(stage.steps for stage in flow.stages if not any(stage.lanes)), 0)
    soon = 16 + 8 * (one.latency // flow.work)  # the more sectors are under way, the longer it takes
    for pace in (free, *range(max(beats, flow.work), 2 * flow.work + 64)):
        if played := _repeated(flow, pace, soon):
            interval = played.left[-1] - played.left[-2]
            residence, stay = (
                max(b - a for a, b in zip(times, played.left, strict=False))
                for times in (played.opened, played.accepted(queue))
            )
            return replace(one, interval=interval, busy=stay + 1, pace=pace, residence=residence + 1)
    raise ValueError(f"no steady interval for {flow}")


def _repeated(flow: Flow, pace: int, most: int) -> Played | None:
    """Sectors up to the first sector that enters in the same state as the sector before.

    All later sectors pass with the same interval. In an interval each stage passes the steps of a sector, so the
    interval is not below a sector's work. None if the first ``most`` sectors have different states.
    """
    playing, state = Playing(flow, pace), None
    enters, leaves = flow[flow.enters], flow[flow.leaves]
    for sector in range(most):
        playing.until(enters.name, sector * enters.steps + 1)
        before, state = state, playing.state(sector)
        if state == before:
            playing.until(leaves.name, (sector + 1) * leaves.steps)
            return Played(flow, playing.steps)
    return None
