# SPDX-License-Identifier: Apache-2.0
"""Cycles and throughput against the size of a message or sector, from cycle contracts, as the papers draw them."""

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

from wideblock.atomic import write_text
from wideblock.evaluate.plots import figure, lines
from wideblock.evaluate.published import for_preset
from wideblock.evaluate.stated import message, sector
from wideblock.export.markdown import table

__all__ = ["Curve", "curves", "document", "reference", "renew"]

BYTES = (16, 64, 256, 1024, 4096, 16384, 65536)
MESSAGES = (16, 64, 256, 1024, 4096, 16384, 32768)
"""Sizes in bytes; the last message is shorter, as an authenticated cipher holds a whole message."""

Line = list[tuple[float, float]]


@dataclass(frozen=True)
class Curve:
    """A figure: lines of values against sizes, by the name of a core.

    name: of the file, without its ending    x, y: titles of the axes
    """

    name: str
    title: str
    x: str
    y: str
    values: Mapping[str, Line]

    @property
    def caption(self) -> str:
        """Ends of each line in words."""
        ends = (f"{core} {figure(line[0][1])} to {figure(line[-1][1])}" for core, line in self.values.items())
        return f"{self.y} against {self.x}, smallest and largest size: {', '.join(ends)}."

    @property
    def body(self) -> str:
        """Markdown of the figure and of its values."""
        sizes = sorted({size for line in self.values.values() for size, _ in line})
        rows = [
            (core, *(figure(dict(line)[size]) if size in dict(line) else "-" for size in sizes))
            for core, line in self.values.items()
        ]
        image = f"![{self.title}. {self.caption}]({self.name}.svg)"
        return f"## {self.title}\n\n{image}\n\n{table((self.x, *(f'{size:,.0f}' for size in sizes)), rows)}"

    @property
    def described(self) -> str:
        """Title and caption inside the drawing, for a viewer of the drawing alone."""
        return f"<title>{escape(self.title)}</title><desc>{escape(self.caption)}</desc>"


def curves(groups: Iterable[str] = ("units", "messages", "sectors")) -> list[Curve]:
    """The figures of the groups, from the cycle contracts of today."""
    chosen = _chosen()
    made = {
        "units": lambda: _units(chosen["units"], **chosen["paper"]),
        "messages": lambda: _messages(chosen["messages"]),
        "sectors": lambda: _sectors(chosen["sectors"]),
    }
    return [curve for group in groups for curve in made[group]()]


def reference() -> str:
    """The preset of reference for throughput an area of authenticated ciphers."""
    return _chosen()["reference"]


def document() -> str:
    """The page with every figure."""
    return "\n".join([_HEAD, *(curve.body for curve in curves())])


def renew(documents: Path) -> None:
    """Writes every figure into the folder. Raises UserError if the library that draws is not installed."""
    for curve in curves():
        tag, rest = lines(curve.values, x=curve.x, y=curve.y).split(">", 1)
        write_text(documents / f"{curve.name}.svg", f'{tag} role="img">{curve.described}{rest}\n')


_HEAD = """# Cycles against size

Made by `make docs` from cycle contracts; a test measures `xts-enc` and the authenticated ciphers at six sizes.
[Evaluation](evaluation.md) says what a figure means, [choosing](choosing.md) has throughput against area.
"""


def _chosen() -> dict[str, Any]:
    """The cores of each group, and the paper's line."""
    with resources.files("tools").joinpath("curves.toml").open("rb") as file:
        return tomllib.load(file)


def _lines(cores: Iterable[str], sizes: Iterable[int], value: Callable[[str, int], float | None]) -> dict[str, Line]:
    """``value`` of each core at each size in bytes with a value."""
    listed = list(sizes)
    found = {core: [(float(size), value(core, size)) for size in listed] for core in cores}
    return {core: [(size, each) for size, each in line if each is not None] for core, line in found.items()}


def _units(cores: Sequence[str], *, name: str, first: int) -> list[Curve]:
    """Cycles and Gb/s against bits, and of the paper ``name``, with ``first`` cycles for the first block.

    Source: Ahmed and Naseem, figures 3 and 4.
    """
    row = next(row for row in for_preset(cores[0]) if row.kind == "paper" and row.mhz and row.cycles)
    clock = row.mhz or 0

    def cycles(core: str, size: int) -> int | None:
        found = (first + size // 16 - 1, 1) if core == name else sector(core, size)
        return found and found[0]

    made = _lines((name, *cores), BYTES, cycles)
    bits = {core: [(8 * size, each) for size, each in line] for core, line in made.items()}
    rates = {core: [(size, size * clock / 1000 / each) for size, each in line] for core, line in bits.items()}
    rate = f"Gb/s at {clock:g} MHz, the clock of {name}"
    return [
        Curve(
            "data-unit-cycles",
            "AES-XTS: cycles of one data unit",
            "bits",
            "cycles, first beat in to last beat out",
            bits,
        ),
        Curve("data-unit-throughput", "AES-XTS: throughput of one data unit", "bits", rate, rates),
    ]


def _messages(cores: Sequence[str]) -> list[Curve]:
    """Latency and cycles a byte against bytes. Source: Homsirikamol and Gaj, results."""
    latency = _lines(cores, MESSAGES, message)
    each = {core: [(size, cycles / size) for size, cycles in line] for core, line in latency.items()}
    return [
        Curve("aead-latency", "Authenticated ciphers: latency", "bytes", "cycles to encrypt a message", latency),
        Curve("aead-cycles-a-byte", "Authenticated ciphers: cycles a byte", "bytes", "cycles a byte", each),
    ]


def _sectors(cores: Sequence[str]) -> list[Curve]:
    """Latency, and cycles a byte of sectors back to back."""
    made = {core: [(size, sector(core, int(size))) for size in BYTES if sector(core, size)] for core in cores}
    latency = {core: [(float(size), float(found[0])) for size, found in line if found] for core, line in made.items()}
    each = {core: [(float(size), found[1] / size) for size, found in line if found] for core, line in made.items()}
    return [
        Curve("sector-latency", "Sectors: latency", "bytes", "cycles, first beat in to last beat out", latency),
        Curve("sector-cycles-a-byte", "Sectors: cycles a byte", "bytes", "cycles a byte, back to back", each),
    ]
