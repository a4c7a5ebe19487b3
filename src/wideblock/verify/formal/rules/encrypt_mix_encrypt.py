# SPDX-License-Identifier: Apache-2.0
"""Rules of the family encrypt-mix-encrypt."""

from dataclasses import replace

from wideblock.export.contract import Contract
from wideblock.verify.formal.induction import CLEAR, Rule
from wideblock.verify.formal.rules.outputs import OutputPlaces, damage, tag_memory
from wideblock.verify.formal.rules.parts import admitted, delayed, in_order, rekeyed_in_order, released

__all__ = ["order", "output", "rekey", "release"]

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
