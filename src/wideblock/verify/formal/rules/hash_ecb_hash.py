# SPDX-License-Identifier: Apache-2.0
"""Rules of the family hash-ECB-hash."""

from dataclasses import replace

from wideblock.export.contract import Contract
from wideblock.verify.formal.induction import CLEAR, Rule
from wideblock.verify.formal.proof import NotApplicable
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
    rekeyed_in_order,
    released,
)

__all__ = ["order", "output", "queues", "rekey", "release", "slots"]


def queues(core: Contract) -> Rule:
    """The queue between ciphers and back hash."""
    signals, rule = back_queue(core)
    return Rule(f"the queue of {core.component.queue_depth} beats neither overflows nor underflows", signals, rule)


def output(core: Contract) -> OutputPlaces:
    """The result ring's columns, the back hash for the last block, and ICVs with their verdicts."""
    places = ("core.result_ring", "core.back_psi", "core.Y1", "core.direction", "core.verdicts", *tag_memory(core))
    return OutputPlaces(places, begins=damage(core))


def release(core: Contract) -> Rule:
    """As :func:`released`; the exit hears of a sector a cycle later where the control is ahead."""
    judged = "exit_ready_sector_later" if core.component.ahead else "last_sector"
    return replace(released(core, judged), cycles=1 + core.component.ahead)


def order(core: Contract) -> Rule:
    """From the front hash by U, the calls and their results to the back hash and Cm."""
    if not core.parameters.overlap:
        return _alone(core)
    made = core.component
    front, back = made.programs["front"], made.programs["back"]
    U, Cm = (next(i.step for i in program.issues if i.into is None) for program in (front, back))
    signals, rule = back_queue(core)
    found, distances, ordered = in_order(core, ("last", "lane_done", "lane", "lane_ready", "front_U", "enter"))
    signals |= found | {"number": "core.entrance.number", "clear": CLEAR}
    signals |= {name: f"core.{name}" for name in ("front_sector", "lane_step", "lane_done_step")}
    signals |= {"event_U": "core.front_hash.event_U", "event_Cm": "core.event_Cm"}
    waits, waiting = delayed("U", made.wait, "front_tag")
    signals |= waits
    for event, unit, program in (("U", "front", front), ("Cm", "back", back)):
        found, flight = in_flight(unit, program, event, registered=made.ahead > 0)
        signals, rule = signals | found, rule + flight
    found, room = admitted(core, "left", "front_sector", registered=made.ahead > 0)
    signals, rule = signals | found, rule + room
    bits = made.slots.bit_length() - 1
    s, arriving, within, anew = made.lane_steps, "", "1'd1", ""
    if made.ahead:
        arriving, within = " + queue_write", "!front_begins"
        found, wire, anew = _ahead(bits)
        signals, distances = signals | found, distances + wire
    # the calls of a sector begin while the last steps of its front hash run, and do not end before those
    known = U + front.latency + 1
    flown = " ".join(f"assert (U_{k} == (front_step == {U + k}));" for k in range(1, front.steps - U) if U + k < known)
    return Rule(
        "no stage works on a sector that it was not given, nor announces it",
        signals,
        f"""{distances}{rule}
      // a sector's last beat is taken before its U is issued, and its steps before its Cm
      wire whole = {within} && front_step >= {front.beats};
      wire hashing = whole && front_step <= {U};
      wire [{bits}:0] lane_done_to_back = lane_done_to_last + (back_step > {Cm});
      wire [15:0] popped = back_step < {back.beats} ? back_step : 16'd{back.beats};
      wire [15:0] wait_flight = {waiting or 0};
      always @* if (!clear) begin
        assert (!event_U || front_U_sector != enter_sector);
        assert (!event_Cm || last_sector != lane_done_sector);
        {ordered}
        assert (!({within}) || number == (front_step < {front.beats} ? front_step : 0));
        assert (enter_sector == front_sector + (whole ? {bits + 1}'d1 : {bits + 1}'d0));
        assert (to_enter <= {made.slots} && (number == 0 || to_enter < {made.slots}));
        {flown}
        assert (!whole || hashing || (lane_sector != enter_sector && (
          front_U_sector != enter_sector || to_lane + 1 != to_enter || lane_step + 16'd{known} <= front_step)));
        assert (enter_to_front_U == hashing + U_flight && front_U_to_lane_ready == wait_flight);
        assert (lane_step < {s} && lane_done_step < {s} && (lane_step == 0 || lane_sector != lane_ready_sector));
        assert (16'd{s} * lane_to_lane_done + lane_step == steps + lane_done_step);
        assert (16'd{s} * lane_done_to_back + lane_done_step ==
          queue_waiting{arriving} + popped + 16'd{s} * Cm_flight);{anew}
      end""",
        kept=("words",),
        cycles=1 + made.ahead,  # what goes to the data through a register was decided in the cycle before
    )


def _ahead(bits: int) -> tuple[dict[str, str], str, str]:
    """For a control ahead of the data: signals, a wire, assertions.

    The exit gets a sector in the cycle after its last block is known. A sector cut short is at its old step for a
    cycle.
    """
    return (
        {"exit_ready_sector": "core.exit_ready_sector_later", "known": "core.last_known_later"},
        f"wire [{bits}:0] to_exit_ready = exit_ready_sector - left;\n",
        f"""
        assert (last_sector == exit_ready_sector + (known ? {bits + 1}'d1 : {bits + 1}'d0) && to_exit_ready <= to_last);
        assert ((!front_begins || number == 0) && (!back_begins || back_step == 0));""",
    )


def _alone(core: Contract) -> Rule:
    """The rule for a core without overlap: a single sector is in the stages until the last block is known.

    A common hash unit serves both passes, and takes a beat of results on arrival. Simulation shows that the schedule of
    the hash is ready for each beat; proved here is that the hash takes no beat before its arrival. The calls of a
    sector go with the hash of the sector, or later.
    """
    check_not_ahead(core)
    made = core.component
    front, back, s = made.programs["front"], made.programs["back"], made.lane_steps
    waiting = () if made.direct else ("lane_ready", "front_U")
    signals, distances, ordered = in_order(core, ("last", "lane_done", "lane", *waiting, "enter"))
    tags, steps = delayed("lane", made.cipher_latency)
    signals |= tags | {"number": "core.entrance.number", "clear": CLEAR}
    names = ("front_sector", "lane_step", "lane_done_step", "event_U", "event_Cm")
    signals |= {name: f"core.{name}" for name in names}
    rule = ""
    for event, unit, program in (("U", "front", front), ("Cm", "back", back)):
        found, flight = in_flight(unit, program, event, registered=False, shared=True, early=True)
        others, only = raised_by(unit, event)
        signals, rule = signals | found | others, rule + flight + only
    found, room = admitted(core, "left", "front_sector", registered=False)
    signals, bits = signals | found, made.slots.bit_length() - 1
    calls = "16'd0 + enter_to_lane == hashing + U_flight + (lane_step != 0)"
    if not made.direct:
        waits, waiting = delayed("U", made.wait, "front_tag")
        signals |= waits
        calls = f"16'd0 + enter_to_front_U == hashing + U_flight && front_U_to_lane_ready == {waiting or 0}"
        calls += " && (lane_step == 0 || lane_sector != lane_ready_sector)"
    U, Cm = (next(i.step for i in program.issues if i.into is None) for program in (front, back))
    return Rule(
        "no stage works on a sector that it was not given, nor announces it; one sector at a time",
        signals,
        f"""{distances}{rule}{room}
      wire [15:0] steps = {steps};
      wire whole = front_step >= {front.beats};
      wire hashing = whole && front_step <= {U};
      wire [{bits}:0] under_way = enter_sector - last_sector;
      wire [{bits}:0] lane_done_to_back = lane_done_to_last + (back_step > {Cm});
      wire [15:0] popped = back_step < {back.beats} ? back_step : 16'd{back.beats};
      always @* if (!clear) begin
        assert (under_way <= 1 && (front_step == 0 || whole || under_way == 0));
        {ordered}
        assert (number == (front_step < {front.beats} ? front_step : 0));
        assert (enter_sector == front_sector + (whole ? {bits + 1}'d1 : {bits + 1}'d0));
        assert (to_enter <= {made.slots} && (number == 0 || to_enter < {made.slots}));
        assert (lane_step < {s} && lane_done_step < {s} && {calls});
        assert (16'd{s} * lane_to_lane_done + lane_step == steps + lane_done_step);
        assert (16'd{s} * lane_done_to_back + lane_done_step >= popped + 16'd{s} * Cm_flight);
        assert (!event_Cm || last_sector != enter_sector);
      end""",
        kept=("words",),
    )


def rekey(core: Contract) -> Rule:
    """No sector between the front hash and the last block known, and no step in the lanes."""
    text = "front_step == 0 && to_enter == to_last && steps == 0"
    return rekeyed_in_order(core, order(core), "front_sector == last_sector && front_step == 0", text)


def slots(core: Contract) -> Rule:
    """As :func:`wideblock.verify.formal.rules.copied_hash.hashed`, where both hashes are known behind their heads."""
    if not core.parameters.slots:
        raise NotApplicable(NO_SLOTS)
    if any(max(i.step for i in program.issues) < program.steps for program in core.component.programs.values()):
        raise NotApplicable("no argument for calls of a sector beside the last steps of the front hash")
    return hashed(core, order(core), "last_sector", ("U", "Cm"), _reads(core))


def _reads(core: Contract) -> Reads:
    """The keys of the blocks that enter the ciphers are read at the places of their sectors."""
    context, bits = core.component.key_unit.context, number_bits(core)
    (key,) = core.component.key_unit.material.ciphers
    signals, text = places_of(core, key, [("called_of", "called")])
    more, read = places_of(core, key, [("called_of", "called")], last=True)
    first, last = (max(context.places(key, last=last)) for last in (False, True))
    names = {"opens": "core.opening", "step_go": "core.go", "back_sector": "core.back_sector"}
    return Reads(
        signals | more | names,
        f"""
      wire [{bits - 1}:0] back_to_last = back_sector - last_sector;
      reg called;
      reg [{bits - 1}:0] called_of;
      always @(posedge {core.shell.clock}) begin
        called <= !clear && (opens || step_go);
        called_of <= opens ? enter_sector : lane_sector;
      end""",
        f"""{text}{read}
        assert (back_to_last == Cm_flight);
        assert (!(opens && live && front_sector == n) || takes_first && since > {first});
        assert (!(step_go && live && lane_sector == n) || since > {max(first, last)});""",
    )
