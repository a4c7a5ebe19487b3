# SPDX-License-Identifier: Apache-2.0
"""Tests that go over many variants: `make test` runs a few of them, `make test-all` all, perhaps in parts."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeVar

import pytest

__all__ = ["few_of_many", "part_of"]

T = TypeVar("T")


def few_of_many(variants: Iterable[Any], few: Collection[Any]) -> list[Any]:
    """Every variant, a value or a tuple of values, as a case; those that are not among the few are marked slow."""
    return [
        pytest.param(*(variant if isinstance(variant, tuple) else (variant,)), marks=() if variant in few else SLOW)
        for variant in variants
    ]


def part_of(tests: Sequence[T], k: int, n: int, slow: Callable[[T], Any]) -> list[T]:
    """The ``k``-th of ``n`` parts of ``tests``, in their order; each test is in one part.

    Tests are dealt out one by one, the slow ones first: neighbours, which are variants of one test and take about the
    same time, are in different parts.
    """
    dealt = sorted(range(len(tests)), key=lambda index: not slow(tests[index]))
    return [tests[index] for index in sorted(dealt[k - 1 :: n])]


SLOW = (pytest.mark.slow,)
