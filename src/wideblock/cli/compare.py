# SPDX-License-Identifier: Apache-2.0
"""``wideblock compare``."""

from dataclasses import asdict
from typing import Annotated

import typer

from wideblock.cli.app import Csv, Json, Store, as_json, one_form
from wideblock.cli.display import out, table
from wideblock.evaluate.compare import UNITS, records
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
    store: Store = COMMITTED,
    csv: Csv = False,
    json: Json = False,
) -> None:
    """Print the papers' rows beside ours: cycles, area, flip-flops, block RAM, clock, throughput, remarks.

    A preset without a published row is shown with its own.
    Without names a second table has other people's Verilog that [b]wideblock measure-peer[/b] measured.
    """
    one_form(csv, json)
    points = load(store)
    rows = rows_of(presets or (), points)
    if json:
        as_json([asdict(row) | {"cycles_ratio": row.cycles_ratio, "area_ratio": row.area_ratio} for row in rows])
        return
    found = records(rows)
    if csv:
        typer.echo(found.csv(), nl=False)
        return
    used = [unit for unit in UNITS if any(found[unit])]
    lines, remarks = [], dict[str, int]()
    for row in found:
        areas = ", ".join(f"{row[unit]:,} {unit}" for unit in used if row[unit] is not None)
        older = f" ({row['older']})" if row["older"] else ""
        design = row["by"] if row["source"] is None else row["design"]
        mhz, gbps = (row[name] and round(row[name], 2) for name in ("mhz", "gbps"))
        said = [remarks.setdefault(text, len(remarks) + 1) for text in filter(None, (row["remarks"] or "").split("; "))]
        lines.append((row["preset"], design, row["on"] or "as stated", row["bytes"], row["cycles"], areas + older,
                      row["ffs"], row["block_rams"], mhz, gbps, " ".join(map(str, said))))  # fmt: skip
    head = ("preset", "design", "on", "bytes", "cycles", "area", "FF", "block RAM", "MHz", "Gb/s", "remarks")
    table(head, lines)
    out.print(
        "\nCycles are from one sector, or block of a message, of so many bytes to the next. "
        "Areas of different units, and clocks of different devices, do not compare."
    )
    for text, number in remarks.items():
        out.print(f"{number}: {text.rstrip('.')}.", markup=False)
    for unit in used:
        out.print(f"{unit}: {UNITS[unit]}.", markup=False)
    if any(row.older for row in rows):
        out.print(NOTE, end="")
    theirs = [row.published for row in rows if row.published]
    for source in dict.fromkeys(f"{row.source}, {row.table}; {row.tool}" for row in theirs):
        out.print(f"Published in {source}.", markup=False)
    if others := [] if presets else typical(peers(points)):
        out.print("\nOther people's Verilog, measured by the same flow:\n")
        table(HEAD, map(row_of, others))
        for origin in filter(None, dict.fromkeys(point.identity.origin for point in others)):
            out.print(f"{origin.repository} at {origin.commit}, {origin.licence}: {origin.top}.", markup=False)
