# SPDX-License-Identifier: Apache-2.0
"""Rows under named columns: a table for programs, for CSV files and for notebooks."""

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from importlib import import_module
from io import StringIO
from operator import index
from typing import Any, overload

from wideblock.errors import UserError

__all__ = ["Records"]


@dataclass(frozen=True)
class Records:
    """A table: ``rows`` are tuples with a value, or None, for each column of ``head``.

    Iteration gives each row as a dictionary, ``records["area"]`` a column as a list, ``records[0]`` a row, and
    ``records[:5]`` the first five as a table.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, Any]]) -> "Records":
        """The table of dictionaries; columns are those of all rows, in order of appearance."""
        listed = list(rows)
        head = tuple(dict.fromkeys(name for row in listed for name in row))
        return cls(head, tuple(tuple(row.get(name) for name in head) for row in listed))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.head, row, strict=True)) for row in self.rows)

    @overload
    def __getitem__(self, column: str) -> list[Any]: ...
    @overload
    def __getitem__(self, column: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, column: slice) -> "Records": ...

    def __getitem__(self, column: str | int | slice) -> "list[Any] | dict[str, Any] | Records":
        if isinstance(column, slice):
            return Records(self.head, self.rows[column])
        if isinstance(column, str):
            place = self._place(column)
            return [row[place] for row in self.rows]
        return dict(zip(self.head, self.rows[index(column)], strict=True))

    def where(self, **values: Any) -> "Records":
        """The rows with the given values of columns. Raises UserError for an unknown column."""
        wanted = {self._place(name): value for name, value in values.items()}
        return Records(self.head, tuple(r for r in self.rows if all(r[k] == v for k, v in wanted.items())))

    def csv(self) -> str:
        """The table as CSV (RFC 4180 with line feeds); a missing value is an empty field."""
        text = StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.head, *self.rows])
        return text.getvalue()

    def pandas(self) -> Any:
        """The table as a pandas.DataFrame. Raises UserError if pandas is not installed."""
        return self._frame("pandas")(list(self.rows), columns=list(self.head))

    def polars(self) -> Any:
        """The table as a polars.DataFrame. Raises UserError if polars is not installed."""
        return self._frame("polars")({name: self[name] for name in self.head}, infer_schema_length=None, strict=False)

    def __str__(self) -> str:
        cells = [self.head, *(tuple(_text(value) for value in row) for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in cells)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The table as a notebook shows it."""
        head = "".join(f"<th>{escape(name)}</th>" for name in self.head)
        body = "".join(f"<tr>{''.join(f'<td>{escape(_text(v))}</td>' for v in row)}</tr>" for row in self.rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _place(self, column: str) -> int:
        if column not in self.head:
            raise UserError(f"no column {column!r}; there are {', '.join(self.head)}")
        return self.head.index(column)

    @staticmethod
    def _frame(library: str) -> Any:
        try:
            return import_module(library).DataFrame
        except ImportError:
            raise UserError(f"{library} is not installed; pip install {library}, or use csv()") from None


def _text(value: Any) -> str:
    return "-" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
