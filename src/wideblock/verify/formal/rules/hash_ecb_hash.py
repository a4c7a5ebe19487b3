# SPDX-License-Identifier: Apache-2.0
"""Rules of the family hash-ECB-hash."""

from wideblock.export.contract import Contract
from wideblock.verify.formal.induction import CLEAR, Rule
from wideblock.verify.formal.rules.outputs import OutputPlaces
from wideblock.verify.formal.rules.parts import (
    admitted,
    back_queue,
    check_not_ahead,
    delayed,
    in_flight,
    raised_by,
    rekeyed_in_order,
)

__all__ = ["order", "output", "queues", "rekey"]


def queues(core: Contract) -> Rule:
    """The queue between ciphers and back hash."""
    signals, rule = back_queue(core)
    return Rule(f"the queue of {core.component.queue_depth} beats neither overflows nor underflows", signals, rule)


def output(core: Contract) -> OutputPlaces:
    """The result ring's columns, and the back hash for the last block."""
    return OutputPlaces(("core.result_ring", "core.back_psi"))


def order(core: Contract) -> Rule:
    """From the front hash by U, the calls and their results to the back hash and Cm."""
    if not core.parameters.overlap:
        return _alone(core)
    made = core.component
    front, back = made.programs["front"], made.programs["back"]
    U, Cm = (next(i.step for i in program.issues if i.into is None) for program in (front, back))
    signals, rule = back_queue(core)
    pointers = ("computed", "result", "call", "ready", "hashed", "front")
    signals |= {"entering_sector": "core.entering_sector"}
    signals |= {f"{name}_sector": f"core.{name}_sector" for name in pointers}
    signals |= {"sector": "core.exit.sector", "number": "core.entrance.number", "clear": CLEAR}
    signals |= {name: f"core.{name}" for name in ("call_step", "result_step")}
    signals |= {"event_U": "core.front_hash.event_U", "event_Cm": "core.event_Cm"}
    waits = [f"hashed{k}" for k in range(made.wait)]
    signals |= {wait: f"core.{wait}" for wait in waits}
    for event, unit, program in (("U", "front", front), ("Cm", "back", back)):
        found, flight = in_flight(unit, program, event, registered=made.ahead > 0)
        signals, rule = signals | found, rule + flight
    found, room = admitted(core, "sector", "entering_sector", registered=made.ahead > 0)
    signals, rule = signals | found, rule + room
    bits = made.slots.bit_length() - 1
    distances = "".join(f"wire [{bits}:0] to_{x} = {x}_sector - sector;\n" for x in pointers)
    s, arriving, within, anew = made.lane_steps, "", "1'd1", ""
    if made.ahead:
        # the exit hears of a sector in the cycle after the pointer has passed it; a sector that is cut short is at its
        # old step for a cycle
        signals |= {"done": "core.exit_sector_later", "known": "core.Cm_later"}
        arriving, within = " + queue_write", "!front_begins"
        distances += f"wire [{bits}:0] to_done = done - sector;\n"
        anew = f"""
        assert (computed_sector == done + (known ? {bits + 1}'d1 : {bits + 1}'d0) && to_done <= to_computed);
        assert ((!front_begins || number == 0) && (!back_begins || back_step == 0));"""
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
      wire [{bits}:0] front_hashed = front_sector - hashed_sector - hashing;
      wire [{bits}:0] hashed_ready = hashed_sector - ready_sector, call_result = call_sector - result_sector;
      wire [{bits}:0] result_back = result_sector - computed_sector + (back_step > {Cm});
      wire [15:0] popped = back_step < {back.beats} ? back_step : 16'd{back.beats};
      wire [15:0] wait_flight = {" + ".join(waits) or 0};
      always @* if (!clear) begin
        assert (!event_U || hashed_sector != front_sector);
        assert (!event_Cm || computed_sector != result_sector);
        assert ({" && ".join(f"to_{a} <= to_{b}" for a, b in zip(pointers, pointers[1:], strict=False))});
        assert (!({within}) || number == (front_step < {front.beats} ? front_step : 0));
        assert (front_sector == entering_sector + (whole ? {bits + 1}'d1 : {bits + 1}'d0));
        assert (to_front <= {made.slots} && (number == 0 || to_front < {made.slots}));
        {flown}
        assert (!whole || hashing || (call_sector != front_sector && (
          hashed_sector != front_sector || to_call + 1 != to_front || call_step + 16'd{known} <= front_step)));
        assert (front_hashed == U_flight && hashed_ready == wait_flight);
        assert (call_step < {s} && result_step < {s} && (call_step == 0 || call_sector != ready_sector));
        assert (16'd{s} * call_result + call_step == steps + result_step);
        assert (16'd{s} * result_back + result_step == queue_waiting{arriving} + popped + 16'd{s} * Cm_flight);{anew}
      end""",
        kept=("words",),
        cycles=1 + made.ahead,  # what goes to the data through a register was decided in the cycle before
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
    pointers = ("computed", "result", "call", *(() if made.direct else ("ready", "hashed")), "front")
    signals, steps = delayed("step", made.cipher_latency)
    signals |= {f"{name}_sector": f"core.{name}_sector" for name in (*pointers, "entering")}
    signals |= {"sector": "core.exit.sector", "number": "core.entrance.number", "clear": CLEAR}
    signals |= {name: f"core.{name}" for name in ("call_step", "result_step", "event_U", "event_Cm")}
    rule = ""
    for event, unit, program in (("U", "front", front), ("Cm", "back", back)):
        found, flight = in_flight(unit, program, event, registered=False, shared=True, early=True)
        others, only = raised_by(unit, event)
        signals, rule = signals | found | others, rule + flight + only
    found, room = admitted(core, "sector", "entering_sector", registered=False)
    signals, bits = signals | found, made.slots.bit_length() - 1
    distances = "".join(f"wire [{bits}:0] to_{x} = {x}_sector - sector;\n" for x in pointers)
    calls = "16'd0 + front_call == hashing + U_flight + (call_step != 0)"
    if not made.direct:
        waits = [f"hashed{k}" for k in range(made.wait)]
        signals |= {wait: f"core.{wait}" for wait in waits}
        distances += f"wire [{bits}:0] front_hashed = front_sector - hashed_sector;\n"
        distances += f"wire [{bits}:0] hashed_ready = hashed_sector - ready_sector;\n"
        calls = f"16'd0 + front_hashed == hashing + U_flight && hashed_ready == {' + '.join(waits) or 0}"
        calls += " && (call_step == 0 || call_sector != ready_sector)"
    U, Cm = (next(i.step for i in program.issues if i.into is None) for program in (front, back))
    return Rule(
        "no stage works on a sector that it was not given, nor announces it; one sector at a time",
        signals,
        f"""{distances}{rule}{room}
      wire [15:0] steps = {steps};
      wire whole = front_step >= {front.beats};
      wire hashing = whole && front_step <= {U};
      wire [{bits}:0] under_way = front_sector - computed_sector, call_result = call_sector - result_sector;
      wire [{bits}:0] front_call = front_sector - call_sector;
      wire [{bits}:0] result_back = result_sector - computed_sector + (back_step > {Cm});
      wire [15:0] popped = back_step < {back.beats} ? back_step : 16'd{back.beats};
      always @* if (!clear) begin
        assert (under_way <= 1 && (front_step == 0 || whole || under_way == 0));
        assert ({" && ".join(f"to_{a} <= to_{b}" for a, b in zip(pointers, pointers[1:], strict=False))});
        assert (number == (front_step < {front.beats} ? front_step : 0));
        assert (front_sector == entering_sector + (whole ? {bits + 1}'d1 : {bits + 1}'d0));
        assert (to_front <= {made.slots} && (number == 0 || to_front < {made.slots}));
        assert (call_step < {s} && result_step < {s} && {calls});
        assert (16'd{s} * call_result + call_step == steps + result_step);
        assert (16'd{s} * result_back + result_step >= popped + 16'd{s} * Cm_flight);
        assert (!event_Cm || computed_sector != front_sector);
      end""",
        kept=("words",),
    )


def rekey(core: Contract) -> Rule:
    """No sector between the front hash and the last block known, and no step in the lanes."""
    text = "front_step == 0 && to_front == to_computed && steps == 0"
    return rekeyed_in_order(core, order(core), "entering_sector == computed_sector && front_step == 0", text)
