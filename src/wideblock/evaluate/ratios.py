# SPDX-License-Identifier: Apache-2.0
"""The clock of a core over the clock of the AES cores alone: what everything around the AES costs."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from wideblock import catalog
from wideblock.evaluate.digests import older
from wideblock.evaluate.point import Clock, Identity, Point
from wideblock.evaluate.published import for_preset
from wideblock.evaluate.store import current, medians, own, typical
from wideblock.synth.targets import targets

__all__ = ["HEAD", "Ratio", "ratios", "row"]

HEAD = (
    "core",
    "target",
    "clock, MHz",
    "seeds",
    "its AES cores alone, MHz",
    "ratio",
    "papers' ratio",
    "slowest path, levels",
    "its cells + wires, ns",
)


@dataclass(frozen=True)
class Ratio:
    """A core and its AES cores, built and measured alike; ``seeds`` of the core."""

    core: Point
    ciphers: tuple[Point, ...]
    seeds: int

    @property
    def value(self) -> float:
        """The clock of the core over the clock of the slowest AES core."""
        return _clock(self.core).mhz / min(_clock(cipher).mhz for cipher in self.ciphers)


def ratios(points: Iterable[Point]) -> list[Ratio]:
    """A ratio for each typical point with a clock and with measured AES cores; by target, then by name."""
    points = own(points)
    parts = [point for point in medians(points) if point.identity.preset in catalog.PARTS and point.found.clock]
    flows = [point.identity.flow for point in current(points) if point.figures]
    found = []
    for point in typical(points):
        core = point.identity
        alone = [_alone(*each, core, parts) for each in _ciphers(core)] if point.found.clock else []
        ciphers = tuple(filter(None, alone))
        if ciphers and len(ciphers) == len(alone):
            found.append(Ratio(point, ciphers, flows.count(point.identity.flow)))
    order = list(targets)
    return sorted(found, key=lambda ratio: (order.index(ratio.core.identity.target), ratio.core.name))


def row(ratio: Ratio) -> tuple[str, ...]:
    """``ratio`` under :data:`HEAD`; ends of the path that the tools made have no name."""
    clock = _clock(ratio.core)
    ends = [re.sub(r"_TRELLIS_FF_Q\w*|\[\d+\]$|^(core\.)+", "", end) for end in (clock.start, clock.end)]
    levels = "" if clock.levels is None else f", {clock.levels}"
    wires = f" + {clock.routing_ns:.1f}" if clock.wires else ""
    return (
        ratio.core.name,
        ratio.core.identity.target,
        f"{clock.mhz:,.0f}{older(ratio.core)}",
        "-" if ratio.core.identity.seed is None else str(ratio.seeds),
        ", ".join(
            f"{cipher.identity.preset.removeprefix('aes128-')} {_clock(cipher).mhz:,.0f}{older(cipher)}"
            for cipher in ratio.ciphers
        ),
        f"{ratio.value:.2f}",
        " / ".join(f"{value:.2f}" for value in _published(ratio.core.identity.preset)) or "-",
        " to ".join(end if end and not end.startswith("$") else "?" for end in ends) + levels,
        f"{clock.logic_ns:.1f}{wires}",
    )


def _ciphers(core: Identity) -> list[tuple[str, Mapping[str, Any]]]:
    """Names of the parts that are the AES cores of ``core``, with parameters as in the core."""
    preset = catalog.PRESETS.get(core.preset)
    if preset is None:
        return []
    parameters = preset.changed(core.changed)
    return [(name, catalog.PARTS[name].within(parameters)) for name in preset.scheme.ciphers(parameters)]


def _alone(name: str, parameters: Mapping[str, Any], core: Identity, parts: Iterable[Point]) -> Point | None:
    """The part ``name`` with these ``parameters``, measured as ``core`` was; of several aims, the best clock."""
    same = [part for part in parts if (part.identity.preset, part.identity.parameters) == (name, parameters)]
    found = [part for part in same if part.identity.method == core.method]
    return max(found, key=lambda part: _clock(part).mhz, default=None)


def _published(preset: str) -> list[float]:
    """The ratio from each of the papers' tables with the clocks."""
    rows = [row for row in for_preset(preset) if row.kind == "paper" and row.mhz]
    found = []
    for row in rows:
        alone = [
            theirs.mhz
            for name in catalog.preset(preset).scheme.ciphers(catalog.preset(preset).parameters)
            for theirs in for_preset(name)
            if theirs.mhz and (theirs.source, theirs.device) == (row.source, row.device)
        ]
        if row.mhz and alone:
            found.append(round(row.mhz / min(alone), 2))
    return list(dict.fromkeys(found))


def _clock(point: Point) -> Clock:
    assert point.found.clock is not None
    return point.found.clock
