# SPDX-License-Identifier: Apache-2.0
"""A synthesised netlist in the place of the Verilog it was made from: same ports, same harness, same checks."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from wideblock.catalog import KnownAnswer
from wideblock.export.contract import Contract
from wideblock.verify.report import Report
from wideblock.verify.sector.driver import SectorSimulation as Simulation
from wideblock.verify.sector.suite import verify

__all__ = ["NETLIST_CHECKS", "cells", "simulate_netlist", "verify_netlist"]

NETLIST_CHECKS = ("known answers", "cycle contract", "random sectors", "gaps and back-pressure", "wrong lengths")
"""What a netlist is tried with unless told otherwise: synthesis can break the data path, rarely the protocol."""

_MODULE = re.compile(r"^[ \t]*(?:\(\*.*?\*\)\s*)*module\s+\\?([\w$]+).*?^[ \t]*endmodule\b", re.MULTILINE | re.DOTALL)


def simulate_netlist(
    subject: Contract, netlist: Path | str, models: Sequence[Path], *, includes: Sequence[Path] = ()
) -> Simulation:
    """A simulation of the netlist of ``subject``'s Verilog.

    netlist:  the file that synthesis wrote, its top module and ports unchanged
    models:   the vendor's cell models in Verilog; ``includes`` are the directories that they include from
    Raises ValueError for a cell without behaviour, BuildError if the whole cannot be built.
    """
    text = Path(netlist).read_text()
    return Simulation(subject, verilog=[text, cells(text, models, includes)])


def verify_netlist(
    subject: Contract,
    netlist: Path | str,
    models: Sequence[Path],
    *,
    includes: Sequence[Path] = (),
    sectors: int = 16,
    seed: int = 0,
    vectors: Iterable[KnownAnswer] = (),
    checks: Iterable[str] = NETLIST_CHECKS,
    progress=None,
) -> Report:
    """The report of :func:`~wideblock.verify.sector.suite.verify` on the netlist."""
    with simulate_netlist(subject, netlist, models, includes=includes) as simulation:
        return verify(
            subject,
            sectors=sectors,
            seed=seed,
            vectors=vectors,
            checks=checks,
            simulation=simulation,
            progress=progress,
        )


def cells(netlist: str, models: Sequence[Path], includes: Sequence[Path] = ()) -> str:
    """Verilog of every cell type that ``netlist`` uses, and no other: models of a whole family take long to read.

    Block RAMs of Virtex-6 and 7 series, which Yosys' models have as ports and timing only, are given a behaviour.
    """
    found = {}
    for path in models:
        for module in _MODULE.finditer(_comments_out(_included(path, includes))):
            found[module[1]] = module[0]
    for name in _BLOCK_RAMS:
        if name in found:
            found[name] = _block_ram(name)
    defined = {module[1] for module in _MODULE.finditer(netlist)}
    wanted = [name for name in found if name not in defined]
    used, todo = set(), {name for name in _words(netlist) if name in wanted}
    while todo:
        used |= todo
        todo = {word for name in todo for word in _words(found[name]) if word in wanted} - used
    for name in sorted(used):
        body = re.sub(r"\bspecify\b.*?\bendspecify\b", "", found[name], flags=re.DOTALL)
        if not re.search(r"\b(assign|always|initial|and|or|not|xor|buf)\b|^\s*[A-Z]\w+\s+(#|\w+\s*\()", body, re.M):
            raise ValueError(
                f"cell {name} has no behaviour in {', '.join(p.name for p in models)}: "
                f"choose synthesis options that avoid it"
            )
    missing = _instantiated(netlist) - set(found) - defined
    if missing:
        raise ValueError(f"cell {min(missing)} is not in {', '.join(p.name for p in models)}")
    return "\n".join(re.sub(r"\bspecify\b.*?\bendspecify\b", "", found[name], flags=re.DOTALL) for name in sorted(used))


def _words(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_$][\w$]*", text))


def _instantiated(netlist: str) -> set[str]:
    """Names of cell types: as Yosys writes an instance, at the start of a line and followed by #( or a name."""
    return set(re.findall(r"^  ([A-Za-z]\w*) (?:#\(|\\?\S+ \($)", netlist, re.MULTILINE))


def _comments_out(text: str) -> str:
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


def _included(path: Path, includes: Sequence[Path]) -> str:
    def insert(match: re.Match[str]) -> str:
        for directory in (path.parent, *includes):
            if (directory / match[1]).is_file():
                return _included(directory / match[1], includes)
        raise ValueError(f"{path.name} includes {match[1]}, which is not there")

    return re.sub(r'^[ \t]*`include\s+"([^"]+)"', insert, path.read_text(), flags=re.MULTILINE)


_BLOCK_RAMS = {"RAMB18E1": (2, 14), "RAMB36E1": (4, 16)}  # bytes of one port, address bits


def _block_ram(name: str) -> str:
    """A block RAM without output registers, cascade and error correction.

    Reads give what was there before the edge, except that a port in mode WRITE_FIRST reads what it writes and one in
    NO_CHANGE keeps its output; where the device leaves the other port's data undefined, they come out inverted.
    Source: Xilinx UG473, chapter 1.
    """
    n, address = _BLOCK_RAMS[name]
    rows, data, wide = 1024 * n, 8 * n, 2 * n
    index = rows.bit_length() - 1
    inits, initps = rows // 32, rows // 256
    parameters = "".join(f"  parameter INIT_{i:02X} = 256'h0;\n" for i in range(inits))
    parameters += "".join(f"  parameter INITP_{i:02X} = 256'h0;\n" for i in range(initps))
    init = ", ".join(f"INIT_{i:02X}" for i in reversed(range(inits)))
    initp = ", ".join(f"INITP_{i:02X}" for i in reversed(range(initps)))
    extra = (
        ""
        if name == "RAMB18E1"
        else """
  output CASCADEOUTA, CASCADEOUTB, SBITERR, DBITERR, output [7:0] ECCPARITY, output [8:0] RDADDRECC,
  input CASCADEINA, CASCADEINB, INJECTDBITERR, INJECTSBITERR,"""
    )
    zeros = (
        ""
        if name == "RAMB18E1"
        else """
  assign {CASCADEOUTA, CASCADEOUTB, SBITERR, DBITERR, ECCPARITY, RDADDRECC} = 0;"""
    )
    return f"""
module {name} (
  input CLKARDCLK, CLKBWRCLK, ENARDEN, ENBWREN, REGCEAREGCE, REGCEB, RSTRAMARSTRAM, RSTRAMB, RSTREGARSTREG, RSTREGB,
  input [{address - 1}:0] ADDRARDADDR, ADDRBWRADDR,
  input [{data - 1}:0] DIADI, DIBDI, input [{n - 1}:0] DIPADIP, DIPBDIP, WEA, input [{wide - 1}:0] WEBWE,{extra}
  output [{data - 1}:0] DOADO, DOBDO, output [{n - 1}:0] DOPADOP, DOPBDOP
);
{parameters}
  parameter integer DOA_REG = 0, DOB_REG = 0, READ_WIDTH_A = 0, READ_WIDTH_B = 0, WRITE_WIDTH_A = 0, WRITE_WIDTH_B = 0;
  parameter [{9 * n - 1}:0] INIT_A = 0, INIT_B = 0, SRVAL_A = 0, SRVAL_B = 0;
  parameter EN_ECC_READ = "FALSE", EN_ECC_WRITE = "FALSE", INIT_FILE = "NONE", RAM_MODE = "TDP";
  parameter RDADDR_COLLISION_HWCONFIG = "DELAYED_WRITE", RSTREG_PRIORITY_A = "RSTREG", RSTREG_PRIORITY_B = "RSTREG";
  parameter SIM_COLLISION_CHECK = "ALL", SIM_DEVICE = "7SERIES", RAM_EXTENSION_A = "NONE", RAM_EXTENSION_B = "NONE";
  parameter WRITE_MODE_A = "WRITE_FIRST", WRITE_MODE_B = "WRITE_FIRST";
  parameter IS_CLKARDCLK_INVERTED = 0, IS_CLKBWRCLK_INVERTED = 0, IS_ENARDEN_INVERTED = 0, IS_ENBWREN_INVERTED = 0;
  parameter IS_RSTRAMARSTRAM_INVERTED = 0, IS_RSTRAMB_INVERTED = 0, IS_RSTREGARSTREG_INVERTED = 0;
  parameter IS_RSTREGB_INVERTED = 0;
  localparam SDP = RAM_MODE == "SDP";
  localparam UNSUPPORTED = DOA_REG != 0 || DOB_REG != 0 || RAM_EXTENSION_A != "NONE" || RAM_EXTENSION_B != "NONE"
    || EN_ECC_READ != "FALSE" || EN_ECC_WRITE != "FALSE" || IS_CLKARDCLK_INVERTED != 0 || IS_CLKBWRCLK_INVERTED != 0;
  initial if (UNSUPPORTED) begin
    $display("{name}: this model has no output register, cascade, error correction or inverted clock");
    $stop;
  end

  reg [8:0] bytes [0:{rows - 1}];
  localparam [{rows * 8 - 1}:0] DATA = {{{init}}};
  localparam [{rows - 1}:0] PARITY = {{{initp}}};
  integer k;
  initial for (k = 0; k < {rows}; k = k + 1) bytes[k] = {{PARITY[k], DATA[8 * k +: 8]}};

  // bytes of a port's word, at least 1; the first of them; which bits of it a narrow port has
  function integer span(input integer width); span = width >= 9 ? width / 9 : 1; endfunction
  function [{index - 1}:0] first(input [{index + 2}:0] a, input integer width);
    first = a[{index + 2}:3] & ~(span(width) - 1);
  endfunction
  function [2:0] low(input [{index + 2}:0] a, input integer width);
    low = width >= 9 ? 0 : a[2:0] & ~(width - 1);
  endfunction
  function [8:0] taken(input [8:0] old, input [{index + 2}:0] a, input integer width);
    taken = width >= 9 ? old : (old >> low(a, width)) & ((1 << width) - 1);
  endfunction
  function [8:0] merged(input [8:0] old, new_, input [{index + 2}:0] a, input integer width);
    reg [8:0] mask;
    begin
      mask = width >= 9 ? 9'h1ff : ((1 << width) - 1) << low(a, width);
      merged = (old & ~mask) | ((new_ << low(a, width)) & mask);
    end
  endfunction

  wire ena = ENARDEN ^ IS_ENARDEN_INVERTED, enb = ENBWREN ^ IS_ENBWREN_INVERTED;
  wire rsta = RSTRAMARSTRAM ^ IS_RSTRAMARSTRAM_INVERTED, rstb = RSTRAMB ^ IS_RSTRAMB_INVERTED;
  wire [{index + 2}:0] aa = ADDRARDADDR[{index + 2}:0], ab = ADDRBWRADDR[{index + 2}:0];
  wire [{8 * wide - 1}:0] dia = DIADI;
  wire [{8 * wide - 1}:0] dib = SDP && WRITE_WIDTH_B > {9 * n} ? {{DIBDI, DIADI}} : DIBDI;
  wire [{wide - 1}:0] dipa = DIPADIP;
  wire [{wide - 1}:0] dipb = SDP && WRITE_WIDTH_B > {9 * n} ? {{DIPBDIP, DIPADIP}} : DIPBDIP;
  wire [{wide - 1}:0] wa = ena && !SDP && WRITE_WIDTH_A != 0 ? WEA : 0;
  wire [{wide - 1}:0] wb = enb && WRITE_WIDTH_B != 0 ? WEBWE : 0;

  reg [{8 * wide - 1}:0] qa = {{INIT_B[{data - 1}:0], INIT_A[{data - 1}:0]}}, qb = INIT_B[{data - 1}:0];
  reg [{wide - 1}:0] pa = {{INIT_B[{9 * n - 1}:{data}], INIT_A[{9 * n - 1}:{data}]}}, pb = INIT_B[{9 * n - 1}:{data}];
  reg [8:0] oa, ob, va, vb;
  integer i, j;

  always @(posedge CLKARDCLK) begin
    for (i = 0; i < {wide}; i = i + 1) begin
      oa = bytes[first(aa, READ_WIDTH_A) | i];
      if (WRITE_MODE_A == "WRITE_FIRST" && wa[i % span(WRITE_WIDTH_A)])
        oa = merged(oa, {{dipa[i], dia[8 * i +: 8]}}, aa, WRITE_WIDTH_A);
      if (WRITE_MODE_B != "READ_FIRST" && wb[i % span(WRITE_WIDTH_B)]
          && (first(aa, READ_WIDTH_A) | i) / span(WRITE_WIDTH_B)
            == first(ab, WRITE_WIDTH_B) / span(WRITE_WIDTH_B))
        oa = ~oa;
      if (ena && i < span(READ_WIDTH_A) && READ_WIDTH_A > 0 && !(WRITE_MODE_A == "NO_CHANGE" && wa != 0))
        {{pa[i], qa[8 * i +: 8]}} <= taken(oa, aa, READ_WIDTH_A);
      va = bytes[first(aa, WRITE_WIDTH_A) | i];
      if (i < span(WRITE_WIDTH_A) && wa[i])
        bytes[first(aa, WRITE_WIDTH_A) | i]
          <= merged(va, {{dipa[i], dia[8 * i +: 8]}}, aa, WRITE_WIDTH_A);
    end
    if (ena && rsta) begin
      qa <= {{SRVAL_B[{data - 1}:0], SRVAL_A[{data - 1}:0]}};
      pa <= {{SRVAL_B[{9 * n - 1}:{data}], SRVAL_A[{9 * n - 1}:{data}]}};
    end
  end

  always @(posedge CLKBWRCLK) begin
    for (j = 0; j < {wide}; j = j + 1) begin
      ob = bytes[first(ab, READ_WIDTH_B) | j];
      if (WRITE_MODE_B == "WRITE_FIRST" && wb[j % span(WRITE_WIDTH_B)])
        ob = merged(ob, {{dipb[j], dib[8 * j +: 8]}}, ab, WRITE_WIDTH_B);
      if (WRITE_MODE_A != "READ_FIRST" && wa[j % span(WRITE_WIDTH_A)]
          && (first(ab, READ_WIDTH_B) | j) / span(WRITE_WIDTH_A)
            == first(aa, WRITE_WIDTH_A) / span(WRITE_WIDTH_A))
        ob = ~ob;
      if (enb && !SDP && j < span(READ_WIDTH_B) && READ_WIDTH_B > 0 && !(WRITE_MODE_B == "NO_CHANGE" && wb != 0))
        {{pb[j], qb[8 * j +: 8]}} <= taken(ob, ab, READ_WIDTH_B);
      vb = bytes[first(ab, WRITE_WIDTH_B) | j];
      if (j < span(WRITE_WIDTH_B) && wb[j])
        bytes[first(ab, WRITE_WIDTH_B) | j]
          <= merged(vb, {{dipb[j], dib[8 * j +: 8]}}, ab, WRITE_WIDTH_B);
    end
    if (enb && rstb && !SDP) begin
      qb <= SRVAL_B[{data - 1}:0];
      pb <= SRVAL_B[{9 * n - 1}:{data}];
    end
  end

  assign DOADO = qa[{data - 1}:0];
  assign DOPADOP = pa[{n - 1}:0];
  assign DOBDO = SDP ? qa[{2 * data - 1}:{data}] : qb[{data - 1}:0];
  assign DOPBDOP = SDP ? pa[{wide - 1}:{n}] : pb[{n - 1}:0];{zeros}
endmodule
"""
