# SPDX-License-Identifier: Apache-2.0
"""``wideblock compare``."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

import typer

from wideblock.cli.app import Csv, Json, Store, as_json, one_form
from wideblock.cli.display import out, table
from wideblock.evaluate.compare import UNITS, records
from wideblock.evaluate.compare import compare as rows_of
from wideblock.evaluate.digests import NOTE
from wideblock.evaluate.metrics import METRICS, TITLES
from wideblock.evaluate.store import COMMITTED, load, peers, typical
from wideblock.evaluate.tables import HEAD
from wideblock.evaluate.tables import row as row_of
from wideblock.records import Records

OTHERS = {
    "cycles_alike": (
        "cycles alike",
        "without those that make values of the key for each sector; ours makes them once a key",
    ),
    "key_setup": ("key setup", "cycles from a key to a message beyond those of a later message"),
    "ten_blocks": ("ten blocks", "cycles of ten blocks to encrypt, without associated data"),
}
"""Columns beside the metrics, with their titles and meanings."""

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
    Without names a second table has Verilog of further projects, measured by [b]wideblock measure-peer[/b].
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
    show(found)
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


def show(found: Records) -> None:
    """Prints the rows as they are, then in the papers' metrics."""
    used = [unit for unit in UNITS if any(found[unit])]
    lines, remarks = [], dict[str, int]()
    for row in found:
        areas = ", ".join(f"{row[unit]:,} {unit}" for unit in used if row[unit] is not None)
        older = f" ({row['older']})" if row["older"] else ""
        mhz, gbps = (row[name] and round(row[name], 2) for name in ("mhz", "gbps"))
        said = [remarks.setdefault(text, len(remarks) + 1) for text in filter(None, (row["remarks"] or "").split("; "))]
        cycles = (row["bytes"], row["cycles"])
        size = (areas + older, row["ffs"], row["block_rams"])
        named = (row["preset"], design(row), row["on"] or "as stated")
        lines.append((*named, *cycles, *size, mhz, gbps, " ".join(map(str, said))))
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
    out.print("\nIn the papers' metrics:\n")
    show_metrics(found)


def show_metrics(found: Records) -> None:
    """Prints the metrics of the rows, and cycles of the rows with a formula."""
    columns = {name: (TITLES[name], meaning) for name, meaning in METRICS.items()} | OTHERS
    columns = {name: both for name, both in columns.items() if any(found[name])}
    lines = [
        (row["preset"], design(row), row["on"] or "as stated", *(figure(row[name]) for name in columns))
        for row in found
        if any(row[name] for name in columns)
    ]
    table(("preset", "design", "on", *(title for title, _ in columns.values())), lines)
    out.print()
    for title, meaning in columns.values():
        out.print(f"{title}: {meaning}.", markup=False)


def design(row: Mapping[str, Any]) -> str:
    """Name of a published design; of ours by whom it is."""
    return row["by"] if row["source"] is None else row["design"]


def figure(value: float | None) -> str | None:
    """Four significant digits of a fraction; an integer as it is."""
    return f"{value:.4g}" if isinstance(value, float) and value < 1e4 else None if value is None else f"{value:,.0f}"
