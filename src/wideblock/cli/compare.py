# SPDX-License-Identifier: Apache-2.0
"""``wideblock compare``."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from wideblock import catalog
from wideblock.cli.app import Json, as_json, out, table
from wideblock.export.results import COMMITTED
from wideblock.synth.compare import compare as rows_of
from wideblock.synth.result import load_all

EXAMPLE = "Example: [b]wideblock compare fast-brw-2 fast-brw-2s[/b]"


def compare(
    presets: Annotated[list[str] | None, typer.Argument(metavar="[PRESET]...", help="All presets by default.")] = None,
    results: Annotated[Path, typer.Option(metavar="DIR", help="Measured results.")] = COMMITTED,
    json: Json = False,
) -> None:
    """Print the papers' rows beside ours: cycles, area, clock, throughput."""
    chosen = [catalog.preset(name) for name in presets or catalog.PRESETS]
    rows = rows_of(
        [preset.name for preset in chosen],
        load_all(results),
        intervals={preset.name: catalog.core(preset.parameters).timing.interval for preset in chosen},
        sector_bytes={preset.name: preset.parameters.sector_bytes for preset in chosen},
    )
    if json:
        as_json([asdict(row) | {"cycles_ratio": row.cycles_ratio, "area_ratio": row.area_ratio} for row in rows])
        return
    table(
        ("preset", "published as", "on", "cycles", "ours", "area", "ours", "MHz", "ours", "Gb/s", "ours", "ours on"),
        (
            (row.preset, row.published.design, row.published.family, row.published.cycles, row.interval,
             ", ".join(map(str, row.published.areas)) or "-", row.area, row.published.mhz,
             row.mhz and round(row.mhz, 1), row.published.gbps, row.gbps and round(row.gbps, 1), row.part)
            for row in rows
        ),
    )  # fmt: skip
    sources = dict.fromkeys(f"{row.published.source}, {row.published.table}; {row.published.tool}" for row in rows)
    out.print(
        "\nCycles are sector to sector. Areas of different units, and clocks of different devices, do not compare."
    )
    for source in sources:
        out.print(f"Published in {source}.", markup=False)


def register(app: typer.Typer) -> None:
    app.command("compare", epilog=EXAMPLE)(compare)
