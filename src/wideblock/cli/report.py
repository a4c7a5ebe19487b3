# SPDX-License-Identifier: Apache-2.0
"""``wideblock report``."""

from pathlib import Path
from typing import Annotated

import typer

from wideblock.atomic import check_place, write_text
from wideblock.cli.app import Force, Store, stages
from wideblock.errors import UserError
from wideblock.evaluate.measured import measured
from wideblock.evaluate.plots import drawing
from wideblock.evaluate.report import page
from wideblock.evaluate.store import COMMITTED, current, load, own

EXAMPLE = "Example: [b]wideblock report --store points.jsonl -o report.html[/b]"


def report(
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Result; default: report.html, or points.csv."),
    ] = None,
    store: Store = COMMITTED,
    csv: Annotated[
        bool, typer.Option("--csv", help="Write the points of our cores as CSV instead of the page.")
    ] = False,
    force: Force = False,
) -> None:
    """Write measured points as a page without need for a network: tables, plots, papers' rows beside ours."""
    output = output or Path("points.csv" if csv else "report.html")
    if output.exists() and store.exists() and output.samefile(store):
        raise UserError(f"{output} is the store itself; choose another file for the result")
    check_place(output, overwrite=force)
    if csv:
        write_text(output, measured(current(own(load(store)))).csv(), overwrite=force)
    else:
        drawing()  # a page takes seconds, and needs it at the end
        with stages("report"):
            write_text(output, page(load(store)), overwrite=force)
    typer.echo(output)
