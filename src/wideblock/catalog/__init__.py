# SPDX-License-Identifier: Apache-2.0
"""Every named preset, scheme by scheme, and the parts that the papers measure alone.

A scheme is one module of this package with a ``SCHEME`` and its ``PRESETS``; it is found by being there.
"""

import difflib
from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import TypeVar

from wideblock.catalog.kinds import AeadAnswer, Kind, KnownAnswer
from wideblock.catalog.parts import PARTS, Part
from wideblock.catalog.scheme import Attack, Preset, Scheme, Status
from wideblock.errors import UserError

__all__ = [
    "DEMO",
    "PARTS",
    "PRESETS",
    "SCHEMES",
    "AeadAnswer",
    "Attack",
    "Kind",
    "KnownAnswer",
    "Part",
    "Preset",
    "Scheme",
    "Status",
    "preset",
    "preset_or_part",
]

N = TypeVar("N")

_modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
_schemes = [module for module in _modules if hasattr(module, "SCHEME")]

SCHEMES: dict[str, Scheme] = {module.SCHEME.name: module.SCHEME for module in _schemes}
PRESETS: dict[str, Preset] = {preset.name: preset for module in _schemes for preset in module.PRESETS}

DEMO = "fast-brw-2s"
"""The preset that demonstrates the package."""


def preset(name: str) -> Preset:
    """Returns the preset of that name; UserError names the nearest ones, or all."""
    return _named(name, PRESETS, "preset")


def preset_or_part(name: str) -> Preset | Part:
    """As :func:`preset`, of both the presets and the parts."""
    return _named(name, PRESETS | PARTS, "preset or part")


def _named(name: str, known: Mapping[str, N], what: str) -> N:
    if name not in known:
        near = difflib.get_close_matches(name, known)
        raise UserError(
            f"unknown {what} {name!r}; did you mean {' or '.join(near)}?"
            if near
            else f"unknown {what} {name!r}; there are {', '.join(known)}"
        )
    return known[name]
