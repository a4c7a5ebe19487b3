# SPDX-License-Identifier: Apache-2.0
"""Names of the Verilog are the same under every version of Python."""

import ast
from pathlib import Path

import pytest

import wideblock

from ..variants import over

pytestmark = pytest.mark.shows("lint")

RTL = Path(wideblock.__file__).parent / "rtl"
NAMED = {"Signal", "like", "read_port", "write_port", "Memory"}


@over("path", sorted(RTL.rglob("*.py")))
def test_what_is_named_after_its_variable_has_an_assignment_of_its_own(path):
    """Amaranth reads the name from the byte code after the call; that of several assignments at once differs."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
            for call in (part for part in node.value.elts if isinstance(part, ast.Call)):
                called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
                named = any(keyword.arg == "name" for keyword in call.keywords)
                assert named or called not in NAMED, f"line {node.lineno}: {ast.unparse(node)}"
