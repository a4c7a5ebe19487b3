# SPDX-License-Identifier: Apache-2.0
"""The rule of slots of cores whose sectors take copies: each sector is processed with the words of the named slot.

The rule follows sector number ``n`` of slot ``slot``, both chosen by the solver: the proof is for all sectors. ``mine``
is high from the put of the first beat of the sector into the queue of the gate until the sector is computed or dropped.
``since`` counts the cycles from the request of the copy: word k of the copy is written at ``since`` = k + 1.

The gate's queue has the rest of the sector begun by the core, beats of dropped sectors, and a waiting sector. The flags
of the beats are followed, the data are free. ``reached``: number of whole sectors
out of the queue.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from wideblock.export.contract import Contract
from wideblock.rtl.keys.contexts import ContextUnit
from wideblock.rtl.keys.material import KeyWord
from wideblock.rtl.stream.sized_entrance import SizedEntrance
from wideblock.rtl.stream.slot_gate import SlotGate
from wideblock.rtl.stream.stages import power_of_two
from wideblock.verify.formal.induction import CLEAR, Rule
from wideblock.verify.formal.proof import NotApplicable, NotProved
from wideblock.verify.formal.rules.parts import NO_SLOTS, watched_row

__all__ = ["Part", "PowerRows", "copied", "gate_queue", "joined", "number_bits", "places_of"]

STATES = ("idle", "check", "enter", "write", "drain", "wipe")
"""States of the commands of a :class:`ContextUnit`, by their numbers in its register."""

Part = tuple[dict[str, str], str]
"""Signals by their names in a text, and the text."""

PowerRows = tuple[Mapping[Any, int], int | None]
"""Rows of powers in a bank of a hash unit, by exponent, and the exponent of a power in a memory of its own, or None."""


def copied(
    core: Contract,
    order: Rule,
    computed: str,
    counted: str,
    complete: str,
    readers: Part,
    steps: int,
    powers: Mapping[str, PowerRows],
) -> Rule:
    """The rule for a core of copies, given its rule of ``order``.

    computed: pointer of the first sector that is not computed, a signal of ``order``
    counted:  equality of the counts of computed sectors in key unit and core, in Verilog
    complete: further assertions, in Verilog: where the core is with the beats that left the gate
    readers:  signals and assertions of the reads
    steps:    cycles from the begin of a sector until the copy of the sector must be complete
    powers:   of each hash unit, by name

    The queue of the gate is part of the rule, unless ``order`` has it.

    Raises :class:`NotApplicable` for a core of one key.
    """
    unit = core.component.key_unit
    if not isinstance(unit, ContextUnit):
        raise NotApplicable(NO_SLOTS)
    words, squares = len(unit.context.words), None in [word.row for word in unit.context.words]
    most = steps + unit.context.lead + 2
    if words + 1 > most:
        raise NotProved(f"{core.module}: a copy of {words} words is not complete {steps} cycles after the begin")
    queued = "core.entrance.oldest.first" in order.signals.values()
    parts = (
        *(() if queued else (_queue(core),)),
        _followed(core, unit, computed, most, queued),
        _entering(core, unit),
        _copy(core, unit, powers),
        _commands(core, unit, counted),
        ({}, f"\n      always @* if (!clear) begin{complete}\n      end"),
        readers,
    )
    signals, aliases = joined(order.signals, *(more for more, _ in parts))
    return replace(
        order,
        statement="a sector begins only if its slot has a key; its copy is read from the rows of the slot of its first "
        "beat, complete and in order; no row of the slot is written from its begin until it is computed, and no other "
        "word is written to its place from its first word on; each word is there before it is read, at the place of "
        f"the sector; {order.statement}",
        signals=signals,
        text=f"{order.text}{aliases}",
        # which words are squares is a table without a name in the Verilog if every value of the index has a word
        kept=(*order.kept, *(["_*_"] if squares and power_of_two(words) == words else [])),
        parts=(*order.parts, *(text for _, text in parts)),
    )


def joined(signals: Mapping[str, str], *others: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """``signals`` and ``others``; a signal keeps the first name, and wires have the further names, in Verilog."""
    all_signals, aliases = dict(signals), ""
    known = {signal: name for name, signal in signals.items()}
    for name, signal in ((name, signal) for more in others for name, signal in more.items()):
        if known.setdefault(signal, name) != name:
            aliases += f"\n      wire [15:0] {name} = {known[signal]};"
        else:
            all_signals[name] = signal
    return all_signals, aliases


def number_bits(core: Contract) -> int:
    """Bits of the number of a sector."""
    return core.component.slots.bit_length()


_PUT_WIRES = """
      wire bad = |faults;
      wire put_first = put && putting == 0 && !bad, put_void = put && putting == 0 && bad;"""
_ENTERING = {"putting": "number", "given": "x.slot", "faults": "fault", "opening": "opening"}


def gate_queue(core: Contract, number: str) -> Part:
    """The queue of the gate, for a rule without a followed copy; ``number``: signal, number of the next beat taken."""
    names = {"put": "put", "turn": "turn", "waits": "waits", "ready_copy": "ready", "begun_in": "begun_in_queue"}
    names["whole_sectors"] = "whole_sectors"
    signals, text = _queue(core)
    signals |= {name: f"core.entrance.{signal}" for name, signal in names.items()} | {"clear": CLEAR}
    signals |= {name: f"core.entrance.entrance.{signal}" for name, signal in _ENTERING.items()}
    signals["number_of"] = number
    return signals, f"{_PUT_WIRES}{text}"


def _followed(core: Contract, unit: ContextUnit, computed: str, most: int, queued: bool) -> Part:
    """The followed sector, its slot, cycles since the request of its copy; ``queued``: :func:`gate_queue` is there."""
    bits = number_bits(core)
    if power_of_two(unit.most) != 1 << bits:
        raise NotProved(f"{core.module}: the ring of {power_of_two(unit.most)} slots has another number for a sector")
    signals, row = watched_row(core, "open", "core.key_unit.loaded", unit.bits, ports=("read0", "read1"))
    more, ring = watched_row(core, "ring", "core.key_unit.messages", bits, word=(0, unit.bits))
    gate = {"put": "put"} | ({} if queued else {"number_of": "number"})
    gate |= {"fill": "copies__fill", "turn": "turn", "waiting_slot": "waiting_slot"}
    gate |= {"owed": "owed", "waits": "waits", "ready_copy": "ready", "begun_in": "begun_in_queue"}
    gate |= {"whole_sectors": "whole_sectors", "enters": "enters"}
    signals |= more | {name: f"core.entrance.{signal}" for name, signal in gate.items()} | {"clear": CLEAR}
    signals |= {name: f"core.entrance.entrance.{signal}" for name, signal in _ENTERING.items()}
    return (
        signals,
        f"""{row}{ring}
      wire [{unit.bits - 1}:0] slot = open_at;
      wire [{bits - 1}:0] n = ring_at;
      wire [{unit.bits - 1}:0] given_slot = given[{unit.bits - 1}:0];{"" if queued else _PUT_WIRES}
      wire named = put_first && whole_sectors == n;
      wire [{bits - 1}:0] passed_by = n + 1, to_n = n - {computed}, under_way = whole_sectors - {computed};
      wire live = mine && {computed} != passed_by;
      reg mine;
      reg [15:0] since;
      always @(posedge {core.shell.clock}) begin
        mine <= !clear && (named ? given_slot == slot : live && !(put && bad && whole_sectors == n));
        if (clear || named) since <= 0;
        else if (fill && turn == n && live) since <= 1;
        else if (since != 0 && since != {most}) since <= since + 1;
      end
      always @* if (!clear) begin
        assert (since <= {most});
        assert (under_way <= {unit.most});
        assert (!live || to_n < under_way || whole_sectors == n && begun_in && turn == n);
        assert (!live || since != 0 || owed && turn == n && waiting_slot == slot);
        assert (!live || since == 0 || !(owed && turn == n) && to_n < {core.component.slots});
        assert (!begun_in || whole_sectors != n || live == (given_slot == slot));
      end""",
    )


def _queue(core: Contract) -> Part:
    """The beats in the queue: of sector a, begun by the core, of dropped sectors, and of the waiting sector b."""
    gate: SlotGate = core.component.entrance
    depth, beats, bits = gate.depth, gate.entrance.beats, number_bits(core)
    ends = _stated_ends(core, gate.entrance) if isinstance(gate.entrance, SizedEntrance) else _fixed_ends(beats)
    if beats < 2:
        raise NotProved(f"{core.module}: the argument needs two beats a sector or more")
    size = max(8, (beats + depth).bit_length())  # of a count: the sum with the number of a beat does not wrap
    names = ("head", "tail", "count", "pop", "take")
    signals = {f"gate_{name}": f"core.entrance.{name}" for name in names}
    signals |= {f"oldest_{name}": f"core.entrance.oldest.{name}" for name in ("first", "void", "fault")}
    signals |= {"oldest_last": "core.entrance.oldest.x.last", "putting_last": "core.entrance.entrance.x.last"}
    return (
        signals | ends.signals,
        f"""{ends.registers}
      reg [{size - 1}:0] a_left, b_left, voids;
      reg a_ended, a_bad, b_ended, b_bad;
      reg [{bits - 1}:0] reached;
      wire a_open = number_of != 0;
      wire a_whole = a_open && a_ended && !a_bad, b_whole = waits && b_ended && !b_bad;
      wire to_a = put && putting != 0 && !waits, to_b = put && putting != 0 && waits;
      wire ends_put = bad || putting == {ends.put};
      wire [{size - 1}:0] a_now = a_left + to_a, b_now = put_first ? {size}'d1 : b_left + to_b;
      wire takes_first = gate_take && oldest_first;
      wire a_over = gate_take && (|oldest_fault || number_of == {ends.taken});
      always @(posedge {core.shell.clock}) begin
        a_left <= clear ? 0 : takes_first ? b_now - 1 : a_now - gate_take;
        a_ended <= !clear && !a_over && (takes_first ? b_ended || to_b && ends_put : a_ended || to_a && ends_put);
        a_bad <= !clear && !a_over && (takes_first ? b_bad || to_b && bad : a_bad || to_a && bad);
        b_left <= clear || takes_first ? 0 : b_now;
        b_ended <= !clear && !takes_first && (b_ended || {ends.to_b} && ends_put);
        b_bad <= !clear && !takes_first && (b_bad || to_b && bad);
        voids <= clear ? 0 : voids + put_void - (gate_pop && !gate_take);
        reached <= clear ? 0 : reached + (gate_take && number_of == {ends.taken} && oldest_fault == 0);
      end
      wire of_a = a_left != 0, of_void = !of_a && voids != 0;
      always @* if (gate_count != 0) begin
        assume (oldest_first == !of_a && oldest_void == of_void);
        assume ((oldest_fault != 0) == (of_void || of_a && a_bad && a_left == 1));
        assume (of_void || oldest_fault != 0 || {ends.oldest_last});
      end
      {_kept(depth, beats, ends)}""",
    )


@dataclass(frozen=True)
class _Ends:
    """Numbers of the last beats of sectors, in Verilog.

    put, taken:  of the sector at the entrance, and of the sector whose beat is taken
    a, b:        beats of the sectors a and b
    to_b:        a beat of b, perhaps the last, is put
    least_b:     beats of b in the queue, if b has ended, are more
    oldest_last, putting_last: truths of the marks of last beats without a fault
    registers, signals, rules: of ends that the sectors state
    """

    put: str
    taken: str
    a: str
    b: str
    to_b: str
    least_b: str
    oldest_last: str
    putting_last: str
    registers: str = ""
    rules: str = ""
    signals: dict[str, str] = field(default_factory=dict)


def _fixed_ends(beats: int) -> _Ends:
    """Ends of sectors of ``beats``."""
    last = f"{beats - 1}"
    return _Ends(
        put=last,
        taken=last,
        a=f"{beats}",
        b=f"{beats}",
        to_b="to_b",
        least_b="1",
        oldest_last=f"oldest_last == (of_a && number_of == {last})",
        putting_last=f"putting_last == (putting == {last})",
    )


def _stated_ends(core: Contract, entrance: Any) -> _Ends:
    """Ends of sectors of stated sizes, from a beat on; the mark of the last beat may come behind the sector."""
    end, tweak = len(entrance.header.end), len(entrance.header.tweak_size)
    names = {"end": "header.end", "tweak": "header.tweak_size"}
    signals = {f"putting_header_{name}": f"core.entrance.entrance.{signal}" for name, signal in names.items()}
    signals |= {f"oldest_header_{name}": f"core.entrance.oldest.{signal}" for name, signal in names.items()}
    return _Ends(
        put="putting_end",
        taken="(takes_first ? b_end : a_end)",
        a="a_end + 1",
        b="b_end + 1",
        to_b="(to_b || put_first)",
        least_b="(b_end != 0)",
        oldest_last="!oldest_last || number_of == (of_a ? a_end : b_end)",
        putting_last="(!putting_last || putting == putting_end)",
        registers=f"""
      wire [{end - entrance.place - 1}:0] putting_end = putting_header_end >> {entrance.place};
      wire [{end - entrance.place - 1}:0] oldest_end = oldest_header_end >> {entrance.place};
      reg [{end - entrance.place - 1}:0] a_end, b_end;
      reg [{tweak - 1}:0] b_tweak;
      always @(posedge {core.shell.clock}) begin
        if (put_first) begin b_end <= putting_end; b_tweak <= putting_header_tweak; end
        if (takes_first) a_end <= b_end;
      end
      always @* if (gate_count != 0 && !of_void) begin
        assume (oldest_end == (of_a ? a_end : b_end));
        assume (of_a || oldest_header_tweak == b_tweak);
      end""",
        rules="""
        assert (putting <= putting_end || putting == 0);
        assert (!a_open || number_of <= a_end);
        assert (!(a_open && !a_ended) || putting_end == a_end);
        assert (!(waits && !b_ended) || putting_end == b_end);
        assert (!(waits && b_bad) || b_end != 0);""",
        signals=signals,
    )


def _kept(depth: int, beats: int, ends: _Ends) -> str:
    """The invariants of the beats in a queue of ``depth``, for sectors of up to ``beats``, in Verilog."""
    return f"""
      always @* if (!clear) begin
        assert (!put || bad || {ends.putting_last});
        assert (!(to_a && voids != 0) && !(put && putting == 0 && waits));
        assert (gate_count <= {depth} && gate_count % {depth} == (gate_tail - gate_head) % {depth});
        assert (gate_count == a_left + voids + b_left && a_left <= {depth} && b_left <= {depth} && voids <= {depth});
        assert (waits == (b_left != 0) && number_of < {beats} && putting < {beats});
        assert (a_open || a_left == 0 && !a_ended);
        assert (waits || !b_ended);
        assert ((!a_bad || a_ended) && (!b_bad || b_ended));
        assert ((!a_ended || a_left != 0) && (!b_ended || b_left > {ends.least_b}));
        assert (!a_open || !waits && voids == 0 || a_ended);
        assert (!a_ended || (a_bad ? number_of + a_left <= {ends.a} : number_of + a_left == {ends.a}));
        assert (!b_ended || (b_bad ? b_left <= {ends.b} : b_left == {ends.b}));
        assert (!(a_open && !a_ended) || putting == number_of + a_left);
        assert (!(waits && !b_ended) || putting == b_left);
        assert (begun_in == (putting != 0) && begun_in == (a_open && !a_ended || waits && !b_ended));
        assert (whole_sectors == reached + a_whole + b_whole);
        assert (!waits || turn == reached + a_whole);
        assert (!(a_open && !waits && !a_bad && !a_ended) || turn == reached);
        assert (!takes_first || ready_copy && turn == reached);{ends.rules}
      end"""


def _entering(core: Contract, unit: ContextUnit) -> Part:
    """The sector at the entrance has the slot named by the first beat, and the slot had a key."""
    names = ("full", "discard", "begun", "unknown")
    signals = {f"entrance_{name}": f"core.entrance.entrance.{name}" for name in names}
    signals |= {"asked_slot": "core.entrance.entrance.i__payload.slot"}
    top = unit.bits - 1
    stated = " && stated" if isinstance(core.component.entrance.entrance, SizedEntrance) else ""
    return (
        signals,
        f"""
      reg [{top}:0] named_slot;
      always @(posedge {core.shell.clock}) if (opening) named_slot <= asked_slot[{top}:0];
      always @* if (!clear) begin
        if (opening && asked_slot[{top}:0] == slot) assert (asked_slot == slot && open_content);
        assert (enters == (entrance_full && !entrance_discard && !entrance_unknown{stated} || putting != 0));
        assert (putting == 0 || !entrance_discard && (entrance_full || entrance_begun));
        assert (!entrance_full || entrance_begun == !putting_last);
        assert (!entrance_discard || entrance_full || entrance_begun);
        assert (!entrance_begun || entrance_full || entrance_discard || putting != 0);
        assert (!entrance_unknown || putting == 0);
        assert (!enters || given_slot == named_slot);
        assert (!put_first || enters);
      end""",
    )


def _commands(core: Contract, unit: ContextUnit, counted: str) -> Part:
    """No row of a slot with a sector is written; the ring of an eviction, with the newest sector of the slot."""
    names = ("units", "left", "draining", "evicting", "oldest", "next_message")
    signals = {f"keys_{name}": f"core.key_unit.{name}" for name in names}
    signals |= {"commanded": "core.key_unit.copies__closing", "keys_state": "core.key_unit.fsm_state"}
    signals |= {"row_write": "core.key_unit.store.write", "row_written": "core.key_unit.store.write_row"}
    low, bits = unit.context.row_bits, number_bits(core)
    enter, write = (STATES.index(state) for state in ("enter", "write"))
    return (
        signals,
        f"""
      wire [{unit.bits - 1}:0] slot_written = row_written >> {low};
      wire of_slot = commanded == slot;
      wire at_enter = keys_state == {enter}, at_write = keys_state == {write};
      wire entering = enters && given_slot == slot || owed && waiting_slot == slot || filling && filled_slot == slot;
      wire [{bits - 1}:0] in_ring = keys_next_message - keys_oldest, older = n - keys_oldest;
      wire whole_n = live && to_n < under_way;
      reg drained;
      always @(posedge {core.shell.clock}) drained <= keys_draining && !clear;
      always @* begin
        assert (keys_state < {len(STATES)});
      end
      always @* if (!clear) begin
        assert (!(at_enter || keys_draining) || keys_evicting);
        assert (keys_next_message == whole_sectors && {counted});
        assert (keys_units <= {unit.most} && in_ring == keys_units);
        assert (drained ? keys_left <= keys_units : keys_left == keys_units);
        assert (!whole_n || older < keys_units && ring_content == slot);
        assert (!(of_slot && (at_enter || keys_draining || at_write)) || !open_content);
        assert (!(entering || live) || open_content || of_slot && (at_enter || keys_draining));
        assert (!(of_slot && keys_draining) || !entering && (!live || whole_n && keys_left > older));
        assert (!row_write || at_write && slot_written == commanded);
        assert (!(row_write && slot_written == slot) || !entering && !live);
      end""",
    )


def _copy(core: Contract, unit: ContextUnit, powers: Mapping[str, PowerRows]) -> Part:
    """The copy of the followed sector, a word a cycle, and the other writes to the sector's place."""
    context, low = unit.context, unit.context.row_bits
    words, bits, lead = len(context.words), number_bits(core) - 1, context.lead
    names = {"filling": "copies__filling", "filled_slot": "filled_slot", "filled_place": "filled_place"}
    names |= {"copy_number": "number", "copied_word": "copied_word", "word_copied": "word_copied"}
    names |= {"written": "write", "word": "word", "word_place": "place", "word_data": "data"}
    names |= {"row_read": "store.read", "row_at": "store.row", "row_key": "store.key"}
    names |= {"square": "square"} if None in [word.row for word in context.words] else {}
    signals = {name: f"core.key_unit.{signal}" for name, signal in names.items()}
    rows = ""
    for k, word in enumerate(context.words):
        source = f"was_row == {{slot, {low}'d{word.row}}} && word_data == row_key"
        source = "word_data == square" if word.row is None else source
        rows += f"\n          if (since == {k + 1}) assert (was_read && {source});"
    writes, targets = _writes(unit, powers)
    return (
        signals | writes,
        f"""
      reg was_read;
      reg [{unit.bits + low - 1}:0] was_row;
      wire [{bits - 1}:0] place = n;
      always @(posedge {core.shell.clock}) begin was_read <= row_read; was_row <= row_at; end
      always @* if (!clear) begin
        assert (copy_number <= {words} && filling == (copy_number != 0) && word_copied == filling);
        assert (!filling || copied_word + 1 == copy_number);
        assert ((!owed || waits) && (!ready_copy || waits && !owed));
        assert ((waits && !owed && !ready_copy) == (filling && copy_number <= {lead + 1}));
        assert (!(ready_copy && filling) || copy_number >= {lead + 2});
        if (live && waits && !owed && turn == n) begin
          assert (ready_copy ? since >= {lead + 2} : since == copy_number);
        end
        if (live && since != 0 && since <= {words}) begin
          assert (filling && copy_number == since && filled_slot == slot && filled_place == place);
          assert (written && word == since - 1 && word_place == place);{rows}
        end
        assert (!(live && written && word_place == place && since != 0) || since <= {words});{targets}
      end""",
    )


def _writes(unit: ContextUnit, rows: Mapping[str, PowerRows]) -> Part:
    """Each memory of copies is written with its words, in the place of the sector."""
    signals, text = dict[str, str](), ""
    powers = [k for k, word in enumerate(unit.context.words) if word.power is not None]
    for k in sorted(set(range(len(unit.context.words))) - set(powers)):
        path = f"core.word{k}"
        signals |= {f"word{k}_{port}": f"{path}.write_{port}" for port in ("en", "addr", "data")}
        text += f"""
        assert (word{k}_en == (written && word == {k}) && (!word{k}_en || word{k}_addr == word_place));
        assert (!word{k}_en || word{k}_data == word_data);"""
    for hash, (rows_of, constant) in rows.items() if powers else ():
        low, path = (len(rows_of) - 1).bit_length(), f"core.{hash}_hash.powers"
        signals |= {f"{hash}_powers_{port}": f"{path}.write_{port}" for port in ("en", "addr", "data")}
        text += f"""
        assert ({hash}_powers_en == (written && ({" || ".join(f"word == {k}" for k in powers)})));
        assert (!{hash}_powers_en || {hash}_powers_data == word_data);"""
        for k in powers:
            row = rows_of[unit.context.words[k].power]
            text += f"""
        if (written && word == {k}) assert ({hash}_powers_addr == {{word_place, {low}'d{row}}});"""
        if constant is not None:
            number = next(k for k in powers if unit.context.words[k].power == constant)
            path = f"core.{hash}_hash.constants"
            signals |= {f"{hash}_constant_{port}": f"{path}.write_{port}" for port in ("en", "addr", "data")}
            text += f"""
        assert ({hash}_constant_en == (written && word == {number}));
        if ({hash}_constant_en) assert ({hash}_constant_addr == word_place && {hash}_constant_data == word_data);"""
    return signals, text


def places_of(core: Contract, word: KeyWord, reads: list[tuple[str, str]], *, last: bool = False) -> Part:
    """The signals of the ``reads`` of a word, and the rule: each read is at the place of the sector.

    reads: of each port, in order: the sector and whether the value is used, both in Verilog
    """
    context, bits = core.component.key_unit.context, number_bits(core) - 1
    signals, text = dict[str, str](), ""
    for number in context.places(word, last=last):
        for port, (sector, when) in enumerate(reads):
            name = f"at_word{number}_{port}"
            signals[name] = f"core.word{number}.read{port if len(reads) > 1 else ''}_addr"
            text += f"""
        if ({when}) assert ({name} == (({sector}) & {bits}'d{(1 << bits) - 1}));"""
    return signals, text
