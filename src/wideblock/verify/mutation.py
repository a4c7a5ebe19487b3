# SPDX-License-Identifier: Apache-2.0
"""Broken copies of a core's Verilog: a suite of checks that lets one live has a hole."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from wideblock.export.contract import Contract
from wideblock.verify.report import Report
from wideblock.verify.sector.driver import SectorSimulation as Simulation
from wideblock.verify.sector.suite import verify

__all__ = ["KINDS", "Mutant", "mutants", "try_mutant"]


@dataclass(frozen=True)
class Mutant:
    """A change of one place: the line as it was and as it is, and the whole text with it."""

    kind: str
    line: int
    before: str
    after: str
    verilog: str

    def __str__(self) -> str:
        return f"{self.kind} in line {self.line}: {self.before.strip()!r} became {self.after.strip()!r}"


@dataclass(frozen=True)
class _Kind:
    """``pattern`` finds the places, on lines that match ``where``; ``change`` says what stands there instead."""

    where: str
    pattern: str
    change: Callable[[re.Match[str], random.Random], str]


def _flip(match: re.Match[str], rng: random.Random) -> str:
    value = int(match[2], 16) ^ 1 << rng.randrange(int(match[1]))
    return f"{match[1]}'h{value:0{len(match[2])}x}"


KINDS: dict[str, _Kind] = {
    # a gate of an S-box, a field product or a comparison
    "gate": _Kind(r"^\s*assign .* = ", r" ([&|^]) ", lambda m, rng: f" {rng.choice([g for g in '&|^' if g != m[1]])} "),
    # a bit of a number that is computed with: table entries, counter limits, reduction polynomial
    "constant": _Kind(r"^\s*assign .* = |^\s+\S+\s+= \d", r"\b(\d+)'h([0-9a-f]+)\b", _flip),
    # the two sides of a choice, or two neighbours in a concatenation, change places
    "operand": _Kind(
        r"^\s*assign .* = ",
        r"([?{,]) ([^?:,;{}]+?)( :|,) ([^?:,;{}]+?)(?= *[,;}])",
        lambda m, rng: f"{m[1]} {m[4]} {m[3].strip()} {m[2]} ",
    ),
    # a register that reset leaves alone
    "reset": _Kind(
        r"^\s*assign .* = ",
        r"= (aresetn|rst) \? (\S+) : (\S+);",
        lambda m, rng: f"= {m[2] if m[1] == 'aresetn' else m[3]};",
    ),
}
"""What can be broken, by name."""


def mutants(verilog: str, kind: str, *, seed: int = 0) -> Iterator[Mutant]:
    """Every mutant of one kind, each at another place, in an order that ``seed`` chooses.

    Some change nothing that a port can show; a fair suite is asked for most of them, not for all.
    """
    if kind not in KINDS:
        raise ValueError(f"no kind of mutation {kind!r}, there are {', '.join(KINDS)}")
    k = KINDS[kind]
    lines = verilog.splitlines(keepends=True)
    places = [
        (i, match) for i, line in enumerate(lines) if re.search(k.where, line) for match in re.finditer(k.pattern, line)
    ]
    rng = random.Random(f"{kind} {seed}")
    rng.shuffle(places)
    for i, match in places:
        after = lines[i][: match.start()] + k.change(match, rng) + lines[i][match.end() :]
        if after != lines[i]:
            yield Mutant(kind, i + 1, lines[i], after, "".join([*lines[:i], after, *lines[i + 1 :]]))


def try_mutant(
    subject: Contract,
    mutant: Mutant,
    *,
    sectors: int = 32,
    seed: int = 0,
    checks: Sequence[str] | None = None,
    **more: Any,
) -> Report:
    """The report of the suite on the mutant; it should not have passed."""
    with Simulation(subject, verilog=[mutant.verilog]) as simulation:
        return verify(subject, sectors=sectors, seed=seed, checks=checks, simulation=simulation, **more)
