# SPDX-License-Identifier: Apache-2.0
"""Rules of hash-counter-hash for messages of any length."""

from wideblock.export.contract import Contract
from wideblock.verify.formal.induction import CLEAR, Rule
from wideblock.verify.formal.rules.outputs import OutputPlaces
from wideblock.verify.formal.rules.parts import admitted, delayed, rekeyed_in_order

__all__ = ["order", "output", "rekey"]


def output(core: Contract) -> OutputPlaces:
    """The result ring, and where a message ends."""
    return OutputPlaces(("core.result_ring", "core.ends"))


def order(core: Contract) -> Rule:
    """A message in the second pass is in one place: a hash, the steps of the counter mode, or the lanes behind them."""
    made = core.component
    A, s, bits = made.cipher_latency, core.parameters.mult_stages, made.slots.bit_length() - 1
    signals = {"front": "core.front_sector", "inner": "core.inner_sector", "left": "core.exit.sector", "clear": CLEAR}
    signals |= {name: f"core.{name}" for name in ("steps", "called")}
    signals |= {f"{walk}_{x}": f"core.{walk}_{x}" for walk in ("lane", "y") for x in ("number", "held")}
    signals |= {"end_byte": "core.message.end", "tweak_size": "core.message.tweak_size"}
    entrance_signals, entrance = _entrance(core)
    single_tags, single = delayed("single", A)
    step_tags, step = delayed("step", A)
    first_tags, first = _last_blocks("front", s)
    last_tags, last = _last_blocks("back", s)
    room_signals, room = admitted(core, "left", "front")
    older = [" | ".join(f"step_tag{j}" for j in range(k, A)) for k in range(A)]
    behind_call = "".join(f"assert (!single_tag{k} || !({tags}));\n" for k, tags in enumerate(older))
    walks = "".join(
        f"""wire [15:0] {walk}_at = {walk}_number == 0 ? {walk}_held : held + {walk}_number;
      always @* if (!clear) begin
        assert ({walk}_number <= behind && {walk}_held <= held && ({walk}_number == 0 || {walk}_held == 0));
      end
      """
        for walk in ("lane", "y")
    )
    return Rule(
        "no stage works on a message that it was not given, nor announces it",
        signals | entrance_signals | single_tags | step_tags | first_tags | last_tags | room_signals,
        f"""
      {entrance}{room}
      wire [{bits}:0] under_way = front - inner, in_core = front - left, to_leave = inner - left;
      wire [15:0] single_flight = {single}, step_flight = {step}, first_flight = {first}, last_flight = {last};
      wire [15:0] behind = end_byte >> 4, held = (16'd15 + tweak_size) >> 4;
      wire in_lanes = !steps && step_flight != 0;
      {walks}
      always @* if (!clear) begin
        assert (end_byte < {core.parameters.longest} && tweak_size <= {core.parameters.most_tweak_bytes});
        assert (under_way <= 1 && in_core <= {made.slots} && to_leave <= in_core);
        assert (under_way == first_flight + steps + in_lanes + last_flight);
        assert (under_way == first_flight + single_flight + called);
        assert (steps || lane_at == 0);
        assert ((steps ? lane_at : in_lanes ? held + behind + 1 : 16'd0) == y_at + step_flight);
        // what entered the lanes behind the single call arrives behind it
        assert (single_flight == 0 || (y_at == 0 && last_flight == 0));
        {behind_call}
        assert (!computed || under_way == 1);
      end""",
    )


def rekey(core: Contract) -> Rule:
    """No message in either pass, and no block in the lanes."""
    text = "under_way == 0 && !steps && step_flight == 0 && single_flight == 0"
    return rekeyed_in_order(core, order(core), "front == inner && front_number == 0", text)


def _entrance(core: Contract) -> tuple[dict[str, str], str]:
    """A message that is offered states sizes that the core takes, and the first pass is where its blocks are."""
    names = ("full", "begun", "first", "discard", "number", "beat.last", "beat.size", "beat.tweak_size")
    length, most_tweak = core.behaviour.length, core.parameters.most_tweak_bytes
    signals = {f"entrance_{name.replace('beat.', '')}": f"core.entrance.{name}" for name in names}
    return (
        signals | {"front_number": "core.front_number", "front_held": "core.front_held"},
        f"""wire stated = entrance_size >= {length.least} && entrance_size <= {length.most}
        && entrance_tweak_size <= {most_tweak};
      wire [15:0] front_behind = (entrance_size - 16'd1) >> 4, front_tweak = (16'd15 + entrance_tweak_size) >> 4;
      always @* if (!clear) begin
        assert (entrance_first || entrance_discard || stated);
        assert (!entrance_full || entrance_begun == !entrance_last);
        assert (entrance_full || entrance_discard || entrance_first == !entrance_begun);
        assert (!entrance_discard || entrance_full || entrance_begun);
        assert (entrance_number == front_number);
        assert ((front_number != 0) == (!entrance_first && !entrance_discard));
        assert (front_number == 0 || (front_number <= front_behind && front_held == 0));
        assert (front_held == 0 || (entrance_full && entrance_first && !entrance_discard && stated));
        assert (front_held == 0 || front_held <= front_tweak);
      end""",
    )


def _last_blocks(hash: str, stages: int) -> tuple[dict[str, str], str]:
    """The last blocks of a run in the multiplier of a hash: signals, and their number in Verilog."""
    signals, terms = {}, []
    for k in range(stages):
        names = {f"{hash}_{flag}{k}": f"core.{hash}_hash.tag{k}.{flag}" for flag in ("go", "last")}
        signals |= names
        terms.append(f"({' & '.join(names)})")
    return signals, " + ".join(terms)
