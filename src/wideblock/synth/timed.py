# SPDX-License-Identifier: Apache-2.0
"""Netlists for place and route that has timing of one size of LUT alone, and of none that it adds itself."""

import re
from collections import Counter
from typing import Any

from wideblock.synth.targets import TimedLut

__all__ = ["timed"]


def timed(netlist: dict[str, Any], lut: TimedLut) -> dict[str, Any]:
    """``netlist``, Yosys' JSON with one flat module, changed: each LUT is a ``lut``, one stands before each flip-flop.

    A flip-flop whose LUT drives nothing else keeps it, and constant data stay as they are. The function is the same.
    """
    cells = _flat(netlist)["cells"]
    uses = Counter(bit for cell in cells.values() for bits in cell["connections"].values() for bit in bits)
    own = set()
    for cell in cells.values():
        if re.fullmatch(lut.small, cell["type"]):
            (driven,) = cell["connections"][lut.output]
            own |= {driven} if uses[driven] == 2 else set()
            content = cell["parameters"]["INIT"]
            cell["type"] = lut.cell
            cell["parameters"]["INIT"] = content * (2**lut.inputs // len(content))
    free = max(bit for bit in uses if isinstance(bit, int))
    for name, cell in [*cells.items()]:
        if not re.fullmatch(lut.flip_flop, cell["type"]):
            continue
        (data,) = cell["connections"][lut.data]
        if isinstance(data, int) and data not in own:
            free += 1
            cell["connections"][lut.data] = [free]
            cells[f"{name}$before"] = {
                "type": lut.cell,
                "parameters": {"INIT": "10" * 2 ** (lut.inputs - 1)},
                "attributes": {},
                "port_directions": {lut.input: "input", lut.output: "output"},
                "connections": {lut.input: [data], lut.output: [free]},
            }
    return netlist


def _flat(netlist: dict[str, Any]) -> dict[str, Any]:
    """The module that is no primitive."""
    (module,) = (each for each in netlist["modules"].values() if "top" in each["attributes"])
    return module
