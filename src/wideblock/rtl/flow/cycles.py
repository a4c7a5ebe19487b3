# SPDX-License-Identifier: Apache-2.0
"""Cycles of sectors through a core, one alone and a steady stream of them."""

from dataclasses import dataclass, replace
from functools import lru_cache

from .play import Played, Playing, play
from .stage import Flow

__all__ = ["Cycles", "alone", "cycles_of", "streaming"]


@dataclass(frozen=True)
class Cycles:
    """Cycles of sectors of one size; see :class:`~wideblock.rtl.stream.behaviour.SectorTiming` for the first four.

    compute, latency: of a sector in an idle core
    interval:  from sector to sector; None: one at a time
    busy:      at most, of a sector in a stream
    pace:      least cycles from the beginning of a sector to that of the next; None: no such distance is kept
    residence: at most, from the first step of a sector until its slot is free
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
        """Those of a core whose ``compute`` and ``interval`` are known otherwise, for sectors of ``beats``.

        held:      cycles for which a sector's first beat holds the second one off
        residence: if it is not the latency of a sector alone
        """
        latency = compute + 1 + beats
        # a first beat is taken into the entrance as the last one before it leaves that
        busy = latency + max(0, (interval or compute) - beats - held)
        return cls(compute, latency, interval, busy, interval, residence or latency)


def cycles_of(flow: Flow, *, overlap: bool, held: int = 0) -> Cycles:
    """Cycles of sectors that overlap, or of sectors one at a time; ``held`` as in :func:`alone`."""
    return streaming(flow) if overlap else alone(flow, held=held)


@lru_cache(maxsize=256)
def alone(flow: Flow, held: int = 0) -> Cycles:
    """The cycles of sectors that enter one at a time; the first beat of each holds the second one off for ``held``."""
    played, beats = play(flow, 1), flow[flow.leaves].steps
    return Cycles.stated(compute=played.computed[0], beats=beats, interval=None, held=held)


@lru_cache(maxsize=256)
def streaming(flow: Flow) -> Cycles:
    """The cycles of sectors that follow each other at the least pace at which they soon are equally far apart for ever.

    The first pace tried is that of the stages that take no resource, which hold nothing back; often it is none at all.
    Sectors that would overtake the work of those before them need one: the least that is not below a sector's ``work``.
    Raises ValueError if there is none.
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
                for times in (played.opened, played.accepted)
            )
            return replace(one, interval=interval, busy=stay + 1, pace=pace, residence=residence + 1)
    raise ValueError(f"no steady interval for {flow}")


def _repeated(flow: Flow, pace: int, most: int) -> Played | None:
    """Sectors that have left, up to the first one that enters in the state in which the one before it did.

    All sectors behind these two pass as they do, for ever. Between them each stage passes the steps of one sector, so
    their interval is not below its work. None if none of the first ``most`` sectors does.
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
