# SPDX-License-Identifier: Apache-2.0
"""Parameters of a core: fields of a frozen dataclass, each with its meaning and its choices."""

from dataclasses import dataclass, field, fields
from typing import Any

from wideblock.errors import UserError

__all__ = ["Parameters", "parameter"]


def parameter(default: Any, meaning: str, choices: tuple[Any, ...] | None = None) -> Any:
    """A field with its ``meaning``, and its ``choices`` or None, as metadata."""
    return field(default=default, metadata={"meaning": meaning, "choices": choices})


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """Parameters of any core. Raises UserError for a value or a mix of values that no core can have."""

    def __post_init__(self):
        for each in fields(self):
            choices, value = each.metadata["choices"], getattr(self, each.name)
            if choices and value not in choices:
                raise UserError(f"{each.name} must be one of {', '.join(map(str, choices))}, got {value!r}")
