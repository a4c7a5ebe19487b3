# SPDX-License-Identifier: Apache-2.0
"""Changes to parameters, given as values or as text."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from operator import index
from typing import Any, TypeVar

from wideblock.errors import UserError
from wideblock.rtl.stream.parameters import Parameters

__all__ = ["changed", "differences", "written"]

P = TypeVar("P", bound=Parameters)

_END = 1 << 64
"""No parameter is as large. Python writes no number of thousands of digits into a message."""


def changed(name: str, parameters: P, changes: Mapping[str, Any]) -> P:
    """The ``parameters`` of preset or part ``name`` with ``changes``.

    Raises UserError for an unknown parameter, and for text or a value outside of the parameter's choices.
    """
    known = asdict(parameters)
    values = {}
    for field, value in changes.items():
        if field not in known:
            raise UserError(f"unknown parameter {field!r} of {name}; it would be one of {', '.join(known)}")
        values[field] = _value(field, type(known[field]), value)
    return replace(parameters, **values)


def differences(parameters: Parameters, usual: Parameters) -> dict[str, Any]:
    """The fields of ``parameters`` with another value than in ``usual``."""
    before = asdict(usual)
    return {field: value for field, value in asdict(parameters).items() if value != before[field]}


def written(value: Any) -> str:
    """The text that :func:`changed` reads as ``value``."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _value(name: str, kind: type, value: Any) -> Any:
    if not isinstance(value, str):
        return _checked(name, kind, value)
    if kind is str:
        return value
    if kind is bool:
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if value.lower() not in words:
            raise UserError(f"{name} must be true or false, got {value!r}")
        return words[value.lower()]
    return _whole_number(name, value)


def _checked(name: str, kind: type, value: Any) -> Any:
    """A ``value`` that is no text, as ``kind``; a whole number of another library becomes one of Python's."""
    if kind is int and not isinstance(value, bool):
        with suppress(TypeError):
            value = index(value)
            if abs(value) >= _END:
                raise UserError(f"{name} must be a whole number below 2^64, got a longer one")
    if kind is not type(value):
        words = {bool: "true or false", int: "a whole number", str: "text"}
        raise UserError(f"{name} must be {words[kind]}, got {value!r}")
    return value


def _whole_number(name: str, text: str) -> int:
    """The number that ``text`` writes: decimal, hexadecimal with ``0x``, or with ``k`` for 1024 or ``M`` for 1024^2.

    Raises UserError, naming ``name``.
    """
    unit = {"k": 1 << 10, "m": 1 << 20}.get(text[-1:].lower(), 1)
    try:
        number = int(text[:-1] if unit > 1 else text, 0) * unit
        if abs(number) >= _END:
            raise ValueError
        return number
    except ValueError:
        raise UserError(f"{name} must be a whole number such as 4096, 4k or 0x1000, got {text!r}") from None
