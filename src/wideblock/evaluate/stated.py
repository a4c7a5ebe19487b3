# SPDX-License-Identifier: Apache-2.0
"""Stated cycles of cores, kept between runs: a core with a hash takes a good part of a second to state cycles."""

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import wideblock
from wideblock import catalog
from wideblock.cache import name_of, remembered
from wideblock.errors import UserError
from wideblock.export.contract import contract

__all__ = ["intervals", "message", "rate", "sector"]


@cache
def rate(name: str) -> tuple[int, int]:
    """Bytes that a preset or part takes, and in how many cycles."""
    if part := catalog.PARTS.get(name):
        return part.bytes, part.make(part.parameters).timing.interval
    catalog.preset_or_part(name)  # raises UserError for an unknown one

    def stated() -> list[int]:
        behaviour = contract(name).behaviour
        return [behaviour.usual, behaviour.timing.interval]

    size, interval = _remembered(["rate", name], stated)
    return size, interval


def intervals(preset: str, changed: Mapping[str, Any], sizes: tuple[int, ...]) -> list[int | None]:
    """Cycles from sector to sector of each of ``sizes`` in bytes; None where the core cannot have such sectors."""
    return _remembered(
        ["intervals", preset, json.dumps([dict(changed), sizes], sort_keys=True)],
        lambda: [_interval(preset, changed, size) for size in sizes],
    )


def sector(preset: str, size: int) -> tuple[int, int] | None:
    """Latency and interval of a sector core for sectors of ``size`` bytes; None for an impossible mix."""

    def stated() -> list[int] | None:
        try:
            timing = contract(preset, {"sector_bytes": size}).timing
        except UserError:
            return None
        return [timing.latency, timing.interval]

    found = _remembered(["sector", preset, str(size)], stated)
    return (found[0], found[1]) if found else None


def message(preset: str, size: int) -> int:
    """Cycles of an authenticated cipher to encrypt ``size`` bytes without associated data."""
    return _remembered(
        ["message", preset, str(size)], lambda: contract(preset, {"data_bytes": size}).timing.message(0, size)
    )


def _interval(preset: str, changed: Mapping[str, Any], size: int) -> int | None:
    try:
        return contract(preset, {**changed, "sector_bytes": size}).timing.interval
    except UserError:
        return None


def _remembered(what: list[str], compute: Callable[[], Any]) -> Any:
    """The value of ``compute``, from a file of the cache if the running code has computed the value before."""

    return json.loads(remembered("stated", [_code(), *what], lambda: json.dumps(compute())))


@cache
def _code() -> str:
    """Digest of all code that states cycles."""
    root = Path(wideblock.__file__).parent
    files = [path for room in ("rtl", "catalog", "export") for path in sorted((root / room).rglob("*.py"))]
    return name_of(hashlib.sha256(path.read_bytes()).hexdigest() for path in files)
