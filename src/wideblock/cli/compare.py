# SPDX-License-Identifier: Apache-2.0
"""``wideblock compare``."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from wideblock import catalog
from wideblock.cli.app import Json, as_json, out, table
from wideblock.evaluate.compare import compare as rows_of
from wideblock.evaluate.result import load_all
from wideblock.evaluate.tables import COMMITTED
from wideblock.export.contract import contract

EXAMPLE = "Example: [b]wideblock compare fast-brw-2 fast-brw-2s[/b]"


def compare(
    presets: Annotated[list[str] | None, typer.Argument(metavar="[PRESET|PART]...", help="All by default.")] = None,
    results: Annotated[Path, typer.Option(metavar="DIR", help="Measured results.")] = COMMITTED,
    json: Json = False,
) -> None:
    """Print the papers' rows beside ours: cycles, area, clock, throughput."""
    chosen = list(presets or [*catalog.PRESETS, *catalog.PARTS])
    intervals: dict[str, Any] = {}
    sizes = {}
    for name in chosen:
        if name in catalog.PARTS:
            intervals[name], sizes[name] = catalog.PARTS[name].interval, catalog.PARTS[name].bytes
        else:
            behaviour = contract(name).behaviour
            intervals[name], sizes[name] = behaviour.timing.interval, behaviour.usual
    measured = load_all(results)
    for result in measured:  # of presets with changes, what has a published row of its own
        preset = result.name.partition(" ")[0]
        if result.name not in chosen and preset in chosen:
            chosen.insert(chosen.index(preset) + 1, result.name)
            intervals[result.name] = result.interval
    rows = rows_of(chosen, measured, intervals=intervals, sector_bytes=sizes)
    if json:
        as_json([asdict(row) | {"cycles_ratio": row.cycles_ratio, "area_ratio": row.area_ratio} for row in rows])
        return
    lines: dict[tuple[Any, ...], None] = {}
    for row in rows:
        theirs = row.published
        lines[row.preset, theirs.design, f"{theirs.family}, {theirs.table}", theirs.cycles,
              ", ".join(map(str, theirs.areas)) or None, theirs.mhz, theirs.gbps] = None  # fmt: skip
    for row in rows:
        lines[row.preset, "ours", row.part or "as stated", intervals[row.preset], row.area,
              row.mhz and round(row.mhz, 1), row.gbps and round(row.gbps, 2)] = None  # fmt: skip
    ordered = sorted(lines, key=lambda line: (chosen.index(line[0]), line[1] == "ours"))
    table(("preset", "design", "on", "cycles", "area", "MHz", "Gb/s"), ordered)
    sources = dict.fromkeys(f"{row.published.source}, {row.published.table}; {row.published.tool}" for row in rows)
    out.print(
        "\nCycles are sector to sector. Areas of different units, and clocks of different devices, do not compare."
    )
    for source in sources:
        out.print(f"Published in {source}.", markup=False)


def register(app: typer.Typer) -> None:
    app.command("compare", epilog=EXAMPLE)(compare)
