# SPDX-License-Identifier: Apache-2.0
"""The rule of slots of single pass: each unit is processed under the keys of the named slot.

The rule follows an arbitrary unit of an arbitrary slot, chosen by the solver: the proof is for all units. The row of
the slot goes with the call of the unit's tweak from the entrance to the memory beside the pipelines, then to the queue
of tweaks, then to the store of Key1. Each of these memories is free except for an arbitrary row with the last written
value. The unit is followed on if its row is the arbitrary row. ``older`` counts earlier units that are not computed: at
each place, the sum of the units further on, so no unit is computed before the keys were read. ``older`` is also the
unit's place in the ring of the slots of units, where a drain seeks the newest unit of a slot.
"""

from wideblock.export.contract import Contract
from wideblock.rtl.keys.slots import SlotUnit
from wideblock.rtl.stream.stages import power_of_two
from wideblock.verify.formal.induction import Rule
from wideblock.verify.formal.proof import NotApplicable
from wideblock.verify.formal.rules.parts import NO_SLOTS, watched_row

__all__ = ["ends", "followed"]

_Part = tuple[dict[str, str], str]
"""Signals by their names in a text, and the text."""


def followed(core: Contract, queues: Rule) -> Rule:
    """The rule for a core with slots, given the rule ``queues``.

    Raises :class:`~wideblock.verify.formal.proof.NotApplicable` for a core of one key.
    """
    unit = core.component.key_unit
    if not isinstance(unit, SlotUnit):
        raise NotApplicable(NO_SLOTS)
    both = len(unit.ways) == 2
    signals, text = dict(queues.signals), queues.text
    for part in (_commands(core, unit), ends(core), _unit(core, unit, both), _places(core), _reads(core, unit, both)):
        signals |= part[0]
        text += part[1]
    return Rule(
        f"a unit begins only if its slot has a key; Key2 is that of its slot as its tweak enters the pipelines; Key1 "
        f"is read in the row of its slot{' and direction' if both else ''} as its masks are loaded, and both change "
        f"only as a unit's last beat is done; no row of its slot is written from its begin until it is computed",
        signals,
        text,
    )


def _commands(core: Contract, unit: SlotUnit) -> _Part:
    """The key unit and a slot, which is closed while drained or written; the ring of units and its rows."""
    signals, row = watched_row(core, "open", "core.key_unit.loaded", unit.bits, ports=("read0", "read1"))
    bits = (power_of_two(unit.most) - 1).bit_length()
    more, ring = watched_row(core, "ring", "core.key_unit.messages", bits, word=(0, unit.bits))
    signals |= more | {name: f"core.key_unit.{name}" for name in ("units", "left", "draining", "writing", "oldest")}
    return (
        signals | {"commanded": "core.key_unit.row1", "next_message": "core.key_unit.next_message"},
        f"""{row}{ring}
      wire [{unit.bits - 1}:0] slot = open_at;
      wire [{bits - 1}:0] in_ring = next_message - oldest, place = ring_at - oldest;
      reg drained;
      always @(posedge {core.shell.clock}) drained <= draining && !clear;
      always @* if (!clear) begin
        assert (!((draining || writing) && commanded == slot) || !open_content);
        assert (units <= {unit.most} && in_ring == units[{bits - 1}:0]);
        assert (drained ? left <= units : left == units);
      end""",
    )


def ends(core: Contract, begun: str = "units", size: int = 16) -> _Part:
    """The last beats of units in the pipelines, and the units begun and not computed.

    ``begun`` is the core's count of units, in Verilog, of ``size`` bits: the sum of the units in each place, modulo the
    range of the count.
    If the last two blocks of a unit are in a beat, the rest ends the unit after the last result has entered.
    """
    cycles = core.component.cycles
    flags, last = cycles.ahead + cycles.cipher, 144 * core.component.parameters.width
    bits = (cycles.cipher - 1).bit_length()
    signals = {name: f"core.control.{name}" for name in ("go", "hold", "complete", "finish", "together", "masked")}
    signals |= {name: f"core.{name}" for name in ("beside_now", "beside_then", "beside_value", "here_valid")}
    signals |= {f"beside_{name}": f"core.beside.{name}" for name in ("write_addr", "write_data", "read_addr")}
    signals |= {"beside_read": "core.beside.read_data", "here_last": "core.here.last"}
    signals |= {"ended": "core.computed", "call_waits": "core.tweak_waiting"}
    if cycles.ahead:
        signals |= {f"{name}_later": f"core.{name}_later" for name in ("last", "together")}
    steps = "".join(
        f"""
        assert (ends[{cycles.ahead + k}] == (result_steps[{cycles.ahead + k}] && lasts[beside_{k}]));"""
        for k in range(cycles.cipher - 1)
    )
    later = "assert (ends[0] == (result_steps[0] && last_later && !(completed_later && !together_later)));"
    return (
        signals,
        f"""
      reg [{flags - 1}:0] ends;
      reg [{(1 << bits) - 1}:0] lasts;{_places_of("beside", bits, cycles.cipher - 1)}
      wire end_enters = here_last && (go && !hold || complete && together || finish && !together);
      reg [15:0] ending;
      wire [15:0] called = tweaks_promised - tweaks_waiting;
      wire [15:0] further = tweaks_waiting + masked + ending - (rest && together);
      wire [{size - 1}:0] uncounted = call + call_waits + called + further - ({begun});
      always @(posedge {core.shell.clock}) begin
        ends <= clear ? 0 : {{ends, end_enters}};
        ending <= clear ? 0 : ending + end_enters - ends[{flags - 1}];
        lasts[beside_write_addr] <= beside_write_data[{last}];
      end
      always @* begin assume (beside_read[{last}] == lasts[beside_read_addr]); end
      always @* if (!clear) begin
        assert (beside_then == beside_{cycles.cipher - 2});{steps}
        assert (ends[{flags - 1}] == (result_steps[{flags - 1}] && beside_value[{last}]));
        {later if cycles.ahead else ""}
        assert (ending == {_sum("ends", flags)});
        assert (!stealing || here_valid && here_last && masked);
        assert (!(call && call_waits));
        assert (uncounted == 0);
      end""",
    )


def _unit(core: Contract, unit: SlotUnit, both: bool) -> _Part:
    """The followed unit: ``inside`` from begin until computed."""
    given = "core.entrance.i__payload"
    signals = {"opening": "core.entrance.opening", "given_slot": f"{given}.slot"}
    signals |= {"given_way": f"{given}.decrypt"} if both else {}
    row = "{way, slot}" if both else "slot"
    return (
        signals,
        f"""
      wire any_unit;
      wire named = opening && given_slot[{unit.bits - 1}:0] == slot;
      wire begins = named && any_unit && !inside && next_message == ring_at;
      reg inside{", way" if both else ""};
      reg [15:0] older;
      wire [{unit.bits + both - 1}:0] row = {row};
      always @(posedge {core.shell.clock}) begin
        inside <= !clear && (inside ? !(ended && older == 0) : begins);
        older <= inside ? older - ended : units - ended;
        {"if (begins) way <= given_way;" if both else ""}
      end
      always @* if (!clear) begin
        assert (!named || given_slot == slot && open_content);
        assert (!inside || units > older);
        assert (!inside || open_content || draining && commanded == slot);
        assert (!inside || place == older && ring_content == slot);
        assert (!(inside && draining && commanded == slot) || left > older);
      end""",
    )


def _places(core: Contract) -> _Part:
    """Place of the unit: first beat in the entrance, tweak in the pipelines, or tweak in the queue."""
    cycles, unit = core.component.cycles, core.component.key_unit
    ahead, flags = cycles.ahead, cycles.ahead + cycles.cipher
    bits, rows = (cycles.cipher - 1).bit_length(), (cycles.arrivals - 1).bit_length()
    width = unit.bits + len(unit.ways) - 1
    signals, beside = watched_row(core, "rows", "core.rows", bits, word=(0, width))
    more, queue = watched_row(
        core, "queue", f"core.tweaks.{'late_beats' if ahead else 'beats'}", rows, word=(128, width)
    )
    signals |= more | {name: f"core.{name}" for name in ("rows_now", "rows_then", "rows_value")}
    signals |= {f"tweaks_{name}": f"core.tweaks.{name}" for name in ("head", "tail")}
    signals |= {name: f"core.entrance.{name}" for name in ("begun", "full", "discard", "wrong", "closes")}
    steps = "".join(
        f"""
        if (at_step[{ahead + k}]) assert (rows_{k} == rows_at && rows_content == row);"""
        for k in range(cycles.cipher)
    )
    entering = "at_entrance && call && rows_now == rows_at"
    if ahead:
        entering = "at_step[0] && rows_now == rows_at, at_entrance && call"
        signals |= {"head_before": "core.tweaks.head_before", "row_later": "core.row_later"}
        steps += "\n        if (at_step[0]) assert (row_later == row);"
        steps += "\n        if (at_masks) assert (inside && head_before == queue_at && queue_content == row);"
    return (
        signals,
        f"""{beside}{queue}{_places_of("rows", bits, cycles.cipher)}
      reg at_entrance, at_queue, at_masks;
      reg [{flags - 1}:0] at_step, before;
      reg [15:0] before_it;
      wire [{rows - 1}:0] queued = tweaks_tail - tweaks_head, turn = queue_at - tweaks_head;
      wire leaves = at_queue && tweaks_read && turn == 0;
      always @(posedge {core.shell.clock}) begin
        at_entrance <= !clear && (begins || at_entrance && !call);
        at_step <= clear ? 0 : {{at_step[{flags - 2}:{ahead}], {entering}}};
        before <= (at_entrance ? tweak_steps : before) << 1;
        before_it <= at_entrance ? called - tweak_steps[{flags - 1}] : before_it - before[{flags - 1}];
        at_queue <= !clear && (at_step[{flags - 1}] && tweaks_tail == queue_at || at_queue && !leaves);
        at_masks <= !clear && leaves;
      end
      always @* if (!clear) begin
        assert (begun || (full ? closes : !discard));
        assert (!(call || call_waits) || full && !discard && !wrong);
        if (at_entrance) assert (inside && (call || call_waits) && older == called + further);
        if (|at_step) assert (inside && older == before_it + further && before_it == {_sum("before", flags)});
        assert (!(at_step & ~tweak_steps));
        if (|at_step) assert (before == (tweak_steps & ~(at_step | at_step - 1)));{steps}
        assert (!(at_step & at_step - 1));
        if (at_step[{flags - 1}]) assert (rows_value == row);
        assert (rows_then == rows_{cycles.cipher - 2} && queued == tweaks_waiting[{rows - 1}:0]);
        if (at_queue) assert (inside && turn < tweaks_waiting && queue_content == row);
        if (at_queue) assert (older + tweaks_waiting == turn + further);
      end""",
    )


def _reads(core: Contract, unit: SlotUnit, both: bool) -> _Part:
    """The reads of both stores and their writes."""
    ahead = core.component.cycles.ahead
    signals = {"kept_slot": "core.entrance.slot", "key": "core.key_entering"}
    signals |= {"kept_way": "core.entrance.x.decrypt"} if both else {}
    for store, name in (("data_keys", "key1"), ("tweak_keys", "key2")):
        signals |= {f"{name}_{port}": f"core.{store}.keys.{port}" for port in ("read_addr", "read_en", "write_addr")}
        signals |= {f"{name}_write": f"core.{store}.keys.write_en", name: f"core.{store}.key"}
    signals |= {"decided": "core.masks_due", "pop": "core.control.pop"}
    signals |= {"due": "core.due_later", "renewed": "core.renewed_later"} if ahead else {}
    top = unit.bits - 1
    kept = f"{{kept_way, kept_slot[{top}:0]}}" if both else f"kept_slot[{top}:0]"
    return (
        signals,
        f"""
      reg [{top}:0] key2_row;
      always @(posedge {core.shell.clock}) if (key2_read_en) key2_row <= key2_read_addr;
      always @* if (!clear) begin
        if (at_entrance) assert ({kept} == row);
        assert ({"renewed || " if ahead else ""}key2_row == kept_slot[{top}:0]);
        if ({"at_step[0]" if ahead else "at_entrance && call"}) assert (key2_row == slot);
        assert (key == ({"tweak_later" if ahead else "call"} ? key2 : key1));
        assert (key1_read_en == {"due" if ahead else "decided"});
        assert (!decided || !masked || pop && here_last);
        if ({"at_masks" if ahead else "leaves"}) assert (key1_read_en && key1_read_addr == row);
        if (inside) assert (!(key1_write && key1_write_addr[{top}:0] == slot));
        if (inside) assert (!(key2_write && key2_write_addr == slot));
      end""",
    )


def _places_of(memory: str, bits: int, cycles: int) -> str:
    """The rows, of ``bits`` bits, that a memory of delayed words wrote in each of the last ``cycles``, in Verilog."""
    return "".join(f"\n      wire [{bits - 1}:0] {memory}_{k} = {memory}_now - {k + 1};" for k in range(cycles))


def _sum(flags: str, number: int) -> str:
    """How many of ``flags`` are 1, in Verilog."""
    return f"(16'd0 + {' + '.join(f'{flags}[{k}]' for k in range(number))})"
