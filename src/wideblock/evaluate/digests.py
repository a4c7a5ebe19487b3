# SPDX-License-Identifier: Apache-2.0
"""Digests of the Verilog that each measured core has today, kept beside the store: they tell older points."""

import json
import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

from wideblock.atomic import write_text
from wideblock.evaluate.point import Identity, Point
from wideblock.evaluate.run import code, design
from wideblock.evaluate.store import COMMITTED, own

__all__ = ["FILE", "NOTE", "digest_of", "older", "renew", "today"]

FILE = "digests.json"
"""Name of the file beside the store: digest by name of the core, preset and changes."""

NOTE = "A commit in parentheses: measured at that commit, on other Verilog than the core has today.\n"
"""Explanation of the marks that :func:`older` gives, in Markdown."""


def older(point: Point) -> str:
    """The mark of a point of ours that was not measured on today's Verilog, such as " (b83817c)"; else nothing.

    Nothing is exported for it: a point is today's if the list of digests has its own, or if this code measured it.
    """
    known, measured_by = point.identity, (point.identity.version, point.identity.commit)
    same = known.verilog is not None and known.verilog == today(known.name)
    if known.origin or same or (measured_by == code() and not (known.commit or "").endswith("-dirty")):
        return ""
    return f" ({(known.commit or 'earlier').removesuffix('-dirty')[:7]})"


def today(name: str) -> str | None:
    """The digest that the core ``name`` has today; None if it is not in the list."""
    return _committed().get(name)


@cache
def _committed() -> Mapping[str, str]:
    path = COMMITTED.with_name(FILE)
    return json.loads(path.read_text()) if path.exists() else {}


def renew(folder: Path, points: Iterable[Point], progress: Callable[[int, int | None], None]) -> None:
    """Exports each core of ours among ``points``, and writes the file of their digests beside the store in ``folder``.

    progress: called with the numbers of cores that are done and of all
    """
    cores = {point.name: point.identity for point in own(points) if point.figures}
    made = {}
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as executor:
        for name, digest in zip(cores, executor.map(digest_of, cores.values()), strict=True):
            made[name] = digest
            progress(len(made), len(cores))
    write_text(folder / FILE, json.dumps(dict(sorted(made.items())), indent=1) + "\n")


def digest_of(core: Identity) -> str:
    """The digest of the Verilog of a core today."""
    return design(core).source.digest
