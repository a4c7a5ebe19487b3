# SPDX-License-Identifier: Apache-2.0
"""``python -m tools``: renews the documents of a checkout, or checks whether they are of today."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from tools import aez, curves, flows, pages, reference
from tools.markers import insert_all
from wideblock import api
from wideblock.atomic import write_text
from wideblock.cli.app import expected, one_line, progress
from wideblock.errors import UserError
from wideblock.evidence import today
from wideblock.evidence.record import Evidence
from wideblock.evidence.store import load

STORE = Path("src/wideblock/evidence/results/evidence.jsonl")

app = typer.Typer(
    help="Documents of a checkout of wideblock; the package has none of this.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Checkout = Annotated[Path, typer.Argument(metavar="DIR", help="A checkout of this project.")]


@app.command()
def docs(
    checkout: Checkout,
    exported: Annotated[
        bool,
        typer.Option("--circuits", help="Export the cores of the evidence first, to find what is of today; minutes."),
    ] = False,
) -> None:
    """Renew the tables and plots in the documents from the stored evidence."""
    store, evidence = _evidence(checkout)
    documents = checkout / "docs"
    if exported:
        today.write(store, _circuits(store, evidence), today.sources())
    pages.renew(checkout, evidence)
    for name, presets in flows.families().items():
        insert_all(documents / "families" / f"{name}.md", flows.bodies(presets))
    insert_all(documents / "authenticated-ciphers.md", aez.bodies())
    write_text(documents / "curves.md", curves.document())
    curves.renew(documents)
    insert_all(documents / "api.md", {"reference": reference.body(api)})


@app.command()
def check(checkout: Checkout) -> None:
    """Export the cores of the evidence, and name each page that is not of today; exit status 1 if any."""
    store, evidence = _evidence(checkout)
    faults = pages.faults(checkout, store, evidence, _circuits(store, evidence))
    for fault in faults:
        typer.echo(f"tools: {fault}", err=True)
    if faults:
        raise typer.Exit(1)


def _evidence(checkout: Path) -> tuple[Path, list[Evidence]]:
    """The store of the checkout and its lines. Raises UserError for another folder."""
    store = checkout / STORE
    if not store.parent.is_dir():
        raise UserError(f"{checkout} is no checkout of wideblock: it has no {STORE.parent}")
    return store, load(store)


def _circuits(store: Path, evidence: list[Evidence]) -> dict[str, str]:
    """Today's circuits of the cores that have evidence, exported."""
    with progress("cores exported") as report:
        return today.circuits_of(store, today.wanted(evidence), report)


def main() -> None:
    """Runs the command; an error of the user or the machine is a line and exit status 1."""
    try:
        app(prog_name="python -m tools")
    except expected() as error:
        sys.exit(f"tools: {one_line(error)}")


if __name__ == "__main__":
    main()
