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
from wideblock.evaluate.tables import insert_all
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
    results, pages = checkout / RESULTS, checkout / "docs"
    if not results.is_dir():
        raise UserError(f"{checkout} is no checkout of wideblock: it has no {RESULTS}")
    points = load(results / "points.jsonl")
    if exported:
        with progress("cores exported") as report:
            digests.renew(results, points, report)
    tables.renew(pages / "results.md", points)
    insert_all(pages / "results.md", ratios.bodies(points))
    insert_all(checkout / "README.md", {"schemes": choosing.schemes(points)})
    insert_all(pages / "choosing.md", choosing.bodies(points))
    drawings.renew(pages / "choosing.md", points)
    for name, presets in flows.families().items():
        insert_all(pages / "families" / f"{name}.md", flows.bodies(presets))
    engines.renew(pages, points)
    insert_all(pages / "api.md", {"reference": reference.body(api)})
    document.renew(pages / "proofs.md", results / "proofs.jsonl")
