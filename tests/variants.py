# SPDX-License-Identifier: Apache-2.0
"""Tests that go over many variants: `make test` runs a few of them, `make test-all` the others, too."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest

__all__ = ["few_of_many"]


def few_of_many(variants: Iterable[Any], few: Collection[Any]) -> list[Any]:
    """Every variant, a value or a tuple of values, as a case; those that are not among the few are marked slow."""
    return [
        pytest.param(*(variant if isinstance(variant, tuple) else (variant,)), marks=() if variant in few else SLOW)
        for variant in variants
    ]


SLOW = (pytest.mark.slow,)
