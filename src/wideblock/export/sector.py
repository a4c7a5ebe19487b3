# SPDX-License-Identifier: Apache-2.0
"""Files of a sector core that other kinds of cores have in another form, or not at all."""

from wideblock.export.contract import Contract
from wideblock.export.datasheet import datasheet
from wideblock.export.testbench import cases, testbench

__all__ = ["datasheet", "others"]


def others(core: Contract) -> dict[str, str]:
    """Returns the test bench, where there is a known answer for it to play."""
    plays = cases(core)
    return {f"{core.module}_tb.v": testbench(core, plays)} if plays else {}
