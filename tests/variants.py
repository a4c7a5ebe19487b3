# SPDX-License-Identifier: Apache-2.0
"""Tests that go over many variants: `make test` runs a few of them, `make test-all` all, perhaps in parts.

Variants of one shape that take milliseconds are rows of one case.
"""

import inspect
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import wraps
from typing import Any, TypeVar

import pytest

__all__ = ["few_of_many", "over", "part_of"]

T = TypeVar("T")
ParameterSet = type(pytest.param())


def few_of_many(variants: Iterable[Any], few: Collection[Any]) -> list[Any]:
    """Every variant, a value or a tuple of values, as a case; those that are not among the few are marked slow."""
    return [
        pytest.param(*(variant if isinstance(variant, tuple) else (variant,)), marks=() if variant in few else SLOW)
        for variant in variants
    ]


def over(names: str | Sequence[str], rows: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The arguments of ``pytest.mark.parametrize``, all of whose rows are one case.

    The first row that fails ends the case; a note below the traceback names it.
    """
    words = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    every = [_row(row, words) for row in rows]
    if not every:
        raise ValueError(f"a test over {', '.join(words)} must have a row, got none")

    def of(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def case(**others: Any) -> None:
            for name, values in every:
                try:
                    test(**others, **values)
                except BaseException as failure:  # pytest.fail raises what is no Exception
                    failure.add_note(f"in row {name}")
                    raise

        its = inspect.signature(test)
        case.__signature__ = its.replace(  # type: ignore[attr-defined]
            parameters=[parameter for name, parameter in its.parameters.items() if name not in words]
        )
        return case

    return of


def _row(row: Any, words: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """A name of the row, and its values by theirs. The row may be a ``pytest.param`` with an id, without marks."""
    given = row if isinstance(row, ParameterSet) else pytest.param(*(row if len(words) > 1 else (row,)))
    if given.marks:
        raise ValueError(f"a row has no marks, which are those of the case, got {given.marks!r}")
    values = dict(zip(words, given.values, strict=True))
    return str(given.id or ", ".join(f"{word}={value!r}" for word, value in values.items())), values


def part_of(tests: Sequence[T], k: int, n: int, slow: Callable[[T], Any]) -> list[T]:
    """The ``k``-th of ``n`` parts of ``tests``, in their order; each test is in one part.

    Tests are dealt out one by one, the slow ones first: neighbours, which are variants of one test and take about the
    same time, are in different parts.
    """
    dealt = sorted(range(len(tests)), key=lambda index: not slow(tests[index]))
    return [tests[index] for index in sorted(dealt[k - 1 :: n])]


SLOW = (pytest.mark.slow,)
