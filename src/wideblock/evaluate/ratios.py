# SPDX-License-Identifier: Apache-2.0
"""The clock of a core over that of the AES pipeline alone: what everything around the AES costs.

``python -m wideblock.evaluate.ratios STORE docs/evaluation.md`` renews the table in the document.
"""

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from wideblock import catalog
from wideblock.evaluate.point import Clock, Identity, Point
from wideblock.evaluate.published import for_preset
from wideblock.evaluate.store import current, load, medians, own, typical
from wideblock.evaluate.tables import insert
from wideblock.export.markdown import table
from wideblock.synth.targets import targets

__all__ = ["CIPHER", "HEAD", "Ratio", "ratios", "renew", "row"]

CIPHER = "aes128-pec"
"""The part whose clock is the measure. It encrypts with AES-128."""

HEAD = ("core", "target", "clock, MHz", "seeds", "AES alone, MHz", "ratio", "papers' ratio", "slowest path, levels")
BEGIN, END = "<!-- ratios: begin -->", "<!-- ratios: end -->"


@dataclass(frozen=True)
class Ratio:
    """A core and the AES pipeline with the same S-boxes, stages a round, target and options; ``seeds`` of the core."""

    core: Point
    cipher: Point
    seeds: int

    @property
    def value(self) -> float:
        return _clock(self.core).mhz / _clock(self.cipher).mhz


def ratios(points: Iterable[Point]) -> list[Ratio]:
    """One for each typical point with a clock whose AES pipeline was measured, too; by target, then by name."""
    points = own(points)
    clocked = [point for point in typical(points) if point.found.clock]
    alone = [point for point in medians(points) if point.identity.preset == CIPHER and point.found.clock]
    # of several clocks that the tools aimed at, the best one
    ciphers = {_flow(point.identity): point for point in sorted(alone, key=lambda point: _clock(point).mhz)}
    flows = [point.identity.flow for point in current(points) if point.figures]
    found = [
        Ratio(point, ciphers[_flow(point.identity)], flows.count(point.identity.flow))
        for point in clocked
        if point.identity.preset in catalog.PRESETS and _flow(point.identity) in ciphers
    ]
    order = list(targets)
    return sorted(found, key=lambda ratio: (order.index(ratio.core.identity.target), ratio.core.name))


def row(ratio: Ratio) -> tuple[str, ...]:
    """``ratio`` under :data:`HEAD`; ends of the path that the tools made have no name."""
    clock, cipher = _clock(ratio.core), _clock(ratio.cipher)
    ends = [re.sub(r"_TRELLIS_FF_Q\w*|\[\d+\]$|^(core\.)+", "", end) for end in (clock.start, clock.end)]
    levels = "" if clock.levels is None else f", {clock.levels}"
    return (
        ratio.core.name,
        ratio.core.identity.target,
        f"{clock.mhz:.0f}",
        "-" if ratio.core.identity.seed is None else str(ratio.seeds),
        f"{cipher.mhz:.0f}",
        f"{ratio.value:.2f}",
        " / ".join(f"{value:.2f}" for value in _published(ratio.core.identity.preset)) or "-",
        " to ".join(end if end and not end.startswith("$") else "?" for end in ends) + levels,
    )


def renew(document: Path, points: Iterable[Point]) -> bool:
    """Puts the table between the markers of ``document``; True if that changed it. Raises UserError as ``insert``."""
    return insert(document, BEGIN, END, table(HEAD, map(row, ratios(points))))


def _flow(identity: Identity) -> tuple[object, ...]:
    """Equal for a core and the AES pipeline in it, built by the same tools in the same way."""
    parameters = (identity.parameters.get(name) for name in ("sbox", "round_stages"))
    return identity.target, identity.options, identity.tools, *parameters


def _published(preset: str) -> list[float]:
    """The same ratio from each of the papers' tables that have both clocks."""
    alone = {(row.source, row.device): row.mhz for row in for_preset(CIPHER) if row.kind == "paper" and row.mhz}
    rows = [row for row in for_preset(preset) if row.kind == "paper" and row.mhz]
    found = [row.mhz / alone[row.source, row.device] for row in rows if row.mhz and (row.source, row.device) in alone]
    return list(dict.fromkeys(round(value, 2) for value in found))


def _clock(point: Point) -> Clock:
    assert point.found.clock is not None
    return point.found.clock


if __name__ == "__main__":
    renew(Path(sys.argv[2]), load(sys.argv[1]))
