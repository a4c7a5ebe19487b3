# SPDX-License-Identifier: Apache-2.0
"""Throughput against area as SVG files of the documents, from the store; one of them stands in a page."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from wideblock.atomic import write_text
from wideblock.evaluate.point import Point
from wideblock.evaluate.report import PART, Plot, entries, sizes, throughput
from wideblock.evaluate.tables import insert
from wideblock.synth.targets import targets

__all__ = ["SHOWN", "drawings", "image", "renew"]

SHOWN = "xc7"
"""The target whose plot stands in the page."""


def drawings(points: Sequence[Point]) -> dict[str, Plot]:
    """The plot of each target on which two cores of one size were measured, by the target's name.

    It has the cores of the size of the most cores.
    """
    cores = [entry for entry in entries(points) if entry.family != PART]
    plots = {
        name: throughput(cores, target, size) for name, target in targets.items() for size in sizes(cores, target)[:1]
    }
    return {name: plot for name, plot in plots.items() if plot}


def image(name: str, plot: Plot) -> str:
    """Markdown of the image: its text alternative is the plot in words."""
    return f"![{plot.title}. {plot.caption}](throughput-{name}.svg)\n"


def renew(document: Path, points: Sequence[Point]) -> None:
    """Writes every plot of ``points`` beside ``document``, and one into the document.

    Raises UserError if the document has no markers, if the library that draws is not installed, or if there is no plot
    to show.
    """
    found = drawings(points)
    for name, plot in found.items():
        write_text(document.parent / f"throughput-{name}.svg", _described(plot))
    insert(document, "plot", image(SHOWN, found[SHOWN]) if SHOWN in found else "")


def _described(plot: Plot) -> str:
    """The drawing with title and text alternative inside, for a reader that shows it alone."""
    tag, rest = plot.draw().split(">", 1)
    words = f"<title>{escape(plot.title)}</title><desc>{escape(plot.caption)}</desc>"
    return f'{tag} role="img">{words}{rest}\n'
