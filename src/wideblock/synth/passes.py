# SPDX-License-Identifier: Apache-2.0
"""Program, run by :mod:`wideblock.synth.yosys` in a process of its own: Yosys passes from a file, one a line.

Two lines are no passes: ``ports FILE`` writes the top module's ports as JSON, {name: [direction, width]}; ``memories
FILE`` the bits of each remaining memory.
"""

import json
import sys
from importlib import import_module
from pathlib import Path


def main(script: str) -> None:
    libyosys = import_module("pyosys.libyosys")
    design = libyosys.Design()
    for line in Path(script).read_text().splitlines():
        if line.startswith("ports "):
            module = design.top_module()
            wires = [module.wire(name) for name in module.ports]
            ports = {str(w.name).removeprefix("\\"): ["input" if w.port_input else "output", w.width] for w in wires}
            Path(line.removeprefix("ports ")).write_text(json.dumps(ports))
        elif line.startswith("memories "):
            cells = design.top_module().cells_.values()
            kept = [cell for cell in cells if str(cell.type).startswith("$mem")]
            bits = [_parameter(cell, "SIZE") * _parameter(cell, "WIDTH") for cell in kept]
            Path(line.removeprefix("memories ")).write_text(json.dumps(bits))
        else:
            libyosys.run_pass(line, design)


def _parameter(cell, name: str) -> int:
    libyosys = import_module("pyosys.libyosys")
    return cell.getParam(libyosys.IdString(f"\\{name}")).as_int()


if __name__ == "__main__":
    main(sys.argv[1])
