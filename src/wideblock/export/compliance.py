# SPDX-License-Identifier: Apache-2.0
"""Rules of standards for the specified schemes, with the tests of each rule."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from wideblock.export.markdown import table

__all__ = ["STATES", "StandardRule", "compliance_table", "standard_rules"]

STATES = {"core": "kept by the core", "user": "for the user to keep", "engine": "kept by the engine"}
"""Words for the state of a rule."""


@dataclass(frozen=True)
class StandardRule:
    """A rule of a standard.

    schemes: names of the schemes of the rule
    state:   "core" if the core keeps the rule, "user" if the user must
    tests:   ids of the tests of the rule, from the project's folder on
    engine:  tests of an engine that keeps a rule in place of the user; none if it does not
    """

    standard: str
    text: str
    schemes: tuple[str, ...]
    state: str
    tests: tuple[str, ...]
    engine: tuple[str, ...] = ()


@cache
def standard_rules() -> tuple[StandardRule, ...]:
    """Every rule. Raises KeyError or TypeError for a row of ``compliance.toml`` that has another form."""
    rows = tomllib.loads(files("wideblock.catalog").joinpath("compliance.toml").read_text())["rule"]
    tuples = ("schemes", "tests", "engine")
    return tuple(StandardRule(**row | {name: tuple(row.get(name, ())) for name in tuples}) for row in rows)


def compliance_table(scheme: str, *, engine: bool) -> str:
    """The rules for a core of a scheme, or for its engine, as a Markdown table; empty if there are none."""
    rows = [rule for rule in standard_rules() if scheme in rule.schemes]
    states = ("engine" if engine and rule.engine else rule.state for rule in rows)
    cells = [(rule.standard, rule.text, STATES[state]) for rule, state in zip(rows, states, strict=True)]
    return table(("standard", "rule", "state"), cells) if rows else ""
