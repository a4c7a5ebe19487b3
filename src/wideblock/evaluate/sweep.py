# SPDX-License-Identifier: Apache-2.0
"""A space of points, measured by an executor of several processes, see :mod:`wideblock.evaluate.workers`.

The store is what makes a sweep resumable: a stored point is not measured again unless the core has changed, and each
point is stored as soon as measured. Only the process that calls :func:`sweep` writes.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from wideblock.evaluate.point import Identity, Point
from wideblock.evaluate.run import attempt, identify
from wideblock.evaluate.store import add, current, load
from wideblock.synth.process import FlowError
from wideblock.synth.targets import target as target_of

__all__ = ["Space", "open_points", "points_of", "stored", "sweep"]

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Space:
    """The points to measure: every mix of these values.

    names:    presets and parts
    changes:  values of each parameter, as text; empty for the presets as they are
    targets:  names of targets
    seeds:    of the placer; used only in a flow with placement
    mhz:     clocks to aim at; used only where the tools take one; empty for the target's own
    options, route_options, routed: as in :func:`wideblock.evaluate.run.identify`
    """

    names: Sequence[str]
    targets: Sequence[str]
    changes: Mapping[str, Sequence[str]]
    seeds: Sequence[int] = (1,)
    mhz: Sequence[float] | None = None
    options: Sequence[str] | None = None
    route_options: Sequence[str] | None = None
    routed: bool = True

    def points(self) -> list[Identity]:
        """The identity of every point, each once.

        Raises UserError for an unknown name, target or parameter, and for an impossible mix;
        FlowError for a tool that is missing.
        """
        targets = [target_of(name) for name in self.targets]
        found: dict[str, Identity] = {}
        flow = {"routed": self.routed, "options": self.options, "route_options": self.route_options}
        for name, values, target in product(self.names, product(*self.changes.values()), targets):
            one = identify(name, dict(zip(self.changes, values, strict=True)), target, **flow)
            seeds = self.seeds if one.seed is not None else (None,)
            aims = map(float, self.mhz) if self.mhz and one.aim_mhz else (one.aim_mhz,)
            for mhz, seed in product(aims, seeds):
                each = replace(one, aim_mhz=mhz, seed=seed)
                found.setdefault(each.key, each)
        return list(found.values())


def open_points(points: Sequence[Identity], store: Path, *, again: bool = False, retry: bool = False) -> list[Identity]:
    """The ``points`` to be measured.

    A point of older code has the digest of the circuit at the time. The point is to be measured if the core's circuit
    has another digest now, or if the digest was not noted.
    again: also those in the store          retry: also failed points of the store
    """
    found = current(load(store, missing_ok=True))
    stored = {point.identity.key: point for point in found if point.figures or not retry}
    wanted = []
    for point in points:
        old = stored.get(point.key)
        if again or old is None:
            wanted.append(point)
        elif old.figures and not _same_code(old.identity, point):
            wanted.append(replace(point, circuit=old.identity.circuit))
    return wanted


def sweep(
    points: Sequence[Identity],
    store: Path,
    executor: Executor,
    progress: Callable[[str, int, int | None], None] = lambda stage, done, total: None,
) -> list[Point]:
    """Measures ``points`` and adds each to ``store`` as soon as measured, a failure with the log, too.

    A point with a digest is passed over if the core's circuit still has it.
    progress: is called with what was last done, how many are done, and of how many
    Returns the measured points, in the order in which they were done. Raises OSError if the store cannot be written,
    FlowError if a worker is killed.
    """
    began, measured = time.monotonic(), []
    progress("measuring", 0, len(points))
    try:
        started = {executor.submit(attempt, point): point for point in points}
        for done, future in enumerate(as_completed(started), 1):
            identity, point = started[future], future.result()
            if point:
                add(store, point)
                measured.append(point)
            left = (time.monotonic() - began) / done * (len(points) - done)
            rest = f"; about {_duration(left)} left" if left else ""
            said = _line(point) if point else f"{_where(identity)}: unchanged"
            log.info("%d of %d, %s%s", done, len(points), said, rest)
            progress(f"{identity.name} on {identity.target}", done, len(points))
    except BrokenProcessPool:
        raise FlowError(
            "a worker was killed, perhaps for want of memory; the same command with --workers 1 goes on from here"
        ) from None
    return measured


def points_of(
    points: Sequence[Identity], store: Path, executor: Executor, progress: Callable[[str, int, int | None], None]
) -> list[Point]:
    """The newest point of each of ``points``, from ``store`` or measured and added to it; as :func:`sweep`.

    A failure of today counts, not what an older circuit gave.
    """
    measured = {point.identity.key: point for point in sweep(open_points(points, store), store, executor, progress)}
    return [measured.get(point.identity.key, point) for point in stored(points, store)]


def stored(points: Sequence[Identity], store: Path) -> list[Point]:
    """The newest point of each of ``points`` in ``store``."""
    wanted = {point.key for point in points}
    return [point for point in current(load(store, missing_ok=True)) if point.identity.key in wanted]


def _same_code(a: Identity, b: Identity) -> bool:
    """Whether both were measured by an equal state of the package, whatever the circuit."""
    return (a.version, a.commit) == (b.version, b.commit) and not (a.commit or "").endswith("-dirty")


def _where(identity: Identity) -> str:
    seed = f", seed {identity.seed}" if identity.seed is not None else ""
    return f"{identity.name} on {identity.target}{seed}"


def _line(point: Point) -> str:
    """The measured point in a few words."""
    where = _where(point.identity)
    if point.failure:
        return f"{where}: FAILED, {point.failure.reason}"
    found = point.found
    mhz = f", {found.clock.mhz:.0f} MHz" if found.clock else ""
    return f"{where}: {found.area:,} {target_of(point.identity.target).unit}{mhz}, {found.seconds:.0f} s"


def _duration(seconds: float) -> str:
    minutes, hours = round(seconds / 60), round(seconds / 3600)
    return f"{seconds:.0f} s" if minutes < 2 else f"{minutes} min" if hours < 2 else f"{hours} h"
