# SPDX-License-Identifier: Apache-2.0
"""Measured results as tables: for the README between its markers, for datasheets, for the command line.

``python -m wideblock.export.results docs/results README.md`` renews the README.
"""

import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from wideblock.export.contract import Contract
from wideblock.synth.published import for_preset
from wideblock.synth.result import Result, load_all

__all__ = ["COMMITTED", "HEAD", "of_core", "row", "table", "renew"]

COMMITTED = Path(__file__).parents[3] / "docs" / "results"
"""Where the repository keeps its measured results; absent from an installed package."""

HEAD = ("core", "bytes", "cycles", "paper's cycles", "target", "area", "FF", "block RAM", "clock, MHz", "Gb/s")
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"


def of_core(core: Contract, results: Iterable[Result]) -> list[Result]:
    """Those of ``results`` that were measured on ``core``: same preset, same parameters."""
    if core.changed:
        return []
    return [result for result in results if result.name == core.preset]


def row(result: Result) -> tuple[str, ...]:
    """``result`` under :data:`HEAD`, with a dash where there is no figure."""
    preset = result.name.partition(" ")[0]
    alike = (p for p in for_preset(preset) if p.kind == "paper" and p.cycles and p.bytes in (None, result.bytes))
    papers = dict.fromkeys(p.cycles for p in alike)
    clock = result.clock
    return (
        result.name,
        _figure(result.bytes),
        _figure(result.interval),
        " / ".join(map(str, papers)) or "-",
        result.part,
        f"{result.area.area:,} {result.area_unit.split(' (')[0]}",
        f"{result.area.ffs:,}",
        f"{result.area.block_rams:g}",
        f"{clock.mhz:.0f}" if clock else "-",
        f"{result.gbps:.1f}" if result.gbps else "-",
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def renew(document: Path, results: Iterable[Result]) -> bool:
    """Puts the table of ``results`` between the markers of ``document``; True if that changed it.

    Raises ValueError if the document has no markers or there is no result.
    """
    results = list(results)
    if not results:
        raise ValueError(f"there are no results to put into {document}; wideblock synth --save DIR measures some")
    text = document.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise ValueError(f"{document} must have {BEGIN} and {END} once each, in this order")
    tools = sorted({tool for result in results for tool in result.tools})
    body = table(HEAD, map(row, results)) + "\nTools: " + ", ".join(tools) + ".\n"
    new = text[: text.index(BEGIN) + len(BEGIN)] + "\n" + body + text[text.index(END) :]
    if new == text:
        return False
    with tempfile.NamedTemporaryFile("w", dir=document.parent, delete=False) as file:
        file.write(new)
    os.chmod(file.name, document.stat().st_mode)
    os.replace(file.name, document)
    return True


def _figure(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


if __name__ == "__main__":
    renew(Path(sys.argv[2]), load_all(sys.argv[1]))
