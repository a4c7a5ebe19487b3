# SPDX-License-Identifier: Apache-2.0
"""Cores with evidence: presets as they ship, sealing cores, small engines, small cores."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from wideblock import catalog
from wideblock.catalog import Preset
from wideblock.errors import UserError
from wideblock.evaluate.best import representatives
from wideblock.evidence.record import Evidence, EvidenceKind
from wideblock.export.contract import Contract, contract
from wideblock.rtl.sector.parameters import BUSES

__all__ = ["cores", "engine", "engines", "small", "subjects"]

SIZES = (
    {"sector_bytes": 64, "longest": 64},
    {"sector_bytes": 96},
    {"data_bytes": 48, "ad_bytes": 32},
)
"""Changes that make a core small; a preset takes the first possible change."""

ENGINE = {"registers": BUSES[-1], "slots": 4}
ENGINE_SIZES = ({"sector_bytes": 64}, {"sector_bytes": 96})
"""Sectors of a small engine: the first size whose interval is as long as the copy of a key."""

SEALED = {"icv_bytes": 16}


def cores(
    kind: EvidenceKind, names: Sequence[str], evidence: Sequence[Evidence]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Presets of ``names`` as they ship, of each scheme a sealing core and a small engine, cores of ``evidence``."""
    yield from ((name, {}) for name in names if name in catalog.PRESETS)
    yield from ((each.name, dict(each.changed)) for each in (*_sealing(), *engines({})) if each.name in names)
    yield from ((each.core, each.changed) for each in evidence if each.kind is kind and each.core in names)


def subjects() -> list[Contract[Any, Any]]:
    """A small core of the first preset of each scheme, and a small engine."""
    return [*(small(name) for name in _first(lambda preset: True)), engine()]


def engine() -> Contract[Any, Any]:
    """A small engine, of those with most parts."""
    return next(each for each in engines({}) if "error_beats" in asdict(each.preset.parameters))


def engines(further: Mapping[str, Any]) -> Iterator[Contract[Any, Any]]:
    """A small engine of each scheme with key slots, with ``further`` parameters where the scheme has them."""
    for name in _first(lambda preset: getattr(preset.parameters, "slots", 0)):
        yield from _possible(name, [{**ENGINE, **size, **further} for size in ENGINE_SIZES])


def small(name: str) -> Contract[Any, Any]:
    """A preset with the first possible change of :data:`SIZES`, or unchanged."""
    return next(_possible(name, (*SIZES, {})))


def _sealing() -> Iterator[Contract[Any, Any]]:
    """The sealing form of the core in the README's table, of each scheme with such a form."""
    for name in representatives().values():
        yield from _possible(name, [SEALED])


def _first(wanted) -> list[str]:
    """The first ``wanted`` preset of each scheme."""
    first: dict[str, Preset] = {}
    for preset in filter(wanted, catalog.PRESETS.values()):
        first.setdefault(preset.scheme.name, preset)
    return [preset.name for preset in first.values()]


def _possible(name: str, changes: Sequence[Mapping[str, Any]]) -> Iterator[Contract[Any, Any]]:
    """A preset with the first possible one of the ``changes``, or nothing."""
    for each in changes:
        try:
            yield contract(name, each)
        except UserError:
            continue
        return
