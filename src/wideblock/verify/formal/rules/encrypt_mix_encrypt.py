# SPDX-License-Identifier: Apache-2.0
"""Rules of the family encrypt-mix-encrypt."""

from dataclasses import replace
from itertools import pairwise

from wideblock.export.contract import Contract
from wideblock.verify.formal.induction import CLEAR, Rule
from wideblock.verify.formal.rules.outputs import OutputPlaces, damage, tag_memory
from wideblock.verify.formal.rules.parts import admitted, delayed, rekeyed_in_order

__all__ = ["order", "output", "rekey"]

CALLS = ("tweak", "first", "mixing", "mixed", "refresh", "second")
"""Kinds of calls in the lanes, a call a cycle."""


def output(core: Contract) -> OutputPlaces:
    """The result ring's columns."""
    return OutputPlaces(("core.result_ring", *tag_memory(core)), begins=damage(core))


def order(core: Contract) -> Rule:
    """From the first layer by the mixing calls, the refreshed masks and the second layer to the exit."""
    made, s = core.component, core.component.schedule
    pointers = ["result", "call", "mixed", *(["halfway"] if s.rest else []), "summed", "front"]
    signals = {f"{name}_sector": f"core.{name}_sector" for name in pointers}
    signals |= {"left": "core.exit.sector", "number": "core.entrance.number", "clear": CLEAR}
    signals |= {name: f"core.{name}" for name in ("tweaked", "mixing_valid", *(["mixing_final"] if s.rest else []))}
    signals |= {f"{name}_step": f"core.{name}_step" for name in ("call", "result") if s.steps > 1}
    flights, one = "", ""
    for field in (*CALLS, "whole"):
        tags, flight = delayed(field, s.cipher_latency)
        signals, flights = signals | tags, f"{flights}wire [15:0] {field}_flight = {flight};\n"
    for k in range(s.cipher_latency):
        kinds = " + ".join(f"{field}_tag{k}" for field in CALLS)
        one += f"assert (3'd0 + {kinds} <= 1 && (!whole_tag{k} || first_tag{k}));\n"
    refresh_signals, refreshes = _refreshes(core)
    room_signals, room = admitted(core, "left", "front_sector")
    bits = made.slots.bit_length() - 1
    distances = "".join(f"wire [{bits}:0] to_{x} = {x}_sector - left;\n" for x in pointers)
    distances += "".join(f"wire [{bits}:0] {b}_{a} = {b}_sector - {a}_sector;\n" for a, b in pairwise(pointers))
    steps = "" if s.steps > 1 else "wire call_step = 0, result_step = 0;\n"
    if s.rest:
        mixing = """assert (summed_halfway == (mixing_valid && !mixing_final) + mixing_flight);
        assert (halfway_mixed == (mixing_valid && mixing_final) + mixed_flight);"""
    else:
        mixing = """assert (mixing_flight == 0 && summed_mixed == mixing_valid + mixed_flight);"""
    return Rule(
        "no stage works on a sector that it was not given, nor announces it",
        signals | refresh_signals | room_signals,
        f"""{distances}{steps}{flights}{room}
      always @* if (!clear) begin
        {one}
        assert ({" && ".join(f"to_{a} <= to_{b}" for a, b in pairwise(pointers))});
        assert (number < {s.beats} && (!tweaked || number == 0));
        assert (to_front <= {made.slots} && ((number == 0 && !tweaked) || to_front < {made.slots}));
        assert (front_summed == whole_flight);
        {mixing}
        assert (call_step < {s.steps} && result_step < {s.steps});
        assert (call_step == 0 || call_sector != mixed_sector);
        assert (16'd{s.steps} * call_result + call_step == second_flight + result_step);
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
    text = f"!tweaked && to_front == to_result && {flights} == 0"
    return rekeyed_in_order(core, rule, "front_sector == result_sector", text)


def _refreshes(core: Contract) -> tuple[dict[str, str], str]:
    """The signals of the refreshed masks, and the rule that a dependent step enters after the masks."""
    s, bits = core.component.schedule, core.component.slots.bit_length() - 1
    if not s.refreshes:
        return {}, "always @* if (!clear) assert (refresh_flight == 0);"
    signals = {"refreshed_sector": "core.refreshed_sector", "refreshing": "core.refreshing"}
    step = "0"
    if s.refreshes > 1:
        signals["refreshed_step"], step = "core.refreshed_step", "refreshed_step"
    return (
        signals,
        f"""
      wire [{bits}:0] refreshed_call = refreshed_sector - call_sector;
      always @* if (!clear) begin
        assert (refreshing <= {s.refreshes} && {step} < {s.refreshes});
        assert (refreshing == 0 || call_sector != mixed_sector);
        assert (refreshing == {s.refreshes} || call_step == 0);
        assert (16'd{s.refreshes} * refreshed_call + {step} + refresh_flight == refreshing);
        assert (call_step <= {s.steps_before_refresh} || refreshed_call == 1);
      end""",
    )
