# SPDX-License-Identifier: Apache-2.0
"""Values that a specification computes on its way, by their names in the paper, as bytes."""

from collections.abc import Iterable, Iterator

__all__ = ["Values", "numbered"]

Values = Iterator[tuple[str, bytes]]
"""Each value's name, and the value as the scheme reads it from bytes."""


def numbered(name: str, values: Iterable[bytes], start: int = 0) -> Values:
    """The values under ``name`` with each one's number in its place, as in ``"L_{}"``."""
    return ((name.format(i), value) for i, value in enumerate(values, start))
