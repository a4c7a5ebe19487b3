# SPDX-License-Identifier: Apache-2.0
"""A self-checking test bench of an authenticated cipher, in Verilog: known answers, and no unknown value."""

from collections.abc import Mapping, Sequence

from wideblock.drive.aead.caesar import input_ends, output_ends
from wideblock.errors import UserError
from wideblock.export.contract import Contract
from wideblock.rtl.shell.shell import Stream

__all__ = ["testbench"]


def testbench(core: Contract, words: Mapping[str, Sequence[int]]) -> str:
    """Returns Verilog-2001 text of module ``<core>_tb``, which plays ``words`` and prints ``PASSED`` or ``FAILED: ..``.

    ``words`` of ``pdi`` and ``sdi`` are driven, those of ``do`` expected. Every input is unknown (X) before reset, and
    every word that is not valid. After reset no control output may be X, nor any bit of a valid word. Inputs pause, and
    the output is held off, in a quarter of the cycles. It runs under Verilog-2005 and SystemVerilog simulators alike.
    Raises UserError if there is no word.
    """
    if not words["pdi"]:
        raise UserError(f"{core.module} has no known answer for its parameters, so its test bench has nothing to play")
    shell, timing, bits = core.shell, core.timing, core.parameters.word_bits
    if core.parameters.packets:
        words = {port: _flagged(port, values, bits) for port, values in words.items()}
        bits += 1
    tables = "".join(
        f"    {port}_words[{n}] = {bits}'h{word:x};\n"
        for port, values in words.items()
        for n, word in enumerate(values)
    )
    return _TEXT.format(
        core=core.module,
        clock=shell.clock,
        reset=shell.reset,
        level="!" if shell.active_low else "",
        streams=",\n    ".join(_pins(core, stream) for stream in shell.streams),
        high=bits - 1,
        bits=bits,
        pdi=len(words["pdi"]),
        sdi=len(words["sdi"]),
        do=len(words["do"]),
        tables=tables,
        limit=8 * (len(words["pdi"]) + len(words["do"])) * timing.interval + 4 * timing.zeroize + 4000,
    )


def _flagged(port: str, values: Sequence[int], bits: int) -> list[int]:
    """The words with the flag of a packet's end above each."""
    ends = {*(output_ends if port == "do" else input_ends)(values, bits)}
    return [word | (at in ends) << bits for at, word in enumerate(values)]


def _pins(core: Contract, stream: Stream) -> str:
    """Connections of a stream: the payload of its fields is one register or wire."""
    name, low, found = stream.channel.name, 0, []
    for port, fields in stream.payload.items():
        (field,) = fields
        end = low + field.width
        whole = f"{name}_data" if len(stream.payload) == 1 else f"{name}_data[{end - 1}:{low}]"
        lanes = ", ".join(f"{name}_data[{at + 7}:{at}]" for at in range(low, end, 8))
        found.append((port, f"{{{lanes}}}" if field.name in core.shell.swapped else whole))
        low = end
    found += [(stream.valid, f"{name}_valid"), (stream.ready, f"{name}_ready")]
    return ", ".join(f".{port}({expression})" for port, expression in found)


_TEXT = """\
// SPDX-License-Identifier: Apache-2.0
// Known answers for {core}; prints PASSED, or FAILED and the first difference.
module {core}_tb;
  reg clk, rst, zeroize, pdi_valid, sdi_valid, do_ready;
  reg [{high}:0] pdi_data, sdi_data;
  wire pdi_ready, sdi_ready, do_valid;
  wire [{high}:0] do_data;
  {core} dut (
    .{clock}(clk), .{reset}({level}rst), .zeroize(zeroize),
    {streams}
  );

  reg [{high}:0] pdi_words [0:{pdi} - 1];
  reg [{high}:0] sdi_words [0:{sdi} - 1];
  reg [{high}:0] do_words [0:{do} - 1];
  reg checking;
  reg [15:0] noise;
  integer pdi_next, sdi_next, seen, cycles;

  task fail(input [8 * 40 - 1:0] what);
    begin
      $display("FAILED: %0s, output word %0d of {do}, cycle %0d", what, seen, cycles);
      $finish;
    end
  endtask

  always #5 clk = !clk;

  // Inputs change at the falling edge; all is sampled shortly before the rising edge, when it has settled.
  always @(negedge clk) if (checking) begin
    noise = {{noise[14:0], noise[15] ^ noise[13] ^ noise[12] ^ noise[10]}};
    do_ready = noise[0] | noise[5];
    if (!pdi_valid) pdi_valid = pdi_next != {pdi} && (noise[1] | noise[7]);
    if (!sdi_valid) sdi_valid = sdi_next != {sdi} && (noise[2] | noise[9]);
    pdi_data = pdi_valid ? pdi_words[pdi_next] : {bits}'bx;
    sdi_data = sdi_valid ? sdi_words[sdi_next] : {bits}'bx;
    #4;
    cycles = cycles + 1;
    if (^{{pdi_ready, sdi_ready, do_valid}} === 1'bx) fail("a control output is unknown");
    if (do_valid && ^do_data === 1'bx) fail("a valid word is unknown");
    if (do_valid && do_ready) begin
      if (seen == {do}) fail("more leaves than should");
      if (do_data !== do_words[seen]) begin
        $display("expected %h, got %h", do_words[seen], do_data);
        fail("a wrong word");
      end
      seen = seen + 1;
    end
    if (cycles > {limit}) fail("nothing moves");
    if (pdi_valid && pdi_ready) begin
      pdi_next = pdi_next + 1;
      pdi_valid = #2 0;
    end
    if (sdi_valid && sdi_ready) begin
      sdi_next = sdi_next + 1;
      sdi_valid = #2 0;
    end
  end

  initial begin
    clk = 0;
    noise = 16'hace1;
    checking = 0;
    pdi_next = 0;
    sdi_next = 0;
    seen = 0;
    cycles = 0;
    rst = 1'bx;
    zeroize = 1'bx;
    pdi_valid = 1'bx;
    sdi_valid = 1'bx;
    do_ready = 1'bx;
    pdi_data = {bits}'bx;
    sdi_data = {bits}'bx;
{tables}\
    repeat (3) @(negedge clk);
    zeroize = 0;
    pdi_valid = 0;
    sdi_valid = 0;
    rst = 1;
    repeat (3) @(negedge clk);
    rst = 0;
    checking = 1;
    while (seen != {do}) @(negedge clk);
    repeat (20) @(negedge clk);
    $display("PASSED: {do} words, %0d cycles", cycles);
    $finish;
  end
endmodule
"""
