# SPDX-License-Identifier: Apache-2.0
"""``wideblock compare``."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from wideblock.cli.app import Json, as_json, out, table
from wideblock.evaluate.compare import compare as rows_of
from wideblock.evaluate.digests import NOTE
from wideblock.evaluate.store import COMMITTED, load, peers, typical
from wideblock.evaluate.tables import HEAD
from wideblock.evaluate.tables import row as row_of

EXAMPLE = "Example: [b]wideblock compare fast-brw-2 fast-brw-2s[/b]"


def compare(
    presets: Annotated[
        list[str] | None, typer.Argument(metavar="[PRESET|PART]...", help="Presets or parts; all by default.")
    ] = None,
    store: Annotated[
        Path, typer.Option(metavar="FILE", help="Store of measured points; default: the package's.", show_default=False)
    ] = COMMITTED,
    json: Json = False,
) -> None:
    """Print the papers' rows beside ours: cycles, area, clock, throughput.

    A preset without a published row is shown with its own.
    Without names a second table has other people's Verilog that [b]wideblock measure-peer[/b] measured.
    """
    points = load(store)
    rows = rows_of(presets or (), points)
    if json:
        as_json([asdict(row) | {"cycles_ratio": row.cycles_ratio, "area_ratio": row.area_ratio} for row in rows])
        return
    lines: dict[tuple[Any, ...], None] = {}
    for row in rows:
        if theirs := row.published:
            lines[row.preset, theirs.design, f"{theirs.family}, {theirs.table}", theirs.cycles,
                  ", ".join(map(str, theirs.areas)) or None, theirs.mhz, theirs.gbps] = None  # fmt: skip
    for row in rows:
        area = f"{row.area}{row.older}" if row.area else None
        lines[row.preset, "ours" if row.published else "ours alone", row.part or "as stated", row.cycles,
              area, row.mhz and round(row.mhz, 1), row.gbps and round(row.gbps, 2)] = None  # fmt: skip
    places = {name: place for place, name in enumerate(dict.fromkeys(row.preset for row in rows))}
    ordered = sorted(lines, key=lambda line: (places[line[0]], line[1].startswith("ours")))
    table(("preset", "design", "on", "cycles", "area", "MHz", "Gb/s"), ordered)
    published = [row.published for row in rows if row.published]
    sources = dict.fromkeys(f"{theirs.source}, {theirs.table}; {theirs.tool}" for theirs in published)
    out.print(
        "\nCycles are from one sector, or block of a message, to the next. Areas of different units, and clocks of "
        "different devices, do not compare."
    )
    if not all(row.published for row in rows):
        out.print("Ours alone: no published row.")
    if any(row.older for row in rows):
        out.print(NOTE, end="")
    for source in sources:
        out.print(f"Published in {source}.", markup=False)
    if others := [] if presets else typical(peers(points)):
        out.print("\nOther people's Verilog, measured by the same flow:\n")
        table(HEAD, map(row_of, others))
        for origin in filter(None, dict.fromkeys(point.identity.origin for point in others)):
            out.print(f"{origin.repository} at {origin.commit}, {origin.licence}: {origin.top}.", markup=False)
