# SPDX-License-Identifier: Apache-2.0
"""Counts of primitives of a device family: registers, LUTs, memories, carries."""

import re
from dataclasses import dataclass

__all__ = ["ECP5", "XILINX", "Cells"]


@dataclass(frozen=True)
class Cells:
    """How a family's primitives count. Each field is a regular expression that a whole cell type matches.

    ``block_ram`` pairs an expression with the cell's share of a block RAM (the family's largest).
    ``lut_weight`` cells are made of several LUTs and count so, beyond what ``lut`` matches (a carry cell of ECP5).
    """

    lut: str
    ff: str
    wide_mux: str
    lutram: str
    shift_register: str
    block_ram: tuple[tuple[str, float], ...]
    dsp: str
    lut_weight: tuple[tuple[str, int], ...] = ()

    def count(self, cells: dict[str, int], expression: str) -> int:
        return sum(n for cell, n in cells.items() if re.fullmatch(expression, cell))


XILINX = Cells(
    lut=r"LUT[1-6]",
    ff=r"FD[CPRS]E(_1)?",
    wide_mux=r"MUXF[5-9]",
    lutram=r"RAM(16|32|64|128|256|512)\w*",
    shift_register=r"SRL(16E|C16E|C32E)",
    block_ram=((r"RAMB36\w*|FIFO36\w*", 1.0), (r"RAMB18\w*|FIFO18\w*", 0.5)),
    dsp=r"DSP48\w*",
)

ECP5 = Cells(
    lut=r"LUT4",
    ff=r"TRELLIS_FF",
    wide_mux=r"PFUMX|L6MUX21",
    lutram=r"TRELLIS_DPR16X4",
    shift_register=r"(?!)",
    block_ram=((r"DP16KD|PDPW16KD", 1.0),),
    dsp=r"MULT(9|18)X(9|18)D|ALU54B",
    lut_weight=((r"CCU2C", 2),),
)
