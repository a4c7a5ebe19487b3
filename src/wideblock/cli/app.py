# SPDX-License-Identifier: Apache-2.0
"""What every subcommand shares: the application, its errors, tables and progress display."""

import json
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import metadata
from typing import Annotated, Any

import typer
from amaranth.hdl import UnusedElaboratable
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from typer.core import TyperGroup

from wideblock import __version__
from wideblock.simulation.bench import SimulationError
from wideblock.simulation.verilator import BuildError
from wideblock.synth.process import FlowError

__all__ = ["app", "out", "err", "table", "as_json", "progress", "stages", "settings", "Preset", "Set", "Json"]

out = Console(highlight=False, soft_wrap=True)
if not out.is_terminal:
    out.width = 160  # a file or a pipe has no width to fit into
err = Console(stderr=True, highlight=False)
warnings.simplefilter("ignore", UnusedElaboratable)  # most commands ask a core only for its contract


EXPECTED = (ValueError, OSError, BuildError, SimulationError, FlowError)


JUDGING = ("verify", "measure")
"""Commands whose exit status 1 means a difference; one that could not run has 2."""


class Group(TyperGroup):
    """Turns an expected error into one line on stderr and exit status 1; any other is a bug and keeps its traceback."""

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise
        except EXPECTED as error:
            typer.echo(f"wideblock: {one_line(error)}", err=True)
            raise typer.Exit(2 if ctx.invoked_subcommand in JUDGING else 1) from None


def one_line(error: Exception) -> str:
    """Returns the message of ``error`` in one line; the system's own errors with the file they are about."""
    if isinstance(error, OSError) and error.strerror:
        about = f"{error.filename}: " if error.filename else ""
        return f"{about}{error.strerror[0].lower()}{error.strerror[1:]}"
    return " ".join(str(error).split())


app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Generates, verifies and measures hardware cores for wide-block storage encryption.",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"wideblock {__version__}, amaranth {metadata.version('amaranth')}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    pass


Preset = Annotated[str, typer.Argument(metavar="PRESET", help="Name of a preset; [b]wideblock list[/b] shows them.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Change a parameter of the preset; may be repeated."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


def settings(changes: list[str] | None) -> dict[str, str]:
    """Splits every NAME=VALUE of ``changes``."""
    result = {}
    for change in changes or ():
        name, equals, value = change.partition("=")
        if not (name and equals and value):
            raise ValueError(f"--set {change} is not a setting; write --set NAME=VALUE, such as --set lanes=4")
        result[name.strip().replace("-", "_")] = value.strip()
    return result


def as_json(value: Any) -> None:
    """Prints ``value`` as JSON on stdout."""
    typer.echo(json.dumps(value, indent=2))


def table(head: Iterable[str], rows: Iterable[Iterable[Any]], *, title: str | None = None) -> None:
    """Prints a table on stdout; numbers stand right."""
    cells = [list(row) for row in rows]
    drawn = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for k, name in enumerate(head):
        numeric = cells and all(isinstance(row[k], int | float) or row[k] in ("", "-", None) for row in cells)
        drawn.add_column(name, justify="right" if numeric else "left", style="bold" if k == 0 else None)
    for row in cells:
        drawn.add_row(*("-" if cell is None else str(cell) for cell in row))
    out.print(drawn)


@contextmanager
def stages(what: str) -> Iterator[Callable[[str, int, int], None]]:
    """Gives a function that is told (stage, done, total) as work proceeds, and shows it on stderr if a terminal."""
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )
    with bar:
        task = bar.add_task(what, total=None)
        yield lambda stage, done, total: bar.update(task, description=stage, completed=done, total=total)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """:func:`stages` for work of one stage: the function is told (done, total)."""
    with stages(what) as report:
        yield lambda done, total: report(what, done, total)
