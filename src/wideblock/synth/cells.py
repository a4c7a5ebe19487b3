# SPDX-License-Identifier: Apache-2.0
"""Counts of primitives of a device family: registers, LUTs, memories, carries."""

import re
from dataclasses import dataclass

__all__ = ["ECP5", "GATEMATE", "GW2A", "NEXUS", "XILINX", "Cells"]


@dataclass(frozen=True)
class Cells:
    """How a family's primitives count. Each field is a regular expression that a whole cell type matches.

    ``block_ram`` pairs an expression with the share of one block RAM (the family's largest) that a cell takes.
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

NEXUS = Cells(
    lut=r"LUT4|INV",
    ff=r"FD1P3\w*",
    wide_mux=r"WIDEFN9",
    lutram=r"DPR16X4",
    shift_register=r"(?!)",
    block_ram=((r"(P?DP|SP|PDPS)\w*16K\w*", 1.0),),
    dsp=r"MULT\w*",
    lut_weight=((r"WIDEFN9", 2), (r"CCU2", 2)),
)


GW2A = Cells(
    lut=r"LUT[1-4]",
    ff=r"DFF\w*",
    wide_mux=r"MUX2_LUT[5-8]",
    lutram=r"RAM16S(1|2|4|DP1|DP2|DP4)",
    shift_register=r"(?!)",
    block_ram=((r"(SP|SDP|SDPB|DP|DPB|pROM)(X9|X9B)?", 1.0),),
    dsp=r"MULT\w*|ALU54D|PADD\w*",
    lut_weight=((r"ALU", 1),),
)

GATEMATE = Cells(
    lut=r"CC_(LUT[1-4]|L2T4|MX2|ADDF)",
    ff=r"CC_DFF",
    wide_mux=r"(?!)",
    lutram=r"(?!)",
    shift_register=r"(?!)",
    block_ram=((r"CC_(BRAM|FIFO)_40K", 1.0), (r"CC_BRAM_20K", 0.5)),
    dsp=r"CC_MULT",
    lut_weight=((r"CC_(L2T5|MX4)", 2),),
)
