# SPDX-License-Identifier: Apache-2.0
"""The bridge between Linux in user mode and the exported Verilog, as a process with two arguments: library, socket."""

import ctypes
import json
import sys
from pathlib import Path

from wideblock.simulation.verilator import build

__all__ = ["FIGURES", "library"]

SOURCES = Path(__file__).with_name("bridge")
MEMORY = SOURCES.parents[2] / "rtl" / "dma" / "axi_memory.h"
FIGURES = (
    *("cycles", "units", "read_bursts", "write_bursts", "written", "refused", "faults", "commands"),
    *("loaded", "reads", "writes", "interrupts"),
)
"""Sums of a run, in the order of ``struct BridgeFigures``."""


class Figures(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in FIGURES]


def library(verilog: str, top: str) -> Path:
    """The compiled model of module ``top`` with the bridge around it, from the cache. Raises BuildError."""
    files = {path.name: path.read_text() for path in (*sorted(SOURCES.iterdir()), MEMORY)}
    return Path(build([verilog], top, files)._name)


def main() -> int:
    """Serves one guest, and prints the figures as JSON."""
    model, figures = ctypes.CDLL(sys.argv[1]), Figures()
    status = model.bridge_run(sys.argv[2].encode(), ctypes.byref(figures))
    print(json.dumps({name: getattr(figures, name) for name in FIGURES}))
    return status


if __name__ == "__main__":
    sys.exit(main())
