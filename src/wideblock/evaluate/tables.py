# SPDX-License-Identifier: Apache-2.0
"""Measured results as tables: for the README between its markers, for datasheets, for the command line.

``python -m wideblock.evaluate.tables RESULTS README.md`` renews the README.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

from wideblock.atomic import write_text
from wideblock.errors import UserError
from wideblock.evaluate.published import for_preset
from wideblock.evaluate.result import Result, load_all
from wideblock.export.contract import Contract
from wideblock.export.markdown import table
from wideblock.synth.targets import targets

__all__ = ["COMMITTED", "HEAD", "of_core", "renew", "row", "section", "summary"]

COMMITTED = Path(__file__).parent / "results"
"""The measured results that the package carries."""

_CORE = ("core", "bytes", "cycles", "paper's cycles")
_MEASURED = ("FF", "LUT RAM", "block RAM", "clock, MHz", "Gb/s")
HEAD = (*_CORE, "target", "area", *_MEASURED)
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"


def of_core(core: Contract, results: Iterable[Result]) -> list[Result]:
    """Those of ``results`` that were measured on ``core``: same preset, same parameters."""
    return [result for result in results if (result.preset, dict(result.changed)) == (core.name, dict(core.changed))]


def section(core: Contract, results: Iterable[Result]) -> str:
    """Returns the Markdown table of those of ``results`` that were measured on ``core``; empty if there are none."""
    measured = of_core(core, results)
    return table(HEAD, map(row, measured)) if measured else ""


def row(result: Result) -> tuple[str, ...]:
    """``result`` under :data:`HEAD`, with a dash where there is no figure."""
    return (*_core(result), result.part, f"{result.area.area:,} {_unit(result)}", *_measured(result, result))


def summary(results: Iterable[Result]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Head and rows of a table of cores, with the area on each target in a column of its own.

    Flip-flops, memories in LUTs and block RAM are those on the first target that the core was measured on, in the order
    of the columns; the clock is that on the first one that has it.
    """
    by_core: dict[str, dict[str, Result]] = {}
    columns: dict[str, str] = {}
    for result in sorted(results, key=lambda r: list(targets).index(r.target)):
        by_core.setdefault(result.name, {})[result.target] = result
        columns[result.target] = f"{result.part.partition(',')[0]}, {_unit(result)}"
    rows = []
    for on in (by_core[name] for name in sorted(by_core)):
        first = next(iter(on.values()))
        clocked = next((result for result in on.values() if result.clock), first)
        areas = (f"{on[target].area.area:,}" if target in on else "-" for target in columns)
        rows.append((*_core(first), *areas, *_measured(first, clocked)))
    return (*_CORE, *columns.values(), *_MEASURED), rows


def renew(document: Path, results: Iterable[Result]) -> bool:
    """Puts the table of ``results`` between the markers of ``document``; True if that changed it.

    Raises UserError if the document has no markers or there is no result.
    """
    results = list(results)
    if not results:
        raise UserError(f"there are no results to put into {document}; wideblock synth --save DIR measures some")
    text = document.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise UserError(f"{document} must have {BEGIN} and {END} once each, in this order")
    tools = sorted({tool for result in results for tool in result.tools})
    body = table(*summary(results)) + "\nTools: " + ", ".join(tools) + ".\n"
    new = text[: text.index(BEGIN) + len(BEGIN)] + "\n" + body + text[text.index(END) :]
    if new == text:
        return False
    write_text(document, new)
    return True


def _core(result: Result) -> tuple[str, ...]:
    """Name, bytes, cycles, and the cycles of papers for as many bytes."""
    alike = (p for p in for_preset(result.preset) if p.kind == "paper" and p.cycles and p.bytes in (None, result.bytes))
    papers = dict.fromkeys(p.cycles for p in alike)
    return result.name, _figure(result.bytes), _figure(result.interval), " / ".join(map(str, papers)) or "-"


def _measured(size: Result, speed: Result) -> tuple[str, ...]:
    return (
        f"{size.area.ffs:,}",
        f"{size.area.lutram + size.area.shift_registers:,}",
        f"{size.area.block_rams:g}",
        f"{speed.clock.mhz:.0f}" if speed.clock else "-",
        f"{speed.gbps:.1f}" if speed.gbps else "-",
    )


def _unit(result: Result) -> str:
    return result.area_unit.partition(" (")[0]


def _figure(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


if __name__ == "__main__":
    renew(Path(sys.argv[2]), load_all(sys.argv[1]))
