# SPDX-License-Identifier: Apache-2.0
"""Export rewrites RTLIL and Verilog as text: each form that it looks for is still written by Amaranth and by Yosys."""

import re
from importlib.metadata import version

import pytest

from wideblock.export import enclosed, memories, simulators, style, verilog
from wideblock.export.contract import contract

pytestmark = pytest.mark.shows("lint")

MODULES = (style, enclosed, memories, simulators)
PATTERNS = {
    f"{module.__name__}.{name}": value
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, re.Pattern)
}


def missing(texts):
    """Patterns without a place in any of ``texts``."""
    return [name for name, pattern in PATTERNS.items() if not any(map(pattern.search, texts))]


@pytest.fixture(scope="module")
def texts():
    """Every text on the way from Amaranth to the Verilog of a small core."""
    found = []

    def noted(rewrite):
        return lambda text, *more: rewrite(found.append(text) or text, *more)

    core = contract("heh-poly", {"sector_bytes": 64})
    with pytest.MonkeyPatch.context() as patch:
        for name in ("driven", "shared", "shaped", "widened", "plain"):
            patch.setattr(verilog, name, noted(getattr(verilog, name)))
        return [*verilog.generate(core.module, core.shell, "").values(), *found]


def test_every_form_is_still_written(texts):
    tools = ", ".join(f"{tool} {version(tool)}" for tool in ("amaranth", "pyosys"))
    assert missing(texts) == [], f"no text of {tools} has these forms: the export leaves them as they are"


def test_a_form_that_is_written_in_another_way_is_named(texts):
    other = [text.replace("process $", "process \\").replace("casez (s)", "casez(s)") for text in texts]
    assert missing(other) == ["wideblock.export.style._ALWAYS", "wideblock.export.style._CHOICE"]
