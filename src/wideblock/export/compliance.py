# SPDX-License-Identifier: Apache-2.0
"""Rules of standards for the specified schemes, with the tests of each rule."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

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
    unless:  parameter and value under which nobody keeps the rule; empty: none
    """

    standard: str
    text: str
    schemes: tuple[str, ...]
    state: str
    tests: tuple[str, ...]
    engine: tuple[str, ...] = ()
    unless: str = ""


@cache
def standard_rules() -> tuple[StandardRule, ...]:
    """Every rule. Raises KeyError or TypeError for a row of ``compliance.toml`` that has another form."""
    rows = tomllib.loads(files("wideblock.catalog").joinpath("compliance.toml").read_text())["rule"]
    tuples = ("schemes", "tests", "engine")
    return tuple(StandardRule(**row | {name: tuple(row.get(name, ())) for name in tuples}) for row in rows)


def compliance_table(scheme: str, settings: Mapping[str, Any], *, engine: bool) -> str:
    """The rules for a core of a scheme with ``settings``, or for an engine, as a Markdown table; maybe empty."""
    chosen = {f"{name}={value}" for name, value in settings.items()}
    cells = []
    for rule in (rule for rule in standard_rules() if scheme in rule.schemes):
        state = STATES["engine" if engine and rule.engine else rule.state]
        state = f"NOT KEPT: {rule.unless}" if rule.unless in chosen else state
        cells.append((rule.standard, rule.text, state))
    return table(("standard", "rule", "state"), cells) if cells else ""
