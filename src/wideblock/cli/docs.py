# SPDX-License-Identifier: Apache-2.0
"""``wideblock docs``."""

from pathlib import Path
from typing import Annotated

import typer

from wideblock import api
from wideblock.cli.app import progress
from wideblock.errors import UserError
from wideblock.evaluate import choosing, digests, drawings, engines, flows, ratios, reference, tables
from wideblock.evaluate.store import load
from wideblock.verify.formal import document

EXAMPLE = "Example: [b]wideblock docs .[/b]"
RESULTS = Path("src/wideblock/evaluate/results")


def docs(
    checkout: Annotated[Path, typer.Argument(metavar="DIR", help="A checkout of this project.")],
    exported: Annotated[
        bool,
        typer.Option("--digests", help="Export every measured core first, to mark older points; minutes."),
    ] = False,
) -> None:
    """Renew the tables and plots in the documents of a checkout of this project, from its stored results."""
    results, readme, pages = checkout / RESULTS, checkout / "README.md", checkout / "docs"
    if not results.is_dir():
        raise UserError(f"{checkout} is no checkout of wideblock: it has no {RESULTS}")
    points = load(results / "points.jsonl")
    if exported:
        with progress("cores exported") as report:
            digests.renew(results, points, report)
    tables.renew(pages / "results.md", points)
    choosing.renew(readme, pages / "choosing.md", points)
    drawings.renew(pages / "choosing.md", points)
    flows.renew(pages)
    engines.renew(pages, points)
    ratios.renew(pages / "results.md", points)
    reference.renew(pages / "api.md", api)
    document.renew(pages / "proofs.md", results / "proofs.jsonl")
