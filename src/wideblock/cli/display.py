# SPDX-License-Identifier: Apache-2.0
"""Consoles, tables and progress display of commands."""

from collections.abc import Iterable
from typing import Any

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column, Table
from rich.text import Text

__all__ = ["err", "out", "progress_bar", "table"]

out = Console(highlight=False)
if not out.is_terminal:  # a file or a pipe has no width, and its lines are not broken
    out = Console(highlight=False, soft_wrap=True, width=10_000)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def table(head: Iterable[str], rows: Iterable[Iterable[Any]], *, title: str | None = None) -> None:
    """Prints a table on stdout; numbers stand right."""
    cells = [list(row) for row in rows]
    drawn = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for k, name in enumerate(head):
        numeric = cells and all(isinstance(row[k], int | float) or row[k] in ("", "-", None) for row in cells)
        style = "bold" if k == 0 else None
        drawn.add_column(name, justify="right" if numeric else "left", style=style, overflow="fold")
    for row in cells:
        drawn.add_row(*("-" if cell is None else str(cell) for cell in row))
    if out.is_terminal:
        out.print(drawn)
        return
    with out.capture() as text:
        out.print(drawn)
    for line in text.get().splitlines():  # a column is as wide as its longest cell: a line would end in as many blanks
        typer.echo(line.rstrip())


class StageColumn(TextColumn):
    """Text of the stage; cut in a narrow window: the figures beside stay whole."""

    def __init__(self):
        super().__init__("{task.description}", markup=False, table_column=Column(overflow="ellipsis"))

    def render(self, task: Task) -> Text:
        text = super().render(task)
        text.no_wrap = True
        return text


def progress_bar(console: Console) -> Progress:
    """The display of :func:`stages`; none if the console is no terminal."""
    figures = BarColumn(bar_width=16), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    return Progress(StageColumn(), *figures, console=console, transient=True, disable=not console.is_terminal)
