# SPDX-License-Identifier: Apache-2.0
"""The measured points as a page without need for a network: for a device the best of each scheme, plots, every core."""

import base64
import gzip
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import resources
from typing import Any

import jinja2

import wideblock
from wideblock import catalog
from wideblock.errors import UserError
from wideblock.evaluate import best, ratios
from wideblock.evaluate.compare import UNITS, ComparedRow, compare
from wideblock.evaluate.digests import NOTE, older
from wideblock.evaluate.metrics import METRICS, TITLES
from wideblock.evaluate.plots import PlotMark, figure, front, scatter, strips
from wideblock.evaluate.point import Figures, Point
from wideblock.evaluate.stated import intervals
from wideblock.evaluate.store import current, medians, own, peers, typical
from wideblock.synth.targets import Target, targets

__all__ = ["PART", "Entry", "Plot", "entries", "latency", "page", "priced", "sizes", "throughput"]

log = logging.getLogger(__name__)

PART = "part"

HISTORY = 3
"""Last measurements of a point that the page lists."""

SIZES = (512, 1024, 2048, 4096, 8192)
"""Sector sizes in bytes for which cycles are shown."""


@dataclass(frozen=True)
class Entry:
    """The median point of a flow with what the catalogue says about its core.

    seeds: clocks of all seeds of the point's flow, in MHz, rising
    """

    point: Point
    scheme: str
    family: str
    status: str
    seeds: tuple[float, ...]

    @property
    def figures(self) -> Figures:
        return self.point.found

    @property
    def target(self) -> Target:
        return targets[self.point.identity.target]

    @property
    def build(self) -> str:
        """All differences between rows of a preset on a device: parameters, options, the clock aimed at."""
        core = self.point.identity
        changed = [f"{name}={value}" for name, value in core.changed.items()]
        aim = [f"aim {core.aim_mhz:g} MHz"] if core.aim_mhz else []
        return " ".join([*changed, *core.options, *core.route_options, *aim])

    @property
    def width(self) -> int | None:
        """Bits of a beat of the data ports of a preset; None for a part."""
        preset = catalog.PRESETS.get(self.point.identity.preset)
        return preset and preset.scheme.kind.data_bits(preset.parameters)

    @property
    def older(self) -> str:
        """Mark of a point that was not measured on today's Verilog."""
        return older(self.point)

    @property
    def device(self) -> str:
        return self.target.family

    @property
    def clock_kind(self) -> str:
        """How the clock was found."""
        if self.figures.clock is None:
            return "none"
        return "routed" if self.figures.clock.wires else "pre-layout"


@dataclass(frozen=True)
class Plot:
    """A plot, with a caption, and the drawing as SVG."""

    title: str
    caption: str
    draw: partial[str]


def _content(points: Sequence[Point], found: Sequence[Entry]) -> dict[str, Any]:
    """The values that the template shows, by name; ``found`` are the entries of ``points``."""
    log.info("%s points", f"{len(points):,}")
    cores = [entry for entry in found if entry.family != PART]  # parts have too little in common to be plotted together
    choices = ("scheme", "device", "status", "clock_kind")
    newest = current(points)
    lines = "".join(f"{point.evidence.json()}\n" for point in newest)
    return {
        "points": points,
        "raw": base64.b64encode(gzip.compress(lines.encode(), mtime=0)).decode(),
        "note": NOTE,
        "cores": cores,
        "parts": [entry for entry in found if entry.family == PART],
        "choices": {name: sorted({getattr(entry, name) for entry in cores}) for name in choices},
        "tools": sorted({tool for entry in found for tool in entry.point.identity.tools}),
        "devices": _devices(points, found, cores),
        "clocks": _clocks(found),
        "aes_head": ratios.HEAD,
        "against_aes": [ratios.row(each) for each in ratios.ratios(points)],
        "sizes": SIZES,
        "cycles": _cycles(cores),
        "units": UNITS,
        "metrics": METRICS,
        "metric_titles": TITLES,
        "papers": _papers(points),
        "peers": typical(peers(points)),
        "schemes": [(s, [entry for entry in found if entry.scheme == s.name]) for s in catalog.SCHEMES.values()],
        "history": _history(points),
        "failures": [point for point in newest if point.failure],
    }


def _devices(
    points: Sequence[Point], found: Sequence[Entry], cores: Sequence[Entry]
) -> list[tuple[Target, list[Entry], list[tuple[Entry, float, float]], list[Plot]]]:
    """Each device with measured presets, devices with a routed clock first.

    Of each the best core of each scheme, every preset's best build as :func:`priced`, and plots.
    """
    log.info("plots")
    known = {entry.point.identity.flow: entry for entry in found}
    sections = []
    for target in targets.values():
        ranked, builds = (
            [known[point.identity.flow] for point in each(points) if point.identity.target == target.name]
            for each in (best.of_schemes, best.of_presets)
        )
        if builds:
            plots = (plot(cores, target, size) for size in sizes(cores, target) for plot in (throughput, latency))
            sections.append((target, ranked, priced(builds), list(filter(None, plots))))
    return sorted(sections, key=lambda section: section[1][0].clock_kind != "routed")


def _clocks(found: Sequence[Entry]) -> list[Plot]:
    """Routed clocks of all seeds of the flows with three seeds or more."""
    flows = {
        f"{each.point.name}, {each.target.name} at {each.point.identity.aim_mhz:g}": each.seeds
        for each in found
        if len(each.seeds) >= 3
    }
    if not flows:
        return []
    caption = f"{len(flows)} cores; a tick is a seed, the dot the median; named with target and MHz aimed at."
    return [Plot("Clocks of the seeds", caption, partial(strips, flows, x="clock, MHz"))]


def _cycles(cores: Sequence[Entry]) -> list[tuple[str, list[int | None]]]:
    """Cycles from sector to sector for each of :data:`SIZES`, of every preset whose sector size can vary."""
    presets = {entry.point.identity.preset for entry in cores}
    log.info("cycles of %d cores against sector size", len(presets))
    found = [(name, intervals(name, {}, SIZES)) for name in catalog.PRESETS if name in presets]
    return [(name, cycles) for name, cycles in found if any(cycles)]


def _papers(points: Sequence[Point]) -> dict[tuple[str, str, str], list[ComparedRow]]:
    """Our rows beside the rows of each published table, by source, name and tool."""
    log.info("papers' tables")
    papers: dict[tuple[str, str, str], list[ComparedRow]] = {}
    for row in compare((), points):
        if theirs := row.published:
            papers.setdefault((theirs.source, theirs.table, theirs.tool), []).append(row)
    return papers


def _history(points: Sequence[Point]) -> list[list[Point]]:
    """The last :data:`HISTORY` measurements of points that were measured more than once, oldest first."""
    times: dict[str, list[Point]] = {}
    for point in points:
        if point.figures:
            times.setdefault(point.identity.key, []).append(point)
    return [same[-HISTORY:] for same in times.values() if len(same) > 1]


def entries(points: Sequence[Point]) -> list[Entry]:
    """An entry for each of our cores on each target and each flow, by name; none for a core that was removed."""
    points = [point for point in own(points) if point.identity.preset in catalog.PRESETS | catalog.PARTS]
    seeds: dict[str, list[float]] = {}
    for point in current(points):
        if point.figures and point.figures.clock:
            seeds.setdefault(point.identity.flow, []).append(point.figures.clock.mhz)
    found = []
    for point in sorted(medians(points), key=lambda point: point.name):
        preset, clocks = catalog.PRESETS.get(point.identity.preset), sorted(seeds.get(point.identity.flow, ()))
        known = (preset.scheme.name, preset.scheme.family, preset.scheme.status.value) if preset else (PART, PART, PART)
        found.append(Entry(point, *known, tuple(clocks)))
    return found


def priced(cores: Sequence[Entry]) -> list[tuple[Entry, float, float]]:
    """Cores, each with throughput and area over the smallest core with the narrowest ports, for each scheme and size of
    sectors.

    By scheme and size, in the order of ``cores``, then by throughput.
    """
    schemes: dict[tuple[str, int | None], list[Entry]] = {}
    for entry in cores:
        schemes.setdefault((entry.scheme, entry.figures.bytes), []).append(entry)
    found = []
    for same in schemes.values():
        first = min(same, key=lambda entry: (entry.width or 0, entry.figures.area)).figures
        for entry in sorted(same, key=lambda entry: entry.figures.rate):
            rate = entry.figures.rate / first.rate if first.rate else 1
            found.append((entry, rate, entry.figures.area / first.area))
    return found


def sizes(cores: Sequence[Entry], target: Target) -> list[int]:
    """Bytes of a sector, or of a step of a message, of the cores on ``target``; the size of the most cores first."""
    here = Counter(e.figures.bytes for e in cores if e.point.identity.target == target.name and e.figures.bytes)
    return [size for size, _ in here.most_common()]


def throughput(cores: Sequence[Entry], target: Target, size: int) -> Plot | None:
    """Throughput against area on ``target`` of cores for ``size`` bytes, bits a cycle if there is no clock.

    None for fewer than two of ``cores``.
    """
    if any(entry.figures.clock for entry in cores if entry.point.identity.target == target.name):
        title, y, value = "throughput", "Gb/s", lambda found: found.gbps
    else:
        title, y, value = "bits a cycle", "bits a cycle", lambda found: found.bits_a_cycle
    return _against_area(cores, target, size, title, y, value)


def latency(cores: Sequence[Entry], target: Target, size: int) -> Plot | None:
    """As :func:`throughput`, latency; None without a clock, too."""
    return _against_area(cores, target, size, "latency", "latency, ns", lambda found: found.latency_ns, largest=False)


def _against_area(
    cores: Sequence[Entry],
    target: Target,
    size: int,
    title: str,
    y: str,
    value: Callable[[Figures], float | None],
    *,
    largest: bool = True,
) -> Plot | None:
    measured = [each for each in cores if each.point.identity.target == target.name and each.figures.bytes == size]
    here = [entry for entry in measured if value(entry.figures)]
    if len(here) < 2:
        return None
    marks = [PlotMark(e.point.name, e.family, e.figures.area, value(e.figures) or 0) for e in here]
    best = front(marks, lambda mark: mark.x, lambda mark: mark.y, largest=largest)
    named = ", ".join(f"{mark.name} {figure(mark.x)}, {figure(mark.y)}" for mark in best)
    equal = f" Dashed: equal {title} an area." if largest else ""
    kinds = {"none": "no clock", "routed": "routed clock", "pre-layout": "pre-layout clock, without wires"}
    caption = f"{len(marks)} cores, {kinds[here[0].clock_kind]}.{equal} Pareto set, area and {y}: {named}."
    if count := sum(bool(entry.older) for entry in here):
        caption += f" Measured on other Verilog than today's: {count}, marked in the tables."
    groups = sorted({entry.family for entry in cores})
    draw = partial(scatter, marks, x=f"area, {target.unit}", y=y, largest=largest, groups=groups)
    return Plot(f"{target.family}, {size:,} bytes: {title} against area", caption, draw)


def page(points: Sequence[Point]) -> str:
    """The page as HTML.

    Raises UserError without a point with figures, and without the library for drawings.
    """
    found = entries(points)
    if not found and not typical(peers(points)):
        raise UserError("there are no measured points to report; wideblock sweep --store FILE measures some")
    strict = {"undefined": jinja2.StrictUndefined, "trim_blocks": True, "lstrip_blocks": True}
    environment = jinja2.Environment(autoescape=True, **strict)
    template = resources.files("wideblock.evaluate").joinpath("report.html.jinja").read_text()
    return environment.from_string(template).render(page=_content(points, found), version=wideblock.__version__)
