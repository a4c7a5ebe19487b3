# SPDX-License-Identifier: Apache-2.0
"""Faults put into a flat core: a signal gets another value in the place of what drives it."""

import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from wideblock.export.enclosed import ROWS
from wideblock.synth import yosys
from wideblock.verify.formal.flat import Flat

_ALIAS = re.compile(r"^  connect \\(\S+) (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Fault:
    """``signal`` has the value of the Verilog expression ``value``, in which ``was`` is what it would be.

    ``signal`` is any name of the signal.

    signals: further signals that the expression reads, by the names that it has for them
    text:    Verilog that it depends on, such as a register of its own
    """

    name: str
    signal: str
    value: str
    signals: dict[str, str] = field(default_factory=dict)
    text: str = ""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Ungated:
    """``memory`` is written with ones, whether the core clears or not."""

    memory: str

    def __str__(self) -> str:
        return f"{self.memory} is not written with zeros"

    def into(self, flat: Flat) -> Flat:
        """The flat core with the fault."""
        cell = (
            rf'(  cell \$memwr_v2 .*\n    parameter \\MEMID "\\\\{re.escape(self.memory)}\.{ROWS}"\n'
            r"(?:    .*\n)*?    parameter \\WIDTH (\d+)\n(?:    .*\n)*?    connect \\DATA ).*\n"
        )
        rtlil, found = re.subn(cell, lambda f: f"{f[1]}{f[2]}'{'1' * int(f[2])}\n", flat.rtlil)
        assert found == 1, (self.memory, found)
        return Flat(flat.module, rtlil)


def buffered(flat: Flat) -> str:
    """The flat core in RTLIL with a cell in the place of each alias, so that a cut changes all readers of a signal."""

    def cell(found: re.Match[str]) -> str:
        name, value = found.groups()
        if name not in flat.widths or value.startswith("["):
            return found[0]
        width = flat.widths[name]
        sizes = f"    parameter \\A_SIGNED 0\n    parameter \\A_WIDTH {width}\n    parameter \\Y_WIDTH {width}\n"
        return f"  cell $pos $alias${name}\n{sizes}    connect \\A {value}\n    connect \\Y \\{name}\n  end"

    return _ALIAS.sub(cell, flat.rtlil)


def broken(flat: Flat, fault: Fault | Ungated) -> Flat:
    """The flat core with the fault."""
    if isinstance(fault, Ungated):
        return fault.into(flat)
    cut_at = driven(flat, fault.signal)
    pins = {"was": f"{cut_at}.right", "now": cut_at, **fault.signals}
    widths = {name: flat.widths[cut_at if name in ("was", "now") else signal] for name, signal in pins.items()}
    ports = ", ".join(f"{'output' if n == 'now' else 'input'} [{w - 1}:0] {n}" for n, w in widths.items())
    cell = "".join(f"    connect \\{name} \\{signal}\n" for name, signal in pins.items())
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        where.joinpath("flat.il").write_text(buffered(flat))
        cut = [
            "read_rtlil flat.il",
            f"expose -cut {flat.module}/w:{cut_at}",
            f"cd {flat.module}",
            f"rename {cut_at} {cut_at}.right",
            f"rename {cut_at}.i {cut_at}",
            f"delete -input w:{cut_at}",
            f"delete -output w:{cut_at}.right",
            "cd ..",
            "write_rtlil cut.il",
        ]
        yosys.run(cut, where, "cut")
        rtlil = where.joinpath("cut.il").read_text()
        end = rtlil.index("\nend\n", rtlil.index(f"module \\{flat.module}\n")) + 1
        where.joinpath("cut.il").write_text(f"{rtlil[:end]}  cell \\inserted \\inserted\n{cell}  end\n{rtlil[end:]}")
        where.joinpath("fault.v").write_text(
            f"module inserted({ports});\n{fault.text}\nassign now = {fault.value};\nendmodule\n"
        )
        insert = ["read_rtlil cut.il", "read_verilog fault.v", f"hierarchy -top {flat.module}", "proc", "flatten"]
        yosys.run([*insert, "write_rtlil broken.il"], where, "insert")
        return Flat(flat.module, where.joinpath("broken.il").read_text())


def driven(flat: Flat, signal: str) -> str:
    """Of the names of a signal the one that its driver has, from which all others are."""
    source = dict(re.findall(r"^  connect \\(\S+) \\(\S+)$", flat.rtlil, re.MULTILINE))
    while signal in source:
        signal = source[signal]
    return signal


def one_promise_too_many(queue: str, depth: int) -> Fault:
    """A queue that promises a place more than it has."""
    path = f"core.{queue}"
    return Fault(
        f"{queue}: one promise too many",
        f"{path}.room",
        f"was || promised == {depth}",
        {"promised": f"{path}.promised"},
    )


READY_WAITS = Fault(
    "ready waits for valid", "core.entrance.i__ready", "was && i_valid", {"i_valid": "core.entrance.i__valid"}
)
VALID_WHILE_CLEARING = Fault("valid while clearing", "core.exit.o__valid", "valid", {"valid": "core.exit.valid"})
RUNS_ON = Fault("the exit does not wait for ready", "core.exit.advance", "1'b1")
ONE_SECTOR_TOO_MANY = Fault(
    "one sector too many",
    "core.admission.free",
    "was || (taken == limit && turn)",
    {"taken": "core.admission.taken", "limit": "core.admission.limit", "turn": "core.admission.turn"},
)
ONE_SECTOR_TOO_EARLY = Fault(
    "one sector too many, where the answer is a register",
    "core.admission.free",
    "was || (taken == limit && turn && ready)",
    {**ONE_SECTOR_TOO_MANY.signals, "ready": "core.front_hash.front_ready"},
)
SECTOR_BESIDE_ANOTHER = Fault("a sector begins while another one is under way", "core.admission.free", "1'b1")
STEP_BESIDE_THE_CALL = Fault(
    "the lanes start with the single call", "core.step_go", "was || go", {"go": "core.event_R"}
)
CALL_WITHOUT_A_HASH = Fault("calls start with the sector", "core.go", "was || opening", {"opening": "core.opening"})
EARLY_LANES = Fault(
    "the lanes start before the single call is back",
    "core.step_go",
    "was || (lane == done && !event_R && room)",
    {
        "lane": "core.lane_sector",
        "done": "core.single_done_sector",
        "event_R": "core.front_hash.event_R",
        "room": "core.queue.room",
    },
)
OTHER_PSI = Fault(
    "the exit's hash changes as another is known", "core.leaving_psi", "event ? ~was : was", {"event": "core.event_Cm"}
)
EARLY_CALLS = Fault(
    "calls start before the hash is known",
    "core.go",
    "was || (lane == ready && room)",
    {"lane": "core.lane_sector", "ready": "core.lane_ready_sector", "room": "core.queue.room"},
)
LANES = {
    "second": "core.second_sector",
    "mixed": "core.mix_done_sector",
    "mixing": "core.mix_call_valid",
    "tweak": "core.tweak_go",
    "beat": "core.entrance.take",
}
EARLY_SECOND_LAYER = Fault(
    "the second layer starts before its first mask is known",
    "core.go",
    "was || (second == mixed && !mixing && !tweak && !beat)",
    LANES,
)
TWO_AT_ONCE = Fault(
    "the second layer enters beside a mixing call", "core.go", "was || (second != mixed && mixing)", LANES
)
UNREFRESHED = Fault(
    "the second layer does not wait for a refreshed mask",
    "core.go",
    "was || (second != mixed && !mixing && !tweak && !beat)",
    LANES,
)
EARLY_STEPS = Fault("the second layer starts before the mix is known", "core.YZ_go", "1'b1")
BEAT_WITHOUT_A_PLACE = Fault(
    "a message enters while as many are under way as there is room for",
    "core.admit",
    "was || front == (left ^ 6'd32)",
    {"front": "core.front_sector", "left": "core.exit.sector"},
)
BEAT_WITHOUT_A_ROW = Fault(
    "a beat enters a full ring",
    "core.admit",
    "was || (front == (exit ^ 11'd1024) && newest != (left ^ 6'd32))",
    {"front": "core.front_row", "exit": "core.exit_row", "newest": "core.front_sector", "left": "core.exit.sector"},
)
STEPS_BEFORE_Z = Fault(
    "the counter mode of a message starts before its Z is known",
    "core.step_go",
    "was || (lane == done && lane != single && !go)",
    {
        "lane": "core.lane_sector",
        "done": "core.single_done_sector",
        "single": "core.single_sector",
        "go": "core.single_go",
    },
)
BACK_BEFORE_FRONT = Fault(
    "header and tweak of a message are hashed before it is whole",
    "core.back_go",
    "was || (back == front && held == 0)",
    {"back": "core.back_sector", "front": "core.front_sector", "held": "core.back_held"},
)
CALL_BEFORE_R = Fault(
    "the single call of a message starts before its R is known",
    "core.single_go",
    "was || (pause == 0)",
    {"pause": "core.pause"},
)
RESULT_BEFORE_Y_1 = Fault("a message leaves before its Y_1 is known", "core.exit.pending", "1'b1")
ENDS_A_BEAT_EARLY = {
    stage: Fault(f"a message ends a beat early for {stage}", f"core.{stage}_final", "was || number == 1", signals)
    for stage in ("lane", "lane_done", "back")
    for signals in [{"number": f"core.{stage}_number"}]
}
"""By the names of pointers."""
OTHER_RUN = Fault("each step of the back hash ends a run", "core.back_left", "9'd0")
TWO_ROWS_AT_ONCE = Fault(
    "the exit leaves out a row",
    "core.exit_row",
    "was + (fetch && number == 1)",
    {"fetch": "core.exit.fetch", "number": "core.exit.number"},
)
ANY_STATED_SIZE = Fault(
    "a message of any stated size is taken",
    "core.entrance.dropping",
    "full && discard",
    {"full": "core.entrance.full", "discard": "core.entrance.discard"},
)
KEY_AMID_SECTORS = Fault("a key is taken while a sector is under way", "core.key_unit.idle", "1'b1")
ONE_UNIT_TOO_FEW = Fault(
    "a unit that enters as the only other one is computed is not counted",
    "core.units",
    "was - missed",
    {"clk": "aclk", "opening": "core.opening", "ended": "core.computed"},
    "reg missed; always @(posedge clk) missed <= opening && ended && was == 1;",
)
KEY_AMID_MESSAGES = Fault("a key is loaded at any time", "core.pre.load", "1'b1")
BEAT_NUMBER = Fault("the last beat has the first one's number", "core.entrance.number", "was == 4 ? 3'd0 : was")
ALWAYS_VALID = Fault("always valid", "core.o__valid", "1'b1")
PAYLOAD_DEPENDS_ON_READY = Fault(
    "the payload depends on ready", "core.results.beat", "was ^ ready", {"ready": "core.o__ready"}
)
HEAD_MOVES = Fault(
    "the head of the results moves with every write",
    "core.results.read__addr",
    "head",
    {"clk": "aclk", "clear": "core.clear", "read": "core.results.read", "write": "core.results.write"},
    "reg [3:0] head = 0; always @(posedge clk) head <= clear ? 4'd0 : head + (read | write);",
)
REST_WITHOUT_A_PLACE = Fault(
    "a rest without a place among the results", "core.control.finish", "rest", {"rest": "core.control.rest"}
)
TWEAK_WITHOUT_A_CALL = Fault(
    "a tweak that was not called for", "core.tweak_cipher.o__valid", "!busy", {"busy": "core.tweak_cipher.busy"}
)
INPUT_WAITS_FOR_OUTPUT = Fault(
    "the input waits for the output", "core.pre.framing.i__ready", "was & out", {"out": "core.post.do__ready"}
)
UNCOMPARED = Fault("any tag is right", "core.verdict._equal", "1'b1")
UNHELD = Fault("results are not held", "core.buffer.hold", "1'b0")
ANY_HEADER = Fault("any header is right", "core.pre.accepted", "1'b1")
ALWAYS_SUCCESS = Fault(
    "the status is always SUCCESS", "core.post.order", "was == {2'd0, 32'hf0000000} ? {2'd0, 32'he0000000} : was"
)
ANNOUNCED = Fault("a segment is announced before its tag", "core.pre.decrypt", "1'b0")
FILLED_EARLY = Fault("words of 0 while others come", "core.buffer.empty", "1'b1")
UNREAD_END = Fault("a header at the end of a packet is right", "core.pre._wrong", "1'b0")
UNAWAITED = Fault("an instruction is accepted before the last verdict", "core.pre.judging", "1'b0")
KEPT = Fault("a message that failed stays in the buffer", "core.verdict.pending", "1'b0")
WORD_RUNS_ON = Fault("words do not wait for ready", "core.buffer.o__ready", "1'b1")
OUTPUT_WHILE_CLEARING = Fault("valid while clearing", "core.do__valid", "valid", {"valid": "core.post.do__valid"})
TAG_RUNS_ON = Fault(
    "the tag's words do not wait for ready",
    "core.post.place",
    "place",
    {"clk": "clk", "state": "core.post.state"},
    "reg [1:0] place = 0; always @(posedge clk) place <= state == 3 ? place + 1 : 0;",
)
NO_FAULT = Fault("none", "core.clear", "was")
READS_ON = Fault(
    "the exit reads rows of sectors under way",
    "core.exit.load",
    "was || advance",
    {"advance": "core.exit.advance"},
)
READS_AS_IT_CLEARS = Fault(
    "the exit reads any row in the first cycle of clearing", "core.exit.load", "was || clear", {"clear": "core.clear"}
)
UNERASED = Fault("the output registers are not erased", "core.exit.erase", "1'b0")
LATE_ROW = Fault("clearing does not begin with row 0", "core.key_unit.clear_row", "was + 1")
KNOWN_TOO_EARLY = Fault(
    "the block known last is another sector's while nothing is fetched",
    "core.known0",
    "was ^ {128{row}}",
    {"row": "core.front_sector"},
)
KEY_WHILE_A_BEAT_WAITS = Fault(
    "an output register loads a round key while a beat waits and another one is pending",
    "core.exit.data",
    "was ^ extra",
    {name: f"core.exit.{name}" for name in ("erase", "fetch", "pending", "o__valid", "o__ready")}
    | {"clk": "aclk", "key": "core.key_unit.round_keys"},
    """reg [127:0] extra;
    always @(posedge clk)
      if (erase || fetch) extra <= 0;
      else if (pending && o__valid && !o__ready) extra <= key[127:0];""",
)
INPUT_ON_THE_PORT = Fault(
    "a block of the input is on the port while no beat is valid",
    "core.exit.data",
    "valid ? was : block",
    {"valid": "core.exit.valid", "block": "core.entrance.x.data"},
)
OTHER_ROW = Fault(
    "the port has the row that is written next",
    "core.results.read__addr",
    "tail",
    {"tail": "core.results.tail"},
)
WRITTEN_ON = Fault("the queue of results is written in each cycle", "core.results.beats__write_en", "1'b1")
HELD_WORDS_ARE_READ = Fault(
    "held words are read while none is valid", "core.buffer.fetch", "was || !valid", {"valid": "core.buffer.o__valid"}
)
TAG_ON_THE_PORT = Fault(
    "the tag is on the port before it is due",
    "core.post.do__payload",
    "state ? was : tag",
    {"state": "core.post.state", "tag": "core.post.tag"},
)
