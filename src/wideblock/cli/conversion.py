# SPDX-License-Identifier: Apache-2.0
"""Conversion of the command line's values without pydantic, which takes a third of a short command's time to load."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from wideblock.errors import UserError

__all__ = ["converting_lightly"]


def converting_lightly(command: Any, ctx: Any) -> Any:
    """``command``, with parameters that convert text, paths and defaults by themselves.

    A Typer without conversions by pydantic is left as it is.
    """
    for parameter in command.get_params(ctx):
        if hasattr(parameter, "get_runtime_param"):
            conversion = _LightConversion(parameter.get_runtime_param)
            parameter.get_runtime_param = lambda conversion=conversion: conversion
    return command


class _LightConversion:
    """Conversion of one parameter; Typer's conversion, from ``usual``, for values of further types."""

    def __init__(self, usual: Callable[[], Any]):
        self._usual = usual

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        wanted, parser = param.type_descriptor.annotation, param.type_descriptor.parameter_info.parser
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if parser:
            return parser(value)
        if value == "" and wanted in (str, Path):
            raise UserError(f"{param.opts[0]} must not be empty; give a value")
        if wanted in (str, int, float, Path) and isinstance(value, wanted):
            return value
        if wanted is Path:
            return Path(value)
        if wanted == list[str]:
            return list(value)
        return self._usual().coerce(value, param=param, ctx=ctx)
