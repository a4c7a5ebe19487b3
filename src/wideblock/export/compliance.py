# SPDX-License-Identifier: Apache-2.0
"""Rules of standards for the schemes that they specify, with the tests that show them."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from wideblock.export.markdown import table

__all__ = ["StandardRule", "compliance_table", "standard_rules"]

_STATES = {"core": "kept by the core", "user": "for the user to keep"}


@dataclass(frozen=True)
class StandardRule:
    """A rule of a standard.

    schemes: names of the schemes that it is for
    state:   "core" if the core keeps it, "user" if it is for the user to keep
    tests:   ids of the tests that show it, from the project's folder on
    """

    standard: str
    text: str
    schemes: tuple[str, ...]
    state: str
    tests: tuple[str, ...]


@cache
def standard_rules() -> tuple[StandardRule, ...]:
    """Every rule. Raises KeyError or TypeError for a row of ``compliance.toml`` that has another form."""
    rows = tomllib.loads(files("wideblock.catalog").joinpath("compliance.toml").read_text())["rule"]
    return tuple(StandardRule(**row | {"schemes": tuple(row["schemes"]), "tests": tuple(row["tests"])}) for row in rows)


def compliance_table(scheme: str | None = None) -> str:
    """The rules for a scheme, or of all with the schemes that they are for, as a Markdown table; empty if none."""
    rows = [rule for rule in standard_rules() if scheme is None or scheme in rule.schemes]
    if not rows:
        return ""
    head = ("standard", "rule", "state", "shown by")
    return table(
        head if scheme else (*head, "schemes"),
        [
            (
                *(rule.standard, rule.text, _STATES[rule.state], ", ".join(f"`{test}`" for test in rule.tests)),
                *(() if scheme else (", ".join(rule.schemes),)),
            )
            for rule in rows
        ],
    )
