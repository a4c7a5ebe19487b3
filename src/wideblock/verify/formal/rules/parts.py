# SPDX-License-Identifier: Apache-2.0
"""Common parts of rules: handshakes, queues with promises, hash units, delayed tags."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from wideblock.export.contract import Contract
from wideblock.rtl.hash.products import HashEvent
from wideblock.rtl.hash.program import Issue, Program
from wideblock.rtl.keys.unit import STATES, KeyUnit
from wideblock.verify.formal.induction import CLEAR, Rule
from wideblock.verify.formal.proof import NotApplicable

__all__ = [
    "ALONE",
    "NO_SLOTS",
    "accepted",
    "admitted",
    "back_queue",
    "check_not_ahead",
    "delayed",
    "held_in_registers",
    "in_flight",
    "in_order",
    "no_loss",
    "raised_by",
    "rekeyed",
    "rekeyed_in_order",
    "released",
    "resetting",
    "settled",
    "walking",
    "watched_row",
]

ALONE = "the rule is about a core alone: registers=none, header=false"
NO_SLOTS = "no slots: the core holds one key at a time"
"""Reason for no rule of slots: the core has one key."""


def accepted(core: Contract, channel: str) -> str:
    """Whether a word of a channel is accepted, in Verilog."""
    stream = core.shell.named(channel)
    return f"({stream.valid} && {stream.ready})"


def resetting(core: Contract) -> str:
    """Whether the core is reset, in Verilog."""
    return f"{'!' if core.shell.active_low else ''}{core.shell.reset}"


def held_in_registers(erase: str = "core.exit.erase", valid: str = "core.exit.valid") -> Rule:
    """Nothing is valid while the output registers are erased, and nothing else changes a waiting beat."""
    signals = {"erase": erase, "shown_valid": valid, "clear": CLEAR}
    return Rule("", signals, "always @* if (!clear) assert (!erase || !shown_valid);")


def settled(core: Contract) -> tuple[dict[str, str], str]:
    """The signals of a core's key unit, and the invariant that the registers are of a common state.

    Empty for a core without a key unit of one key.
    """
    if not isinstance(getattr(core.component, "key_unit", None), KeyUnit):
        return {}, ""
    return (
        {
            "keys_state": "core.key_unit.fsm_state",
            "keys_accepting": "core.key_unit.accepting",
            "running": "core.key_unit.running",
            "clear": CLEAR,
        },
        f"""
      always @* begin
        assert (keys_state < {len(STATES)});
        assert (clear == (keys_state == {STATES.index("clear")}));
        assert (running == (keys_state == {STATES.index("running")}));
        assert (!keys_accepting || keys_state == {STATES.index("no key")} || running);
      end""",
    )


def rekeyed(core: Contract, idle: str) -> tuple[dict[str, str], str]:
    """The signals of a key unit, with ``key_taken``, and the rule that the core is idle as a key is taken.

    ``idle``: no message is past the entrance and not computed, in Verilog. Without a key the core is idle. A key is
    accepted a cycle after the core was idle; the core stays idle, as the waiting key holds the entrance.

    Raises :class:`NotApplicable` for a core with slots.
    """
    if not isinstance(getattr(core.component, "key_unit", None), KeyUnit):
        raise NotApplicable("the core has slots: a key comes while messages of other slots are under way, see slots")
    names = {"key_taken": "taken", "keys_waiting": "waiting", "idle": "idle"}
    signals = {name: f"core.key_unit.{signal}" for name, signal in names.items()}
    signals |= {f"entrance_{flag}": f"core.entrance.{flag}" for flag in ("full", "begun")} | {"clear": CLEAR}
    return (
        signals,
        f"""
      always @* if (!clear) begin
        assert (running || !entrance_full && ({idle}));
        assert (!keys_accepting || !running || keys_waiting && idle);
        assert (!idle || !entrance_full && !entrance_begun && ({idle}));
        if (key_taken) assert (!entrance_full && ({idle}));
      end""",
    )


def rekeyed_in_order(core: Contract, order: Rule, idle: str, empty: str) -> Rule:
    """The rule that a key is taken only with nothing under way, for a core with a rule of ``order``.

    ``idle`` as in :func:`rekeyed`; ``empty``: no stage has any part of a sector, in Verilog, on the signals of
    ``order``. The ``number`` of the beat at the entrance, if among the signals, is 0 between two sectors.
    """
    numbered = ""
    if "number" in order.signals:
        more = {"entrance_last": "core.entrance.x.last", "entrance_discard": "core.entrance.discard"}
        order = replace(order, signals=order.signals | more)
        idle = f"{idle} && number == 0"
        numbered = """
      always @* if (!clear) begin
        assert (!entrance_full || entrance_begun == !entrance_last);
        assert (number == 0 || !entrance_discard && (entrance_full || entrance_begun));
      end"""
    signals, text = rekeyed(core, idle)
    order = order.beside_last(f"{numbered}{text}\n      always @* if (!clear && key_taken) assert ({empty});")
    return replace(
        order,
        statement=f"a key is taken only while no sector is in the entrance or in a stage; {order.statement}",
        signals=order.signals | signals,
    )


def in_order(core: Contract, pointers: Sequence[str]) -> tuple[dict[str, str], str, str]:
    """The signals of a core's ``pointers``, the last stage's first; wires; the assertion that no stage is overtaken.

    ``to_A`` is the distance of pointer A from the exit's pointer, ``left``; ``B_to_A`` the distance from A to the next
    pointer B.
    """
    signals = {f"{name}_sector": f"core.{name}_sector" for name in pointers} | {"left": "core.exit.sector"}
    wire = f"wire [{core.component.slots.bit_length() - 1}:0]"
    wires = "".join(f"{wire} to_{name} = {name}_sector - left;\n" for name in pointers)
    wires += "".join(f"{wire} {b}_to_{a} = {b}_sector - {a}_sector;\n" for a, b in pairwise(pointers))
    return signals, wires, f"assert ({' && '.join(f'to_{a} <= to_{b}' for a, b in pairwise(pointers))});"


def admitted(core: Contract, left: str, front: str, *, registered: bool = False) -> tuple[dict[str, str], str]:
    """The signals of a core's admission, and the rule that the sectors under way have room.

    ``left`` and ``front`` are the next sectors to leave and to enter, in Verilog. A leaving sector makes room one cycle
    later. ``registered`` as in :class:`wideblock.rtl.stream.admission.Admission`.
    """
    made = core.component
    room, bits = made.slots, made.slots.bit_length() - 1
    signals, flag = {"limit": "core.admission.limit", "clear": CLEAR}, ""
    if registered:
        signals |= {"admission_free": "core.admission.free", "admission_first": "core.admission.first"}
        signals |= {"front_ready": "core.front_hash.front_ready"}
        flag = """
        assert (!admission_free || front_ready);
        assert (admission_first || entered < to_limit);
        assert (!(admission_free && admission_first) || entered < to_limit);"""
    return (
        signals,
        f"""
      wire [{bits}:0] to_limit = limit - {left}, entered = {front} - {left};
      always @* if (!clear) begin
        assert (to_limit == {room} || to_limit == {room - 1});
        assert (entered <= to_limit);{flag}
      end""",
    )


def walking(hash: str, unit: str, program: Program, *, registered: bool) -> tuple[dict[str, str], str]:
    """The signals of a sequencer, ``<unit>_step`` and the word read, and the rule that both are of the same step.

    A ``registered`` sequencer is exempt in a cycle with a restart, in which it is stopped; it counts the steps two
    ahead.
    """
    names = ("alone", "later", "final")
    beats, stride = program.beats * program.stride, program.stride
    signals = {f"{unit}_{name}": f"{hash}.{unit}_sequencer.{name}" for name in names} | {"clear": CLEAR}
    if registered:
        more = {name: name for name in ("begins", "beyond")}
        more |= {f"behind_{name}": f"row_behind.{name}" for name in ("alone", "later", "final")}
        signals |= {f"{unit}_{name}": f"{hash}.{unit}_sequencer.{signal}" for name, signal in more.items()}
        return (
            signals,
            f"""
      wire [15:0] {unit}_before = {unit}_beyond < 2 ? {unit}_beyond + 16'd{program.steps} : {unit}_beyond;
      wire [15:0] {unit}_step = {unit}_begins ? 16'd0 : {unit}_before - 16'd2;
      wire [15:0] {unit}_behind = {_following(f"{unit}_step", program)};
      always @* if (!clear) begin
        assert ({unit}_step < {program.steps});
        if (!{unit}_begins) begin
          assert ({unit}_alone == !({unit}_step < {beats} && {unit}_step % {stride} == 0));
          assert ({unit}_later == ({unit}_step != 0) && {unit}_final == ({unit}_step == {program.steps - 1}));
          assert ({unit}_behind_alone == !({unit}_behind < {beats} && {unit}_behind % {stride} == 0));
          assert ({unit}_behind_later == ({unit}_behind != 0));
          assert ({unit}_behind_final == ({unit}_behind == {program.steps - 1}));
          assert ({unit}_beyond == {_following(f"{unit}_behind", program)});
        end else assert ({unit}_beyond == {1 % program.steps});
      end""",
        )
    return (
        signals | {f"{unit}_step": f"{hash}.{unit}_sequencer.step"},
        f"""
      always @* if (!clear) begin
        assert ({unit}_step < {program.steps});
        assert ({unit}_alone == !({unit}_step < {beats} && {unit}_step % {stride} == 0));
        assert ({unit}_later == ({unit}_step != 0) && {unit}_final == ({unit}_step == {program.steps - 1}));
      end""",
    )


def _following(step: str, program: Program) -> str:
    """The number of the step behind ``step``, in Verilog."""
    return f"({step} == {program.steps - 1} ? 16'd0 : {step} + 16'd1)"


def delayed(field: str, cycles: int, line: str = "tag") -> tuple[dict[str, str], str]:
    """A field of a ``line`` of delayed flags: a signal for each cycle of delay, and the number of flags that are 1.

    The number is a sum in Verilog.
    """
    signals = {f"{field}_{line}{k}": f"core.{line}{k}.{field}" for k in range(cycles)}
    return signals, " + ".join(signals)


def no_loss(name: str, depth: int, under_way: str, parts: int = 1) -> tuple[dict[str, str], str]:
    """The signals of a queue, and the rule of no overflow and no underflow.

    ``under_way`` counts the steps with a promised place outside of the queue, in Verilog. The steps of an incomplete
    beat are added here. Names of signals begin with the queue's name and an underscore.
    """
    members = {signal: signal for signal in ("promised", "waiting", "write", "read", "room", "valid", "full")}
    members |= {"enter": "step"}
    part = "16'd0"  # a step is a beat
    if parts > 1:
        members, part = members | {"part": "part"}, f"{name}_part"
    signals = {f"{name}_{member}": f"core.{name}.{signal}" for member, signal in members.items()}
    rule = f"""
      wire [15:0] {name}_open = {part} == 0 ? 16'd0 : 16'd{parts} - {part};
      always @* if (!clear) begin
        assert (!{name}_write || {name}_waiting < {depth});
        assert (!{name}_read || {name}_waiting != 0);
        assert (!{name}_enter || {name}_room);
        assert ({name}_promised <= {depth} && {name}_waiting <= {name}_promised);
        assert ({name}_valid == ({name}_waiting != 0) && {name}_full == ({name}_promised == {depth}));
        // a promise is kept by what is under way and what is still to enter
        assert ({part} < {parts});
        assert (16'd{parts} * ({name}_promised - {name}_waiting) == ({under_way}) + {name}_open);
      end"""
    return signals | {"clear": CLEAR}, rule


def back_queue(core: Contract, parts: int = 1, open_steps: str = "16'd0") -> tuple[dict[str, str], str]:
    """The queue before the back hash: signals and rule; ``steps`` are in the lanes.

    A beat is ``parts`` steps; ``part_out``, ``open_steps``, have left the lanes and wait for the rest of the beat.
    Raises :class:`NotApplicable` for a core without overlap, which has no queue.
    """
    made = core.component
    if not core.parameters.overlap:
        raise NotApplicable("the core has no queue: overlap is False")
    tags, steps = delayed("lane", made.cipher_latency)
    arriving = f" + 16'd{parts} * queue_write" if made.ahead else ""  # the control is past a beat that is written
    signals, rule = no_loss("queue", made.queue_depth, f"steps + part_out{arriving}", parts)
    return signals | tags, f"wire [15:0] steps = {steps};\nwire [15:0] part_out = {open_steps};\n{rule}"


def watched_row(
    core: Contract,
    name: str,
    memory: str,
    bits: int,
    *,
    word: tuple[int, int] = (0, 1),
    ports: tuple[str, ...] = ("read",),
) -> tuple[dict[str, str], str]:
    """The signals of a memory, and an arbitrary row of the memory; all other rows are free.

    ``<name>_at``, of ``bits`` bits, is the number of the row; ``<name>_content`` is the last written value, and the
    value of reads. ``word``: first bit and width of the part of a row. ``ports``: read ports, without delay.
    """
    low, width = word
    signals = {f"{name}_{port}_{field}": f"{memory}.{port}_{field}" for port in ports for field in ("addr", "data")}
    signals |= {f"{name}_write_{field}": f"{memory}.write_{field}" for field in ("addr", "data", "en")}
    part = f"[{low} +: {width}]"
    reads = "".join(
        f"\n      always @* if ({name}_{port}_addr == {name}_at) assume ({name}_{port}_data{part} == {name}_content);"
        for port in ports
    )
    return (
        signals,
        f"""
      reg [{bits - 1}:0] {name}_at;
      reg [{width - 1}:0] {name}_content;
      always @(posedge {core.shell.clock}) begin
        {name}_at <= {name}_at;
        if ({name}_write_en && {name}_write_addr == {name}_at) {name}_content <= {name}_write_data{part};
      end{reads}""",
    )


def raising(program: Program) -> dict[str, Issue]:
    """The product of each event of a program, by the event's name."""
    return {i.product.into.name: i for i in program.issues if isinstance(i.product.into, HashEvent)}


def check_not_ahead(core: Contract) -> None:
    """Raises :class:`NotApplicable` for a core without overlap and with control ahead of the data.

    Such a core has the words of both programs in registers, and the invariants of the rules are not inductive.
    """
    if core.component.ahead:
        raise NotApplicable("no argument for a control ahead of the data without overlap: round_stages must be 1")


def raised_by(unit: str, event: str) -> tuple[dict[str, str], str]:
    """The signals of two programs in a hash unit, and the rule that only ``unit`` raises the event."""
    others = [other for other in ("front_sequencer", "back_sequencer", "setup") if other != f"{unit}_sequencer"]
    signals = {
        f"{event}_in_{part}_of_{other}": f"core.front_hash.{other}.{part}.event_{event}"
        for other in others
        for part in ("head", "tail")
    }
    return signals, f"\n      always @* begin assert (!({' || '.join(signals)})); end"


def in_flight(
    unit: str,
    program: Program,
    event: str,
    *,
    registered: bool,
    shared: bool = False,
    early: bool = False,
    walked: bool = False,
) -> tuple[dict[str, str], str]:
    """The signals of an event of a hash unit and, in Verilog, ``<event>_flight``: the number of events under way.

    An event is under way from the issue of the product: through the tail of the program, if issued in the tail, and
    through the multiplier. The step of the program's head is ``<unit>_step``; the sequencer may be ``registered``.

    shared: the program is in the front's hash unit, beside the front program
    early:  the event is raised a cycle early
    walked: ``walking`` of the unit is in the rule already, for another event
    """
    issue = raising(program)[event]
    hash = "core.front_hash" if shared else f"core.{unit}_hash"
    words = f"{hash}.{unit}_sequencer" if shared else hash
    position = issue.step - program.steps  # of its word in the tail, if it is there
    signals = {f"{unit}_tail{k}": f"{hash}.{unit}_sequencer.tail{k}" for k in range(position)}
    flight = list(signals)
    if position >= 0:  # in the tail's last register is the word, no token
        flight.append(f"{event}_due")
    for k in range(1, program.latency + 1 - early):
        flight.append(f"{event}_{k}")
        signals[f"{event}_{k}"] = f"{hash}.tag{issue.multiplier}_{k}.event_{event}"
    signals |= {f"{event}_head": f"{words}.head.event_{event}", f"{event}_due": f"{words}.tail.event_{event}"}
    walk_signals, walk = walking(hash, unit, program, registered=registered)
    begins, behind = "", ""
    if registered:
        signals[f"{event}_behind"] = f"{hash}.{unit}_sequencer.row_behind.word.event_{event}"
        begins = f"{unit}_begins || "
        behind = f"assert ({begins}{event}_behind == ({unit}_behind == {issue.step}));"
    return (
        signals | walk_signals,
        f"""{"" if walked else walk}
      wire [15:0] {event}_flight = {" + ".join(flight)};
      always @* if (!clear) begin
        assert ({begins}{event}_head == ({unit}_step == {issue.step}){"" if position >= 0 else f" && !{event}_due"});
        {behind}
      end""",
    )


def released(core: Contract, judged: str) -> Rule:
    """No beat of a sector to decrypt enters an output register before the verdict, or if the sector is forged.

    Verdicts are followed from ``forged``, by the number of the pulse of ``computed``, through the memory to the exit.
    ``judged``: pointer of the first sector that the exit may not have. No row is loaded for beats behind a sector.

    Raises :class:`NotApplicable` for a core that seals no sectors.
    """
    if not core.parameters.icv_bytes:
        raise NotApplicable("nothing to verify before it leaves: a sector has no integrity check value")
    made, clock, valid = core.component, core.shell.clock, core.shell.named("o").valid
    rows, bits = made.slots, made.slots.bit_length() - 1
    exit_ = ("fetch", "load", "erase", "refused", "sector", "number")
    signals = {name: f"core.exit.{name}" for name in exit_} | {"clear": CLEAR, "wrong": "core.wrong"}
    signals |= {"judged": f"core.{judged}"}
    signals |= {name: f"core.verdicts.{name}" for name in ("read_addr", "write_addr", "write_data", "write_en")}
    places = "".join(f"\n      wire [{bits - 1}:0] place{row} = {row} - left;" for row in range(rows))
    beats, behind = core.parameters.beats, core.parameters.behind
    rows_alone = f"\n        assert (!load || erase || number < {beats});" if behind else ""
    held = "".join(f"\n        assert (place{row} >= waiting || written[{row}] == told[{row}]);" for row in range(rows))
    return Rule(
        "no beat of a sector to decrypt leaves, or is loaded, before its verdict, or if that is forged; the verdict is "
        "that of forged beside the pulse of computed with the number of the sector; assumed: a row of the memory of "
        f"verdicts gives what was written to it last, and at most {rows} sectors wait to leave, as order proves",
        signals,
        f"""
      reg [{bits}:0] known;     // pulses of computed
      reg [{bits}:0] left;      // sectors whose last beat was fetched
      reg [{rows - 1}:0] told;     // forged, as it was stated for a sector
      reg [{rows - 1}:0] written;  // rows of the memory
      reg right;         // the last beat that was fetched is of a sector that was stated as right
      wire [{bits}:0] waiting = known - left;
      wire released = fetch && left != known && !told[left[{bits - 1}:0]];{places}
      always @(posedge {clock}) begin
        known <= clear ? 0 : known + computed;
        left <= clear ? 0 : left + (fetch && number == {beats + behind - 1});
        if (computed) told[known[{bits - 1}:0]] <= forged;
        if (write_en) written[write_addr] <= write_data;
        right <= !clear && (fetch ? released : right);
      end
      always @* begin assume (refused == written[read_addr]); assume (waiting <= {rows}); end
      always @* if (!clear) begin
        assert (known == judged && left == sector);{held}
        assert (!{valid} || right);
        assert (!load || erase || released);{rows_alone}
        assert (forged == (computed && wrong));
      end""",
    )
