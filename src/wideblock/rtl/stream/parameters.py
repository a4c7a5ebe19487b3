# SPDX-License-Identifier: Apache-2.0
"""Parameters of a core: fields of a frozen dataclass with meanings and choices."""

from dataclasses import dataclass, field, fields
from typing import Any

from wideblock.errors import UserError

__all__ = ["SIZE_BITS", "TWEAK_SIZE_BITS", "Parameters", "parameter"]

SIZE_BITS = 16
"""Bits of the field for the bytes of a message."""

TWEAK_SIZE_BITS = 8
"""Bits of the field for the bytes of a message's tweak."""


def parameter(default: Any, meaning: str, choices: tuple[Any, ...] | None = None, *, absent: Any = None) -> Any:
    """A field with ``meaning`` and ``choices``, or None, as metadata.

    ``absent``: of the parameter of an optional part, the value without that part; else None.
    """
    return field(default=default, metadata={"meaning": meaning, "choices": choices, "absent": absent})


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """Parameters of any core. Raises UserError for an invalid value or mix of values.

    caution:   sentences of the security statement on a choice of parameters; empty: none
    icv_bytes: bytes of a sector's integrity check value, in a core that seals sectors; 0: none
    stride:    bytes of a sealed sector in the streams, with the value behind; 0: the value is beside the sector
    """

    caution = ""
    icv_bytes = 0
    stride = 0

    @property
    def absent(self) -> frozenset[str]:
        """Names of the parameters of optional parts left out of the core."""
        options = {each.name: each.metadata["absent"] for each in fields(self)}
        return frozenset(name for name, value in options.items() if value is not None and getattr(self, name) == value)

    def __post_init__(self):
        for each in fields(self):
            choices, value = each.metadata["choices"], getattr(self, each.name)
            if choices and value not in choices:
                raise UserError(f"{each.name} must be one of {', '.join(map(str, choices))}, got {value!r}")
