# SPDX-License-Identifier: Apache-2.0
"""Plots of measured points as SVG, drawn by Vega-Lite: no script and no request is left in them."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import Any, TypeVar

from wideblock.errors import UserError

__all__ = ["PlotMark", "drawing", "figure", "front", "lines", "scatter", "strips"]

T = TypeVar("T")

# Okabe and Ito's colours, which readers with any colour vision tell apart; the shape says the same again.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
_FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
_TEXT = 13
_WIDTH, _HEIGHT = 520, 340
_LETTER = 0.6 * _TEXT  # mean width
_ROOM = 120  # right of the axes, for the name of the last mark


@dataclass(frozen=True)
class PlotMark:
    """A point of a plot: name, group and place."""

    name: str
    group: str
    x: float
    y: float


def figure(value: float) -> str:
    """``value`` with three significant digits at least, as a reader wants it: "11,500", "18.6"."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def front(marks: Iterable[T], x: Callable[[T], float], y: Callable[[T], float], *, largest: bool = True) -> list[T]:
    """The Pareto set, from small ``x`` on: no other mark has as small an ``x`` and as good a ``y``.

    largest: True where a large ``y`` is good
    """
    sign = -1 if largest else 1
    found: list[T] = []
    for mark in sorted(marks, key=lambda mark: (x(mark), sign * y(mark))):
        if not found or sign * y(mark) < sign * y(found[-1]):
            found.append(mark)
    return found


def scatter(
    marks: Sequence[PlotMark],
    *,
    x: str,
    y: str,
    largest: bool = True,
    groups: Sequence[str] | None = None,
    reference: PlotMark | None = None,
) -> str:
    """``marks`` on logarithmic axes as SVG, with the Pareto set joined and named, and lines of equal y over x.

    x, y:    titles of the axes              largest: True where a large y is good
    groups:  names of all groups, for equal colours in several plots
    reference: mark of whose y over x the lines are quarters, halves, and multiples; None: two lines a decade
    Raises UserError if the library that draws is not installed.
    """
    best = front(marks, lambda mark: mark.x, lambda mark: mark.y, largest=largest)
    groups = list(groups or dict.fromkeys(mark.group for mark in marks))
    spans = _span([mark.x for mark in marks]), _span([mark.y for mark in marks])
    return _drawn(
        {
            "width": _WIDTH,
            "height": _HEIGHT,
            "padding": {"left": 5, "top": 5, "bottom": 5, "right": _ROOM},
            "encoding": _scales(x, y, spans),
            "layer": [
                *([_equal(*spans, _ratios(*spans, reference))] if largest else []),
                _line(best),
                _points(marks, groups),
                _names(_apart(best, spans)),
            ],
        }
    )


def lines(values: Mapping[str, Sequence[tuple[float, float]]], *, x: str, y: str) -> str:
    """A line for each name through its points, on logarithmic axes as SVG; ``x`` and ``y`` are titles of the axes.

    Raises UserError if the library that draws is not installed.
    """
    points = [
        {"name": name, "x": at, "y": value, "text": f"{name}: {figure(at)}, {figure(value)}"}
        for name, line in values.items()
        for at, value in line
    ]
    spans = _span([point["x"] for point in points]), _span([point["y"] for point in points])
    names = list(values)
    colours, shapes = ([kinds[k % len(kinds)] for k in range(len(names))] for kinds in (_COLOURS, _SHAPES))
    name = {"field": "name", "type": "nominal"}
    scales = _scales(x, y, spans)
    scales["y"]["axis"]["format"] = ",~g" if spans[1][0] < 1 else "~s"
    return _drawn(
        {
            "width": _WIDTH,
            "height": _HEIGHT,
            "data": {"values": points},
            "encoding": scales | {"color": name | {"scale": {"domain": names, "range": colours}}},
            "layer": [
                {"mark": {"type": "line", "strokeWidth": 1.5, "aria": False}},
                {
                    "mark": {"type": "point", "filled": True, "size": 60},
                    "encoding": {
                        "shape": name | {"scale": {"domain": names, "range": shapes}},
                        "description": {"field": "text", "type": "nominal"},
                    },
                },
            ],
        }
    )


def strips(values: Mapping[str, Sequence[float]], *, x: str) -> str:
    """Every value of each name as a tick on a line of its own, the median as a dot, as SVG; ``x`` is the axis' title.

    Raises UserError if the library that draws is not installed.
    """
    lines = {"field": "name", "type": "nominal", "title": None, "sort": None, "axis": {"labelLimit": 320}}
    across = {"field": "x", "type": "quantitative", "title": x, "scale": {"zero": False}}
    ticks = [
        {"name": name, "x": each, "text": f"{name}: {figure(each)}"} for name, all in values.items() for each in all
    ]
    medians = {name: median_low(all) for name, all in values.items()}
    dots = [{"name": name, "x": each, "text": f"{name}: median {figure(each)}"} for name, each in medians.items()]
    words = {"description": {"field": "text", "type": "nominal"}}
    return _drawn(
        {
            "width": _WIDTH // 2,
            "height": {"step": 22},
            "encoding": {"y": lines, "x": across} | words,
            "layer": [
                {"data": {"values": ticks}, "mark": {"type": "tick", "color": "#444444", "thickness": 2}},
                {"data": {"values": dots}, "mark": {"type": "point", "filled": True, "size": 70, "color": _COLOURS[0]}},
            ],
        }
    )


def drawing() -> Callable[..., str]:
    """The function that draws. Raises UserError if the library is not installed."""
    try:
        from vl_convert import vegalite_to_svg  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise UserError(
            "plots need vl-convert; install it with: pip install vl-convert-python; report --csv needs none"
        ) from None
    return vegalite_to_svg


def _drawn(plot: dict[str, Any]) -> str:
    axis = {"labelFontSize": _TEXT, "titleFontSize": _TEXT, "gridColor": "#e5e5e5", "tickCount": 5}
    legend = {"labelFontSize": _TEXT, "orient": "bottom", "columns": 3, "columnPadding": 24, "symbolSize": 110}
    config = {"font": _FONT, "axis": axis, "legend": legend | {"title": None}}
    return drawing()(plot | {"background": "white", "config": config}, vl_version="5.21")


def _span(values: Sequence[float]) -> tuple[float, float]:
    """Ends of a logarithmic axis with room around the values."""
    return min(values) / 1.3, max(values) * 1.5


def _scales(x: str, y: str, spans: tuple[tuple[float, float], ...]) -> dict[str, Any]:
    return {
        name: {
            "field": name,
            "type": "quantitative",
            "scale": {"type": "log", "domain": span, "nice": False},
            "axis": {"title": title, "format": "~s"},
        }
        for name, title, span in zip(("x", "y"), (x, y), spans, strict=True)
    }


def _ratios(xs: tuple[float, float], ys: tuple[float, float], reference: PlotMark | None) -> list[float]:
    """Values of y over x for lines: two a decade, or those of ``reference`` times a quarter to four."""
    if reference:
        return [reference.y / reference.x * 2**k for k in range(-2, 3)]
    steps = range(math.floor(2 * math.log10(ys[0] / xs[1])), math.ceil(2 * math.log10(ys[1] / xs[0])) + 1)
    return [10 ** (step / 2) for step in steps]


def _equal(xs: tuple[float, float], ys: tuple[float, float], ratios: Iterable[float]) -> dict[str, Any]:
    """Lines of constant y over x, a line for each of ``ratios``."""
    values = []
    for ratio in ratios:
        low, high = max(xs[0], ys[0] / ratio), min(xs[1], ys[1] / ratio)
        if low < high:
            values += [{"x": at, "y": at * ratio, "ratio": ratio} for at in (low, high)]
    mark = {"type": "line", "color": "#bbbbbb", "strokeDash": [3, 3], "strokeWidth": 1, "aria": False}
    return {"data": {"values": values}, "mark": mark, "encoding": {"detail": {"field": "ratio", "type": "nominal"}}}


def _line(marks: Sequence[PlotMark]) -> dict[str, Any]:
    mark = {"type": "line", "color": "#444444", "strokeWidth": 1.5, "interpolate": "step-after", "aria": False}
    return {"data": {"values": [{"x": m.x, "y": m.y} for m in marks]}, "mark": mark}


def _points(marks: Sequence[PlotMark], groups: Sequence[str]) -> dict[str, Any]:
    values = [
        {"x": m.x, "y": m.y, "group": m.group, "text": f"{m.name}: {figure(m.x)}, {figure(m.y)} ({m.group})"}
        for m in marks
    ]
    colours, shapes = ([kinds[k % len(kinds)] for k in range(len(groups))] for kinds in (_COLOURS, _SHAPES))
    group = {"field": "group", "type": "nominal"}
    return {
        "data": {"values": values},
        "mark": {"type": "point", "filled": True, "size": 70, "opacity": 0.9},
        "encoding": {
            "color": group | {"scale": {"domain": list(groups), "range": colours}},
            "shape": group | {"scale": {"domain": list(groups), "range": shapes}},
            "description": {"field": "text", "type": "nominal"},
        },
    }


def _apart(marks: Sequence[PlotMark], spans: tuple[tuple[float, float], ...]) -> list[PlotMark]:
    """The ``marks``, from left to right, with names that do not cover the name before."""

    def place(mark: PlotMark) -> list[float]:
        ends = zip((mark.x, mark.y), spans, (_WIDTH, _HEIGHT), strict=True)
        return [length * math.log(at / low) / math.log(high / low) for at, (low, high), length in ends]

    named: list[PlotMark] = []
    for mark in marks:
        if named:
            (x, y), (left, level) = place(mark), place(named[-1])
            if abs(y - level) < _TEXT and x - left < _LETTER * len(named[-1].name):
                continue
        named.append(mark)
    return named


def _names(best: Sequence[PlotMark]) -> dict[str, Any]:
    mark = {"type": "text", "align": "left", "dx": 8, "dy": -7, "fontSize": _TEXT - 2, "aria": False, "limit": 220}
    values = [{"x": m.x, "y": m.y, "name": m.name} for m in best]
    return {"data": {"values": values}, "mark": mark, "encoding": {"text": {"field": "name"}}}
