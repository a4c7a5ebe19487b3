// SPDX-License-Identifier: Apache-2.0
// Block RAMs of Virtex-6 and 7 series: the models that come with Yosys have their ports and timing only.

// Either one, with BYTES data bytes a port, without output registers, cascade and error correction. A read gives what
// was there before the edge, except that a port in mode WRITE_FIRST reads what it writes and one in NO_CHANGE keeps its
// output. Where the device leaves the other port's data undefined, they come out inverted.
// Source: Xilinx UG473, chapter 1.
module XILINX_BLOCK_RAM #(
  parameter BYTES = 2, ADDRESS = 14,
  parameter ROWS = 1024 * BYTES, INDEX = 10 + BYTES / 2, BITS = 8 * BYTES, WIDE = 2 * BYTES,
  parameter [ROWS * 8 - 1:0] DATA = 0, parameter [ROWS - 1:0] PARITY = 0,
  parameter integer DOA_REG = 0, DOB_REG = 0, READ_WIDTH_A = 0, READ_WIDTH_B = 0, WRITE_WIDTH_A = 0, WRITE_WIDTH_B = 0,
  parameter [9 * BYTES - 1:0] INIT_A = 0, INIT_B = 0, SRVAL_A = 0, SRVAL_B = 0,
  parameter EN_ECC_READ = "FALSE", EN_ECC_WRITE = "FALSE", RAM_MODE = "TDP",
  parameter RAM_EXTENSION_A = "NONE", RAM_EXTENSION_B = "NONE",
  parameter WRITE_MODE_A = "WRITE_FIRST", WRITE_MODE_B = "WRITE_FIRST",
  parameter IS_CLKARDCLK_INVERTED = 0, IS_CLKBWRCLK_INVERTED = 0, IS_ENARDEN_INVERTED = 0, IS_ENBWREN_INVERTED = 0,
  parameter IS_RSTRAMARSTRAM_INVERTED = 0, IS_RSTRAMB_INVERTED = 0
) (
  input CLKARDCLK, CLKBWRCLK, ENARDEN, ENBWREN, RSTRAMARSTRAM, RSTRAMB,
  input [ADDRESS - 1:0] ADDRARDADDR, ADDRBWRADDR,
  input [BITS - 1:0] DIADI, DIBDI, input [BYTES - 1:0] DIPADIP, DIPBDIP, WEA, input [WIDE - 1:0] WEBWE,
  output [BITS - 1:0] DOADO, DOBDO, output [BYTES - 1:0] DOPADOP, DOPBDOP
);
  localparam SDP = RAM_MODE == "SDP";
  localparam UNSUPPORTED = DOA_REG != 0 || DOB_REG != 0 || RAM_EXTENSION_A != "NONE" || RAM_EXTENSION_B != "NONE"
    || EN_ECC_READ != "FALSE" || EN_ECC_WRITE != "FALSE" || IS_CLKARDCLK_INVERTED != 0 || IS_CLKBWRCLK_INVERTED != 0;
  initial if (UNSUPPORTED) begin
    $display("%m: this model has no output register, cascade, error correction or inverted clock");
    $stop;
  end

  reg [8:0] bytes [0:ROWS - 1];
  integer k;
  initial for (k = 0; k < ROWS; k = k + 1) bytes[k] = {PARITY[k], DATA[8 * k +: 8]};

  // bytes of a port's word, at least 1; the first of them; which bits of it a narrow port has
  function integer span(input integer width); span = width >= 9 ? width / 9 : 1; endfunction
  function [INDEX - 1:0] first(input [INDEX + 2:0] a, input integer width);
    first = a[INDEX + 2:3] & ~(span(width) - 1);
  endfunction
  function [2:0] low(input [INDEX + 2:0] a, input integer width);
    low = width >= 9 ? 0 : a[2:0] & ~(width - 1);
  endfunction
  function [8:0] taken(input [8:0] old, input [INDEX + 2:0] a, input integer width);
    taken = width >= 9 ? old : (old >> low(a, width)) & ((1 << width) - 1);
  endfunction
  function [8:0] merged(input [8:0] old, new_, input [INDEX + 2:0] a, input integer width);
    reg [8:0] mask;
    begin
      mask = width >= 9 ? 9'h1ff : ((1 << width) - 1) << low(a, width);
      merged = (old & ~mask) | ((new_ << low(a, width)) & mask);
    end
  endfunction

  wire ena = ENARDEN ^ IS_ENARDEN_INVERTED, enb = ENBWREN ^ IS_ENBWREN_INVERTED;
  wire rsta = RSTRAMARSTRAM ^ IS_RSTRAMARSTRAM_INVERTED, rstb = RSTRAMB ^ IS_RSTRAMB_INVERTED;
  wire [INDEX + 2:0] aa = ADDRARDADDR[INDEX + 2:0], ab = ADDRBWRADDR[INDEX + 2:0];
  wire [8 * WIDE - 1:0] dia = DIADI;
  wire [8 * WIDE - 1:0] dib = SDP && WRITE_WIDTH_B > 9 * BYTES ? {DIBDI, DIADI} : DIBDI;
  wire [WIDE - 1:0] dipa = DIPADIP;
  wire [WIDE - 1:0] dipb = SDP && WRITE_WIDTH_B > 9 * BYTES ? {DIPBDIP, DIPADIP} : DIPBDIP;
  wire [WIDE - 1:0] wa = ena && !SDP && WRITE_WIDTH_A != 0 ? WEA : 0;
  wire [WIDE - 1:0] wb = enb && WRITE_WIDTH_B != 0 ? WEBWE : 0;

  reg [8 * WIDE - 1:0] qa = {INIT_B[BITS - 1:0], INIT_A[BITS - 1:0]}, qb = INIT_B[BITS - 1:0];
  reg [WIDE - 1:0] pa = {INIT_B[9 * BYTES - 1:BITS], INIT_A[9 * BYTES - 1:BITS]}, pb = INIT_B[9 * BYTES - 1:BITS];
  reg [8:0] oa, ob, va, vb;
  integer i, j;

  always @(posedge CLKARDCLK) begin
    for (i = 0; i < WIDE; i = i + 1) begin
      oa = bytes[first(aa, READ_WIDTH_A) | i];
      if (WRITE_MODE_A == "WRITE_FIRST" && wa[i % span(WRITE_WIDTH_A)])
        oa = merged(oa, {dipa[i], dia[8 * i +: 8]}, aa, WRITE_WIDTH_A);
      if (WRITE_MODE_B != "READ_FIRST" && wb[i % span(WRITE_WIDTH_B)]
          && (first(aa, READ_WIDTH_A) | i) / span(WRITE_WIDTH_B)
            == first(ab, WRITE_WIDTH_B) / span(WRITE_WIDTH_B))
        oa = ~oa;
      if (ena && i < span(READ_WIDTH_A) && READ_WIDTH_A > 0 && !(WRITE_MODE_A == "NO_CHANGE" && wa != 0))
        {pa[i], qa[8 * i +: 8]} <= taken(oa, aa, READ_WIDTH_A);
      va = bytes[first(aa, WRITE_WIDTH_A) | i];
      if (i < span(WRITE_WIDTH_A) && wa[i])
        bytes[first(aa, WRITE_WIDTH_A) | i]
          <= merged(va, {dipa[i], dia[8 * i +: 8]}, aa, WRITE_WIDTH_A);
    end
    if (ena && rsta) begin
      qa <= {SRVAL_B[BITS - 1:0], SRVAL_A[BITS - 1:0]};
      pa <= {SRVAL_B[9 * BYTES - 1:BITS], SRVAL_A[9 * BYTES - 1:BITS]};
    end
  end

  always @(posedge CLKBWRCLK) begin
    for (j = 0; j < WIDE; j = j + 1) begin
      ob = bytes[first(ab, READ_WIDTH_B) | j];
      if (WRITE_MODE_B == "WRITE_FIRST" && wb[j % span(WRITE_WIDTH_B)])
        ob = merged(ob, {dipb[j], dib[8 * j +: 8]}, ab, WRITE_WIDTH_B);
      if (WRITE_MODE_A != "READ_FIRST" && wa[j % span(WRITE_WIDTH_A)]
          && (first(ab, READ_WIDTH_B) | j) / span(WRITE_WIDTH_A)
            == first(aa, WRITE_WIDTH_A) / span(WRITE_WIDTH_A))
        ob = ~ob;
      if (enb && !SDP && j < span(READ_WIDTH_B) && READ_WIDTH_B > 0 && !(WRITE_MODE_B == "NO_CHANGE" && wb != 0))
        {pb[j], qb[8 * j +: 8]} <= taken(ob, ab, READ_WIDTH_B);
      vb = bytes[first(ab, WRITE_WIDTH_B) | j];
      if (j < span(WRITE_WIDTH_B) && wb[j])
        bytes[first(ab, WRITE_WIDTH_B) | j]
          <= merged(vb, {dipb[j], dib[8 * j +: 8]}, ab, WRITE_WIDTH_B);
    end
    if (enb && rstb && !SDP) begin
      qb <= SRVAL_B[BITS - 1:0];
      pb <= SRVAL_B[9 * BYTES - 1:BITS];
    end
  end

  assign DOADO = qa[BITS - 1:0];
  assign DOPADOP = pa[BYTES - 1:0];
  assign DOBDO = SDP ? qa[2 * BITS - 1:BITS] : qb[BITS - 1:0];
  assign DOPBDOP = SDP ? pa[WIDE - 1:BYTES] : pb[BYTES - 1:0];
endmodule

module RAMB18E1 (
  input CLKARDCLK, CLKBWRCLK, ENARDEN, ENBWREN, REGCEAREGCE, REGCEB, RSTRAMARSTRAM, RSTRAMB, RSTREGARSTREG, RSTREGB,
  input [13:0] ADDRARDADDR, ADDRBWRADDR,
  input [15:0] DIADI, DIBDI, input [1:0] DIPADIP, DIPBDIP, WEA, input [3:0] WEBWE,
  output [15:0] DOADO, DOBDO, output [1:0] DOPADOP, DOPBDOP
);
  parameter [255:0]
    INIT_00 = 0, INIT_01 = 0, INIT_02 = 0, INIT_03 = 0, INIT_04 = 0, INIT_05 = 0, INIT_06 = 0, INIT_07 = 0,
    INIT_08 = 0, INIT_09 = 0, INIT_0A = 0, INIT_0B = 0, INIT_0C = 0, INIT_0D = 0, INIT_0E = 0, INIT_0F = 0,
    INIT_10 = 0, INIT_11 = 0, INIT_12 = 0, INIT_13 = 0, INIT_14 = 0, INIT_15 = 0, INIT_16 = 0, INIT_17 = 0,
    INIT_18 = 0, INIT_19 = 0, INIT_1A = 0, INIT_1B = 0, INIT_1C = 0, INIT_1D = 0, INIT_1E = 0, INIT_1F = 0,
    INIT_20 = 0, INIT_21 = 0, INIT_22 = 0, INIT_23 = 0, INIT_24 = 0, INIT_25 = 0, INIT_26 = 0, INIT_27 = 0,
    INIT_28 = 0, INIT_29 = 0, INIT_2A = 0, INIT_2B = 0, INIT_2C = 0, INIT_2D = 0, INIT_2E = 0, INIT_2F = 0,
    INIT_30 = 0, INIT_31 = 0, INIT_32 = 0, INIT_33 = 0, INIT_34 = 0, INIT_35 = 0, INIT_36 = 0, INIT_37 = 0,
    INIT_38 = 0, INIT_39 = 0, INIT_3A = 0, INIT_3B = 0, INIT_3C = 0, INIT_3D = 0, INIT_3E = 0, INIT_3F = 0;
  parameter [255:0]
    INITP_00 = 0, INITP_01 = 0, INITP_02 = 0, INITP_03 = 0, INITP_04 = 0, INITP_05 = 0, INITP_06 = 0,
    INITP_07 = 0;
  parameter integer DOA_REG = 0, DOB_REG = 0, READ_WIDTH_A = 0, READ_WIDTH_B = 0, WRITE_WIDTH_A = 0, WRITE_WIDTH_B = 0;
  parameter [18 - 1:0] INIT_A = 0, INIT_B = 0, SRVAL_A = 0, SRVAL_B = 0;
  parameter EN_ECC_READ = "FALSE", EN_ECC_WRITE = "FALSE", INIT_FILE = "NONE", RAM_MODE = "TDP";
  parameter RDADDR_COLLISION_HWCONFIG = "DELAYED_WRITE", RSTREG_PRIORITY_A = "RSTREG", RSTREG_PRIORITY_B = "RSTREG";
  parameter SIM_COLLISION_CHECK = "ALL", SIM_DEVICE = "7SERIES", RAM_EXTENSION_A = "NONE", RAM_EXTENSION_B = "NONE";
  parameter WRITE_MODE_A = "WRITE_FIRST", WRITE_MODE_B = "WRITE_FIRST";
  parameter IS_CLKARDCLK_INVERTED = 0, IS_CLKBWRCLK_INVERTED = 0, IS_ENARDEN_INVERTED = 0, IS_ENBWREN_INVERTED = 0;
  parameter IS_RSTRAMARSTRAM_INVERTED = 0, IS_RSTRAMB_INVERTED = 0, IS_RSTREGARSTREG_INVERTED = 0;
  parameter IS_RSTREGB_INVERTED = 0;
  XILINX_BLOCK_RAM #(
    .BYTES(2), .ADDRESS(14),
    .DATA({
      INIT_3F, INIT_3E, INIT_3D, INIT_3C, INIT_3B, INIT_3A, INIT_39, INIT_38, INIT_37, INIT_36, INIT_35,
      INIT_34, INIT_33, INIT_32, INIT_31, INIT_30, INIT_2F, INIT_2E, INIT_2D, INIT_2C, INIT_2B, INIT_2A,
      INIT_29, INIT_28, INIT_27, INIT_26, INIT_25, INIT_24, INIT_23, INIT_22, INIT_21, INIT_20, INIT_1F,
      INIT_1E, INIT_1D, INIT_1C, INIT_1B, INIT_1A, INIT_19, INIT_18, INIT_17, INIT_16, INIT_15, INIT_14,
      INIT_13, INIT_12, INIT_11, INIT_10, INIT_0F, INIT_0E, INIT_0D, INIT_0C, INIT_0B, INIT_0A, INIT_09,
      INIT_08, INIT_07, INIT_06, INIT_05, INIT_04, INIT_03, INIT_02, INIT_01, INIT_00
    }),
    .PARITY({
      INITP_07, INITP_06, INITP_05, INITP_04, INITP_03, INITP_02, INITP_01, INITP_00
    }),
    .DOA_REG(DOA_REG), .DOB_REG(DOB_REG), .READ_WIDTH_A(READ_WIDTH_A), .READ_WIDTH_B(READ_WIDTH_B),
    .WRITE_WIDTH_A(WRITE_WIDTH_A), .WRITE_WIDTH_B(WRITE_WIDTH_B), .INIT_A(INIT_A), .INIT_B(INIT_B),
    .SRVAL_A(SRVAL_A), .SRVAL_B(SRVAL_B), .EN_ECC_READ(EN_ECC_READ), .EN_ECC_WRITE(EN_ECC_WRITE),
    .RAM_MODE(RAM_MODE), .RAM_EXTENSION_A(RAM_EXTENSION_A), .RAM_EXTENSION_B(RAM_EXTENSION_B),
    .WRITE_MODE_A(WRITE_MODE_A), .WRITE_MODE_B(WRITE_MODE_B), .IS_CLKARDCLK_INVERTED(IS_CLKARDCLK_INVERTED),
    .IS_CLKBWRCLK_INVERTED(IS_CLKBWRCLK_INVERTED), .IS_ENARDEN_INVERTED(IS_ENARDEN_INVERTED),
    .IS_ENBWREN_INVERTED(IS_ENBWREN_INVERTED), .IS_RSTRAMARSTRAM_INVERTED(IS_RSTRAMARSTRAM_INVERTED),
    .IS_RSTRAMB_INVERTED(IS_RSTRAMB_INVERTED)
  ) ram (
    .CLKARDCLK(CLKARDCLK), .CLKBWRCLK(CLKBWRCLK), .ENARDEN(ENARDEN), .ENBWREN(ENBWREN),
    .RSTRAMARSTRAM(RSTRAMARSTRAM), .RSTRAMB(RSTRAMB), .ADDRARDADDR(ADDRARDADDR), .ADDRBWRADDR(ADDRBWRADDR),
    .DIADI(DIADI), .DIBDI(DIBDI), .DIPADIP(DIPADIP), .DIPBDIP(DIPBDIP), .WEA(WEA), .WEBWE(WEBWE), .DOADO(DOADO),
    .DOBDO(DOBDO), .DOPADOP(DOPADOP), .DOPBDOP(DOPBDOP)
  );
endmodule

module RAMB36E1 (
  input CLKARDCLK, CLKBWRCLK, ENARDEN, ENBWREN, REGCEAREGCE, REGCEB, RSTRAMARSTRAM, RSTRAMB, RSTREGARSTREG, RSTREGB,
  input [15:0] ADDRARDADDR, ADDRBWRADDR,
  input [31:0] DIADI, DIBDI, input [3:0] DIPADIP, DIPBDIP, WEA, input [7:0] WEBWE,
  output CASCADEOUTA, CASCADEOUTB, SBITERR, DBITERR, output [7:0] ECCPARITY, output [8:0] RDADDRECC,
  input CASCADEINA, CASCADEINB, INJECTDBITERR, INJECTSBITERR,
  output [31:0] DOADO, DOBDO, output [3:0] DOPADOP, DOPBDOP
);
  parameter [255:0]
    INIT_00 = 0, INIT_01 = 0, INIT_02 = 0, INIT_03 = 0, INIT_04 = 0, INIT_05 = 0, INIT_06 = 0, INIT_07 = 0,
    INIT_08 = 0, INIT_09 = 0, INIT_0A = 0, INIT_0B = 0, INIT_0C = 0, INIT_0D = 0, INIT_0E = 0, INIT_0F = 0,
    INIT_10 = 0, INIT_11 = 0, INIT_12 = 0, INIT_13 = 0, INIT_14 = 0, INIT_15 = 0, INIT_16 = 0, INIT_17 = 0,
    INIT_18 = 0, INIT_19 = 0, INIT_1A = 0, INIT_1B = 0, INIT_1C = 0, INIT_1D = 0, INIT_1E = 0, INIT_1F = 0,
    INIT_20 = 0, INIT_21 = 0, INIT_22 = 0, INIT_23 = 0, INIT_24 = 0, INIT_25 = 0, INIT_26 = 0, INIT_27 = 0,
    INIT_28 = 0, INIT_29 = 0, INIT_2A = 0, INIT_2B = 0, INIT_2C = 0, INIT_2D = 0, INIT_2E = 0, INIT_2F = 0,
    INIT_30 = 0, INIT_31 = 0, INIT_32 = 0, INIT_33 = 0, INIT_34 = 0, INIT_35 = 0, INIT_36 = 0, INIT_37 = 0,
    INIT_38 = 0, INIT_39 = 0, INIT_3A = 0, INIT_3B = 0, INIT_3C = 0, INIT_3D = 0, INIT_3E = 0, INIT_3F = 0,
    INIT_40 = 0, INIT_41 = 0, INIT_42 = 0, INIT_43 = 0, INIT_44 = 0, INIT_45 = 0, INIT_46 = 0, INIT_47 = 0,
    INIT_48 = 0, INIT_49 = 0, INIT_4A = 0, INIT_4B = 0, INIT_4C = 0, INIT_4D = 0, INIT_4E = 0, INIT_4F = 0,
    INIT_50 = 0, INIT_51 = 0, INIT_52 = 0, INIT_53 = 0, INIT_54 = 0, INIT_55 = 0, INIT_56 = 0, INIT_57 = 0,
    INIT_58 = 0, INIT_59 = 0, INIT_5A = 0, INIT_5B = 0, INIT_5C = 0, INIT_5D = 0, INIT_5E = 0, INIT_5F = 0,
    INIT_60 = 0, INIT_61 = 0, INIT_62 = 0, INIT_63 = 0, INIT_64 = 0, INIT_65 = 0, INIT_66 = 0, INIT_67 = 0,
    INIT_68 = 0, INIT_69 = 0, INIT_6A = 0, INIT_6B = 0, INIT_6C = 0, INIT_6D = 0, INIT_6E = 0, INIT_6F = 0,
    INIT_70 = 0, INIT_71 = 0, INIT_72 = 0, INIT_73 = 0, INIT_74 = 0, INIT_75 = 0, INIT_76 = 0, INIT_77 = 0,
    INIT_78 = 0, INIT_79 = 0, INIT_7A = 0, INIT_7B = 0, INIT_7C = 0, INIT_7D = 0, INIT_7E = 0, INIT_7F = 0;
  parameter [255:0]
    INITP_00 = 0, INITP_01 = 0, INITP_02 = 0, INITP_03 = 0, INITP_04 = 0, INITP_05 = 0, INITP_06 = 0,
    INITP_07 = 0, INITP_08 = 0, INITP_09 = 0, INITP_0A = 0, INITP_0B = 0, INITP_0C = 0, INITP_0D = 0,
    INITP_0E = 0, INITP_0F = 0;
  parameter integer DOA_REG = 0, DOB_REG = 0, READ_WIDTH_A = 0, READ_WIDTH_B = 0, WRITE_WIDTH_A = 0, WRITE_WIDTH_B = 0;
  parameter [36 - 1:0] INIT_A = 0, INIT_B = 0, SRVAL_A = 0, SRVAL_B = 0;
  parameter EN_ECC_READ = "FALSE", EN_ECC_WRITE = "FALSE", INIT_FILE = "NONE", RAM_MODE = "TDP";
  parameter RDADDR_COLLISION_HWCONFIG = "DELAYED_WRITE", RSTREG_PRIORITY_A = "RSTREG", RSTREG_PRIORITY_B = "RSTREG";
  parameter SIM_COLLISION_CHECK = "ALL", SIM_DEVICE = "7SERIES", RAM_EXTENSION_A = "NONE", RAM_EXTENSION_B = "NONE";
  parameter WRITE_MODE_A = "WRITE_FIRST", WRITE_MODE_B = "WRITE_FIRST";
  parameter IS_CLKARDCLK_INVERTED = 0, IS_CLKBWRCLK_INVERTED = 0, IS_ENARDEN_INVERTED = 0, IS_ENBWREN_INVERTED = 0;
  parameter IS_RSTRAMARSTRAM_INVERTED = 0, IS_RSTRAMB_INVERTED = 0, IS_RSTREGARSTREG_INVERTED = 0;
  parameter IS_RSTREGB_INVERTED = 0;
  XILINX_BLOCK_RAM #(
    .BYTES(4), .ADDRESS(16),
    .DATA({
      INIT_7F, INIT_7E, INIT_7D, INIT_7C, INIT_7B, INIT_7A, INIT_79, INIT_78, INIT_77, INIT_76, INIT_75,
      INIT_74, INIT_73, INIT_72, INIT_71, INIT_70, INIT_6F, INIT_6E, INIT_6D, INIT_6C, INIT_6B, INIT_6A,
      INIT_69, INIT_68, INIT_67, INIT_66, INIT_65, INIT_64, INIT_63, INIT_62, INIT_61, INIT_60, INIT_5F,
      INIT_5E, INIT_5D, INIT_5C, INIT_5B, INIT_5A, INIT_59, INIT_58, INIT_57, INIT_56, INIT_55, INIT_54,
      INIT_53, INIT_52, INIT_51, INIT_50, INIT_4F, INIT_4E, INIT_4D, INIT_4C, INIT_4B, INIT_4A, INIT_49,
      INIT_48, INIT_47, INIT_46, INIT_45, INIT_44, INIT_43, INIT_42, INIT_41, INIT_40, INIT_3F, INIT_3E,
      INIT_3D, INIT_3C, INIT_3B, INIT_3A, INIT_39, INIT_38, INIT_37, INIT_36, INIT_35, INIT_34, INIT_33,
      INIT_32, INIT_31, INIT_30, INIT_2F, INIT_2E, INIT_2D, INIT_2C, INIT_2B, INIT_2A, INIT_29, INIT_28,
      INIT_27, INIT_26, INIT_25, INIT_24, INIT_23, INIT_22, INIT_21, INIT_20, INIT_1F, INIT_1E, INIT_1D,
      INIT_1C, INIT_1B, INIT_1A, INIT_19, INIT_18, INIT_17, INIT_16, INIT_15, INIT_14, INIT_13, INIT_12,
      INIT_11, INIT_10, INIT_0F, INIT_0E, INIT_0D, INIT_0C, INIT_0B, INIT_0A, INIT_09, INIT_08, INIT_07,
      INIT_06, INIT_05, INIT_04, INIT_03, INIT_02, INIT_01, INIT_00
    }),
    .PARITY({
      INITP_0F, INITP_0E, INITP_0D, INITP_0C, INITP_0B, INITP_0A, INITP_09, INITP_08, INITP_07, INITP_06,
      INITP_05, INITP_04, INITP_03, INITP_02, INITP_01, INITP_00
    }),
    .DOA_REG(DOA_REG), .DOB_REG(DOB_REG), .READ_WIDTH_A(READ_WIDTH_A), .READ_WIDTH_B(READ_WIDTH_B),
    .WRITE_WIDTH_A(WRITE_WIDTH_A), .WRITE_WIDTH_B(WRITE_WIDTH_B), .INIT_A(INIT_A), .INIT_B(INIT_B),
    .SRVAL_A(SRVAL_A), .SRVAL_B(SRVAL_B), .EN_ECC_READ(EN_ECC_READ), .EN_ECC_WRITE(EN_ECC_WRITE),
    .RAM_MODE(RAM_MODE), .RAM_EXTENSION_A(RAM_EXTENSION_A), .RAM_EXTENSION_B(RAM_EXTENSION_B),
    .WRITE_MODE_A(WRITE_MODE_A), .WRITE_MODE_B(WRITE_MODE_B), .IS_CLKARDCLK_INVERTED(IS_CLKARDCLK_INVERTED),
    .IS_CLKBWRCLK_INVERTED(IS_CLKBWRCLK_INVERTED), .IS_ENARDEN_INVERTED(IS_ENARDEN_INVERTED),
    .IS_ENBWREN_INVERTED(IS_ENBWREN_INVERTED), .IS_RSTRAMARSTRAM_INVERTED(IS_RSTRAMARSTRAM_INVERTED),
    .IS_RSTRAMB_INVERTED(IS_RSTRAMB_INVERTED)
  ) ram (
    .CLKARDCLK(CLKARDCLK), .CLKBWRCLK(CLKBWRCLK), .ENARDEN(ENARDEN), .ENBWREN(ENBWREN),
    .RSTRAMARSTRAM(RSTRAMARSTRAM), .RSTRAMB(RSTRAMB), .ADDRARDADDR(ADDRARDADDR), .ADDRBWRADDR(ADDRBWRADDR),
    .DIADI(DIADI), .DIBDI(DIBDI), .DIPADIP(DIPADIP), .DIPBDIP(DIPBDIP), .WEA(WEA), .WEBWE(WEBWE), .DOADO(DOADO),
    .DOBDO(DOBDO), .DOPADOP(DOPADOP), .DOPBDOP(DOPBDOP)
  );
  assign {CASCADEOUTA, CASCADEOUTB, SBITERR, DBITERR, ECCPARITY, RDADDRECC} = 0;
endmodule
