# SPDX-License-Identifier: Apache-2.0
"""Rules of the family encrypt-mix-encrypt."""

from collections.abc import Callable
from dataclasses import replace

from amaranth import Const, Value

from wideblock.export.contract import Contract
from wideblock.rtl.keys.material import KeyWord
from wideblock.rtl.sector.copies import Words
from wideblock.verify.formal.induction import CLEAR, Rule
from wideblock.verify.formal.proof import NotApplicable
from wideblock.verify.formal.rules.copies import Part, copied, number_bits, places_of
from wideblock.verify.formal.rules.outputs import OutputPlaces, damage, tag_memory
from wideblock.verify.formal.rules.parts import NO_SLOTS, admitted, delayed, in_order, rekeyed_in_order, released

__all__ = ["order", "output", "rekey", "release", "slots"]

CALLS = ("tweak", "first", "halfway", "mix", "refresh", "second")
"""Kinds of calls in the lanes, a call a cycle."""


def output(core: Contract) -> OutputPlaces:
    """The result ring's columns, and ICVs with their verdicts."""
    places = ("core.result_ring", "core.made_icv", "core.verdicts", *tag_memory(core))
    return OutputPlaces(places, begins=damage(core))


def release(core: Contract) -> Rule:
    """As :func:`released`."""
    return released(core, "second_done_sector")


def order(core: Contract) -> Rule:
    """From the first layer by the mixing calls, the refreshed masks and the second layer to the exit."""
    made, s = core.component, core.component.schedule
    halfway = ["halfway_done"] if s.rest else []
    signals, distances, ordered = in_order(core, ["second_done", "second", "mix_done", *halfway, "first_done", "first"])
    signals |= {"number": "core.entrance.number", "clear": CLEAR}
    others = (*(["mix_call_final"] if s.rest else []), *(["leads"] if s.leading else []))
    signals |= {name: f"core.{name}" for name in ("tweaked", "mix_call_valid", *others)}
    signals |= {f"{name}_step": f"core.{name}_step" for name in ("second", "second_done") if s.steps > 1}
    # the last call of a first layer is that of the leading block, a call of its own, or the last step's
    calls, apart = ((*CALLS, "whole"), "") if s.leading else (CALLS, " && (!whole_tag{k} || first_tag{k})")
    between = "number == 0 && !tweaked" + (" && !leads" if s.leading else "")
    alone = "assert (!leads || number == 0 && !tweaked);" if s.leading else ""
    flights, one = "", ""
    for field in (*CALLS, "whole"):
        tags, flight = delayed(field, s.cipher_latency)
        signals, flights = signals | tags, f"{flights}wire [15:0] {field}_flight = {flight};\n"
    for k in range(s.cipher_latency):
        kinds = " + ".join(f"{field}_tag{k}" for field in calls)
        one += f"assert (3'd0 + {kinds} <= 1{apart.format(k=k)});\n"
    refresh_signals, refreshes = _refreshes(core)
    room_signals, room = admitted(core, "left", "first_sector")
    steps = "" if s.steps > 1 else "wire second_step = 0, second_done_step = 0;\n"
    if s.rest:
        mixing = """assert (first_done_to_halfway_done == (mix_call_valid && !mix_call_final) + halfway_flight);
        assert (halfway_done_to_mix_done == (mix_call_valid && mix_call_final) + mix_flight);"""
    else:
        mixing = """assert (halfway_flight == 0 && first_done_to_mix_done == mix_call_valid + mix_flight);"""
    return Rule(
        "no stage works on a sector that it was not given, nor announces it",
        signals | refresh_signals | room_signals,
        f"""{distances}{steps}{flights}{room}
      always @* if (!clear) begin
        {one}
        {ordered}
        assert (number < {s.beats} && (!tweaked || number == 0));
        assert (to_first <= {made.slots} && (({between}) || to_first < {made.slots}));
        {alone}
        assert (first_to_first_done == whole_flight);
        {mixing}
        assert (second_step < {s.steps} && second_done_step < {s.steps});
        assert (second_step == 0 || second_sector != mix_done_sector);
        assert (16'd{s.steps} * second_to_second_done + second_step == second_flight + second_done_step);
      end
      {refreshes}""",
    )


def rekey(core: Contract) -> Rule:
    """No sector between the first layer and the exit, and no call of a sector in the lanes.

    Calls of a dropped sector may still be in the lanes: the results go nowhere.
    """
    flights = " + ".join(f"{field}_flight" for field in ("whole", *CALLS[2:]))
    rule = order(core)
    rule = replace(
        rule, text=f"{rule.text}\n      always @* if (!clear) assert (!tweaked || entrance_full && !entrance_discard);"
    )
    leading = " && !leads" if core.component.schedule.leading else ""
    text = f"!tweaked && to_first == to_second_done && {flights} == 0{leading}"
    return rekeyed_in_order(core, rule, f"first_sector == second_done_sector{leading}", text)


def slots(core: Contract) -> Rule:
    """As :func:`wideblock.verify.formal.rules.copies.copied`: the copy is complete a cycle after the tweak's call."""
    made = core.component
    if not core.parameters.slots:
        raise NotApplicable(NO_SLOTS)
    if made.schedule.leading or not made.ahead:
        raise NotApplicable("no argument for sectors with an ICV, nor for a control that is not ahead of the data")
    lead, bits = made.key_unit.context.lead, number_bits(core)
    complete = f"""
        assert (reached == first_sector);
        assert (!(tweak_go || tweaked) || waits && ready_copy && !a_open);
        assert (!(live && first_sector == n && (tweaked || a_open) && !a_bad) || since == {lead + 3});
        assert (!(live && to_n < (first_sector - second_done_sector) % {1 << bits}) || since == {lead + 3});"""
    counted = "keys_oldest == second_done_sector"
    return copied(core, order(core), "second_done_sector", counted, complete, _reads(core), 1, {})


def _reads(core: Contract) -> Part:
    """The words of calls and offsets are read at the places of their sectors."""
    made, clock, bits = core.component, core.shell.clock, number_bits(core)
    context, material, A = made.key_unit.context, made.key_unit.material, made.schedule.cipher_latency
    (key,) = material.ciphers
    signals, text = places_of(core, key, [("called_of", "called")])
    more, read = places_of(core, key, [("called_of", "called")], last=True)
    signals, text = signals | more, text + read
    known = _asked(lambda words: made.T_star(Const(0, 128), words))
    offsets = _asked(made.first_offset)
    for word in material.raw:
        reads = [("joined_of", "joined")]
        reads += [("first_done_sector", f"tweak_tag{A - 1}")] if word in known else []
        reads += [("second_done_sector", f"second_tag{A - 1}")] if word in offsets else []
        more, read = places_of(core, word, reads)
        signals, text = signals | more, text + read
    names = ("tweak_go", "mix_call_sector")
    signals |= {name: f"core.{name}" for name in names} | {"second_go": "core.go", "gate_taken": "core.entrance.take"}
    mixed = "first_done_sector"
    if made.schedule.rest:
        mixed = "(mix_call_final ? halfway_done_sector : first_done_sector)"
    last = len(context.words)
    return (
        signals,
        f"""
      reg called, joined;
      reg [{bits - 1}:0] called_of, joined_of;
      always @(posedge {clock}) begin
        called <= !clear && (mix_call_valid || tweak_go || gate_taken || second_go);
        called_of <= mix_call_valid ? mix_call_sector : tweak_go || gate_taken ? first_sector : second_sector;
        joined <= !clear && (tweak_go || gate_taken);
        joined_of <= first_sector;
      end
      always @* if (!clear) begin{text}
        assert (!mix_call_valid || mix_call_sector + {bits}'d1 == {mixed});
        assert (!(mix_call_valid && live && mix_call_sector == n) || since >= {last});
        assert (!(second_go && live && second_sector == n) || since >= {last});
        assert (!((tweak_go || gate_taken) && live && first_sector == n && !a_bad) || since >= {last});
        assert (!(second_tag{A - 1} && live && second_done_sector == n) || since > {last});
        if (tweak_tag{A - 1} && live && first_done_sector == n && (first_sector != n || (tweaked || a_open) && !a_bad))
          assert (since > {last});
      end""",
    )


def _asked(equation: Callable[[Words], Value]) -> set[KeyWord]:
    """The words that an equation takes."""

    class Asked(dict[KeyWord, Value]):
        def __missing__(self, word: KeyWord) -> Value:
            self[word] = Const(0, word.bits)
            return self[word]

    asked = Asked()
    equation(asked)
    return set(asked)


def _refreshes(core: Contract) -> tuple[dict[str, str], str]:
    """The signals of the refreshed masks, and the rule that a dependent step enters after the masks."""
    s, bits = core.component.schedule, core.component.slots.bit_length() - 1
    if not s.refreshes:
        return {}, "always @* if (!clear) assert (refresh_flight == 0);"
    signals = {"refreshed_sector": "core.second_refreshed_sector", "refreshing": "core.refreshing"}
    step = "0"
    if s.refreshes > 1:
        signals["refreshed_step"], step = "core.second_refreshed_step", "refreshed_step"
    return (
        signals,
        f"""
      wire [{bits}:0] refreshed_to_second = refreshed_sector - second_sector;
      always @* if (!clear) begin
        assert (refreshing <= {s.refreshes} && {step} < {s.refreshes});
        assert (refreshing == 0 || second_sector != mix_done_sector);
        assert (refreshing == {s.refreshes} || second_step == 0);
        assert (16'd{s.refreshes} * refreshed_to_second + {step} + refresh_flight == refreshing);
        assert (second_step <= {s.steps_before_refresh} || refreshed_to_second == 1);
      end""",
    )
