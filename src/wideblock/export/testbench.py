# SPDX-License-Identifier: Apache-2.0
"""A self-checking test bench of an exported core, in Verilog: known answers, and no unknown value where one matters."""

from collections.abc import Mapping, Sequence

from wideblock.catalog import KnownAnswer
from wideblock.errors import UserError
from wideblock.export.contract import Contract

__all__ = ["Case", "cases", "testbench"]

Case = tuple[bytes, bytes, bool, bytes, bytes]
"""Key, tweak, decrypt, data in, data out."""


def cases(core: Contract, most: int = 4) -> list[Case]:
    """Returns known answers of the core, ``most`` of them, each in every direction that the core has.

    They are the first ones, where these are all of one size; else they are of different sizes as far as possible.
    """
    return [
        (
            known.key,
            known.tweak,
            way,
            *((known.ciphertext, known.plaintext) if way else (known.plaintext, known.ciphertext)),
        )
        for known in _various(core.known_answers, most)
        for way in core.behaviour.directions
    ]


def _various(answers: Sequence[KnownAnswer], most: int) -> list[KnownAnswer]:
    """The first ``most`` answers, those before others whose tweak or message is of a size that is not among them."""
    waiting, taken = list(answers), []
    while waiting and len(taken) < most:
        chosen = min(waiting, key=lambda known: sum(_alike(known, other) for other in taken))
        waiting.remove(chosen)
        taken.append(chosen)
    return taken


def _alike(one: KnownAnswer, other: KnownAnswer) -> int:
    """How many of their sizes are the same."""
    return (len(one.tweak) == len(other.tweak)) + (len(one.plaintext) == len(other.plaintext))


def testbench(core: Contract, cases: Sequence[Case]) -> str:
    """Returns Verilog-2001 text of module ``<core>_tb``, which plays ``cases`` and prints ``PASSED`` or ``FAILED: ..``.

    Every input is unknown (X) wherever the rules of the ports let it be: before reset, between beats, and where a field
    belongs to the first or the last beat only. After reset no control output may be X, nor any bit of a valid beat. The
    output is held off in a quarter of the cycles. It runs under Verilog-2005 and SystemVerilog simulators alike. Raises
    UserError if there is no case.
    """
    if not cases:
        raise UserError(f"{core.module} has no known answer for its parameters, so its test bench has nothing to play")
    widths = {port.name: port.width for port in core.ports}
    beat = widths["s_axis_tdata"] // 8
    keep = "s_axis_tkeep" in widths
    words, key_width, framed = core.timing.key_words, widths["s_axis_key_tdata"], "s_axis_key_tlast" in widths
    data_in, data_out, plays, expected = [], [], [], []
    loaded = None
    for key, tweak, decrypt, given, right in cases:
        beats, bytes_last = -(-len(given) // beat), (len(given) - 1) % beat + 1
        if key != loaded:
            plays.append(f"load({_hex(key, 8 * len(key))});")
            loaded = key
        user = _user(core, {"tweak_size": len(tweak), "size": len(given), "decrypt": decrypt}, tweak)
        plays.append(f"send({len(data_in)}, {beats}, {user}, {_ones(bytes_last, beat)});")
        data_in += _beats(given, beat)
        data_out += _beats(right, beat)
        expected += [(int(k == beats - 1), _ones(bytes_last if k == beats - 1 else beat, beat)) for k in range(beats)]
    declarations = "".join(
        f"  {'reg' if port.direction == 'input' else 'wire'} {_range(port.width)}{port.name};\n"
        for port in core.ports
        if port.name != "aclk"
    )
    tables = "".join(
        f"    given[{k}] = {_hex(a, 8 * beat)}; right[{k}] = {_hex(b, 8 * beat)};\n"
        f"    right_last[{k}] = {last}; right_keep[{k}] = {ones};\n"
        for k, (a, b, (last, ones)) in enumerate(zip(data_in, data_out, expected, strict=True))
    )
    return _TEXT.format(
        core=core.module,
        beats=len(data_in),
        cases=len(cases),
        declarations=declarations,
        pins=", ".join(f".{port.name}({port.name})" for port in core.ports),
        high=8 * beat - 1,
        keep_high=beat - 1,
        user_high=widths["s_axis_tuser"] - 1,
        user_width=widths["s_axis_tuser"],
        words=words,
        key_high=words * key_width - 1,
        key_width=key_width,
        drive_key_last=f"s_axis_key_tlast = k == {words - 1};" if framed else "",
        idle_key_last="s_axis_key_tlast = 1'bx;" if framed else "",
        unknown="".join(
            f"    {port.name} = {port.width}'bx;\n"
            for port in core.ports
            if port.direction == "input" and port.name != "aclk"
        ),
        tables=tables,
        plays="".join(f"    {play}\n" for play in plays),
        limit=len(cases) * 4 * (core.timing.latency + core.timing.setup) + 2 * core.timing.zeroize + 1000,
        drive_keep=f"s_axis_tkeep = k == beats - 1 ? keep : {{{beat}{{1'b1}}}};" if keep else "",
        idle_keep=f"s_axis_tkeep = {beat}'bx;" if keep else "",
        out_keep=", m_axis_tkeep" if keep else "",
        check_keep=" || m_axis_tkeep !== right_keep[seen]" if keep else "",
    )


def _user(core: Contract, values: Mapping[str, int], tweak: bytes) -> str:
    """What a message's first beat says of it, field by field."""
    stream = next(stream for stream in core.shell.streams if stream.prefix == "s_axis")
    values, user, low = {"tweak": int.from_bytes(tweak, "little"), **values}, 0, 0
    for field in stream.payload["s_axis_tuser"]:
        user |= values[field.name] << low
        low += field.width
    return f"{low}'h{user:x}"


def _beats(data: bytes, size: int) -> list[bytes]:
    return [data[k : k + size].ljust(size, b"\0") for k in range(0, len(data), size)]


def _hex(value: bytes, width: int) -> str:
    return f"{width}'h{int.from_bytes(value, 'little'):x}"


def _ones(count: int, width: int) -> str:
    return f"{width}'h{(1 << count) - 1:x}"


def _range(width: int) -> str:
    return f"[{width - 1}:0] " if width > 1 else ""


_TEXT = """\
// SPDX-License-Identifier: Apache-2.0
// Known answers for {core}; prints PASSED, or FAILED and the first difference.
module {core}_tb;
  reg aclk;
{declarations}\
  {core} dut ({pins});

  reg [{high}:0] given [0:{beats} - 1];
  reg [{high}:0] right [0:{beats} - 1];
  reg right_last [0:{beats} - 1];
  reg [{keep_high}:0] right_keep [0:{beats} - 1];
  reg checking;
  reg [15:0] noise;
  integer seen, cycles;

  task fail(input [8 * 40 - 1:0] what);
    begin
      $display("FAILED: %0s, output beat %0d of {beats}, cycle %0d", what, seen, cycles);
      $finish;
    end
  endtask

  // Inputs change at the falling edge; all is sampled shortly before the rising edge, when it has settled.
  task load(input [{key_high}:0] key);
    integer k;
    begin
      for (k = 0; k < {words}; k = k + 1) begin
        @(negedge aclk);
        s_axis_key_tvalid = 1;
        s_axis_key_tdata = key[{key_width} * k +: {key_width}];
        {drive_key_last}
        #4;
        while (!s_axis_key_tready) begin
          @(negedge aclk);
          #4;
        end
      end
      @(negedge aclk);
      s_axis_key_tvalid = 0;
      s_axis_key_tdata = {{{key_width}{{1'bx}}}};
      {idle_key_last}
    end
  endtask

  task send(input integer first, input integer beats, input [{user_high}:0] user, input [{keep_high}:0] keep);
    integer k;
    begin
      for (k = 0; k < beats; k = k + 1) begin
        @(negedge aclk);
        s_axis_tvalid = 1;
        s_axis_tdata = given[first + k];
        s_axis_tlast = k == beats - 1;
        s_axis_tuser = k == 0 ? user : {user_width}'bx;
        {drive_keep}
        #4;
        while (!s_axis_tready) begin
          @(negedge aclk);
          #4;
        end
      end
      @(negedge aclk);
      s_axis_tvalid = 0;
      s_axis_tdata = {{({high} + 1){{1'bx}}}};
      s_axis_tlast = 1'bx;
      s_axis_tuser = {user_width}'bx;
      {idle_keep}
    end
  endtask

  always #5 aclk = !aclk;

  always @(negedge aclk) begin
    noise = {{noise[14:0], noise[15] ^ noise[13] ^ noise[12] ^ noise[10]}};
    m_axis_tready = checking ? noise[0] | noise[5] : 1'bx;
    #4;
    cycles = cycles + 1;
    if (checking) begin
      if (^{{ready, s_axis_tready, s_axis_key_tready, m_axis_tvalid, fault, computed}} === 1'bx)
        fail("a control output is unknown");
      if (m_axis_tvalid && ^{{m_axis_tdata, m_axis_tlast{out_keep}}} === 1'bx) fail("a valid beat is unknown");
      if (fault != 0) fail("fault pulses");
      if (m_axis_tvalid && m_axis_tready) begin
        if (seen == {beats}) fail("more leaves than entered");
        if (m_axis_tdata !== right[seen] || m_axis_tlast !== right_last[seen]{check_keep}) begin
          $display("expected %h, got %h", right[seen], m_axis_tdata);
          fail("a wrong beat");
        end
        seen = seen + 1;
      end
      if (cycles > {limit}) fail("nothing moves");
    end
  end

  initial begin
    aclk = 0;
    noise = 16'hace1;
    checking = 0;
    seen = 0;
    cycles = 0;
{unknown}\
{tables}\
    repeat (3) @(negedge aclk);
    zeroize = 0;
    s_axis_tvalid = 0;
    s_axis_key_tvalid = 0;
    aresetn = 0;
    repeat (3) @(negedge aclk);
    aresetn = 1;
    checking = 1;
{plays}\
    while (seen != {beats}) @(negedge aclk);
    repeat (20) @(negedge aclk);
    $display("PASSED: {cases} known answers, %0d cycles", cycles);
    $finish;
  end
endmodule
"""
