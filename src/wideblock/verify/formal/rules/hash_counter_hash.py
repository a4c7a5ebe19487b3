# SPDX-License-Identifier: Apache-2.0
"""Rules of the family hash-counter-hash."""

from dataclasses import replace

from wideblock.export.contract import Contract
from wideblock.verify.formal.induction import CLEAR, Rule
from wideblock.verify.formal.proof import NotApplicable, NotProved
from wideblock.verify.formal.rules.copied_hash import Reads, hashed
from wideblock.verify.formal.rules.copies import number_bits, places_of
from wideblock.verify.formal.rules.outputs import OutputPlaces, damage, tag_memory
from wideblock.verify.formal.rules.parts import (
    NO_SLOTS,
    admitted,
    back_queue,
    check_not_ahead,
    delayed,
    in_flight,
    in_order,
    raised_by,
    raising,
    rekeyed_in_order,
    released,
)

__all__ = ["order", "output", "queues", "rekey", "release", "slots"]


def queues(core: Contract) -> Rule:
    """The queue between lanes and back hash."""
    signals, rule = _queue(core)
    return Rule(f"the queue of {core.component.queue_depth} beats neither overflows nor underflows", signals, rule)


def _queue(core: Contract) -> tuple[dict[str, str], str]:
    """The queue's signals and rule; lane_done_step & (parts - 1) steps of an open beat are outside of the queue."""
    parts = core.parameters.width // core.parameters.lanes
    signals, rule = back_queue(core, parts, f"lane_done_step & 16'd{parts - 1}")
    return signals | {"lane_done_step": "core.lane_done_step"}, rule


def output(core: Contract) -> OutputPlaces:
    """The result ring's banks, and the last known blocks, in the order of the direction."""
    places = ("core.result_ring", "core.inner", "core.outer", "core.direction", "core.verdicts", *tag_memory(core))
    return OutputPlaces(places, begins=damage(core))


def order(core: Contract) -> Rule:
    """From the front hash by R, the single call, the lanes and the back hash to h and, if the scheme has it, tauW; in
    schemes with a call of the inner block to the result of the call.
    """
    if not core.parameters.overlap:
        return _alone(core)
    made = core.component
    front, back, events = made.programs["front"], made.programs["back"], _events(made)
    signals, rule = _queue(core)
    found, distances, ordered = _pointers(core)
    signals |= found | {"lane_step": "core.lane_step"}
    for event, unit, program in (("R", "front", front), *((event, "back", back) for event in events)):
        again = unit == "back" and event != events[0]
        found, flight = in_flight(unit, program, event, registered=made.ahead > 0, walked=again)
        signals, rule = signals | found, rule + flight
    found, room = admitted(core, "left", "front_sector", registered=made.ahead > 0)
    signals, rule = signals | found, rule + room
    bits = made.slots.bit_length() - 1
    tauW = _tauW(core, bits) if "tauW" in events else ""
    before_h = "back_tauW_sector" if "tauW" in events else "front_sector"
    parts, s = core.parameters.width // core.parameters.lanes, made.lane_steps
    arriving = " + queue_write" if made.ahead else ""
    anew = ""
    if made.ahead:
        found, exits = _exits(made)
        signals, anew = signals | found, "assert (!back_begins || back_step == 0);"
        distances += exits
    tags = _single_tags(made)
    singles = " + ".join(tags)
    closed = ""
    if made.structure.end_calls:
        closing_tags, flight = _closing_calls(made)
        tags |= closing_tags
        closed = f"""{flight}
      always @* if (!clear) begin
        assert (!call_inner_tag{made.calls.closing_latency - 1} || inner_done_sector != front_sector);
        assert (inner_to_inner_done == closing_flight);
      end"""
    return Rule(
        "no stage works on a sector that it was not given, nor announces it",
        signals | tags,
        f"""{distances}{rule}{tauW}{closed}
      wire [15:0] popped = back_step < {back.beats} ? back_step : 16'd{back.beats};
      wire [15:0] single_flight = {singles};
      always @* if (!clear) begin
        assert (!event_h || inner_sector != {before_h});
        {ordered}
        assert (to_front <= {made.slots} && (front_step == 0 || to_front < {made.slots}));
        assert (front_to_single == R_flight && single_to_single_done == single_flight);
        assert (lane_step < {s} && lane_done_step < {s} && (lane_step == 0 || lane_sector != single_done_sector));
        assert (16'd{s} * lane_to_lane_done + lane_step == steps + lane_done_step);
        assert (16'd{s} * lane_done_to_back + lane_done_step ==
          16'd{parts} * (popped + queue_waiting{arriving}) + part_out);
        assert (back_to_inner == h_flight);
        {anew}
      end""",
        kept=("words",),
        cycles=1 + made.ahead,  # what goes to the data through a register was decided in the cycle before
    )


def _tauW(core: Contract, bits: int) -> str:
    """At most one tauW is in flight, issued on the step of the program."""
    step = _issued(core)["tauW"]
    urgent = "".join(
        f"assert (!tauW_{k} || (back_step > {step} && back_step <= {step} + {k}));\n"
        for k in range(1, core.component.programs["back"].latency + 1)
    )
    return f"""
      wire [{bits}:0] back_to_tauW = back_sector + (back_step > {step}) - back_tauW_sector;
      always @* if (!clear) begin
        assert (!event_tauW || back_tauW_sector != front_sector);
        assert (back_to_tauW == tauW_flight && tauW_flight <= 1);
        {urgent}
      end"""


def _alone(core: Contract) -> Rule:
    """The rule for a core without overlap: a single sector is in the stages until the last block is known.

    A common hash unit serves both passes, and takes a beat of results on arrival. Simulation shows that the schedule of
    the hash is ready for each beat; proved here is that the hash takes no beat before its arrival.
    """
    check_not_ahead(core)
    made = core.component
    front, back, events = made.programs["front"], made.programs["back"], _events(made)
    signals, distances, ordered = _pointers(core)
    tags, steps = delayed("lane", made.cipher_latency)
    signals |= tags | {name: f"core.{name}" for name in ("lane_step", "lane_done_step")} | {"clear": CLEAR}
    rule = ""
    for event, unit, program in (("R", "front", front), *((event, "back", back) for event in events)):
        early, again = made.shortcut and event == "h", unit == "back" and event != events[0]
        found, flight = in_flight(unit, program, event, registered=False, shared=True, early=early, walked=again)
        signals, rule = signals | found, rule + flight
        found, only = raised_by(unit, event)
        signals, rule = signals | found, rule + only
    found, room = admitted(core, "left", "front_sector", registered=False)
    signals, tags = signals | found, _single_tags(made)
    bits, s = made.slots.bit_length() - 1, made.lane_steps
    parts, stride = core.parameters.width // core.parameters.lanes, back.stride
    singles, closed = " + ".join(tags), ""
    if made.structure.end_calls:
        closing_tags, flight = _closing_calls(made)
        tags |= closing_tags
        closed = f"""{flight}
      always @* if (!clear) assert (inner_to_inner_done == closing_flight);"""
    return Rule(
        "no stage works on a sector that it was not given, nor announces it; one sector at a time",
        signals | tags,
        f"""{distances}{rule}{room}{closed}
      wire [15:0] steps = {steps}, single_flight = {singles};
      wire [{bits}:0] under_way = front_sector - {_computed(made)}_sector;
      wire [15:0] taken = (back_step + 16'd{stride - 1}) / {stride};
      wire [15:0] popped = taken < {back.beats} ? taken : 16'd{back.beats};
      always @* if (!clear) begin
        assert (under_way <= 1 && (front_step == 0 || under_way == 0));
        {ordered}
        assert (to_front <= {made.slots} && (front_step == 0 || to_front < {made.slots}));
        assert (front_to_single == R_flight && single_to_single_done == single_flight);
        assert (lane_step < {s} && lane_done_step < {s} && (lane_step == 0 || lane_sector != single_done_sector));
        assert (16'd{s} * lane_to_lane_done + lane_step == steps + lane_done_step);
        assert (16'd{s} * lane_done_to_back + lane_done_step >= 16'd{parts} * popped);
        assert (back_to_inner == h_flight && (!event_h || inner_sector != front_sector));
      end""",
        kept=("words",),
    )


def rekey(core: Contract) -> Rule:
    """No sector between the front hash and the last block known, and no step or call in the lanes."""
    computed = _computed(core.component)
    text = f"front_step == 0 && to_front == to_{computed} && steps == 0 && single_flight == 0"
    return rekeyed_in_order(core, order(core), f"front_sector == {computed}_sector && front_step == 0", text)


def release(core: Contract) -> Rule:
    """As :func:`released`; the exit hears of a sector a cycle later where the control is ahead."""
    judged = "exit_ready_sector_later" if core.component.ahead else "inner_sector"
    return replace(released(core, judged), cycles=1 + core.component.ahead)


def slots(core: Contract) -> Rule:
    """As :func:`wideblock.verify.formal.rules.copied_hash.hashed`."""
    if not core.parameters.slots:
        raise NotApplicable(NO_SLOTS)
    return hashed(core, order(core), f"{_computed(core.component)}_sector", ("R", "h"), _reads(core))


def _reads(core: Contract) -> Reads:
    """Keys of the blocks that enter the ciphers, and words for Z, are read at the places of their sectors."""
    made, bits, clock = core.component, number_bits(core), core.shell.clock
    context, material = made.key_unit.context, made.key_unit.material
    (key,) = material.ciphers
    signals, text = places_of(core, key, [("called_of", "called")])
    numbers = context.places(key)
    if made.structure.inverse_call:
        more, read = places_of(core, key, [("called_of", "called_single")], last=True)
        signals, text = signals | more, text + read
        numbers += context.places(key, last=True)
    others = [word for word in (*material.raw, *material.stored) if context.places(word)]
    for word in others:
        more, read = places_of(core, word, [("done_of", "done")])
        signals, text = signals | more, text + read
    signals |= {"R": "core.front_hash.event_R", "step_go": "core.step_go"}
    tweak_go, tweak = "1'b0", ""
    if made.structure.tweak_call:
        signals["tweak_go"], tweak_go = "core.tweak_go", "tweak_go"
        tweak = f"""
        if (tweak_go && live && front_sector == n && (takes_first || front_step != 0 && !a_bad)) begin
          assert (since > {max(context.places(key))});
        end"""
    if others:
        signals |= {"done": "core.single_done_later", "done_of": "core.single_done_sector_later"}
        last = max(number for word in others for number in context.places(word))
        text += f"""
        assert (!done || done_of + {bits}'d1 == single_done_sector);
        assert (!(done && live && done_of == n) || since > {last + 1});"""
    return Reads(
        signals,
        f"""
      reg called, called_single;
      reg [{bits - 1}:0] called_of;
      always @(posedge {clock}) begin
        called <= !clear && (R || {tweak_go} || step_go);
        called_single <= !clear && R;
        called_of <= R ? single_sector : {tweak_go} ? front_sector : lane_sector;
      end""",
        f"""{text}{tweak}
        assert (!(R && live && single_sector == n) || since > {max(numbers)});
        assert (!(step_go && live && lane_sector == n) || since > {max(context.places(key))});""",
    )


def _pointers(core: Contract) -> tuple[dict[str, str], str, str]:
    """The pointers and the back hash's events: signals, distances, and the assertion of the order of stages."""
    made = core.component
    closing = ["inner_done"] if made.structure.end_calls else []
    stages = (*closing, "inner", "back", "lane_done", "lane", "single_done", "single", "front")
    signals, distances, ordered = in_order(core, stages)
    signals |= {f"event_{event}": f"core.event_{event}" for event in _events(made)}
    if "tauW" in _events(made):
        signals["back_tauW_sector"] = "core.back_tauW_sector"
    return signals, distances, ordered


def _computed(made) -> str:
    """The pointer of the first sector that is not computed."""
    return "inner_done" if made.structure.end_calls else "inner"


def _closing_calls(made) -> tuple[dict[str, str], str]:
    """The closing calls under way: signals, and ``closing_flight``, the number of calls."""
    tags, flight = delayed("call", made.calls.closing_latency, "inner_tag")
    return tags, f"\n      wire [15:0] closing_flight = {flight};"


def _single_tags(made) -> dict[str, str]:
    """The flags of single calls under way."""
    if made.structure.end_calls:
        return delayed("call", made.calls.latency, "single_tag")[0]
    waiting = made.calls.latency - made.cipher_latency  # for the inverse cipher, when the lanes have theirs
    called = made.cipher_latency - made.shortcut  # a result that is taken a cycle early
    return delayed("single", called)[0] | delayed("call", waiting, "single_tag")[0]


def _issued(core: Contract) -> dict[str, int]:
    """The steps of issue of the products with events of the rules. Raises NotProved if a step breaks the argument."""
    front, back = (core.component.programs[name] for name in ("front", "back"))
    issued = {event: i.step for program in (front, back) for event, i in raising(program).items()}
    if issued["h"] < back.steps - 1 or issued["R"] < front.steps - 1:
        raise NotProved(
            f"{core.module}: the argument needs h and R issued at the last steps, {back.steps - 1} and "
            f"{front.steps - 1}, or later; they are issued at {issued['h']} and {issued['R']}"
        )
    if "tauW" in issued and issued["tauW"] + back.latency >= back.steps:
        raise NotProved(f"{core.module}: tauW is issued at step {issued['tauW']}, too late to be known before h")
    return issued


def _events(made) -> list[str]:
    """The events of the back hash that advance a pointer."""
    raised = {event.name for event in made.units["back"].events}
    return [event for event in ("tauW", "h") if event in raised]


def _exits(made) -> tuple[dict[str, str], str]:
    """The exit gets a sector in the cycle after its last block is known."""
    bits, computed = made.slots.bit_length() - 1, _computed(made)
    return (
        {"exit_ready_sector": "core.exit_ready_sector_later", "known": "core.known_later"},
        f"""wire [{bits}:0] to_exit_ready = exit_ready_sector - left;
      always @* if (!clear) begin
        assert ({computed}_sector == exit_ready_sector + (known ? {bits + 1}'d1 : {bits + 1}'d0));
        assert (to_exit_ready <= to_{computed});
      end
      """,
    )
