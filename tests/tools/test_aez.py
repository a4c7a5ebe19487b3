# SPDX-License-Identifier: Apache-2.0
"""The tables of a pair of AEZ are of the program, and have the equations of the paper."""

from dataclasses import replace
from pathlib import Path

import pytest

from tools.aez import bodies, passes
from tools.markers import inserted
from wideblock.rtl.aead.aez.offsets import Version
from wideblock.rtl.aead.aez.program import program
from wideblock.rtl.aead.aez.step import Text

pytestmark = pytest.mark.shows("documents")

PAGE = Path(__file__).parents[2] / "docs" / "authenticated-ciphers.md"
EQUATIONS = {
    "first": ["X2 = M'2 + E(0, 0; W2)", "W3 = M3 + E(1, 3; M'3)", "X3 = M'3 + E(0, 0; W3)"],
    "second": ["Z3 = X3 + S'3", "Y3", "C'3 = Y3 + E(0, 0; Z3)", "C3 = Z3 + E(1, 3; C'3)"],
}
"""Source: AEZ v5 (2017), 1.5, AEZ-core."""


def texts(steps):
    """The column V of each pass over pair 3."""
    return {name: [row[2] for row in rows if row[2]] for name, rows in passes(steps, 3).items()}


def test_the_page_has_todays_program():
    for marker, body in bodies().items():
        assert inserted(PAGE, marker, body) == PAGE.read_text()


def test_values_are_those_of_the_paper():
    assert texts(program(Version.V5)) == EQUATIONS


def test_another_program_has_other_values():
    steps = tuple(replace(step, text=Text.KEEP) if step.text is Text.ADD else step for step in program(Version.V5))
    assert texts(steps)["second"] != EQUATIONS["second"]
