# SPDX-License-Identifier: Apache-2.0
"""Claims of rank and ratio in the papers, judged by measured points of one flow."""

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Any

from wideblock import catalog
from wideblock.errors import UserError
from wideblock.evaluate.plots import figure
from wideblock.evaluate.point import Figures, Point
from wideblock.evaluate.stated import rate
from wideblock.evaluate.store import own, typical
from wideblock.export.markdown import table
from wideblock.synth.targets import targets

__all__ = ["MEASURES", "Claim", "ClaimFinding", "claims", "document", "findings"]

STATED = "bits a cycle"
"""The measure without a measured point: throughput at one clock, from the cycle contract."""

MEASURES: Mapping[str, Callable[[Figures], float | None]] = {
    "Gb/s": lambda found: found.gbps,
    "area": lambda found: found.area,
    "block RAMs": lambda found: None if found.memory_bits else found.block_rams,
    "bits a cycle a thousand of area": lambda found: found.bits_a_cycle and 1000 * found.bits_a_cycle / found.area,
    "bits a cycle a thousand LUTs": lambda found: (
        1000 * found.bits_a_cycle / found.luts if found.bits_a_cycle and found.luts else None
    ),
    "Mb/s an area": lambda found: found.mbps_per_area,
}
"""The compared figure of a point, by unit; None for a point without the figure."""

RELATIONS: Mapping[str, str] = {
    "falling": "each above the next",
    "least": "the first below all others",
    "most": "the first above all others",
    "ratio": "the first over the second within bounds",
}


FLOWS = (("xc7", "xc6v", "xc5v"), ("ecp5",), ("nangate45",))
"""Groups of targets; a claim is judged on the first target of a group with a figure for all cores."""


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper that compares cores.

    source:   short name of the paper
    place:    where in it
    relation: name in :data:`RELATIONS`; empty if no figure of ours can judge the claim, for the ``reason``
    measures: names in :data:`MEASURES`, each judged separately
    cores:    presets, perhaps changed, in the order of the relation
    bounds:   least and most of a ratio
    """

    source: str
    place: str
    text: str
    relation: str = ""
    measures: tuple[str, ...] = ()
    cores: tuple[str, ...] = ()
    bounds: tuple[float, float] = (0, 0)
    reason: str = ""


@dataclass(frozen=True)
class ClaimFinding:
    """The figures of a claim's cores in a measure, on a target or without, in the order of the cores."""

    claim: Claim
    measure: str
    target: str | None
    values: tuple[float, ...]

    @property
    def holds(self) -> bool:
        """Whether the figures bear the claim out."""
        first, *others = self.values
        if self.claim.relation == "falling":
            return all(a > b for a, b in pairwise(self.values))
        if self.claim.relation == "ratio":
            low, high = self.claim.bounds
            return low <= first / others[0] <= high
        return first < min(others) if self.claim.relation == "least" else first > max(others)

    @property
    def ours(self) -> str:
        """The figures with the cores' names, and the quotient of a ratio with its bounds."""
        named = ", ".join(f"{core} {figure(v)}" for core, v in zip(self.claim.cores, self.values, strict=True))
        if self.claim.relation != "ratio":
            return named
        low, high = self.claim.bounds
        return f"{named}; {self.values[0] / self.values[1]:.2f} times, for {low:g} to {high:g}"


@cache
def claims() -> tuple[Claim, ...]:
    """Every claim, by paper. Raises UserError for a relation, a measure or a core that does not exist."""
    with resources.files("tools").joinpath("claims.toml").open("rb") as file:
        rows = tomllib.load(file)["claim"]
    found = []
    for row in rows:
        fields: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in row.items()}
        claim = Claim(**fields)
        wrong = [name for name in claim.measures if name not in (STATED, *MEASURES)]
        wrong += [name for name in claim.cores if name.partition(" ")[0] not in catalog.PRESETS]
        wrong += [claim.relation] if claim.relation not in ("", *RELATIONS) else []
        if wrong:
            raise UserError(f"claim {claim.text!r} names {wrong[0]!r}, which is no preset, measure or relation")
        found.append(claim)
    return tuple(found)


def findings(points: Iterable[Point]) -> dict[Claim, list[ClaimFinding]]:
    """For each claim a finding for each measure and flow with a figure for all cores; maybe none."""
    by_name = {(point.name, point.identity.target): point.found for point in typical(own(points))}

    def values(claim: Claim, measure: str, target: str) -> tuple[float, ...]:
        figures = [by_name.get((core, target)) for core in claim.cores]
        found = [None if each is None else MEASURES[measure](each) for each in figures]
        return tuple(value for value in found if value is not None)

    found: dict[Claim, list[ClaimFinding]] = {claim: [] for claim in claims()}
    for claim, here in found.items():
        if STATED in claim.measures:
            rates = [rate(core) for core in claim.cores]
            here.append(ClaimFinding(claim, STATED, None, tuple(8 * size / cycles for size, cycles in rates)))
        for measure in claim.measures:
            for group in FLOWS if measure in MEASURES else ():
                made = (ClaimFinding(claim, measure, target, values(claim, measure, target)) for target in group)
                here += [each for each in made if len(each.values) == len(claim.cores)][:1]
    return found


def document(points: Iterable[Point]) -> str:
    """The page: each claim with our figures on each target, and the verdict."""
    judged = findings(points)
    verdicts = Counter(_verdict(claim, found) for claim, found in judged.items())
    told = ", ".join(f"{verdict} {verdicts[verdict]}" for verdict in VERDICTS if verdicts[verdict])
    sections = [_HEAD.format(total=len(judged), told=told)]
    for source in dict.fromkeys(claim.source for claim in judged):
        rows = []
        for number, (claim, found) in enumerate(judged.items(), 1):
            if claim.source == source:
                rows += _rows(number, claim, found)
        sections.append(f"## {source}\n\n{table(('no.', 'claim', 'on', 'ours', 'verdict'), rows)}")
    return "\n".join(sections)


VERDICTS = ("holds", "does not hold", "holds in part", "no figure of today", "cannot be judged")

_HEAD = """# What the papers claim and what we find

Claims of rank or ratio in the five papers, judged by our own cores in one flow: figures of one target compare, those
of two do not. `make docs` makes this page from cycle contracts and from stored evidence of today's circuits. A
claim has a verdict only if each of its cores has such a figure. A ratio holds within bounds that follow from the words
of the claim; ours, "for" the bounds, has both. "on" is the figure that is compared, and its device.
[Evaluation](evaluation.md) says how each figure is made.

{total} claims: {told}.
"""


def _verdict(claim: Claim, found: list[ClaimFinding]) -> str:
    if claim.reason:
        return "cannot be judged"
    verdicts = {finding.holds for finding in found}
    if len(verdicts) == 2:
        return "holds in part"
    return {True: "holds", False: "does not hold"}[verdicts.pop()] if verdicts else "no figure of today"


def _rows(number: int, claim: Claim, found: list[ClaimFinding]) -> list[tuple[str, ...]]:
    said = f"{claim.text} ({claim.place})"
    if not found:
        return [(str(number), said, "-", claim.reason or "-", _verdict(claim, found))]
    rows = []
    for finding in found:
        verdict = "holds" if finding.holds else "does not hold"
        on = f"{targets[finding.target].family if finding.target else 'one clock'}, {finding.measure}"
        rows.append((str(number) if not rows else "", said if not rows else "", on, finding.ours, verdict))
    return rows
