# SPDX-License-Identifier: Apache-2.0
"""Intermediate values of a specification have the paper's names and satisfy its equations."""

import sys

import pytest

from wideblock.export.contract import contract
from wideblock.spec.blocks import add
from wideblock.spec.trace import trace

pytestmark = pytest.mark.shows("spec-algebra")

CASES = (
    ("hctr2-1s", "MM UU S"),
    ("hmch-polys", "M1 U1 S"),
    ("heh-polys", "U V"),
    ("fast-brw-1s", "A1 F1 B1 Z"),
    ("eme2-1s", "MP MC T_star CCC_0"),
    ("xcb-1s", "D F"),
    ("aez-2ts", "S"),
)


@pytest.mark.parametrize(("name", "papers"), CASES)
@pytest.mark.parametrize("decrypt", [False, True])
def test_values_have_the_papers_names(name, papers, decrypt):
    core = contract(name, {"sector_bytes": 96})
    scheme = core.specification(bytes(range(core.preset.scheme.key_bits(core.parameters) // 8)))
    values = dict(trace(scheme, decrypt, bytes(range(16)), bytes(range(96))))
    assert values.keys() >= set(papers.split()) and values and all(len(value) == 16 for value in values.values())
    if name == "hctr2-1s":
        assert values["S"] == add(add(values["MM"], values["UU"]), scheme.L)
    assert sys.getprofile() is None
