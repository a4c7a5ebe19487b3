# SPDX-License-Identifier: Apache-2.0
"""Throughput against area as SVG files beside the documents; a page shows one."""

from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from pathlib import Path

from tools.curves import reference
from wideblock import catalog
from wideblock.atomic import write_text
from wideblock.cache import name_of
from wideblock.catalog.kinds import AEAD
from wideblock.evaluate.plots import PlotMark, scatter
from wideblock.evaluate.point import Point
from wideblock.evaluate.report import PART, Entry, Plot, entries, sizes, throughput
from wideblock.evaluate.tables import NOTHING
from wideblock.synth.targets import Target, targets

__all__ = ["SHOWN", "against", "drawings", "faults", "image", "ratios_image", "renew"]

SHOWN = "xc7"
"""The target whose plot stands in the page."""

MESSAGES = "messages"
"""In the names of plots of authenticated ciphers."""


def drawings(points: Sequence[Point]) -> dict[str, Plot]:
    """The plot of each target with two measured cores of a size, by the target's name.

    A plot has the cores of the most frequent size.
    """
    cores = [entry for entry in entries(points) if entry.family != PART]
    plots = {
        name: throughput(cores, target, size) for name, target in targets.items() for size in sizes(cores, target)[:1]
    }
    plots |= {f"{MESSAGES}-{name}": against(cores, target) for name, target in targets.items()}
    return {name: plot for name, plot in plots.items() if plot}


def against(cores: Sequence[Entry], target: Target) -> Plot | None:
    """Bits a cycle against area of authenticated ciphers on ``target``, with lines of ratios to the reference.

    None unless the reference and another one were measured.
    """
    measured = [e for e in cores if e.point.identity.target == target.name and not e.point.identity.changed]
    presets = ((e, catalog.PRESETS.get(e.point.identity.preset)) for e in measured)
    listed = [e for e, preset in presets if preset and preset.scheme.kind is AEAD and e.figures.bits_a_cycle]
    marks = [PlotMark(e.point.name, e.scheme, e.figures.area, e.figures.bits_a_cycle or 0) for e in listed]
    first = next((mark for mark in marks if mark.name == reference()), None)
    if first is None or len(marks) < 2:
        return None
    times = ", ".join(f"{m.name} {m.y / m.x / (first.y / first.x):.2f}" for m in marks if m is not first)
    caption = (
        f"Dashed: a quarter, half, one, two and four times the throughput an area of {first.name}. Ratios: {times}."
    )
    draw = partial(scatter, marks, x=f"area, {target.unit}", y="bits a cycle", reference=first)
    return Plot(f"{target.family}, authenticated ciphers: bits a cycle against area", caption, draw)


def ratios_image(points: Sequence[Point]) -> str:
    """Markdown of the image of :func:`against`; a sentence where there is none."""
    plot = drawings(points).get(f"{MESSAGES}-{SHOWN}")
    return f"![{plot.title}. {plot.caption}]({_file(f'{MESSAGES}-{SHOWN}')})\n" if plot else NOTHING


def image(points: Sequence[Point]) -> str:
    """Markdown of the image for a page, with the plot in words as text alternative; else a sentence."""
    plot = drawings(points).get(SHOWN)
    return f"![{plot.title}. {plot.caption}]({_file(SHOWN)})\n" if plot else NOTHING


def renew(documents: Path, points: Sequence[Point]) -> None:
    """Writes every plot of ``points`` into the folder, and removes plots that have no points.

    Raises UserError if the library that draws is not installed.
    """
    found = drawings(points)
    for name, plot in found.items():
        write_text(documents / _file(name), _described(plot))
    for path in _others(documents, found):
        path.unlink()


def faults(documents: Path, points: Sequence[Point]) -> list[str]:
    """Names of the plots in the folder that do not show ``points``, by their words and digests; nothing is drawn."""
    found = drawings(points)
    wrong = {path.name for path in _others(documents, found)}
    for name, plot in found.items():
        path = documents / _file(name)
        if not path.exists() or _words(plot) not in path.read_text():
            wrong.add(path.name)
    return sorted(wrong)


def _file(name: str) -> str:
    return f"throughput-{name}.svg"


def _others(documents: Path, found: Mapping[str, Plot]) -> list[Path]:
    """Plots of targets that are not among ``found``."""
    return sorted({*documents.glob(_file("*"))} - {documents / _file(name) for name in found})


def _described(plot: Plot) -> str:
    """The drawing with title and text alternative inside, for a viewer of the drawing alone."""
    tag, rest = plot.draw().split(">", 1)
    return f'{tag} role="img">{_words(plot)}{rest}\n'


def _words(plot: Plot) -> str:
    """Title, text alternative, and a digest of all marks."""
    drawn = name_of([repr((plot.draw.args, sorted(plot.draw.keywords.items())))])
    return f"<title>{escape(plot.title)}</title><desc>{escape(plot.caption)}</desc><metadata>{drawn}</metadata>"
