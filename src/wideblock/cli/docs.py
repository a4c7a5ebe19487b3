# SPDX-License-Identifier: Apache-2.0
"""``wideblock docs``."""

from pathlib import Path
from typing import Annotated

import typer

from wideblock import api
from wideblock.atomic import write_text
from wideblock.cli.app import progress
from wideblock.errors import UserError
from wideblock.evaluate import curves, flows, reference
from wideblock.evaluate.tables import insert_all
from wideblock.evidence import today
from wideblock.evidence.store import load
from wideblock.renewal import pages

EXAMPLE = "Example: [b]wideblock docs .[/b]"
STORE = Path("src/wideblock/evidence/results/evidence.jsonl")


def docs(
    checkout: Annotated[Path, typer.Argument(metavar="DIR", help="A checkout of this project.")],
    exported: Annotated[
        bool,
        typer.Option("--circuits", help="Export the cores of the evidence first, to find what is of today; minutes."),
    ] = False,
) -> None:
    """Renew the tables and plots in the documents of a checkout of this project, from its stored evidence."""
    store, documents = checkout / STORE, checkout / "docs"
    if not store.parent.is_dir():
        raise UserError(f"{checkout} is no checkout of wideblock: it has no {STORE.parent}")
    evidence = load(store)
    if exported:
        with progress("cores exported") as report:
            today.write(store, today.circuits_of(store, today.wanted(evidence), report))
    pages.renew(checkout, evidence)
    for name, presets in flows.families().items():
        insert_all(documents / "families" / f"{name}.md", flows.bodies(presets))
    write_text(documents / "curves.md", curves.document())
    curves.renew(documents)
    insert_all(documents / "api.md", {"reference": reference.body(api)})
