# SPDX-License-Identifier: Apache-2.0
"""Every named preset, scheme by scheme, and the parts that the papers measure alone.

A scheme is a module of the package with a ``SCHEME`` and ``PRESETS``; a new module here is a new scheme. ``SCHEMES``,
``PRESETS`` and ``PARTS`` import all modules at first use; :func:`preset` imports one module if the preset's name begins
with the name of the scheme.
"""

import difflib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, TypeVar

from wideblock.catalog.kinds import AeadAnswer, Kind, KnownAnswer
from wideblock.catalog.scheme import Attack, Preset, Scheme, Status
from wideblock.errors import UserError

if TYPE_CHECKING:
    from wideblock.catalog.parts import Part

    PARTS: dict[str, Part]
    PRESETS: dict[str, Preset]
    SCHEMES: dict[str, Scheme]

__all__ = [
    "DEMO",
    "PARTS",
    "PRESETS",
    "SCHEMES",
    "AeadAnswer",
    "Attack",
    "Kind",
    "KnownAnswer",
    "Preset",
    "Scheme",
    "Status",
    "described",
    "preset",
    "preset_or_part",
    "select",
]

N = TypeVar("N")

DEMO = "fast-brw-2s"
"""The preset that demonstrates the package."""


_TABLES = {
    "SCHEMES": lambda: {module.SCHEME.name: module.SCHEME for module in _schemes()},
    "PRESETS": lambda: {preset.name: preset for module in _schemes() for preset in module.PRESETS},
    "PARTS": lambda: import_module(".parts", __name__).PARTS,
}


@cache
def _table(name: str) -> Any:
    return _TABLES[name]()


def __getattr__(name: str) -> Any:
    if name not in _TABLES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _table(name)


def _schemes(preset: str | None = None) -> Iterator[Any]:
    """The modules of schemes: all, or those with a name that ``preset`` begins with."""
    for module in iter_modules(__path__):
        if preset is None or preset.startswith(module.name.replace("_", "-")):
            found = import_module(f"{__name__}.{module.name}")
            if hasattr(found, "SCHEME"):
                yield found


def preset(name: str) -> Preset:
    """Returns the preset of that name. UserError names the presets that begin with ``name``, or the nearest names."""
    likely = (preset for module in _schemes(str(name)) for preset in module.PRESETS)
    return next((preset for preset in likely if preset.name == name), None) or _named(name, _table("PRESETS"), "preset")


def preset_or_part(name: str) -> "Preset | Part":
    """As :func:`preset`, of both the presets and the parts."""
    return _named(name, _table("PRESETS") | _table("PARTS"), "preset or part")


def described(preset: Preset) -> dict[str, Any]:
    """A preset in plain values, found without making its core; ``width``: bits of a beat of its data ports."""
    return {
        "preset": preset.name,
        "scheme": preset.scheme.name,
        "family": preset.scheme.family,
        "status": preset.scheme.status.value,
        "width": preset.width,
        "lanes": preset.lanes,
        "summary": preset.summary,
    }


def select(
    *, scheme: str | None = None, width: int | None = None, status: str | None = None, has: str | None = None
) -> list[Preset]:
    """The presets of a scheme, of a status, with data ports of ``width`` bits, with parameter ``has``; all by default.

    scheme: name, or title in tables, such as "AES-GCM"
    Raises UserError for a value of no preset, and lists the known values.
    """
    wanted = {"scheme": scheme and scheme.lower().replace("-", "_"), "width": width, "status": status}
    rows = {
        each: {"scheme": each.scheme.name, "width": each.width, "status": each.scheme.status.value}
        for each in _table("PRESETS").values()
        if not has or has in vars(each.parameters)
    }
    if not rows:
        raise UserError(f"no preset has a parameter {has!r}; wideblock info PRESET --parameters shows those of one")
    for name, value in wanted.items():
        values = list(dict.fromkeys(row[name] for row in rows.values()))
        if value is not None and value not in values:
            raise UserError(f"no preset has {name} {value}; there are {', '.join(map(str, values))}")
    return [p for p, row in rows.items() if all(value in (None, row[name]) for name, value in wanted.items())]


def _named(name: str, known: Mapping[str, N], what: str) -> N:
    if not isinstance(name, str):
        raise UserError(f"the name of a {what} is text, got {name!r}")
    if name in known:
        return known[name]
    small = name.lower()
    near = [small] if small in known else difflib.get_close_matches(small, known)
    begin = [each for each in known if small and each.startswith(small)]
    if begin and small not in known:
        raise UserError(f"unknown {what} {name!r}; so begin {', '.join(begin)}")
    hint = f"wideblock list shows the {what.replace(' or ', 's and ')}s"
    if near:
        hint = f"did you mean {' or '.join(near)}?"
    elif small in _table("PARTS"):
        hint = f"{small} is a part, which wideblock synth, sweep, clock and compare take"
    raise UserError(f"unknown {what} {name!r}; {hint}")
