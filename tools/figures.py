# SPDX-License-Identifier: Apache-2.0
"""Results of evidence as figures in words, by their kind."""

from collections.abc import Callable, Mapping
from typing import Any

from wideblock.evidence.record import Evidence, EvidenceKind

__all__ = ["figure"]


def figure(evidence: Evidence) -> str:
    """The result in a few words; a kind without words of its own gives its numbers by name."""
    return FIGURES.get(evidence.kind, _numbers)(evidence.result)


def _area(result: Mapping[str, Any]) -> str:
    return f"{result['area']:,} {result['unit'].partition(' ')[0]}"


def _checks(result: Mapping[str, Any]) -> str:
    tried = [name for name, (outcome, *_) in result["checks"].items() if outcome == "passed"]
    return f"{len(tried)} checks, {result['messages']:,} messages, {result['cycles']:,} cycles"


def _numbers(result: Mapping[str, Any]) -> str:
    """Numbers by name, and pairs as a count of all."""
    return ", ".join(f"{name.replace('_', ' ')} {told}" for name, value in result.items() if (told := _number(value)))


def _number(value: Any) -> str:
    """Empty for a value that is no number and no pair of numbers."""
    if isinstance(value, list | tuple) and len(value) == 2 and all(map(_number, value)):
        return " of ".join(map(_number, value))
    return f"{value:,.6g}" if isinstance(value, int | float) else ""


FIGURES: dict[str, Callable[[Mapping[str, Any]], str]] = {
    EvidenceKind.AREA: _area,
    EvidenceKind.CLOCK: lambda result: f"{result['clock']['mhz']:,.0f} MHz, {_area(result)}",
    EvidenceKind.VERIFY: _checks,
    EvidenceKind.MEASURE: lambda result: f"{len(result['stated'])} figures",
    EvidenceKind.MUTATION: lambda result: f"{result['killed']} of {result['mutants'] - result['equivalent']} killed",
}
"""Words for the result of a kind."""
