# SPDX-License-Identifier: Apache-2.0
"""Rules of running hash."""

import re
from dataclasses import replace
from itertools import pairwise

from wideblock.export.contract import Contract
from wideblock.verify.formal.induction import CLEAR, Rule
from wideblock.verify.formal.proof import NotApplicable
from wideblock.verify.formal.rules.copies import copied, gate_queue, joined, number_bits, places_of
from wideblock.verify.formal.rules.outputs import OutputPlaces, damage, tag_memory
from wideblock.verify.formal.rules.parts import NO_SLOTS, delayed, no_loss, rekeyed_in_order, watched_row

__all__ = ["order", "output", "queues", "rekey", "slots"]

_Part = tuple[dict[str, str], str]
"""Signals by their names in a text, and the text."""


def output(core: Contract) -> OutputPlaces:
    """The result ring, Y_1, and where a message ends."""
    return OutputPlaces(
        ("core.result_ring", "core.inner", "core.last_byte", *tag_memory(core)),
        address=("core.exit.number", "core.exit.sector", "core.exit_row"),
        begins=damage(core),
    )


def order(core: Contract) -> Rule:
    """Follows two arbitrary messages, ``p`` and a younger ``n``; the ends of all other messages are free.

    The rows of a message begin at a base. A stage at message p is at row base + number. The first part proves the
    assertions for the moment in which a stage leaves p. As p is arbitrary, the assertions hold for every message a
    stage leaves, and are given in the other parts.
    """
    signals, (text, *parts) = _stages(core)
    return Rule(
        "no stage works on a message that it was not given, nor announces it", signals, text, parts=tuple(parts)
    )


def rekey(core: Contract) -> Rule:
    """No message in either pass, and no block in the lanes."""
    text = "d_front == d_back_done && single_flight == 0 && (p != front || steps == 0 && queue_waiting == 0)"
    return rekeyed_in_order(core, order(core), "front == back_done && front_number == 0", text)


def queues(core: Contract) -> Rule:
    """The queue between lanes and back hash, and the rings; ``order`` is given.

    ``to_p`` and the like are distances in rows from the exit to p.
    """
    made = core.component
    row, rows, clock = made.row_bits - 1, made.ring_rows, core.shell.clock
    signals, stages = _stages(core)
    fault = "core.entrance.spoiled" if core.parameters.slots else "core.entrance.fault"
    more = {"entrance_take": "core.entrance.take", "entrance_fault": fault, "exit_row": "core.exit_row"}
    signals, aliases = joined(signals, more)
    queue_signals, queue = _queue(core)
    given = "".join(stages).replace(queue, "").replace("assert (", "assume (")
    return Rule(
        f"the queue of {made.queue_depth} beats neither overflows nor underflows; no row of the rings of {rows} beats "
        "is written before it left, and the exit goes over the rows of its message",
        signals | queue_signals,
        f"""{given}{queue}{aliases}
      reg [{row}:0] to_p, to_n, to_next, to_base, to_front;
      wire [{row}:0] to_end = to_front + 1 - exit_fetch;
      always @(posedge {clock}) begin
        to_p <= clear ? 0 : whole && after_front == p ? to_end : to_p - exit_fetch;
        to_n <= clear ? 0 : whole && after_front == n ? to_end : to_n - exit_fetch;
        to_next <= clear ? 0 : whole && after_front == behind_p ? to_end : to_next - exit_fetch;
        to_base <= clear ? 0 : whole ? to_end : to_base - exit_fetch;
        to_front <= clear ? 0 : (!entrance_take ? to_front : entrance_fault ? to_base : to_front + 1) - exit_fetch;
      end
      reg exit_beyond;
      reg exit_past_n;
      always @(posedge {clock}) begin
        exit_beyond <= !clear && exit_fetch && left != p && (to_base == 0 || (begun && to_p == 0));
        exit_past_n <= !clear && exit_fetch && left == p && (to_base == 0 || (n_behind && to_n == 0));
      end
      always @* assume (!exit_beyond && !exit_wrong);
      always @* if (!clear) assert (!exit_past_n);
      {"".join(_passing(core, "exit", "left", "left_leaves", "1'b0"))}
      always @* if (!clear) begin
        assert (front_row == to_front + exit_row);
        assert (to_front == to_base + entrance_number && to_base <= to_front && to_front <= {rows});
        assert ((p != front || to_p == to_base) && (n != front || to_n == to_base));
        if (begun) assert (p_row == exit_row + to_p);
        if (entered) assert (to_next != 0 && to_next <= to_base && (left == p || to_p < to_next));
        if (entered) assert (to_next == to_p + {made.row_bits}'d1 + end_content);
        if (n_behind) assert (to_next <= to_n && to_n <= to_base);
        if (n_behind && n == behind_p) assert (to_n == to_next);
      end""",
    )


def _queue(core: Contract) -> _Part:
    """The queue between lanes and back hash; ``steps`` are in the lanes."""
    made = core.component
    tags, steps = delayed("lane", made.cipher_latency)
    signals, rule = no_loss("queue", made.queue_depth, "steps")
    return signals | tags, rule.replace("\n", f"\n      wire [15:0] steps = {steps};\n", 1)


def _stages(core: Contract) -> tuple[dict[str, str], list[str]]:
    """The stages up to Y_1, and the beats of p in stages by beats: signals, and parts of the proof."""
    made = core.component
    A, bits, row, clock = made.cipher_latency, made.slots.bit_length(), made.row_bits, core.shell.clock
    moves = _moves(core)
    signals = {name: f"core.{name}_sector" for name in moves} | {"single_go": "core.single_go"}
    signals |= {f"exit_{name}": f"core.exit.{name}" for name in ("number", "fetch", "end")}
    signals |= {"left": "core.exit.sector", "clear": CLEAR}
    signals |= {f"{name}_row": f"core.{name}_row" for name in ("front", "base", "lane_due", "lane_done")}
    signals |= {f"{name}_number": f"core.{name}_number" for name in ("lane", "lane_done", "back")}
    signals |= {name: f"core.{name}" for name in ("whole", "pause", "step_go", "lane_final", "lane_done_final")}
    signals |= {f"back_{name}": f"core.back_{name}" for name in ("held", "left", "go", "final")}
    entrance_signals, entrance = _gate(core) if core.parameters.slots else _entrance(core)
    queue_signals, queue = _queue(core)
    followed_signals, followed = _followed(core)
    single_tags, single = delayed("single", A)
    first_tags, first = _last_beats("front", core.parameters.mult_stages)
    last_tags, last = _last_beats("back", core.parameters.mult_stages)
    distance = "d_{name} <= clear ? 0 : {move} == left_leaves ? d_{name} : {move} ? d_{name} + 1 : d_{name} - 1;"
    leaving, staying = zip(
        _passing(core, "lane", "lane", "step_go && lane_final", "1'b0"),
        _passing(core, "lane_done", "lane_done", f"lane_tag{A - 1} && lane_done_final", "lane_done == lane"),
        _passing(core, "back", "back", "back_go && back_final", "back == lane_done"),
        strict=True,
    )
    passes = f"""
      {entrance}
      {queue}
      wire [15:0] single_flight = {single}, first_flight = {first}, last_flight = {last};
      reg [{row - 1}:0] lane_row, back_row;
      always @(posedge {clock}) begin
        lane_row <= clear ? 0 : lane_row + step_go;
        back_row <= clear ? 0 : back_row + queue_read;
      end
      wire left_leaves = exit_fetch && exit_number == (exit_end >> {made.place});
      reg [{bits - 1}:0] {", ".join(f"d_{name}" for name in moves)};
      {followed}
      {"".join(leaving)}
      wire back_ends = back_left == 0;
      reg back_misled, back_mistakes;
      always @(posedge {clock}) begin
        back_misled <= !clear && back_go && back != p && back_ends != back_final;
        back_mistakes <= !clear && back_go && back == p && back_ends != back_final;
        {"".join(distance.format(name=name, move=move) for name, move in moves.items())}
      end
      always @* if (!clear) assert (!back_mistakes);"""
    beats = f"""
      wire [{row - 1}:0] behind_lanes = lane_done_row + steps, behind_queue = back_row + queue_waiting;
      wire [15:0] back_early = {_early("size_content", core)};
      {"".join(staying)}
      always @* if (!clear) begin
        assert (lane != single_done || lane_number == 0);
        assert (back != front || back_held == 0);
        assert (lane_due_row == lane_done_row + lane_tag{A - 1} && front_row == base_row + entrance_number);
        assert (lane_row == behind_lanes && lane_done_row == behind_queue);
        if (back == p) assert (back_held == 0 || (back_number == 0 && back_held <= back_early));
      end"""
    tags = single_tags | first_tags | last_tags
    return signals | entrance_signals | queue_signals | followed_signals | tags, [passes, _chain(core), beats]


def _moves(core: Contract) -> dict[str, str]:
    """The signal that advances each pointer; a pointer is at the message of the next pointer or at a younger one."""
    A, s = core.component.cipher_latency, core.parameters.mult_stages - 1
    return {
        "front": "whole",
        "front_done": f"(front_go{s} & front_last{s})",
        "single": "single_go",
        "single_done": f"single_tag{A - 1}",
        "lane": "lane_leaves",
        "lane_done": "lane_done_leaves",
        "back": "back_leaves",
        "back_done": f"(back_go{s} & back_last{s})",
    }


def _chain(core: Contract) -> str:
    """Distances between pointers are the messages in flight between the stages."""
    made, moves = core.component, _moves(core)
    A, bits = made.cipher_latency, made.slots.bit_length()
    ordered = "".join(f"assert (d_{older} <= d_{younger});" for older, younger in pairwise(reversed(moves)))
    return f"""
      wire [{bits - 1}:0] {", ".join(f"at_{name} = left + d_{name}" for name in moves)};
      wire [{bits - 1}:0] hashing = d_front_done + first_flight, calling = d_single_done + single_flight;
      wire [{bits - 1}:0] closing = d_back_done + last_flight;
      always @* assume (!back_misled && {" && ".join(f"!{name}_wrong" for name in ("lane", "lane_done", "back"))});
      always @* if (!clear) begin
        assert (d_front <= {made.slots});
        {ordered}
        {"".join(f"assert (at_{name} == {name});" for name in moves)}
        assert (hashing == d_front && calling == d_single && closing == d_back);
        assert (!computed || back_done != back);
        {"".join(f"assert (!single_tag{k} || pause == {A - 1 - k});" for k in range(A))}
      end"""


def _followed(core: Contract) -> _Part:
    """The two messages: where p ends, and the bases of both."""
    made, most = core.component, core.parameters.most_tweak_bytes
    bits, row = made.slots.bit_length(), made.row_bits - 1
    word = (made.place, (core.parameters.longest - 1).bit_length() - made.place)
    ports = ("read0", "read1", "read2", "read3")
    end_signals, end = watched_row(core, "end", "core.last_byte", bits - 1, word=word, ports=ports)
    size_signals, size = watched_row(core, "size", "core.tweak", bits - 1, word=(8 * most, most.bit_length()))
    return (
        end_signals | size_signals,
        f"""{end}{size}
      always @* assume (size_at == end_at);
      reg p_high;
      reg [{bits - 1}:0] n;
      reg [{row}:0] p_row, n_row;
      wire [{bits - 1}:0] p = {{p_high, end_at}}, d_p = p - left, d_n = n - left;
      wire [{bits - 1}:0] after_front = front + 1, behind_p = p + 1;
      wire [{row}:0] end_row = front_row + 1, next_row = p_row + end_content + 1;
      always @(posedge {core.shell.clock}) begin
        p_high <= p_high; n <= n;
        p_row <= clear ? 0 : whole && after_front == p ? end_row : p_row;
        n_row <= clear ? 0 : whole && after_front == n ? end_row : n_row;
      end
      wire begun = d_p <= d_front, entered = d_p < d_front, n_behind = entered && d_p < d_n && d_n <= d_front;
      always @* if (!clear) begin
        assert ((p != front || p_row == base_row) && (n != front || n_row == base_row));
        if (n_behind && n == behind_p) assert (n_row == next_row);
      end""",
    )


def _passing(core: Contract, name: str, at: str, leaves: str, too_early: str) -> tuple[str, str]:
    """Assertions on a stage by beats, at message ``at``: as the stage ``leaves`` p, and, given these, while at p."""
    bits, row = core.component.slots.bit_length(), core.component.row_bits
    return (
        f"""
      wire {name}_leaves = {leaves};
      wire [{bits - 1}:0] {name}_behind = {at} + 1;
      wire [{row - 1}:0] {name}_next = {name}_row + 1;
      reg {name}_wrong, {name}_fails;
      always @(posedge {core.shell.clock}) begin
        {name}_wrong <= !clear && {name}_leaves && {at} != p
          && (({name}_behind == p && begun && {name}_next != p_row) || {too_early});
        {name}_fails <= !clear && {name}_leaves && {at} == p
          && ((n == behind_p && {name}_next != n_row) || {too_early});
      end
      always @* if (!clear) assert (!{name}_fails);""",
        f"""
      always @* if (!clear && {at} == p) begin
        assert ({name}_row == p_row + {name}_number);
        assert (entered ? {name}_number <= end_content : {name}_number == 0);
      end""",
    )


def _stated(core: Contract, last: str) -> tuple[str, str]:
    """Wire ``stated``, valid sizes of the offered message, and assertions on the entrance; ``last``: mark of a last
    beat. Both in Verilog.
    """
    length, most_tweak = core.behaviour.length, core.parameters.most_tweak_bytes
    return (
        f"""wire stated = entrance_size >= {length.least} && entrance_size <= {length.most}
        && entrance_tweak_size <= {most_tweak};""",
        f"""
        assert (entrance_first || entrance_discard || stated);
        assert (!entrance_full || entrance_begun == !{last});
        assert (entrance_full || entrance_discard || entrance_first == !entrance_begun);
        assert (!entrance_discard || entrance_full || entrance_begun);""",
    )


def _entrance(core: Contract) -> _Part:
    """An offered message states valid sizes, and the first pass is at the message's beats."""
    made = core.component
    names = ("full", "begun", "first", "discard", "number", "beat.last", "beat.size", "beat.tweak_size")
    stated, states = _stated(core, "entrance_last")
    signals = {f"entrance_{name.replace('beat.', '')}": f"core.entrance.{name}" for name in names}
    return (
        signals | {"front_number": "core.front_number", "front_held": "core.front_held"},
        f"""{stated}
      wire [15:0] front_behind = (entrance_size - 16'd1) >> {made.place};
      wire [15:0] front_early = {_early("entrance_tweak_size", core)};
      always @* if (!clear) begin{states}
        assert (entrance_number == front_number);
        assert ((front_number != 0) == (!entrance_first && !entrance_discard));
        assert (front_number == 0 || (front_number <= front_behind && front_held == 0));
        assert (front_held == 0 || (entrance_full && entrance_first && !entrance_discard && stated));
        assert (front_held == 0 || front_held <= front_early);
      end""",
    )


def _gate(core: Contract) -> _Part:
    """As :func:`_entrance`, with the queue of the gate between the entrance and the first pass."""
    signals, queue = gate_queue(core, "core.front_number")
    names = ("full", "begun", "first", "discard", "beat.size", "beat.tweak_size")
    stated, states = _stated(core, "putting_last")
    most = core.component.entrance.entrance.beats
    signals |= {f"entrance_{name.replace('beat.', '')}": f"core.entrance.entrance.{name}" for name in names}
    return (
        signals | {"front_held": "core.front_held"},
        f"""{stated}{queue}
      wire [{(most - 1).bit_length() - 1}:0] entrance_number = number_of, front_number = number_of;
      wire [15:0] front_behind = a_open ? a_end : b_end;
      wire [15:0] front_early = {_early("b_tweak", core)};
      always @* if (!clear) begin{states}
        assert ((putting != 0) == (!entrance_first && !entrance_discard));
        assert (!waits || b_end < {most} && b_tweak <= {core.parameters.most_tweak_bytes});
        assert (front_number == 0 || (front_number <= front_behind && front_held == 0));
        assert (front_held == 0 || (waits && ready_copy && a_left == 0 && voids == 0));
        assert (front_held == 0 || front_held <= front_early);
        assert (!whole || gate_take && oldest_fault == 0);
        assert (reached == front);
      end""",
    )


def _early(size: str, core: Contract) -> str:
    """Steps of a pass before the message's first beat, for a tweak of ``size`` bytes, in Verilog."""
    return f"{size} == 0 ? 16'd1 : (16'd{core.parameters.beat_bytes - 1} + {size}) >> {core.component.place}"


def _last_beats(hash: str, stages: int) -> tuple[dict[str, str], str]:
    """The last beats of runs in the multiplier of a hash: signals, and their number in Verilog."""
    signals, terms = {}, []
    for k in range(stages):
        names = {f"{hash}_{flag}{k}": f"core.{hash}_hash.tag{k}.{flag}" for flag in ("go", "last")}
        signals |= names
        terms.append(f"({' & '.join(names)})")
    return signals, " + ".join(terms)


def slots(core: Contract) -> Rule:
    """As :func:`wideblock.verify.formal.rules.copies.copied`: a message is in the front pass, then in the multiplier of
    the front hash, then in later stages, which read when the copy is complete.
    """
    if not core.parameters.slots:
        raise NotApplicable(NO_SLOTS)
    made, s = core.component, core.parameters.mult_stages
    since = made.key_unit.context.lead + 2
    lasts = [f"(front_go{k} & front_last{k})" for k in range(s)]
    bits, wires, in_hash = number_bits(core), "", ""
    for k, last in enumerate(lasts):
        wires += f"\n      wire [{bits - 1}:0] front_done_{k} = front_done + {' + '.join(lasts[k + 1 :]) or 0};"
        in_hash += f"""
        assert (!({last} && live && n == front_done_{k}) || since >= {since + 2 + k});"""
    complete = f"""
        assert (!(live && front == n && (front_held != 0 || front_number != 0) && !a_bad) || since == {since + 2 + s}
          || since >= {since} + front_held + front_number + (front_number != 0));{in_hash}
        assert (!(live && to_n < (front - back_done) % {1 << bits}) || since >= {since + 2});
        assert (!(live && to_n < (front_done - back_done) % {1 << bits}) || since == {since + 2 + s});"""
    signals, reads = _reads(core)
    rule = order(core)
    first, *parts = (re.sub(r"\bn\b", "younger", text) for text in (rule.text, *rule.parts))  # n is that of the copies
    rows = {power: power - 1 for power in range(1, made.hashes[0].powers + 1)}
    return copied(
        core,
        replace(rule, text=first, parts=tuple(parts)),
        "back_done",
        "keys_oldest == back_done",
        complete,
        (signals, f"{wires}\n      always @* if (!clear) begin{reads}\n      end"),
        2 + s,
        {name: (rows, None) for name in ("front", "back")},
    )


def _reads(core: Contract) -> _Part:
    """Powers of the steps, keys of the calls and words for Z are in the copy of the message, at its place."""
    made, width = core.component, core.parameters.width
    context, material = made.key_unit.context, made.key_unit.material
    (key,) = material.ciphers
    called = f"single_tag{made.cipher_latency - 1}"
    parts = [
        places_of(core, key, [("single_go ? single : lane", "single_go || step_go")]),
        places_of(core, key, [("single", "single_go")], last=True),
        *(places_of(core, word, [("single_done", called)]) for word in (*material.raw, *material.stored)),
    ]
    signals = {name: signal for more, _ in parts for name, signal in more.items()}
    text = "".join(each for _, each in parts)
    for read, message in (("single_go", "single"), ("step_go", "lane"), (called, "single_done")):
        text += f"""
        assert (!({read} && live && {message} == n) || since > {len(context.words)});"""
    numbers = {word.power: k for k, word in enumerate(context.words)}
    low = (made.hashes[0].powers - 1).bit_length()
    for name in ("front", "back"):
        dropped = " && !a_bad" if name == "front" else ""
        signals[f"{name}_hashes"] = f"core.{name}_hash.go"
        for port in range(width):
            at = f"{name}_at{port}"
            signals[at] = f"core.{name}_hash.powers.read{port if width > 1 else ''}_addr"
            there = "16'd0"
            for power, number in numbers.items():
                if power is not None:
                    there = f"{at}[{low - 1}:0] == {power - 1} ? 16'd{number + 2} : {there}"
            text += f"""
        if ({name}_hashes) begin
          assert ({at} >> {low} == {name} % {made.slots});
          if (live && {name} == n{dropped}) assert (since >= ({there}));
        end"""
    return signals, text
