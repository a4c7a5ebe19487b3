# SPDX-License-Identifier: Apache-2.0
"""Proofs of the stream rules of a hash-counter-hash sector core, on the Verilog that a user gets.

The control is proved as it is. What it does not depend on is left free, so that it may do anything at any time: the
lanes, the multipliers, the key expansion and the memories of data. What holds then holds for the core.
"""

import json
import re
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pyosys import libyosys  # pyright: ignore[reportAttributeAccessIssue]

from wideblock.export.contract import Contract
from wideblock.export.verilog import verilog
from wideblock.verify.formal_multiplier import NotProved, Proof

__all__ = ["prove_clearing", "prove_held", "prove_no_paths", "prove_order", "prove_queue"]

INPUT_STREAMS = ("s_axis_", "m_axis_tready")
OUTPUT_STREAMS = ("m_axis_t", "s_axis_tready", "s_axis_key_tready")
REGISTERS = ("$dff", "$sdff", "$dffe", "$sdffe", "$adff")
FREE = ("lanes", "multiplier*", "key_unit.expansion")
HELD_FROM = ("outer", "inner", "direction")  # memories that the output is read from while it waits


@dataclass(frozen=True)
class _Rule:
    """Signals of the core by their names in the checker, and the checker's text."""

    signals: dict[str, str]
    text: str


def prove_no_paths(core: Contract, text: str | None = None) -> Proof:
    """Proves that no input of a stream reaches an output of a stream without passing a register.

    ``text`` is checked in place of the core's Verilog. Every cell is taken to lead from each of its inputs to each of
    its outputs, memories from address to data; so a path may be seen that is none, never the reverse.
    """
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        yosys = _Yosys(Path(name))
        yosys.read("core.v", text or verilog(core))
        yosys.run(f"hierarchy -top {core.module}", "proc", "flatten", "opt_clean", f"write_json {name}/core.json")
        top = json.loads(Path(name, "core.json").read_text())["modules"][core.module]
    after: dict[int, list[dict]] = {}
    registers = 0
    for cell in top["cells"].values():
        if cell["type"] in REGISTERS:
            registers += sum(len(bits) for pin, bits in cell["connections"].items() if pin == "Q")
            continue
        for pin, bits in cell["connections"].items():
            if cell["port_directions"][pin] == "input":
                for bit in bits:
                    after.setdefault(bit, []).append(cell)
    outputs = {
        bit: port
        for port, p in top["ports"].items()
        if port.startswith(OUTPUT_STREAMS)
        for bit in p["bits"]
        if p["direction"] == "output"
    }
    for port, p in top["ports"].items():
        if p["direction"] == "output" or not port.startswith(INPUT_STREAMS):
            continue
        reached = {bit for bit in p["bits"] if isinstance(bit, int)}
        todo = list(reached)
        while todo:
            bit = todo.pop()
            if bit in outputs:
                raise NotProved(f"{core.module}: a combinational path leads from {port} to {outputs[bit]}")
            for cell in after.get(bit, ()):
                for pin, bits in cell["connections"].items():
                    if cell["port_directions"][pin] == "output":
                        new = {b for b in bits if isinstance(b, int)} - reached
                        reached |= new
                        todo += new
    return Proof(
        "no combinational path from a stream's inputs to a stream's outputs",
        "search of the netlist",
        len(top["cells"]),
        registers,
        time.monotonic() - start,
    )


def prove_clearing(core: Contract, text: str | None = None) -> Proof:
    """Proves that a core that clears offers nothing, takes nothing and is not ready; nor takes beats without a key."""
    rule = _Rule(
        {"clear": "core.key_unit.clear"},
        """
      always @* begin
        if (clear) assert (!ready && !m_axis_tvalid && !s_axis_tready && !s_axis_key_tready);
        if (!ready) assert (!s_axis_tready);
      end""",
    )
    return _prove(core, rule, "nothing is offered or taken while clearing, and no beat is taken unless ready", text)


def prove_held(core: Contract, text: str | None = None) -> Proof:
    """Proves that a beat that is offered stays, with its data and ``tlast``, until it is taken.

    Unless there is a reset, or clearing has begun. Two things are assumed: h of a sector is not announced before its
    tauW, nor tauW of a sector that the front hash has not finished. With overlap :func:`prove_order` proves them.
    """
    p, beats = core.parameters, core.beats
    if beats < 2 or core.core.specials > p.width:
        raise ValueError(
            f"{core.module}: {beats} beats of {p.width} blocks; the proof is for more beats than one, the "
            f"first of which holds the {core.core.specials} special blocks"
        )
    signals = {name: f"core.{name}_sector" for name in ("front", "outer", "inner")}
    signals |= {name: f"core.exit.{name}" for name in ("sector", "number", "shown", "shown_number", "valid")}
    signals |= {"clear": "core.key_unit.clear", "front_first": "core.front_hash.front_first"}
    signals |= {name: f"core.{name}" for name in ("event_h", "event_tauW")}
    bits = core.core.slots.bit_length() - 1
    rule = _Rule(
        signals,
        f"""
      wire [{bits}:0] to_inner = inner - sector, to_outer = outer - sector;
      wire [{bits}:0] to_front = front - sector, next_shown = shown + 1'b1;
      reg waits = 0, last;
      reg [{128 * p.width - 1}:0] data;
      always @(posedge aclk) begin
        waits <= m_axis_tvalid && !m_axis_tready && aresetn;
        last <= m_axis_tlast;
        data <= m_axis_tdata;
      end
      always @* begin
        if (!clear) assume (!event_h || inner != outer);
        if (!clear) assume (!event_tauW || outer != front);
        if (waits && !clear) begin
          assert (m_axis_tvalid && m_axis_tlast == last);
          assert (m_axis_tdata == data);
        end
        // what makes it inductive: the stages are in order, and no more sectors under way than there are slots
        if (!clear) begin
        assert (to_inner <= to_outer && to_outer <= to_front && to_front <= {core.core.slots});
        assert (front_first || to_front < {core.core.slots});
        assert (number < {beats} && (number == 0 || inner != sector));
        if (valid && shown_number == {beats - 1}) assert (number == 0 && sector == next_shown);
        if (valid && shown_number != {beats - 1}) assert (number == shown_number + 1 && sector == shown);
        end
      end""",
    )
    return _prove(
        core,
        rule,
        "a beat that is offered is held, data and tlast, until it is taken, if the back hash "
        "keeps the order of sectors",
        text,
        kept=HELD_FROM,
    )


def prove_queue(core: Contract, text: str | None = None) -> Proof:
    """Proves that the queue between lanes and back hash is never written when full nor read when empty.

    Raises ValueError for a core that has no queue.
    """
    p = core.parameters
    if not p.overlap:
        raise ValueError(f"{core.module} has no queue: overlap is False, must be True")
    text = text or verilog(core)
    rule, signals = _queue_rule(core, text)
    return _prove(
        core, _Rule(signals, rule), f"the queue of {core.core.queue_depth} beats neither overflows nor underflows", text
    )


def _queue_rule(core: Contract, text: str) -> tuple[str, dict[str, str]]:
    """The rule of the queue, and the signals that it names."""
    p = core.parameters
    depth, parts, steps = core.core.queue_depth, p.width // p.lanes, core.core.cipher_latency
    tags = [f"tag{k}" for k in range(steps)]
    body = text[text.index(f"module \\{core.module}.core.queue ") :]
    found = re.search(r"assign valid = \| (\S+)", body)
    if found is None:
        raise NotProved(f"{core.module}: the queue's valid is not that its counter is not zero")
    signals = {"waiting": "core.queue." + found[1].removeprefix("\\").rstrip(" ;"), "clear": "core.key_unit.clear"}
    signals |= {name: f"core.queue.{name}" for name in ("promised", "part", "write", "read", "room")}
    signals["enter"] = "core.queue.step"
    signals |= {tag: f"core.{tag}" for tag in tags} | {"y_step": "core.y_step"}
    under_way = " + ".join(f"{tag}[2]" for tag in tags)
    part = "(y_step & 1)" if parts == 2 else "0" if parts == 1 else f"(y_step % {parts})"
    rule = f"""
      wire [15:0] steps = {under_way};
      wire [15:0] open = part == 0 ? 0 : {parts} - part;
      always @* begin
        if (!clear) begin
          assert (!write || waiting < {depth});
          assert (!read || waiting != 0);
          assert (!enter || room);
          assert (promised <= {depth} && waiting <= promised);
          // a promise is kept by the steps in the lanes, those that came out and those still to enter
          assert (part < {parts} && {parts} * (promised - waiting) == steps + {part} + open);
        end
      end"""
    return rule, signals


def prove_order(core: Contract, text: str | None = None) -> Proof:
    """Proves what :func:`prove_held` assumes of a core with ``overlap``: each stage works on sectors it was given.

    Every stage's sector is tied to the next one's by what is between the two. The control words of the hash units are
    those of the core, not free. Raises ValueError for a core without ``overlap`` or with another order of events.
    """
    p, made = core.parameters, core.core
    front, back, stages = made.programs["front"], made.programs["back"], p.mult_stages
    if not p.overlap:
        raise ValueError(f"{core.module} has one hash unit for both passes: overlap is False, must be True")
    issue = {i.product.into: i for program in (front, back) for i in program.issues if i.into is None}
    if not (issue["tauW"].step + stages < back.steps <= issue["h"].step and front.steps <= issue["R"].step):
        raise ValueError(
            f"{core.module}: tauW must be done before the back hash's step {back.steps}, h and R issued "
            f"after the last step; they are issued at {[issue[e].step for e in ('tauW', 'h', 'R')]}"
        )
    text = text or verilog(core)
    queue, signals = _queue_rule(core, text)
    signals |= {name: f"core.{name}_sector" for name in ("front", "back", "outer", "inner", "r", "g", "lane", "y")}
    signals |= {name: f"core.{name}" for name in ("event_h", "event_tauW")} | {"sector": "core.exit.sector"}
    signals |= {f"{unit}_step": f"core.{unit}_hash.{unit}_sequencer.step" for unit in ("front", "back")}
    signals["lane_step"] = "core.step"
    flight = {}
    for event, unit, program in (("R", "front", front), ("tauW", "back", back), ("h", "back", back)):
        position = issue[event].step - program.steps  # of its word in the tail, if it is there
        tokens = [f"{unit}_tail{k}" for k in range(position)]
        signals |= {token: f"core.{unit}_hash.{unit}_sequencer.{token.removeprefix(unit + '_')}" for token in tokens}
        if position >= 0:  # in the tail's last register is the word, no token
            tokens.append(f"{event}_due")
            signals[f"{event}_due"] = f"core.{unit}_hash.tail.event_{event}"
        tags = [f"{event}_{k}" for k in range(1, stages + 1)]
        signals |= {
            tag: f"core.{unit}_hash.tag{issue[event].multiplier}_{tag.removeprefix(event + '_')}.event_{event}"
            for tag in tags
        }
        flight[event] = " + ".join(tokens + tags)
    bits = made.slots.bit_length() - 1
    order = ("inner", "back", "y", "lane", "g", "r", "front")
    distances = "".join(f"wire [{bits}:0] to_{x} = {x} - sector;\n" for x in (*order, "outer"))
    pairs = "".join(
        f"wire [{bits}:0] {a}_{b} = {a} - {b};\n"
        for a, b in (("front", "r"), ("r", "g"), ("lane", "y"), ("y", "back"), ("back", "inner"))
    )
    tau = issue["tauW"].step
    urgent = "".join(
        f"assert (!tauW_{k} || (back_step > {tau} && back_step <= {tau} + {k}));\n" for k in range(1, stages + 1)
    )
    singles = " + ".join(f"tag{k}[0]" for k in range(made.cipher_latency))
    parts, s = p.width // p.lanes, made.lane_steps
    rule = _Rule(
        signals,
        f"""{distances}{pairs}{queue}
      wire [{bits}:0] back_outer = back + (back_step > {tau}) - outer;
      wire [15:0] popped = back_step < {core.beats} ? back_step : {core.beats};
      wire [15:0] R_flight = {flight["R"]}, tauW_flight = {flight["tauW"]}, h_flight = {flight["h"]};
      wire [15:0] single_flight = {singles};
      always @* if (!clear) begin
        assert (!event_h || inner != outer);
        assert (!event_tauW || outer != front);
        assert ({" && ".join(f"to_{a} <= to_{b}" for a, b in zip(order, order[1:], strict=False))});
        assert (to_front <= {made.slots} && (front_step == 0 || to_front < {made.slots}));
        assert (front_step < {front.steps} && back_step < {back.steps});
        assert (front_r == R_flight && r_g == single_flight);
        assert (lane_step < {s} && y_step < {s} && (lane_step == 0 || lane != g));
        assert ({s} * lane_y + lane_step == steps + y_step);
        assert ({s} * y_back + y_step == {parts} * (popped + waiting) + y_step % {parts});
        assert (back_inner == h_flight && back_outer == tauW_flight && tauW_flight <= 1);
        {urgent}
      end""",
    )
    return _prove(
        core, rule, "no stage works on a sector that it was not given, nor announces it", text, steps=2, kept=("words",)
    )


def _prove(
    core: Contract, rule: _Rule, statement: str, text: str | None, steps: int = 1, kept: Sequence[str] = ()
) -> Proof:
    """Proves the assertions of a rule by induction over time, from power-up, with resets at any time."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        yosys = _Yosys(Path(name))
        yosys.read("core.v", text or verilog(core))
        yosys.run(
            f"hierarchy -top {core.module}",
            *(f"delete */t:{core.module}.*.{part} */t:{core.module}.core.{part}" for part in FREE),
            "proc",
            "flatten",
            "opt_clean",
            "memory_collect",
            f"delete t:$mem_v2 {' '.join(f'c:*.{memory} %d' for memory in kept)}",
            "expose " + " ".join(f"w:{signal}" for signal in rule.signals.values()),
        )
        yosys.run(f"write_json {name}/core.json")
        top = json.loads(Path(name, "core.json").read_text())["modules"][core.module]
        missing = set(rule.signals.values()) - set(top["ports"])
        if missing:
            raise ValueError(f"{core.module} has no signal {', '.join(sorted(missing))} for the rule to speak of")
        yosys.read("rule.v", _checker(core.module, top["ports"], rule))
        yosys.run("hierarchy -top rule", "proc", "flatten", "chformal -lower", "memory_map", "opt_clean")
        count = yosys.run("stat")
        log = yosys.run(f"sat -tempinduct -prove-asserts -set-assumes -seq 0 -maxsteps {steps} -timeout 120 rule")
    if "SUCCESS!" not in log:
        raise NotProved(f"{core.module}: not inductive within {steps} cycles: {statement}")
    k = max(int(n) for n in re.findall(r"\[induction step (\d+)\]", log))
    gates = int(re.findall(r"(\d+)(?: \S+)? cells", count)[-1])
    return Proof(statement, f"SAT, induction of length {k}", gates, 0, time.monotonic() - start)


def _checker(module: str, ports: dict, rule: _Rule) -> str:
    """Verilog of module ``rule``: the core, its inputs free, and the rule over its outputs and exposed signals."""
    names = {signal: name for name, signal in rule.signals.items()}
    lines, pins = [], []
    for port, p in ports.items():
        name = names.get(port, port)
        kind = "input" if p["direction"] == "input" else "wire"
        lines.append(f"{kind} [{len(p['bits']) - 1}:0] {name};")
        pins.append(f".\\{port} ({name})")
    inputs = [port for port, p in ports.items() if p["direction"] == "input"]
    return "\n".join(
        [
            "`default_nettype none",
            f"module rule({', '.join(inputs)});",
            *lines,
            f"\\{module} dut({', '.join(pins)});",
            rule.text,
            "endmodule",
            "",
        ]
    )


class _Yosys:
    """A design in Yosys, and what it prints."""

    def __init__(self, folder: Path):
        self._folder, self._design = folder, libyosys.Design()

    def read(self, name: str, text: str) -> None:
        (self._folder / name).write_text(text)
        self.run(f"read_verilog -formal {self._folder}/{name}")

    def run(self, *passes: str) -> str:
        log, text = self._folder / "log", ""
        for command in passes:
            libyosys.run_pass(f"tee -q -o {log} {command}", self._design)
            text += log.read_text()
        return text
